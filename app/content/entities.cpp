#include "app/content/entities.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "app/content/line.h"
#include "ingle/utf8.h"

namespace ingle::content {
namespace {

constexpr auto kNames = std::to_array<std::pair<std::string_view, std::string_view>>({
    {"amp", "&"},    {"apos", "'"},        {"bull", "•"},   {"cent", "¢"},  {"copy", "©"},   {"deg", "°"},
    {"divide", "÷"}, {"emsp", " "},        {"ensp", " "},   {"euro", "€"},  {"frac12", "½"}, {"ge", "≥"},
    {"gt", ">"},     {"hellip", "…"},      {"infin", "∞"},  {"laquo", "«"}, {"larr", "←"},   {"ldquo", "“"},
    {"le", "≤"},     {"lsquo", "‘"},       {"lt", "<"},     {"mdash", "—"}, {"micro", "µ"},  {"middot", "·"},
    {"minus", "−"},  {"nbsp", "\xC2\xA0"}, {"ndash", "–"},  {"ne", "≠"},    {"para", "¶"},   {"plusmn", "±"},
    {"pound", "£"},  {"quot", "\""},       {"raquo", "»"},  {"rarr", "→"},  {"rdquo", "”"},  {"reg", "®"},
    {"rsquo", "’"},  {"sect", "§"},        {"thinsp", " "}, {"times", "×"}, {"trade", "™"},  {"yen", "¥"},
});

}  // namespace

std::string decodeEntity(std::string_view entity) {
    std::string_view name = entity.substr(1, entity.size() - 2);
    if (name.starts_with('#')) {
        name.remove_prefix(1);
        const bool hexadecimal = name.starts_with('x') || name.starts_with('X');
        if (hexadecimal) name.remove_prefix(1);
        int32_t number = 0;
        const auto read =
            std::from_chars(name.data(), name.data() + name.size(), number, hexadecimal ? 16 : 10);
        if (read.ec != std::errc() || read.ptr != name.data() + name.size()) return std::string(entity);
        // Not a character, or one that the parser uses itself.
        const bool isSurrogate = number >= 0xD800 && number < 0xE000;
        if (number <= 0 || number > 0x10FFFF || isSurrogate) return std::string(kReplacementText);
        return validText(encodeUtf8(static_cast<char32_t>(number)));
    }
    const auto* found =
        std::find_if(kNames.begin(), kNames.end(), [&](const auto& row) { return row.first == name; });
    return std::string(found == kNames.end() ? entity : found->second);
}

}  // namespace ingle::content
