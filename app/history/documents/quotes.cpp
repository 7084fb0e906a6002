#include "app/history/documents/quotes.h"

#include <algorithm>
#include <array>
#include <utility>

#include "app/history/documents/documents.h"
#include "app/history/store/database.h"
#include "ingle/utf8.h"

namespace ingle::history {
namespace {

constexpr size_t kFewestBytes = 12;
/// A quotation mark that is never closed is no quotation.
constexpr size_t kMostBytes = 2'000;
constexpr size_t kAroundBytes = 160;

struct Marks {
    std::string_view open, close;
};
constexpr std::array kMarks{Marks{"“", "”"}, Marks{"„", "“"},   Marks{"«", "»"},
                            Marks{"»", "«"}, Marks{"\"", "\""}, Marks{"「", "」"}};

/// Written in several ways that mean the same.
struct Same {
    std::string_view written, plain;
};
constexpr std::array kSame{Same{"“", "\""}, Same{"”", "\""},  Same{"„", "\""},     Same{"«", "\""},
                           Same{"»", "\""}, Same{"‘", "'"},   Same{"’", "'"},      Same{"–", "-"},
                           Same{"—", "-"},  Same{"…", "..."}, Same{"\u00A0", " "}, Same{"\u00AD", ""}};

/// A text with all that does not matter taken out, and where each byte of it stands in the original.
struct Plain {
    std::string text;
    std::vector<uint32_t> places;
};

Plain plain(std::string_view text) {
    Plain result;
    result.text.reserve(text.size());
    result.places.reserve(text.size());
    const auto add = [&](char c, size_t at) {
        if (c == ' ' && (result.text.empty() || result.text.back() == ' ')) return;
        result.text += c;
        result.places.push_back(static_cast<uint32_t>(at));
    };
    for (size_t at = 0; at < text.size();) {
        const std::string_view rest = text.substr(at);
        const auto same = static_cast<unsigned char>(text[at]) < 0x80
                              ? kSame.end()
                              : std::ranges::find_if(
                                    kSame, [&](const Same& each) { return rest.starts_with(each.written); });
        if (same != kSame.end()) {
            for (const char c : same->plain) add(c, at);
            at += same->written.size();
            continue;
        }
        const char c = text[at];
        if (c == ' ' || c == '\n' || c == '\t' || c == '\r')
            add(' ', at);
        else if (c >= 'A' && c <= 'Z')
            add(static_cast<char>(c + 'a' - 'A'), at);
        else if (c != '*' && c != '_')
            add(c, at);
        ++at;
    }
    return result;
}

/// Without the full stop or comma that belongs to the sentence around it.
std::string_view trimmed(std::string_view text) {
    constexpr std::string_view kNotWords = " \n\t\r.,;:!?";
    const size_t begin = text.find_first_not_of(kNotWords);
    if (begin == text.npos) return {};
    return text.substr(begin, text.find_last_not_of(kNotWords) - begin + 1);
}

std::string onOneLine(std::string_view text) {
    std::string line;
    for (const char c : text) {
        const bool isSpace = c == ' ' || c == '\n' || c == '\t' || c == '\r';
        if (!isSpace)
            line += c;
        else if (line.empty() || line.back() != ' ')
            line += ' ';
    }
    return line;
}

/// Quotations of Markdown: neighbouring lines that begin with `>`.
void addBlocks(std::string_view answer, std::vector<std::pair<size_t, std::string>>& found) {
    std::string block;
    size_t begin = 0;
    for (size_t at = 0; at <= answer.size();) {
        const size_t end = std::min(answer.find('\n', at), answer.size());
        std::string_view line = answer.substr(at, end - at);
        line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
        if (line.starts_with(">")) {
            if (block.empty()) begin = at;
            (block += line.substr(1)) += '\n';
        } else if (!block.empty()) {
            found.emplace_back(begin, std::exchange(block, {}));
        }
        at = end + 1;
    }
    if (!block.empty()) found.emplace_back(begin, block);
}

void addMarked(std::string_view answer, std::vector<std::pair<size_t, std::string>>& found) {
    for (size_t at = 0; at < answer.size();) {
        const std::string_view rest = answer.substr(at);
        const auto marks =
            std::ranges::find_if(kMarks, [&](const Marks& each) { return rest.starts_with(each.open); });
        if (marks == kMarks.end()) {
            ++at;
            continue;
        }
        const size_t begin = at + marks->open.size();
        const size_t end = answer.find(marks->close, begin);
        if (end == answer.npos || end - begin > kMostBytes) {
            at = begin;
            continue;
        }
        found.emplace_back(at, std::string(answer.substr(begin, end - begin)));
        at = end + marks->close.size();
    }
}

struct Text {
    RowId document = 0;
    std::string title;
    std::string text;
    Plain plain;
};

Quote placed(Database& file, const std::string& words, const Text& in, size_t found, size_t length) {
    const std::string_view text = in.text;
    const size_t begin = in.plain.places[found];
    size_t end = in.plain.places[found + length - 1] + 1;
    while (!isBoundary(text, end)) ++end;
    size_t from = begin - std::min(begin, kAroundBytes);
    while (!isBoundary(text, from)) ++from;
    size_t to = std::min(text.size(), end + kAroundBytes);
    while (!isBoundary(text, to)) --to;
    Quote quote{.words = words,
                .document = in.document,
                .title = in.title,
                .page = 0,
                .heading = {},
                .before = onOneLine(text.substr(from, begin - from)),
                .match = onOneLine(text.substr(begin, end - begin)),
                .after = onOneLine(text.substr(end, to - end))};
    auto row = file.prepare(
        "SELECT page, heading FROM passages WHERE document_id = ?1 AND begins <= ?2 ORDER BY begins DESC "
        "LIMIT 1",
        in.document, begin);
    if (row.executeStep()) {
        quote.page = row.getColumn(0).getUInt();
        quote.heading = row.getColumn(1).getString();
    }
    return quote;
}

}  // namespace

std::vector<std::string> quotationsIn(std::string_view answer) {
    std::vector<std::pair<size_t, std::string>> found;
    addBlocks(answer, found);
    addMarked(answer, found);
    std::ranges::sort(found);
    std::vector<std::string> quotations;
    for (const auto& [at, text] : found) {
        std::string words = onOneLine(trimmed(text));
        const bool isEnough = words.size() >= kFewestBytes &&
                              (words.find(' ') != words.npos || static_cast<unsigned char>(words[0]) >= 0xE0);
        if (isEnough && std::ranges::find(quotations, words) == quotations.end())
            quotations.push_back(std::move(words));
    }
    return quotations;
}

Result<std::vector<Quote>> findQuotes(HistoryReader& history, RowId conversation, std::string_view answer) {
    INGLE_TRY_ASSIGN(const auto documents, documentsOf(history, conversation));
    std::vector<Text> texts;
    for (const RowId document : documents) {
        Text& text = texts.emplace_back();
        text.document = document;
        INGLE_TRY_ASSIGN(text.title, documentTitle(history, document));
        INGLE_TRY_ASSIGN(text.text, documentText(history, document));
        text.plain = plain(text.text);
    }
    Database& file = history.database();
    return file.run([&]() -> Result<std::vector<Quote>> {
        std::vector<Quote> quotes;
        for (const std::string& words : quotationsIn(answer)) {
            Quote quote;
            quote.words = words;
            const std::string wanted = plain(words).text;
            for (const Text& text : texts) {
                const size_t found = wanted.empty() ? std::string::npos : text.plain.text.find(wanted);
                if (found == std::string::npos) continue;
                quote = placed(file, words, text, found, wanted.size());
                break;
            }
            quotes.push_back(std::move(quote));
        }
        return quotes;
    });
}

}  // namespace ingle::history
