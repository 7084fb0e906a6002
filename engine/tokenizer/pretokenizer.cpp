#include "engine/tokenizer/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>

namespace ingle::tokenizer {
namespace {

// The patterns as the tokenizers' authors publish them.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";
constexpr std::string_view kLlama3Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kQwen2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kSingleDigits = R"(\p{N})";

enum class Vocabulary { MergesAll, WholeWordsAndBos };

/// Patterns are applied in order, each to every piece that the ones before have left.
struct Definition {
    std::string_view name;
    std::array<std::string_view, 2> patterns;
    Vocabulary vocabulary = Vocabulary::MergesAll;
};

constexpr Definition kDefinitions[] = {
    {"gpt-2", {kGpt2Pattern}},
    {"phi-2", {kGpt2Pattern}},
    {"jina-es", {kGpt2Pattern}},
    {"jina-de", {kGpt2Pattern}},
    {"jina-v2-es", {kGpt2Pattern}},
    {"jina-v2-de", {kGpt2Pattern}},
    {"gigachat", {kGpt2Pattern}},
    {"a.x-4.0", {kGpt2Pattern}},
    {"mellum", {kGpt2Pattern}},
    {"modern-bert", {kGpt2Pattern}},
    {"mpt", {kGpt2Pattern}},
    {"olmo", {kGpt2Pattern}},
    {"jais", {kGpt2Pattern}},
    {"exaone4", {kGpt2Pattern}},
    {"trillion", {kGpt2Pattern}},
    {"granite-docling", {kGpt2Pattern}},
    {"starcoder", {kSingleDigits, kGpt2Pattern}},
    {"refact", {kSingleDigits, kGpt2Pattern}},
    {"codeshell", {kSingleDigits, kGpt2Pattern}},
    {"exaone", {kSingleDigits, kGpt2Pattern}},
    {"minerva-7b", {kSingleDigits, kGpt2Pattern}},
    {"mellum2", {kSingleDigits, kGpt2Pattern}},
    {"command-r", {kSingleDigits, kGpt2Pattern}},
    {"smollm", {kSingleDigits, kGpt2Pattern}},
    {"llama-bpe", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"llama3", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"llama-v3", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"falcon3", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"falcon-h1", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"pixtral", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"midm-2.0", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"lfm2", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"jina-v5-nano", {kLlama3Pattern}, Vocabulary::WholeWordsAndBos},
    {"dbrx", {kLlama3Pattern}},
    {"smaug-bpe", {kLlama3Pattern}},
    {"glm4", {kLlama3Pattern}},
    {"chatglm-bpe", {kLlama3Pattern}},
    {"qwen2", {kQwen2Pattern}},
    {"deepseek-r1-qwen", {kQwen2Pattern}},
    {"kormo", {kQwen2Pattern}},
    {"megrez", {kQwen2Pattern}},
    {"hunyuan", {kQwen2Pattern}},
    {"solar-open", {kQwen2Pattern}},
    {"grok-2", {kQwen2Pattern}},
    {"stablelm2", {kQwen2Pattern}},
};

/// PCRE2's \s also takes U+180E, which has not been white space since Unicode 6.3.
std::string withUnicodeSpaces(std::string_view pattern) {
    std::string out;
    for (size_t i = 0; i < pattern.size(); ++i) {
        const std::string_view two = pattern.substr(i, 2);
        if (two == R"(\s)" || two == R"(\S)") {
            out += two == R"(\s)" ? R"(\p{White_Space})" : R"(\P{White_Space})";
            ++i;
        } else {
            out += pattern[i];
        }
    }
    return out;
}

struct FreeCode {
    void operator()(pcre2_code* code) const { pcre2_code_free(code); }
};
struct FreeMatchData {
    void operator()(pcre2_match_data* data) const { pcre2_match_data_free(data); }
};

std::string pcreMessage(int error) {
    PCRE2_UCHAR text[256];
    pcre2_get_error_message(error, text, sizeof text);
    return reinterpret_cast<const char*>(text);
}

}  // namespace

struct PreTokenizer::Pattern {
    std::unique_ptr<pcre2_code, FreeCode> code;

    static Result<Pattern> compile(std::string_view published) {
        const std::string text = withUnicodeSpaces(published);
        int error = 0;
        PCRE2_SIZE offset = 0;
        Pattern pattern;
        pattern.code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(),
                                         PCRE2_UTF | PCRE2_UCP | PCRE2_MATCH_INVALID_UTF, &error, &offset,
                                         nullptr));
        if (!pattern.code)
            return fail(ErrorCode::Unsupported, "the pre-tokenizer pattern fails at {}: {}", offset,
                        pcreMessage(error));
        // Without JIT (some hardened systems forbid it) the same pattern is interpreted.
        pcre2_jit_compile(pattern.code.get(), PCRE2_JIT_COMPLETE);
        return pattern;
    }

    /// Appends the matches in `piece` and the gaps between them.
    Status split(std::string_view piece, std::vector<std::string_view>& out) const {
        const std::unique_ptr<pcre2_match_data, FreeMatchData> match(pcre2_match_data_create(1, nullptr));
        if (!match) return fail(ErrorCode::OutOfMemory, "no memory to match a pattern");
        size_t begin = 0;
        while (begin < piece.size()) {
            const int count = pcre2_match(code.get(), reinterpret_cast<PCRE2_SPTR>(piece.data()),
                                          piece.size(), begin, 0, match.get(), nullptr);
            if (count == PCRE2_ERROR_NOMATCH) break;
            if (count < 0)
                return fail(ErrorCode::InvalidArgument, "the text cannot be tokenized: {}",
                            pcreMessage(count));
            const PCRE2_SIZE* range = pcre2_get_ovector_pointer(match.get());
            if (range[0] > begin) out.push_back(piece.substr(begin, range[0] - begin));
            out.push_back(piece.substr(range[0], range[1] - range[0]));
            begin = range[1];
        }
        if (begin < piece.size()) out.push_back(piece.substr(begin));
        return {};
    }
};

PreTokenizer::PreTokenizer() = default;
PreTokenizer::~PreTokenizer() = default;

Result<std::unique_ptr<const PreTokenizer>> PreTokenizer::create(std::string_view name) {
    const auto definition = std::ranges::find(kDefinitions, name, &Definition::name);
    if (definition == std::end(kDefinitions))
        return fail(ErrorCode::Unsupported, "the pre-tokenizer '{}' is not supported", name);
    std::unique_ptr<PreTokenizer> result(new PreTokenizer());
    for (const std::string_view text : definition->patterns) {
        if (text.empty()) continue;
        INGLE_TRY_ASSIGN(Pattern pattern, Pattern::compile(text));
        result->m_patterns.push_back(std::move(pattern));
    }
    result->m_takesWholeWords = definition->vocabulary == Vocabulary::WholeWordsAndBos;
    result->m_addsBosByDefault = definition->vocabulary == Vocabulary::WholeWordsAndBos;
    return result;
}

Result<std::vector<std::string_view>> PreTokenizer::split(std::string_view text) const {
    std::vector<std::string_view> words;
    if (!text.empty()) words.push_back(text);
    for (const Pattern& pattern : m_patterns) {
        std::vector<std::string_view> smaller;
        for (const std::string_view word : words) INGLE_TRY(pattern.split(word, smaller));
        words = std::move(smaller);
    }
    return words;
}

}  // namespace ingle::tokenizer
