#include "engine/tokenizer/text_steps.h"

#include <utf8proc.h>

#include <algorithm>
#include <array>

#include "engine/base/check.h"
#include "engine/tokenizer/utf8.h"
#include "ingle/utf8.h"

namespace ingle::tokenizer {
namespace {

using formats::TextStep;

/// Of UTF-8 alone.
template <int kOptions>
std::string normalForm(std::string_view text) {
    constexpr auto kForm = static_cast<utf8proc_option_t>(kOptions | UTF8PROC_STABLE);
    const auto* bytes = reinterpret_cast<const utf8proc_uint8_t*>(text.data());
    const auto size = static_cast<utf8proc_ssize_t>(text.size());
    const utf8proc_ssize_t count = utf8proc_decompose(bytes, size, nullptr, 0, kForm);
    INGLE_CHECK(count >= 0, "{}", utf8proc_errmsg(count));
    std::vector<utf8proc_int32_t> codes(static_cast<size_t>(count));
    utf8proc_decompose(bytes, size, codes.data(), count, kForm);
    codes.resize(static_cast<size_t>(utf8proc_normalize_utf32(codes.data(), count, kForm)));
    std::string out;
    for (const utf8proc_int32_t code : codes) out += encodeUtf8(static_cast<char32_t>(code));
    return out;
}

template <std::string (*kChange)(utf8proc_int32_t code)>
std::string characterByCharacter(std::string_view text) {
    std::string out;
    while (!text.empty()) {
        const std::string_view character = text.substr(0, firstUtf8Part(text).bytes);
        out += kChange(static_cast<utf8proc_int32_t>(codePointOf(character)));
        text.remove_prefix(character.size());
    }
    return out;
}

std::string spelled(utf8proc_int32_t code) {
    return encodeUtf8(static_cast<char32_t>(code));
}

std::string unlessMark(utf8proc_int32_t code) {
    const auto category = utf8proc_category(code);
    return category >= UTF8PROC_CATEGORY_MN && category <= UTF8PROC_CATEGORY_ME ? "" : spelled(code);
}

std::string unlessNonspacingMark(utf8proc_int32_t code) {
    return utf8proc_category(code) == UTF8PROC_CATEGORY_MN ? "" : spelled(code);
}

std::string baseLetter(utf8proc_int32_t code) {
    std::array<utf8proc_int32_t, 8> parts{};
    const auto count = utf8proc_decompose_char(code, parts.data(), parts.size(), UTF8PROC_DECOMPOSE, nullptr);
    return spelled(count > 0 ? parts[0] : code);
}

std::string lowercase(utf8proc_int32_t code) {
    // The only one whose small letter is two characters (SpecialCasing.txt).
    return code == 0x130 ? "i\u0307" : spelled(utf8proc_tolower(code));
}

struct Step {
    TextStep step;
    std::string (*apply)(std::string_view text);  // of UTF-8 alone
};
constexpr Step kSteps[] = {
    {TextStep::Nfc, normalForm<UTF8PROC_COMPOSE>},
    {TextStep::Nfd, normalForm<UTF8PROC_DECOMPOSE>},
    {TextStep::Nfkc, normalForm<UTF8PROC_COMPOSE | UTF8PROC_COMPAT>},
    {TextStep::Nfkd, normalForm<UTF8PROC_DECOMPOSE | UTF8PROC_COMPAT>},
    {TextStep::DropMarks, characterByCharacter<unlessMark>},
    {TextStep::DropNonspacingMarks, characterByCharacter<unlessNonspacingMark>},
    {TextStep::BaseLetters, characterByCharacter<baseLetter>},
    {TextStep::Lowercase, characterByCharacter<lowercase>},
};

/// Marks that combine with one letter are sorted, which takes time by the square of their number.
constexpr size_t kMostMarks = 256;

/// The bytes before the first that are no UTF-8, and not more than kMostMarks marks one after the other.
size_t validBytes(std::string_view text) {
    size_t size = 0;
    for (size_t marks = 0; size < text.size() && marks < kMostMarks;) {
        if (static_cast<unsigned char>(text[size]) < 0x80) {
            ++size;
            marks = 0;
            continue;
        }
        const Utf8Part part = firstUtf8Part(text.substr(size));
        if (part.kind != Utf8Kind::Character) break;
        const auto code = static_cast<utf8proc_int32_t>(codePointOf(text.substr(size, part.bytes)));
        marks = utf8proc_get_property(code)->combining_class != 0 ? marks + 1 : 0;
        size += part.bytes;
    }
    return size;
}

}  // namespace

std::string withTextSteps(std::string text, std::span<const TextStep> steps) {
    for (const TextStep wanted : steps) {
        const auto* step = std::ranges::find(kSteps, wanted, &Step::step);
        std::string out;
        for (std::string_view rest = text; !rest.empty();) {
            const std::string_view valid = rest.substr(0, validBytes(rest));
            out += step->apply(valid);
            rest.remove_prefix(valid.size());
            if (rest.empty()) break;
            const Utf8Part part = firstUtf8Part(rest);
            if (part.kind == Utf8Kind::Character) continue;
            const std::string_view invalid = rest.substr(0, part.bytes);
            out += invalid;
            rest.remove_prefix(invalid.size());
        }
        text = std::move(out);
    }
    return text;
}

}  // namespace ingle::tokenizer
