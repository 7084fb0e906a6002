#include "engine/chat/dialects/written_values.h"

#include <algorithm>
#include <string>

#include "engine/chat/control_tokens.h"
#include "ingle/bounded_json.h"

namespace ingle::chat {
namespace {

using json = nlohmann::ordered_json;

constexpr uint32_t kMostDepth = 64;

bool skip(std::string_view& text, std::string_view mark) {
    if (!text.starts_with(mark)) return false;
    text.remove_prefix(mark.size());
    return true;
}

json jsonOf(std::string_view text) {
    return parseBounded<json>(withoutSigns(text), {.depth = kMostDepth});
}

/// Lists and dicts of a language whose scalars and keys `Scalars` reads.
template <typename Scalars>
std::optional<std::string> takeNested(std::string_view& text, const Scalars& scalars, uint32_t depth = 0) {
    skipBlanks(text);
    if (text.empty() || depth > kMostDepth) return std::nullopt;
    const bool isList = text.front() == '[';
    if (!isList && text.front() != '{') return scalars.take(text);
    const std::string_view end = isList ? "]" : "}";
    text.remove_prefix(1);
    std::string value(isList ? "[" : "{");
    for (skipBlanks(text); !skip(text, end); skipBlanks(text)) {
        const bool isFirst = value.size() == 1;
        if (!isFirst && !skip(text, ",")) return std::nullopt;
        skipBlanks(text);
        if (!isFirst && skip(text, end)) break;
        if (!isFirst) value += ',';
        if (!isList) {
            const auto key = scalars.takeKey(text);
            skipBlanks(text);
            if (!key || !skip(text, ":")) return std::nullopt;
            (value += jsonString(*key)) += ':';
        }
        const auto element = takeNested(text, scalars, depth + 1);
        if (!element) return std::nullopt;
        value += *element;
    }
    return value += end;
}

/// JSON's name of a constant of Python; empty: it is none.
std::string_view constantOf(std::string_view word) {
    for (const auto& [name, meant] : {std::pair<std::string_view, std::string_view>{"True", "true"},
                                      {"False", "false"},
                                      {"None", "null"}})
        if (word == name) return meant;
    return {};
}

/// A number, or a word: up to what may stand behind a value.
std::optional<std::string> takeWord(std::string_view& text) {
    const size_t end = text.find_first_of(",;/]}) \t\r\n");
    if (end == text.npos) text = {};
    if (text.empty()) return std::nullopt;
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    if (const std::string_view constant = constantOf(word); !constant.empty()) return std::string(constant);
    if (jsonOf(word).is_discarded()) return std::nullopt;
    return compactJson(word);
}

std::optional<std::string> takeQuoted(std::string_view& text) {
    const char quote = text.front();
    std::string out;
    for (size_t at = 1; at < text.size(); ++at) {
        if (text[at] == quote) {
            text.remove_prefix(at + 1);
            return out;
        }
        if (text[at] != '\\') {
            out += text[at];
            continue;
        }
        if (++at == text.size()) break;
        constexpr std::string_view kNames = "nrtbf0", kMeant = "\n\r\t\b\f\0";
        if (const size_t name = kNames.find(text[at]); name != kNames.npos) {
            out += kMeant[name];
        } else if (text[at] == 'u' && at + 4 < text.size()) {
            // JSON knows how: a pair of surrogates is one character.
            const bool isPair = text.substr(at + 5, 2) == "\\u" && at + 10 < text.size();
            const std::string_view digits = text.substr(at - 1, isPair ? 12 : 6);
            json character = jsonOf('"' + std::string(digits) + '"');
            const bool areTwo = character.is_discarded() && isPair;
            if (areTwo) character = jsonOf('"' + std::string(digits.substr(0, 6)) + '"');
            if (!character.is_string()) return std::nullopt;
            out += character.get<std::string>();
            at += (isPair && !areTwo ? 12 : 6) - 2;
        } else if (text[at] == '\'' || text[at] == '"' || text[at] == '\\') {
            out += text[at];
        } else {
            out += '\\';
            out += text[at];
        }
    }
    text = {};
    return std::nullopt;
}

struct PythonScalars {
    static std::optional<std::string> take(std::string_view& text) {
        if (text.front() != '"' && text.front() != '\'') return takeWord(text);
        const auto quoted = takeQuoted(text);
        return quoted ? std::optional(jsonString(*quoted)) : std::nullopt;
    }
    static std::optional<std::string> takeKey(std::string_view& text) {
        if (text.empty() || (text.front() != '"' && text.front() != '\'')) return std::nullopt;
        return takeQuoted(text);
    }
};

struct BracesScalars {
    std::string_view quote;

    std::optional<std::string> take(std::string_view& text) const {
        if (!text.starts_with(quote)) return text.front() == '"' ? PythonScalars::take(text) : takeWord(text);
        const auto marked = takeMarked(text);
        return marked ? std::optional(jsonString(*marked)) : std::nullopt;
    }
    /// Between two of the marks that stand for quotes.
    std::optional<std::string_view> takeMarked(std::string_view& text) const {
        text.remove_prefix(quote.size());
        // The mark may also stand within: the text ends where a value may end.
        for (size_t end = text.find(quote); end != text.npos; end = text.find(quote, end + 1)) {
            std::string_view rest = text.substr(end + quote.size());
            skipBlanks(rest);
            if (!rest.empty() && std::string_view(",]}").find(rest.front()) == rest.npos) continue;
            const std::string_view value = text.substr(0, end);
            text = rest;
            return value;
        }
        text = {};
        return std::nullopt;
    }
    std::optional<std::string> takeKey(std::string_view& text) const {
        if (text.starts_with(quote)) {
            const auto key = takeMarked(text);
            return key ? std::optional(std::string(*key)) : std::nullopt;
        }
        constexpr size_t kLongest = 256;
        const size_t end = text.substr(0, kLongest).find(':');
        if (end == text.npos && text.size() < kLongest) text = {};
        if (text.empty() || end == text.npos) return std::nullopt;
        std::string key(text.substr(0, end));
        text.remove_prefix(end);
        if (key.size() > 1 && key.front() == '"' && key.back() == '"') key = key.substr(1, key.size() - 2);
        return key;
    }
};

bool hasType(const json& schema, std::string_view type) {
    const auto found = schema.find("type");
    if (found != schema.end() && found->is_string()) return *found == type;
    if (found != schema.end() && found->is_array())
        return std::ranges::find(*found, json(type)) != found->end();
    for (const char* choices : {"anyOf", "oneOf"})
        if (const auto some = schema.find(choices); some != schema.end() && some->is_array())
            return std::ranges::any_of(
                *some, [type](const json& each) { return each.is_object() && hasType(each, type); });
    if (const auto all = schema.find("allOf"); all != schema.end() && all->is_array())
        return std::ranges::any_of(
            *all, [type](const json& each) { return each.is_object() && hasType(each, type); });
    if (const auto value = schema.find("const"); value != schema.end())
        return type == "string" && value->is_string();
    if (const auto values = schema.find("enum"); values != schema.end() && values->is_array())
        return type == "string" &&
               std::ranges::all_of(*values, [](const json& each) { return each.is_string(); });
    return false;
}

}  // namespace

std::optional<std::string_view> takeJson(std::string_view& text) {
    skipBlanks(text);
    if (text.empty() || (text.front() != '{' && text.front() != '[')) return std::nullopt;
    size_t depth = 0;
    bool isText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (isText) {
            if (c == '\\') ++at;
            if (c == '"') isText = false;
            continue;
        }
        if (c == '"') isText = true;
        if (c == '{' || c == '[') ++depth;
        if ((c == '}' || c == ']') && --depth == 0) {
            const std::string_view whole = text.substr(0, at + 1);
            text.remove_prefix(at + 1);
            return whole;
        }
    }
    text = {};
    return std::nullopt;
}

std::optional<std::string> takePython(std::string_view& text) {
    return takeNested(text, PythonScalars{});
}

std::optional<std::string> takeBraces(std::string_view& text, std::string_view quote) {
    return takeNested(text, BracesScalars{quote});
}

bool isTextParameter(const json& schema) {
    return schema.is_object() && hasType(schema, "string");
}

std::string jsonString(std::string_view text) {
    return json(withoutSigns(text)).dump(-1, ' ', false, json::error_handler_t::replace);
}

std::optional<std::string> textOfJson(std::string_view text) {
    const json parsed = text.starts_with('"') ? jsonOf(text) : json();
    return parsed.is_string() ? std::optional(parsed.get<std::string>()) : std::nullopt;
}

bool isJsonObject(std::string_view text) {
    return text.starts_with('{') && jsonOf(text).is_object();
}

std::string compactJson(std::string_view text) {
    std::string out;
    bool isText = false;
    for (size_t at = 0; at < text.size(); ++at) {
        const char c = text[at];
        if (isText && c == '\\' && at + 1 < text.size()) {
            out += c;
            out += text[++at];
            continue;
        }
        if (c == '"') isText = !isText;
        if (c != ControlTokens::kSign && (isText || kBlanks.find(c) == kBlanks.npos)) out += c;
    }
    return out;
}

const JsonMembers::Member* JsonMembers::find(std::span<const std::string_view> keys) const {
    for (const std::string_view key : keys)
        if (const auto found = std::ranges::find(all, key, &Member::key); found != all.end()) return &*found;
    return nullptr;
}

namespace {

/// The size of a text in quotes at the beginning; nothing: it is cut off.
std::optional<size_t> quotedSize(std::string_view text) {
    for (size_t at = 1; at < text.size(); ++at) {
        if (text[at] == '\\')
            ++at;
        else if (text[at] == '"')
            return at + 1;
    }
    return std::nullopt;
}

/// The size of the value that JSON begins with; nothing: it is cut off.
std::optional<size_t> valueSize(std::string_view text) {
    if (text.starts_with('"')) return quotedSize(text);
    if (text.starts_with('{') || text.starts_with('[')) {
        std::string_view rest = text;
        const auto whole = takeJson(rest);
        return whole ? std::optional(whole->size()) : std::nullopt;
    }
    const size_t end = text.find_first_of(",}] \t\r\n");
    return end == text.npos ? std::nullopt : std::optional(end);
}

}  // namespace

JsonMembers membersOf(std::string_view text) {
    JsonMembers members;
    const auto skipTo = [&text](std::string_view skipped) {
        text.remove_prefix(std::min(text.find_first_not_of(skipped), text.size()));
        return !text.empty();
    };
    text.remove_prefix(1);
    members.isCut = true;
    while (skipTo(" \t\r\n,")) {
        if (text.front() != '"') {  // the end, or wrong
            members.isCut = false;
            break;
        }
        const auto keySize = quotedSize(text);
        const auto key = keySize ? textOfJson(text.substr(0, *keySize)) : std::nullopt;
        if (!key) break;
        text.remove_prefix(*keySize);
        if (!skipTo(kBlanks)) break;
        if (text.front() != ':') {
            members.isCut = false;
            break;
        }
        text.remove_prefix(1);
        if (!skipTo(kBlanks)) break;
        const auto size = valueSize(text);
        members.all.push_back({*key, text.substr(0, size.value_or(text.size()))});
        if (!size) break;
        text.remove_prefix(*size);
    }
    return members;
}

std::string typedValue(std::string_view written, const json* schema) {
    if (schema != nullptr && isTextParameter(*schema)) return jsonString(written);
    const size_t begin = std::min(written.find_first_not_of(kBlanks), written.size());
    const std::string_view value = written.substr(begin, written.find_last_not_of(kBlanks) + 1 - begin);
    if (const std::string_view constant = constantOf(value); !constant.empty()) return std::string(constant);
    if (!jsonOf(value).is_discarded()) return compactJson(value);
    // Templates that write no JSON write lists as Python does.
    std::string_view rest = value;
    const bool isNested = value.starts_with('[') || value.starts_with('{');
    const auto python = isNested ? takePython(rest) : std::nullopt;
    return python && rest.empty() ? *python : jsonString(written);
}

}  // namespace ingle::chat
