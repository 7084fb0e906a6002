// Values as text, as Python's str() and repr() write them. Characters of a text keep its origin; what is
// written around them is Message, since it does not stand in the template.
#include <utf8proc.h>

#include <cmath>

#include "engine/chat/jinja/interpreter.h"

namespace ingle::chat::jinja {
namespace {

/// Python's str.isprintable() for one code point.
bool isPrintable(char32_t code) {
    if (code < 0x80) return code >= 0x20 && code < 0x7F;
    switch (utf8proc_category(static_cast<utf8proc_int32_t>(code))) {
        case UTF8PROC_CATEGORY_CN:
        case UTF8PROC_CATEGORY_CC:
        case UTF8PROC_CATEGORY_CF:
        case UTF8PROC_CATEGORY_CS:
        case UTF8PROC_CATEGORY_CO:
        case UTF8PROC_CATEGORY_ZS:
        case UTF8PROC_CATEGORY_ZL:
        case UTF8PROC_CATEGORY_ZP:
            return false;
        default:
            return true;
    }
}

std::string reprOf(std::string_view character, char quote) {
    const char32_t code = codePointOf(character);
    if (code == static_cast<unsigned char>(quote) || code == '\\') return fmt::format("\\{}", character);
    if (code == '\n') return "\\n";
    if (code == '\r') return "\\r";
    if (code == '\t') return "\\t";
    if (isPrintable(code)) return std::string(character);
    const auto number = static_cast<uint32_t>(code);
    if (number < 0x100) return fmt::format("\\x{:02x}", number);
    return number < 0x10000 ? fmt::format("\\u{:04x}", number) : fmt::format("\\U{:08x}", number);
}

/// Prints the elements of a container.
class ReprPrinter {
  public:
    ReprPrinter(Interpreter& in, Text& out) : m_in(in), m_out(out) {}

    Status operator()(const Undefined&) { return plain("Undefined"); }
    Status operator()(None) { return plain("None"); }
    Status operator()(bool value) { return plain(value ? "True" : "False"); }
    Status operator()(int64_t value) { return plain(fmt::format("{}", value)); }
    Status operator()(double value) { return plain(floatRepr(value)); }
    Status operator()(const std::shared_ptr<const Loop>&) { return plain("<LoopContext>"); }
    Status operator()(const std::shared_ptr<Generator>&) { return plain("<generator object>"); }
    Status operator()(const Namespace*) { return plain("<Namespace>"); }
    Status operator()(const std::shared_ptr<const Callable>& callable) {
        return plain(fmt::format("<function {}>", callable->name()));
    }

    Status operator()(const std::shared_ptr<const Text>& text) {
        const std::string_view bytes = text->bytes();
        const bool usesDouble =
            bytes.find('\'') != std::string_view::npos && bytes.find('"') == std::string_view::npos;
        const char quote = usesDouble ? '"' : '\'';
        INGLE_TRY(plain({&quote, 1}));
        for (size_t at = 0; at < bytes.size();) {
            const size_t size = characterSize(bytes.substr(at));
            INGLE_TRY(m_in.append(m_out, reprOf(bytes.substr(at, size), quote), text->originAt(at)));
            at += size;
        }
        return plain({&quote, 1});
    }

    Status operator()(const std::shared_ptr<const List>& list) {
        switch (list->kind) {
            case List::Kind::List:
                return elements(*list, "[", "]");
            case List::Kind::Tuple:
            case List::Kind::Group:
                return elements(*list, "(", list->items.size() == 1 ? ",)" : ")");
            case List::Kind::Range:
                return range(*list);
            case List::Kind::Keys:
                return elements(*list, "dict_keys([", "])");
            case List::Kind::Values:
                return elements(*list, "dict_values([", "])");
            case List::Kind::Items:
                return elements(*list, "dict_items([", "])");
        }
        return {};
    }

    Status operator()(const std::shared_ptr<const Dict>& dict) {
        INGLE_TRY(plain("{"));
        std::string_view separator = "";
        for (const auto& [key, value] : dict->entries) {
            INGLE_TRY(plain(std::exchange(separator, ", ")));
            INGLE_TRY(m_in.printRepr(m_out, key));
            INGLE_TRY(plain(": "));
            INGLE_TRY(m_in.printRepr(m_out, value));
        }
        return plain("}");
    }

  private:
    Status plain(std::string_view text) { return m_in.append(m_out, text, Origin::Message); }

    Status elements(const List& list, std::string_view open, std::string_view close) {
        INGLE_TRY(plain(open));
        std::string_view separator = "";
        for (const Value& item : list.items) {
            INGLE_TRY(plain(std::exchange(separator, ", ")));
            INGLE_TRY(m_in.printRepr(m_out, item));
        }
        return plain(close);
    }

    Status range(const List& list) {
        const int64_t count = static_cast<int64_t>(list.items.size());
        const int64_t first = count > 0 ? *list.items.front().integer() : 0;
        const int64_t step = count > 1 ? *list.items[1].integer() - first : 1;
        const std::string ends = fmt::format("range({}, {}", first, first + count * step);
        return plain(step == 1 ? fmt::format("{})", ends) : fmt::format("{}, {})", ends, step));
    }

    Interpreter& m_in;
    Text& m_out;
};

}  // namespace

std::string floatRepr(double value) {
    if (std::isnan(value)) return "nan";
    if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
    std::string text = fmt::format("{}", value);
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text;
}

Status Interpreter::print(Text& out, const Value& value) {
    if (value.isUndefined()) return {};
    if (const Text* text = value.text()) return append(out, *text);
    // Digits and constants may be part of a special token's name ("<|image_1|>").
    if (value.number() || value.isNone()) {
        Text plain;
        INGLE_TRY(printRepr(plain, value));
        return append(out, plain.bytes(), Origin::Template);
    }
    return printRepr(out, value);
}

Status Interpreter::printRepr(Text& out, const Value& value) {
    return std::visit(ReprPrinter(*this, out), value.data());
}

Result<Text> Interpreter::str(const Value& value) {
    if (const Text* text = value.text()) {
        INGLE_TRY(spend(text->cost()));
        return *text;
    }
    Text out;
    INGLE_TRY(print(out, value));
    return out;
}

}  // namespace ingle::chat::jinja
