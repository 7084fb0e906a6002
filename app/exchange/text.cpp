#include "app/exchange/text.h"

#include <array>
#include <utility>

#include "ingle/utf8.h"

namespace ingle::exchange {
namespace {

void add(std::vector<Part>& parts, PartKind kind, std::string_view text) {
    text = trimmed(text);
    if (!text.empty()) parts.push_back({kind, std::string(text), ""});
}

constexpr std::array kEntities{
    std::pair{std::string_view("&lt;"), '<'}, std::pair{std::string_view("&gt;"), '>'},
    std::pair{std::string_view("&amp;"), '&'}, std::pair{std::string_view("&quot;"), '"'},
    std::pair{std::string_view("&#x27;"), '\''}};

std::string withoutEntities(std::string_view text) {
    std::string plain;
    for (size_t at = 0; at < text.size();) {
        bool found = false;
        for (const auto& [entity, character] : kEntities) {
            if (!text.substr(at).starts_with(entity)) continue;
            plain += character;
            at += entity.size();
            found = true;
            break;
        }
        if (!found) plain += text[at++];
    }
    return plain;
}

/// What stands in a folded block: without its summary, the marks of its quotation and its escapes.
std::string unfolded(std::string_view text) {
    constexpr std::string_view kSummaryEnd = "</summary>";
    if (const size_t end = text.find(kSummaryEnd); end != std::string_view::npos)
        text.remove_prefix(end + kSummaryEnd.size());
    std::string lines;
    while (!text.empty()) {
        const size_t end = std::min(text.find('\n'), text.size());
        std::string line = withoutEntities(text.substr(0, end));
        if (line.starts_with("> "))
            line.erase(0, 2);
        else if (line == ">")
            line.clear();
        (lines += line) += '\n';
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

}  // namespace

std::string wellFormed(std::string text) {
    size_t good = 0;
    while (good < text.size()) {
        const FirstCharacter first = firstCharacter(std::string_view(text).substr(good));
        if (!first.isWellFormed) break;
        good += first.bytes;
    }
    if (good == text.size()) return text;
    std::string result;
    for (std::string_view rest = text; !rest.empty();) {
        const FirstCharacter first = firstCharacter(rest);
        result += first.isWellFormed ? rest.substr(0, first.bytes) : kReplacementText;
        rest.remove_prefix(first.bytes);
    }
    return result;
}

std::string firstBytes(std::string_view text, size_t bytes) {
    return std::string(text.substr(0, boundaryUpTo(text, bytes)));
}

std::string_view trimmed(std::string_view text) {
    const size_t begin = text.find_first_not_of(" \t\r\n");
    if (begin == std::string_view::npos) return {};
    return text.substr(begin, text.find_last_not_of(" \t\r\n") - begin + 1);
}

std::vector<Part> partsOfAnswer(std::string_view text) {
    constexpr std::string_view kThink = "<think>", kThinkEnd = "</think>";
    constexpr std::string_view kDetails = "<details type=\"reasoning\"", kDetailsEnd = "</details>";
    std::vector<Part> parts;
    if (const std::string_view said = trimmed(text); said.starts_with(kThink)) {
        const size_t end = std::min(said.find(kThinkEnd), said.size());
        add(parts, PartKind::Thought, said.substr(kThink.size(), end - kThink.size()));
        text = said.substr(std::min(end + kThinkEnd.size(), said.size()));
    }
    for (;;) {
        const size_t begin = text.find(kDetails);
        const size_t open = begin == std::string_view::npos ? begin : text.find('>', begin);
        if (open == std::string_view::npos) break;
        add(parts, PartKind::Text, text.substr(0, begin));
        const size_t end = std::min(text.find(kDetailsEnd, open), text.size());
        add(parts, PartKind::Thought, unfolded(text.substr(open + 1, end - open - 1)));
        text = text.substr(std::min(end + kDetailsEnd.size(), text.size()));
    }
    // What is one text stays as it was written.
    if (parts.empty() && !trimmed(text).empty()) return {{PartKind::Text, std::string(text), ""}};
    add(parts, PartKind::Text, text);
    return parts;
}

std::vector<Part> partsOfText(std::string_view text) {
    if (text.empty()) return {};
    return {{PartKind::Text, std::string(text), ""}};
}

}  // namespace ingle::exchange
