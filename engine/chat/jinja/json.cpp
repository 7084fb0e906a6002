// Values as JSON, as Python's json.dumps writes them.
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/chat/jinja/interpreter.h"

namespace ingle::chat::jinja {
namespace {

class JsonPrinter {
  public:
    JsonPrinter(Interpreter& in, Text& out, const JsonStyle& style) : m_in(in), m_out(out), m_style(style) {}

    Status print(const Value& value) {
        if (value.isNone()) return plain("null");
        if (const bool* truth = value.boolean()) return plain(*truth ? "true" : "false");
        if (const auto integer = value.integer()) return plain(fmt::format("{}", *integer));
        if (const auto number = value.number()) return plain(jsonNumber(*number));
        if (const Text* text = value.text()) return printJsonString(m_in, m_out, *text, m_style.asciiOnly);
        if (const List* list = value.list(); list && (list->kind == List::Kind::List || list->isTuple()))
            return printList(*list);
        if (const Dict* dict = value.dict()) return printDict(*dict);
        // Python refuses one, but templates that other engines render write some.
        if (value.generator()) {
            INGLE_TRY_ASSIGN(std::vector<Value> items, m_in.iterate(value));
            INGLE_TRY_ASSIGN(const Value list, makeList(std::move(items)));
            return print(list);
        }
        return fail(ErrorCode::InvalidArgument, "an object of type {} cannot be written as JSON",
                    typeName(value));
    }

  private:
    Status plain(std::string_view text) { return m_in.append(m_out, text, Origin::Message); }

    static std::string jsonNumber(double number) {
        if (std::isnan(number)) return "NaN";
        if (std::isinf(number)) return number > 0 ? "Infinity" : "-Infinity";
        return floatRepr(number);
    }

    Status lineBreak() {
        if (!m_style.indent) return {};
        INGLE_TRY(plain("\n"));
        for (size_t i = 0; i < m_level; ++i) INGLE_TRY(m_in.append(m_out, *m_style.indent));
        return {};
    }

    Status printList(const List& list) {
        if (list.items.empty()) return plain("[]");
        INGLE_TRY(plain("["));
        ++m_level;
        for (size_t i = 0; i < list.items.size(); ++i) {
            if (i > 0) INGLE_TRY(m_in.append(m_out, m_style.itemSeparator));
            INGLE_TRY(lineBreak());
            INGLE_TRY(print(list.items[i]));
        }
        --m_level;
        INGLE_TRY(lineBreak());
        return plain("]");
    }

    Status printDict(const Dict& dict) {
        if (dict.entries.empty()) return plain("{}");
        std::vector<std::pair<Text, const Value*>> entries;
        for (const auto& [key, value] : dict.entries) {
            INGLE_TRY_ASSIGN(Text text, keyText(key));
            entries.emplace_back(std::move(text), &value);
        }
        size_t keyBytes = 0;
        for (const auto& [text, value] : entries) keyBytes += text.size();
        // Each key is compared as often as the number of keys has binary digits.
        const size_t rounds = static_cast<size_t>(std::bit_width(entries.size()));
        INGLE_TRY(m_in.spend(rounds * (sizeof(entries[0]) * entries.size() + keyBytes / 16)));
        if (m_style.sortKeys)
            std::ranges::stable_sort(entries, {}, [](const auto& each) { return each.first.bytes(); });
        INGLE_TRY(plain("{"));
        ++m_level;
        for (size_t i = 0; i < entries.size(); ++i) {
            if (i > 0) INGLE_TRY(m_in.append(m_out, m_style.itemSeparator));
            INGLE_TRY(lineBreak());
            INGLE_TRY(printJsonString(m_in, m_out, entries[i].first, m_style.asciiOnly));
            INGLE_TRY(m_in.append(m_out, m_style.keySeparator));
            INGLE_TRY(print(*entries[i].second));
        }
        --m_level;
        INGLE_TRY(lineBreak());
        return plain("}");
    }

    /// JSON's keys are texts: numbers and constants are written as JSON writes them.
    Result<Text> keyText(const Value& key) {
        if (const Text* text = key.text()) {
            INGLE_TRY(m_in.spend(text->cost()));
            return *text;
        }
        if (!key.number() && !key.isNone())
            return fail(ErrorCode::InvalidArgument, "'{}' object cannot be a key in JSON", typeName(key));
        Text text;
        INGLE_TRY(JsonPrinter(m_in, text, m_style).print(key));
        return text;
    }

    Interpreter& m_in;
    Text& m_out;
    const JsonStyle& m_style;
    size_t m_level = 0;
};

std::string escapedCodeUnits(char32_t code) {
    if (code < 0x10000) return fmt::format("\\u{:04x}", static_cast<uint32_t>(code));
    const auto offset = static_cast<uint32_t>(code) - 0x10000;
    return fmt::format("\\u{:04x}\\u{:04x}", 0xD800 + (offset >> 10), 0xDC00 + (offset & 0x3FF));
}

std::string escaped(std::string_view character, bool asciiOnly) {
    constexpr std::string_view kSpecial = "\"\\\b\f\n\r\t";
    constexpr std::string_view kNames = "\"\\bfnrt";
    if (const size_t special = kSpecial.find(character); special != std::string_view::npos)
        return {'\\', kNames[special]};
    const char32_t code = codePointOf(character);
    if (code < 0x20 || (asciiOnly && code >= 0x7F)) return escapedCodeUnits(code);
    return std::string(character);
}

}  // namespace

Status printJsonString(Interpreter& in, Text& out, const Text& text, bool asciiOnly) {
    INGLE_TRY(in.append(out, "\"", Origin::Message));
    const std::string_view bytes = text.bytes();
    for (size_t at = 0; at < bytes.size();) {
        const size_t size = characterSize(bytes.substr(at));
        INGLE_TRY(in.append(out, escaped(bytes.substr(at, size), asciiOnly), text.originAt(at)));
        at += size;
    }
    return in.append(out, "\"", Origin::Message);
}

Status printJson(Interpreter& in, Text& out, const Value& value, const JsonStyle& style) {
    return JsonPrinter(in, out, style).print(value);
}

}  // namespace ingle::chat::jinja
