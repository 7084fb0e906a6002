#include "app/content/leaf_parser.h"

#include <md4c.h>

#include <algorithm>
#include <utility>

#include "app/content/entities.h"
#include "app/content/formulas.h"

namespace ingle::content {
namespace {

constexpr unsigned kDialect = MD_FLAG_PERMISSIVEAUTOLINKS | MD_FLAG_STRIKETHROUGH | MD_FLAG_NOHTML;

/// More columns are no table that anybody reads, and md4c fills every row up to their number.
constexpr size_t kMaxColumns = 100;

uint32_t sizeOf(const RichText& text) {
    return static_cast<uint32_t>(text.text.size());
}

/// Collects md4c's callbacks.
class Collector {
  public:
    explicit Collector(const MaskedText& source) : m_source(source) {}

    void enterBlock(MD_BLOCKTYPE type, void* detail) {
        if (type == MD_BLOCK_H) {
            level = static_cast<int>(static_cast<MD_BLOCK_H_DETAIL*>(detail)->level);
        } else if (type == MD_BLOCK_TR) {
            rows.emplace_back();
        } else if (type == MD_BLOCK_TH || type == MD_BLOCK_TD) {
            text = {};
        } else if (!text.text.empty() && type != MD_BLOCK_TABLE && type != MD_BLOCK_THEAD &&
                   type != MD_BLOCK_TBODY) {
            // The lines are those of one paragraph, whatever md4c makes of them.
            text.text.push_back('\n');
        }
    }

    void leaveBlock(MD_BLOCKTYPE type) {
        if (type != MD_BLOCK_TH && type != MD_BLOCK_TD) return;
        endSpans();
        rows.back().push_back(std::exchange(text, {}));
    }

    void enterSpan(MD_SPANTYPE type, void* detail) {
        Span span{.kind = kindOf(type), .begin = sizeOf(text)};
        if (type == MD_SPAN_A || type == MD_SPAN_IMG) {
            span.target = static_cast<uint32_t>(text.targets.size());
            text.targets.push_back(attributeText(type == MD_SPAN_A
                                                     ? static_cast<MD_SPAN_A_DETAIL*>(detail)->href
                                                     : static_cast<MD_SPAN_IMG_DETAIL*>(detail)->src));
        }
        m_open.push_back(text.spans.size());
        text.spans.push_back(span);
    }

    void leaveSpan(MD_SPANTYPE type) {
        // md4c 0.4.8 may end a span that it did not begin.
        const auto opener = std::find_if(m_open.rbegin(), m_open.rend(),
                                         [&](size_t span) { return text.spans[span].kind == kindOf(type); });
        if (opener == m_open.rend()) return;
        for (auto span = opener.base() - 1; span != m_open.end(); ++span)
            text.spans[*span].end = sizeOf(text);
        m_open.erase(opener.base() - 1, m_open.end());
    }

    /// What is open at the end of a text ends there.
    void endSpans() {
        for (const size_t span : std::exchange(m_open, {})) text.spans[span].end = sizeOf(text);
    }

    void addText(MD_TEXTTYPE type, std::string_view piece) {
        if (type == MD_TEXT_BR || type == MD_TEXT_SOFTBR) {
            // A single line end is meant in chat answers (verses, addresses), so it stays one.
            text.text.push_back('\n');
        } else if (type == MD_TEXT_ENTITY) {
            text.text.append(decodeEntity(piece));
        } else if (type == MD_TEXT_CODE) {
            addCode(piece);
        } else {
            addPlain(piece);
        }
    }

    RichText text;
    std::vector<std::vector<RichText>> rows;
    int level = 0;
    bool isTable = false;

  private:
    static SpanKind kindOf(MD_SPANTYPE type) {
        switch (type) {
            case MD_SPAN_STRONG:
                return SpanKind::Strong;
            case MD_SPAN_DEL:
                return SpanKind::Strike;
            case MD_SPAN_CODE:
                return SpanKind::Code;
            case MD_SPAN_A:
                return SpanKind::Link;
            case MD_SPAN_IMG:
                return SpanKind::Image;
            default:
                return SpanKind::Emphasis;
        }
    }

    /// In a cell a pipe is escaped also in code.
    void addCode(std::string_view piece) {
        for (size_t pipe = piece.find("\\|"); isTable && pipe != piece.npos; pipe = piece.find("\\|")) {
            addMasked(piece.substr(0, pipe), false);
            piece.remove_prefix(pipe + 1);
        }
        addMasked(piece, false);
    }

    void addPlain(std::string_view piece) {
        // Where it begins with a mark, something stands before it: a backslash, unless that is text itself.
        const bool isBehindText = std::exchange(m_plainEnd, piece.data() + piece.size()) == piece.data();
        const bool isEscaped = piece.starts_with('<') && !isBehindText && piece.data()[-1] == '\\';
        size_t from = isEscaped ? 1 : 0;
        for (size_t at = piece.find('<', from); at != piece.npos; at = piece.find('<', from)) {
            from = at + 1;
            const size_t size = lineBreakSize(piece.substr(at));
            if (size == 0) continue;
            addMasked(piece.substr(0, at), true);
            text.text.push_back('\n');
            piece.remove_prefix(at + size);
            from = 0;
        }
        addMasked(piece, true);
    }

    /// Of "<br>", "<br/>" or "<BR />" at the beginning; 0: there is none.
    static size_t lineBreakSize(std::string_view text) {
        if (text.size() < 4 || (text[1] | 0x20) != 'b' || (text[2] | 0x20) != 'r') return 0;
        size_t at = std::min(text.find_first_not_of(' ', 3), text.size());
        if (at < text.size() && text[at] == '/') ++at;
        return at < text.size() && text[at] == '>' ? at + 1 : 0;
    }

    void addMasked(std::string_view piece, bool asSpans) {
        m_source.unmask(piece, [&](std::string_view part, bool isFormula) {
            const uint32_t begin = sizeOf(text);
            text.text.append(part);
            if (isFormula && asSpans) text.spans.push_back({SpanKind::Formula, begin, sizeOf(text)});
        });
    }

    std::string attributeText(const MD_ATTRIBUTE& attribute) {
        std::string out;
        for (size_t part = 0; attribute.text != nullptr && attribute.substr_offsets[part] < attribute.size;
             ++part) {
            const MD_OFFSET begin = attribute.substr_offsets[part];
            const std::string_view piece(attribute.text + begin, attribute.substr_offsets[part + 1] - begin);
            if (attribute.substr_types[part] == MD_TEXT_ENTITY)
                out.append(decodeEntity(piece));
            else
                out.append(piece);
        }
        std::string whole;
        m_source.unmask(out, [&](std::string_view part, bool) { whole.append(part); });
        return whole;
    }

    const MaskedText& m_source;
    std::vector<size_t> m_open;
    const char* m_plainEnd = nullptr;  ///< of the piece of plain text before
};

void run(const std::string& text, unsigned flags, Collector& into) {
    const MD_PARSER parser = {
        .abi_version = 0,
        .flags = kDialect | flags,
        .enter_block =
            [](MD_BLOCKTYPE type, void* detail, void* self) {
                static_cast<Collector*>(self)->enterBlock(type, detail);
                return 0;
            },
        .leave_block =
            [](MD_BLOCKTYPE type, void*, void* self) {
                static_cast<Collector*>(self)->leaveBlock(type);
                return 0;
            },
        .enter_span =
            [](MD_SPANTYPE type, void* detail, void* self) {
                static_cast<Collector*>(self)->enterSpan(type, detail);
                return 0;
            },
        .leave_span =
            [](MD_SPANTYPE type, void*, void* self) {
                static_cast<Collector*>(self)->leaveSpan(type);
                return 0;
            },
        .text =
            [](MD_TEXTTYPE type, const MD_CHAR* begin, MD_SIZE size, void* self) {
                static_cast<Collector*>(self)->addText(type, {begin, size});
                return 0;
            },
        .debug_log = nullptr,
        .syntax = nullptr,
    };
    md_parse(text.data(), static_cast<MD_SIZE>(text.size()), &parser, &into);
    into.endSpans();
}

/// `into` as if `text` had begun `bytes` later.
void dropFront(RichText& into, size_t bytes) {
    into.text.erase(0, bytes);
    for (Span& span : into.spans) {
        span.begin -= static_cast<uint32_t>(std::min<size_t>(span.begin, bytes));
        span.end -= static_cast<uint32_t>(std::min<size_t>(span.end, bytes));
    }
}

}  // namespace

RichText parseParagraph(std::string_view text, Seam seam, const Definitions& definitions) {
    const MaskedText masked(text);
    // Every line is the continuation of a paragraph, whatever mark it begins with: a line above and four
    // spaces tell md4c. Definitions are only recognised where a paragraph begins.
    const bool guarded = seam != Seam::None || !text.starts_with('[');
    std::string source = definitions.usedBy(text);
    if (guarded) source.append(",\n    ");
    for (const char c : masked.masked()) {
        source.push_back(c);
        if (c == '\n') source.append("    ");
    }
    Collector into(masked);
    run(source, 0, into);
    if (guarded) dropFront(into.text, 2);
    return std::move(into.text);
}

RichText parseHeading(std::string_view line, const Definitions& definitions, int& level) {
    const MaskedText masked(line);
    Collector into(masked);
    run(definitions.usedBy(line).append(masked.masked()), 0, into);
    level = into.level;
    return std::move(into.text);
}

std::vector<std::vector<RichText>> parseRows(std::string_view lines, size_t columns,
                                             const Definitions& definitions) {
    const MaskedText masked(lines, '|');
    std::string source = definitions.usedBy(lines);
    source.append(columns, '|').append("|\n|");
    for (size_t column = 0; column < columns; ++column) source.append("---|");
    source.append("\n").append(masked.masked());
    Collector into(masked);
    into.isTable = true;
    run(source, MD_FLAG_TABLES, into);
    auto& rows = into.rows;
    if (!rows.empty()) rows.erase(rows.begin());
    for (auto& row : rows) {
        while (!row.empty() && row.back().text.empty()) row.pop_back();
    }
    return std::move(rows);
}

std::vector<Alignment> tableColumns(std::string_view line) {
    std::vector<Alignment> columns;
    bool pipe = false;
    const auto skipSpace = [&] { line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size())); };
    const auto take = [&](char c) {
        if (!line.starts_with(c)) return false;
        line.remove_prefix(1);
        return true;
    };
    pipe = take('|');
    skipSpace();
    while (!line.empty()) {
        const bool left = take(':');
        const size_t dashes = std::min(line.find_first_not_of('-'), line.size());
        line.remove_prefix(dashes);
        const bool right = take(':');
        if (dashes == 0 || columns.size() == kMaxColumns) return {};
        columns.push_back(left && right ? Alignment::Centre
                          : right       ? Alignment::Right
                          : left        ? Alignment::Left
                                        : Alignment::Natural);
        skipSpace();
        const bool delimited = take('|');
        pipe = pipe || delimited;
        skipSpace();
        if (!delimited && !line.empty()) return {};
    }
    return pipe ? columns : std::vector<Alignment>();
}

size_t cellsIn(std::string_view line) {
    const size_t begin = std::min(line.find_first_not_of(" \t"), line.size());
    line = line.substr(begin, line.find_last_not_of(" \t") + 1 - begin);
    if (line.starts_with('|')) line.remove_prefix(1);
    size_t cells = 1;
    for (size_t at = 0; at < line.size(); ++at) {
        if (line[at] == '\\')
            ++at;
        else if (line[at] == '|' && at + 1 < line.size())
            ++cells;
    }
    return cells;
}

bool opensOutside(std::string_view target) {
    return target.starts_with("https://") || target.starts_with("http://") || target.starts_with("mailto:");
}

}  // namespace ingle::content
