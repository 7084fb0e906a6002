/// The branches that are shown, as one page that prints well: no script, nothing that is loaded from
/// elsewhere.
#include <algorithm>
#include <array>
#include <span>

#include "app/content/block_kind.h"
#include "app/content/block_stream.h"
#include "app/exchange/exported_pictures.h"
#include "app/exchange/exporter.h"
#include "app/exchange/speaker.h"

namespace ingle::exchange::html_exporter {
namespace {

// The policy keeps what a message links to from running or loading anything.
constexpr std::string_view kHead = R"html(<!DOCTYPE html>
<html><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; img-src data:">
<title>Chats</title>
<style>
body { font: 11pt/1.5 system-ui, sans-serif; max-width: 44em; margin: 2em auto; padding: 0 1em; )"
    R"(color: #111; background: #fff; }
article { break-before: page; } article:first-of-type { break-before: auto; }
h2 { font-size: 90%; color: #555; margin: 2em 0 0.5em; break-after: avoid; }
pre { white-space: pre-wrap; overflow-wrap: anywhere; background: #f4f4f4; padding: 0.6em; border-radius: 4px; }
pre, table, blockquote, img { break-inside: avoid-page; }
img { max-width: 100%; max-height: 24em; }
table { border-collapse: collapse; } td { border: 1px solid #bbb; padding: 0.2em 0.6em; }
.aside { color: #555; border-left: 3px solid #ccc; padding-left: 0.8em; white-space: pre-wrap; }
p, td { white-space: pre-wrap; } p { margin: 0.6em 0; }
</style></head><body>
)html";

std::string safe(std::string_view text) {
    std::string result;
    for (const char c : text) {
        switch (c) {
            case '<':
                result += "&lt;";
                break;
            case '>':
                result += "&gt;";
                break;
            case '&':
                result += "&amp;";
                break;
            case '"':
                result += "&quot;";
                break;
            default:
                result += c;
        }
    }
    return result;
}

/// By content::SpanKind.
constexpr std::array<const char*, 7> kTags{"strong", "em", "s", "code", "span", "a", "span"};

std::string open(const content::RichText& text, const content::Span& span) {
    if (span.kind != content::SpanKind::Link)
        return fmt::format("<{}>", kTags[static_cast<size_t>(span.kind)]);
    return fmt::format("<a href=\"{}\">", safe(text.targets.at(span.target)));
}

std::string rich(const content::RichText& text) {
    std::string result;
    std::vector<content::Span> inside;
    size_t next = 0;
    for (size_t at = 0;; ++at) {
        while (!inside.empty() && inside.back().end <= at) {
            result += fmt::format("</{}>", kTags[static_cast<size_t>(inside.back().kind)]);
            inside.pop_back();
        }
        for (; next < text.spans.size() && text.spans[next].begin <= at; ++next) {
            if (text.spans[next].end <= at) continue;
            result += open(text, text.spans[next]);
            inside.push_back(text.spans[next]);
        }
        if (at == text.text.size()) break;
        result += safe(std::string_view(text.text).substr(at, 1));
    }
    for (; !inside.empty(); inside.pop_back())
        result += fmt::format("</{}>", kTags[static_cast<size_t>(inside.back().kind)]);
    return result;
}

std::string table(const content::Block& block) {
    std::string result = "<table>";
    for (const auto& row : block.rows) {
        result += "<tr>";
        for (const auto& cell : row) result += "<td>" + rich(cell) + "</td>";
        result += "</tr>";
    }
    return result + "</table>";
}

std::string heading(const content::Block& block) {
    // Below those of the page.
    const int level = std::min(block.level + 2, 6);
    return fmt::format("<h{0}>{1}</h{0}>", level, rich(block.text));
}

struct BlockForm {
    std::string_view kind;  ///< content::BlockKind::name
    std::string (*write)(const content::Block& block);
};

std::string code(const content::Block& block) {
    return "<pre><code>" + safe(block.text.text) + "</code></pre>";
}

std::string paragraph(const content::Block& block) {
    return "<p>" + rich(block.text) + "</p>";
}

std::string aside(const content::Block& block) {
    const std::string label = block.label.empty() ? "" : "<b>" + safe(block.label) + "</b>\n";
    return "<div class=\"aside\">" + label + safe(block.text.text) + "</div>";
}

constexpr std::array kForms{BlockForm{"paragraph", paragraph},
                            BlockForm{"heading", heading},
                            BlockForm{"code", code},
                            BlockForm{"formula", code},
                            BlockForm{"table", table},
                            BlockForm{"rule", [](const content::Block&) { return std::string("<hr>"); }}};

/// A block in the containers that it stands in: marks of items are text, so that cut lists stay as they are.
std::string html(const content::Block& block) {
    std::string result;
    size_t depth = 0;
    for (size_t i = 0; i < block.containers.size(); ++i) {
        const content::Container& container = block.containers[i];
        const bool isQuote = container.kind == content::ContainerKind::Quote;
        const bool isOpened = i + block.opened >= block.containers.size();
        result += isQuote ? "<blockquote>" : "<div style=\"margin-left:1.5em\">";
        if (!isQuote && isOpened) {
            const std::string mark =
                container.kind == content::ContainerKind::Number ? fmt::format("{}.", container.number) : "•";
            const char* const task = container.task == content::TaskState::Done   ? " ☑"
                                     : container.task == content::TaskState::Open ? " ☐"
                                                                                  : "";
            result += fmt::format("<span style=\"float:left;margin-left:-1.5em\">{}{}</span>", mark, task);
        }
        ++depth;
    }
    const auto form = std::find_if(kForms.begin(), kForms.end(),
                                   [&](const BlockForm& each) { return each.kind == block.kind->name; });
    result += form != kForms.end() ? form->write(block) : aside(block);
    for (size_t i = depth; i-- > 0;)
        result += block.containers[i].kind == content::ContainerKind::Quote ? "</blockquote>" : "</div>";
    return result + "\n";
}

class HtmlFile : public ExportedFile {
  public:
    explicit HtmlFile(WriteText write) : m_write(std::move(write)) {}

    Status begin(const std::vector<history::PortableFolder>&,
                 const std::vector<history::PortableProfile>&) override {
        return m_write(kHead);
    }
    Status add(const history::PortableConversation& conversation) override {
        m_pictures.add(conversation);
        std::string text = fmt::format("<article><h1>{}</h1>\n", safe(titleOf(conversation)));
        for (const auto* message : shownBranch(conversation)) {
            text += fmt::format("<section><h2>{}</h2>\n", safe(headingOf(message->message)));
            const std::span<const Part> parts = message->message.parts;
            for (const content::Block& block : content::blocksOf(parts)) {
                const std::string_view picture = m_pictures.address(*message, block.part);
                text += picture.empty() ? html(block)
                                        : fmt::format("<p><img src=\"{}\" alt=\"{}\"></p>\n", picture,
                                                      safe(parts[block.part].text));
            }
            text += "</section>\n";
        }
        return m_write(text + "</article>\n");
    }
    Status end() override { return m_write("</body></html>\n"); }

  private:
    WriteText m_write;
    ExportedPictures m_pictures;
};

std::unique_ptr<ExportedFile> make(WriteText write) {
    return std::make_unique<HtmlFile>(std::move(write));
}

}  // namespace

extern const Exporter exporter{.name = "HTML", .extension = "html", .make = make};

}  // namespace ingle::exchange::html_exporter
