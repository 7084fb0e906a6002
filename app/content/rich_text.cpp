#include "app/content/rich_text.h"

#include <algorithm>
#include <vector>

#include "app/content/block_stream.h"
#include "app/content/leaf_parser.h"

namespace ingle::content {
namespace {

enum class Escapes { None, All };

bool isMark(std::string_view text, size_t at) {
    const char c = text[at];
    // A point or bracket behind a number is a mark, and these where a line begins; others anywhere.
    if (std::string_view("#+-=.)>").find(c) != std::string_view::npos) {
        const size_t line = at == 0 ? 0 : text.rfind('\n', at - 1) + 1;
        return text.substr(line, at - line).find_first_not_of("0123456789 \t") == std::string_view::npos;
    }
    return std::string_view("\\`*_[]<&~$|").find(c) != std::string_view::npos;
}

class Writer {
  public:
    Writer(const RichText& text, Escapes escapes, std::string_view lineBreak)
        : m_text(text), m_escapes(escapes), m_lineBreak(lineBreak) {}

    std::string write() {
        writeRange(0, m_text.text.size(), 0);
        return std::move(m_out);
    }

  private:
    /// Writes the text from `begin` to `end`, with the spans from number `span` on that lie there.
    size_t writeRange(size_t begin, size_t end, size_t span) {
        while (span < m_text.spans.size() && m_text.spans[span].begin < end) {
            const Span& one = m_text.spans[span];
            writeText(begin, one.begin);
            span = writeSpan(one, span);
            begin = one.end;
        }
        writeText(begin, end);
        return span;
    }

    size_t writeSpan(const Span& span, size_t number) {
        const std::string_view text = std::string_view(m_text.text).substr(span.begin, span.end - span.begin);
        switch (span.kind) {
            case SpanKind::Formula:
                m_out.append(text);
                return number + 1;
            case SpanKind::Code:
                writeCode(text);
                return number + 1;
            case SpanKind::Link:
            case SpanKind::Image:
                return writeLink(span, number);
            default:
                break;
        }
        const std::string_view mark = span.kind == SpanKind::Strong   ? "**"
                                      : span.kind == SpanKind::Strike ? "~~"
                                      : m_out.ends_with('*')          ? "_"
                                                                      : "*";
        m_out.append(mark);
        const size_t next = writeRange(span.begin, span.end, number + 1);
        m_out.append(mark);
        return next;
    }

    size_t writeLink(const Span& span, size_t number) {
        const std::string& target = m_text.targets[span.target];
        const std::string_view text = std::string_view(m_text.text).substr(span.begin, span.end - span.begin);
        // A bare address is one that says where it leads.
        if (span.kind == SpanKind::Link && target == text) {
            m_out.append(m_escapes == Escapes::All ? "<" + target + ">" : target);
            return number + 1;
        }
        m_out.append(span.kind == SpanKind::Image ? "![" : "[");
        const size_t next = writeRange(span.begin, span.end, number + 1);
        const bool plain = !target.empty() && target.find_first_of(" ()<>\\\n") == std::string::npos;
        m_out.append("](").append(plain ? target : "<" + target + ">").append(")");
        return next;
    }

    void writeCode(std::string_view code) {
        size_t length = 1;
        while (hasRun(code, length)) ++length;
        const bool padded =
            code.starts_with('`') || code.ends_with('`') ||
            (code.starts_with(' ') && code.ends_with(' ') && code.find_first_not_of(' ') < code.size());
        const std::string fence = std::string(length, '`');
        m_out.append(fence).append(padded ? " " : "").append(code).append(padded ? " " : "").append(fence);
    }

    static bool hasRun(std::string_view code, size_t length) {
        for (size_t at = code.find('`'); at != std::string_view::npos;) {
            const size_t end = std::min(code.find_first_not_of('`', at), code.size());
            if (end - at == length) return true;
            at = code.find('`', end);
        }
        return false;
    }

    void writeText(size_t begin, size_t end) {
        for (size_t at = begin; at < end; ++at) {
            if (m_text.text[at] == '\n') {
                m_out.append(m_lineBreak);
                continue;
            }
            if (m_escapes == Escapes::All && isMark(m_text.text, at)) m_out.push_back('\\');
            m_out.push_back(m_text.text[at]);
        }
    }

    const RichText& m_text;
    Escapes m_escapes;
    std::string_view m_lineBreak;
    std::string m_out;
};

template <typename Parse>
std::string written(const RichText& text, std::string_view lineBreak, const Parse& parse) {
    std::string out = Writer(text, Escapes::None, lineBreak).write();
    return parse(out) == text ? out : Writer(text, Escapes::All, lineBreak).write();
}

}  // namespace

RichText clipped(const RichText& text, size_t begin, size_t end) {
    RichText out{text.text.substr(begin, end - begin), {}, {}};
    for (Span span : text.spans) {
        span.begin = static_cast<uint32_t>(std::clamp<size_t>(span.begin, begin, end) - begin);
        span.end = static_cast<uint32_t>(std::clamp<size_t>(span.end, begin, end) - begin);
        if (span.begin == span.end) continue;
        if (span.kind == SpanKind::Link || span.kind == SpanKind::Image) {
            out.targets.push_back(text.targets[span.target]);
            span.target = static_cast<uint32_t>(out.targets.size() - 1);
        }
        out.spans.push_back(span);
    }
    return out;
}

void appendTo(RichText& text, const RichText& more) {
    const auto shift = static_cast<uint32_t>(text.text.size());
    const auto targets = static_cast<uint32_t>(text.targets.size());
    text.text.append(more.text);
    text.targets.insert(text.targets.end(), more.targets.begin(), more.targets.end());
    for (Span span : more.spans)
        text.spans.push_back({span.kind, span.begin + shift, span.end + shift, span.target + targets});
}

std::string inlineMarkdown(const RichText& text) {
    return written(text, "\n", [](const std::string& out) {
        const Part part{PartKind::Text, out, {}};
        std::vector<Block> blocks = blocksOf({&part, 1});
        const bool same =
            blocks.size() == 1 && blocks[0].kind == markdownKinds().back() && blocks[0].containers.empty();
        return same ? std::move(blocks[0].text) : RichText();
    });
}

std::string cellMarkdown(const RichText& text) {
    return written(text, "<br>", [](const std::string& out) {
        const auto rows = parseRows(out + "|", 1, {});
        return rows.size() == 1 && rows[0].size() == 1 ? rows[0][0] : RichText();
    });
}

}  // namespace ingle::content
