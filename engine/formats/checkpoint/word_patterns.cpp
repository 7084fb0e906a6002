#include "engine/formats/checkpoint/word_patterns.h"

#include <algorithm>
#include <array>

#include "engine/formats/published_patterns.h"

namespace ingle::formats {
namespace {

struct Named {
    std::string_view name;
    std::array<std::string_view, 5> patterns;
    bool takesWholeWords = false;
};

/// Others cut text by these names as the patterns say.
constexpr Named kNamed[] = {
    {"llama-bpe", {kLlama3Pattern}, true},
    {"glm4", {kLlama3Pattern}},
    {"qwen2", {kQwen2Pattern}},
    {"qwen35", {kQwen35Pattern}},
    {"tekken", {kTekkenPattern}, true},
    {"gpt-4o", {kGpt4oPattern}},
    {"gpt-2", {kByteLevelPattern}},
    {"starcoder", {R"(\p{N})", kByteLevelPattern}},
    {"deepseek-coder",
     {"[\r\n]", R"(\s?\p{L}+)", R"(\s?\p{P}+)", "[\u4e00-\u9fa5\u0800-\u4e00\uac00-\ud7ff]+", R"(\p{N})"}},
};

}  // namespace

std::string literalPattern(std::string_view text) {
    std::string pattern;
    for (const char c : text) {
        const bool isPlain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
                             static_cast<uint8_t>(c) >= 0x80;
        if (!isPlain) pattern += '\\';
        pattern += c;
    }
    return pattern;
}

std::string nameOfPatterns(std::span<const std::string> patterns, bool takesWholeWords) {
    for (const Named& named : kNamed) {
        const auto end = std::ranges::find(named.patterns, std::string_view());
        const bool isThis = std::equal(named.patterns.begin(), end, patterns.begin(), patterns.end()) &&
                            named.takesWholeWords == takesWholeWords;
        if (isThis) return std::string(named.name);
    }
    return {};
}

}  // namespace ingle::formats
