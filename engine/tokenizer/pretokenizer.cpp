#include "engine/tokenizer/pretokenizer.h"

#define PCRE2_CODE_UNIT_WIDTH 8
#include <pcre2.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/formats/published_patterns.h"
#include "engine/tokenizer/text_meter.h"
#include "engine/tokenizer/utf8.h"

namespace ingle::tokenizer {
namespace {

using formats::kGpt4oPattern;
using formats::kLlama3Pattern;
using formats::kQwen2Pattern;
using formats::kQwen35Pattern;
using formats::kTekkenPattern;

// Patterns that no reader of files has to know, as the tokenizers' authors publish them.
constexpr std::string_view kGpt2Pattern =
    R"('s|'t|'re|'ve|'m|'ll|'d| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S))";
constexpr std::string_view kBailingMoePattern =
    R"('(?:[sSdDmMtT]|[lL][lL]|[vV][eE]|[rR][eE])|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kSeedCoderPattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}\r\n]+|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kDeepseek3Pattern =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
/// Letters of the scripts that have an upper and a lower case.
constexpr std::string_view kCasedWords =
    R"(\s?[)"
    R"(\x{41}-\x{5A}\x{61}-\x{7A}\x{B5}\x{C0}-\x{D6}\x{D8}-\x{F6}\x{F8}-\x{1BA}\x{1BC}-\x{1BF})"
    R"(\x{1C4}-\x{293}\x{295}-\x{2AF}\x{370}-\x{373}\x{376}\x{377}\x{37B}-\x{37D}\x{37F}\x{386})"
    R"(\x{388}-\x{38A}\x{38C}\x{38E}-\x{3A1}\x{3A3}-\x{3F5}\x{3F7}-\x{481}\x{48A}-\x{52F})"
    R"(\x{531}-\x{556}\x{10A0}-\x{10C5}\x{13A0}-\x{13F5}\x{13F8}-\x{13FD}\x{1C90}-\x{1CBA})"
    R"(\x{1CBD}-\x{1CBF}\x{1D00}-\x{1D2B}\x{1D6B}-\x{1D77}\x{1D79}-\x{1D9A}\x{1E00}-\x{1F15})"
    R"(\x{1F18}-\x{1F1D}\x{1F20}-\x{1F45}\x{1F48}-\x{1F4D}\x{1F50}-\x{1F57}\x{1F59}\x{1F5B}\x{1F5D})"
    R"(\x{1F5F}-\x{1F7D}\x{1F80}-\x{1FB4}\x{1FB6}-\x{1FBC}\x{1FBE}\x{1FC2}-\x{1FC4})"
    R"(\x{1FC6}-\x{1FCC}\x{1FD0}-\x{1FD3}\x{1FD6}-\x{1FDB}\x{1FE0}-\x{1FEC}\x{1FF2}-\x{1FF4})"
    R"(\x{1FF6}-\x{1FFC}\x{2102}\x{2107}\x{210A}-\x{2113}\x{2115}\x{2119}-\x{211D}\x{2124}\x{2126})"
    R"(\x{2128}\x{212A}-\x{212D}\x{212F}-\x{2134}\x{2139}\x{213C}-\x{213F}\x{2145}-\x{2149}\x{214E})"
    R"(\x{2183}\x{2184}\x{2C00}-\x{2C7B}\x{2C7E}-\x{2CE4}\x{2CEB}-\x{2CEE}\x{2CF2}\x{2CF3})"
    R"(\x{A640}-\x{A66D}\x{A680}-\x{A69B}\x{A722}-\x{A76F}\x{A771}-\x{A787}\x{A78B}-\x{A78E})"
    R"(\x{AB70}-\x{ABBF}\x{FB00}-\x{FB06}\x{FB13}-\x{FB17}\x{FF21}-\x{FF3A}\x{FF41}-\x{FF5A})"
    R"(\x{10400}-\x{1044F}\x{104B0}-\x{104D3}\x{104D8}-\x{104FB}\x{10C80}-\x{10CB2})"
    R"(\x{10CC0}-\x{10CF2}\x{118A0}-\x{118DF}\x{1E900}-\x{1E943})"
    R"(]+)";
constexpr std::string_view kWidePunctuation =
    R"(\s?[!-/:-~\x{FF01}-\x{FF0F}\x{FF1A}-\x{FF5E}\x{2018}-\x{201F}\x{3000}-\x{3002}]+)";
constexpr std::string_view kHanAndHangul = R"([\x{4E00}-\x{9FA5}\x{0800}-\x{4E00}\x{AC00}-\x{D7FF}]+)";
constexpr std::string_view kHanAndKana = R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
constexpr std::string_view kBloomPattern =
    R"( ?[^(\s|.,!?\x{2026}\x{3002}\x{FF0C}\x{3001}\x{0964}\x{06D4}\x{060C})]+)";
constexpr std::string_view kLineEnd = R"([\r\n])";
constexpr std::string_view kDigitRuns = R"(\p{N}+)";
constexpr std::string_view kUpToThreeDigits = R"(\p{N}{1,3})";
constexpr std::string_view kThreeDigits = R"([0-9][0-9][0-9])";
constexpr std::string_view kSingleDigits = R"(\p{N})";
/// Published as \s+$, which is tried again at every space of a run that does not end the text.
constexpr std::string_view kSpaceAtEnd = R"((?<!\s)\s+$)";
/// Takes time by the square of a number's digits.
constexpr std::string_view kGroupsOfThree = R"((?=(\d{3})+(?!\d)))";
/// Of a run of digits alone: groups of three, counted from its end.
constexpr std::string_view kThreesFromTheEnd = R"(^\p{N}{1,2}(?=(?:\p{N}{3})+$)|\p{N}{3}|\p{N}+)";
/// Published as \d{1,3}(?=(?:\d{3})*\b), before a pattern that cuts digits into single ones anyhow.
constexpr std::string_view kNumbersAtWordEnds = R"((?<!\d)\d++\b)";
constexpr std::string_view kJais2Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|)"
    R"(\s{512}(?!\S)|\s{256}(?!\S)|\s{128}(?!\S)|\s{64}(?!\S)|\s{32}(?!\S)|\s{16}(?!\S)|\s{8}(?!\S)|)"
    R"(\s{4}(?!\S)|\s{1,2}(?!\S)|\s{1})";
constexpr std::string_view kSparkPattern =
    R"([!"#$%&'()*+,\-./:;<=>?@\[\\\]^_`{|}~][A-Za-z]+|[^\r\n\p{L}\p{P}\p{S}]?[\p{L}\p{M}]+|)"
    R"( ?[\p{P}\p{S}]+|[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kYoutuScripts =
    R"([\x{AC00}-\x{D7A3}\x{3131}-\x{318E}]+|)"
    R"([\x{FF01}\x{2026}\x{201C}\x{201D}\x{2018}\x{2019}\x{2014}\x{FF1A}\x{FF1B}\x{FF0C})"
    R"(\x{3001}-\x{303F}\x{FE30}-\x{FE4F}]+|[\x{3105}-\x{312F}]+|)"
    R"([\x{4E00}-\x{9FA5}\x{3040}-\x{309F}\x{30A0}-\x{30FF}]+)";
/// As GPT-4o's, but each digit is a word.
constexpr std::string_view kSingleDigitsGpt4oPattern =
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*)"
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}| ?[^\s\p{L}\p{N}]+[\r\n/]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kKimiPattern =
    R"(\p{Han}+|)"
    R"([^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])*)"
    R"((?:(?!\p{Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}])+(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"([^\r\n\p{L}\p{N}]?(?:(?!\p{Han})[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}])+)"
    R"((?:(?!\p{Han})[\p{Ll}\p{Lm}\p{Lo}\p{M}])*(?i:'s|'t|'re|'ve|'m|'ll|'d)?|)"
    R"(\p{N}{1,3}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kUfakzekaPattern =
    R"([^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+)";
constexpr std::string_view kAsianScripts =
    R"([\x{4E00}-\x{9FFF}\x{3400}-\x{4DBF}\x{F900}-\x{FAFF}\x{3040}-\x{309F}\x{30A0}-\x{30FF})"
    R"(\x{FF65}-\x{FF9F}\x{2F00}-\x{2FDF}\x{0E40}-\x{0E7F}\x{0E80}-\x{0EFF}\x{1780}-\x{17FF})"
    R"(\x{1000}-\x{109F}\x{AA60}-\x{AA7F}\x{A9E0}-\x{A9FF}\x{AC00}-\x{D7AF}\x{1100}-\x{11FF}]+)";
constexpr std::string_view kLines = R"([^\n]+|[\n]+)";
constexpr std::string_view kExaoneMoePattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?(?:\p{L}\p{M}*(?: \p{L}\p{M}*)*)+|\p{N}|)"
    R"( ?[^\s\p{L}\p{N}]+[\r\n/]?|\s*[\r\n]|\s+(?!\S)|\s+)";
constexpr std::string_view kMiniCpm5Pattern =
    R"((?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}+| ?[^\s\p{L}\p{N}]+[\r\n]*|)"
    R"(\s*[\r\n]+|\s+(?!\S)|\s+)";

enum class Vocabulary { MergesAll, AddsBos, WholeWords, WholeWordsAndBos };

/// Patterns are applied in order, each to every piece that the ones before have left.
struct Definition {
    std::string_view name;
    std::array<std::string_view, 6> patterns;
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
    {"qwen35", {kQwen35Pattern}},
    {"jina-v1-en", {kGpt2Pattern}},
    {"jina-v2-code", {kGpt2Pattern}},
    {"roberta-bpe", {kGpt2Pattern}},
    {"falcon", {R"([\p{P}\$\+<=>\^~\|`]+)", kGpt2Pattern, kThreeDigits}},
    {"default", {R"([\p{P}\$\+<=>\^~\|]+)", kGpt2Pattern, kDigitRuns, kThreeDigits}},
    {"deepseek-llm", {kLineEnd, kCasedWords, kWidePunctuation, kSpaceAtEnd, kHanAndHangul, kDigitRuns}},
    {"deepseek-coder", {kLineEnd, R"(\s?\p{L}+)", R"(\s?\p{P}+)", kHanAndHangul, kSingleDigits}},
    {"deepseek-v3", {kUpToThreeDigits, kHanAndKana, kDeepseek3Pattern}},
    {"hunyuan-dense", {kUpToThreeDigits, kHanAndKana, kDeepseek3Pattern}},
    {"joyai-llm", {kUpToThreeDigits, kHanAndKana, kDeepseek3Pattern}},
    {"tekken", {kTekkenPattern}, Vocabulary::WholeWordsAndBos},
    {"gpt-4o", {kGpt4oPattern}},
    {"llama4", {kGpt4oPattern}},
    {"kanana2", {kGpt4oPattern}},
    {"minimax-m2", {kGpt4oPattern}},
    {"bloom", {kBloomPattern}},
    {"gpt3-finnish", {kBloomPattern}},
    {"poro-chat", {kBloomPattern}},
    {"viking", {kBloomPattern, kSingleDigits}},
    {"chameleon",
     {R"(<sentinel:[0-9]+>)", R"((IMGIMG)((A|B|C|D|E|F|G|H|I){1,4})Z)", R"(([\t\n]|    |  ))", kSingleDigits,
      R"([\p{P}!-/:-@\[-`{-~])", kGpt2Pattern},
     Vocabulary::AddsBos},
    {"bailingmoe", {kBailingMoePattern}},
    {"seed-coder", {kSeedCoderPattern}},
    {"superbpe", {kDigitRuns, kGroupsOfThree}},
    {"jais-2", {kJais2Pattern}},
    {"f2llmv2", {kQwen2Pattern}},
    {"ufakzeka", {kUfakzekaPattern}},
    {"laguna", {kLines, kQwen2Pattern}},
    {"minicpm5", {kUpToThreeDigits, kMiniCpm5Pattern}, Vocabulary::WholeWords},
    {"exaone-moe", {kExaoneMoePattern}},
    {"hy_v4", {kUpToThreeDigits, kHanAndKana, kDeepseek3Pattern}},
    {"spark2_5", {kUpToThreeDigits, kHanAndKana, kSparkPattern, kSingleDigits}},
    {"youtu", {kYoutuScripts, kSingleDigitsGpt4oPattern}, Vocabulary::WholeWords},
    {"talkie", {kGpt4oPattern}},
    {"granite-embed-multi-97m", {kGpt4oPattern}, Vocabulary::WholeWords},
    {"tiny_aya", {kNumbersAtWordEnds, kSingleDigitsGpt4oPattern}},
    {"cohere2moe", {kNumbersAtWordEnds, kSingleDigitsGpt4oPattern}},
    {"afmoe", {kDigitRuns, kThreesFromTheEnd, kAsianScripts, kDeepseek3Pattern}},
    {"kimi-k2", {kKimiPattern}},
    {"bailingmoe2", {kBailingMoePattern}},
    {"llada-moe", {kBailingMoePattern}},
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
struct FreeMatchContext {
    void operator()(pcre2_match_context* context) const { pcre2_match_context_free(context); }
};

std::string pcreMessage(int error) {
    PCRE2_UCHAR text[256];
    pcre2_get_error_message(error, text, sizeof text);
    return reinterpret_cast<const char*>(text);
}

/// The bytes that `text` begins with which are UTF-8.
size_t validSize(std::string_view text) {
    size_t size = 0;
    while (size < text.size()) {
        if (static_cast<unsigned char>(text[size]) < 0x80) {
            ++size;
            continue;
        }
        const Utf8Part part = firstUtf8Part(text.substr(size));
        if (part.kind != Utf8Kind::Character) break;
        size += part.bytes;
    }
    return size;
}

/// The greatest number in the braces of a pattern: so many characters may be looked at in one step.
size_t longestRepeat(std::string_view pattern) {
    size_t longest = 1;
    for (size_t at = pattern.find('{'); at != std::string_view::npos; at = pattern.find('{', at + 1)) {
        for (size_t i = at + 1, number = 0; i < pattern.size(); ++i) {
            const bool isDigit = pattern[i] >= '0' && pattern[i] <= '9';
            number =
                isDigit ? std::min<size_t>(number * 10 + static_cast<size_t>(pattern[i] - '0'), 65536) : 0;
            longest = std::max(longest, number);
            if (!isDigit && pattern[i] != ',') break;
        }
    }
    return longest;
}

/// Whether each step of a pattern is paid for: not of those whose time is known to grow with the text.
enum class Paid { No, Yes };

}  // namespace

/// What matching takes, for all pieces of a text.
class PreTokenizer::Matching {
  public:
    Matching(std::string_view text, base::Meter& meter)
        : m_meter(meter),
          m_isUtf8(validSize(text) == text.size()),
          m_data(pcre2_match_data_create(1, nullptr)),
          m_context(pcre2_match_context_create(nullptr)) {
        if (m_context) pcre2_set_callout(m_context.get(), &Matching::step, this);
    }

    bool hasMemory() const { return m_data && m_context; }
    /// Whether all of the text is UTF-8.
    bool isUtf8() const { return m_isUtf8; }

    struct Range {
        size_t begin, end;
    };
    /// Finds the next match in `subject`, which is UTF-8, from `at` on. False: there is none, or an error.
    bool next(const Pattern& pattern, std::string_view subject, size_t at, uint32_t options, Range& match);
    /// How the last next() ended.
    Status takeError();

  private:
    /// PCRE2 calls it before each item of a pattern that is paid for.
    static int step(pcre2_callout_block* block, void* self) {
        auto& matching = *static_cast<Matching*>(self);
        const size_t at = block->current_position;
        const size_t before = std::exchange(matching.m_position, at);
        const size_t passed = at > before ? at - before : before - at;
        matching.m_paid = matching.m_meter.spend(matching.m_stepCost + matching.m_byteCost * passed);
        return matching.m_paid ? 0 : PCRE2_ERROR_CALLOUT;
    }

    base::Meter& m_meter;
    const bool m_isUtf8;
    std::unique_ptr<pcre2_match_data, FreeMatchData> m_data;
    std::unique_ptr<pcre2_match_context, FreeMatchContext> m_context;
    size_t m_position = 0;
    size_t m_stepCost = 1, m_byteCost = 1;
    Status m_paid;
    int m_count = 0;  ///< of pcre2_match()
};

struct PreTokenizer::Pattern {
    std::unique_ptr<pcre2_code, FreeCode> code;
    size_t stepCost = 1, byteCost = 1;

    static Result<Pattern> compile(std::string_view published, Paid paid) {
        const std::string text = withUnicodeSpaces(published);
        int error = 0;
        PCRE2_SIZE offset = 0;
        Pattern pattern;
        pattern.stepCost = 1 + longestRepeat(text) / 16;
        // A cluster of characters takes one step, however long it is, and looks at properties of each.
        if (text.find("\\X") != std::string::npos) pattern.byteCost = 4;
        const uint32_t options = PCRE2_UTF | PCRE2_UCP | (paid == Paid::Yes ? PCRE2_AUTO_CALLOUT : 0);
        pattern.code.reset(pcre2_compile(reinterpret_cast<PCRE2_SPTR>(text.data()), text.size(), options,
                                         &error, &offset, nullptr));
        if (!pattern.code)
            return fail(ErrorCode::Unsupported, "the pre-tokenizer pattern fails at {}: {}", offset,
                        pcreMessage(error));
        uint32_t highestReference = 0;
        pcre2_pattern_info(pattern.code.get(), PCRE2_INFO_BACKREFMAX, &highestReference);
        if (highestReference > 0)
            return fail(ErrorCode::Unsupported,
                        "the pre-tokenizer pattern refers back to what it has matched");
        // Without JIT (some hardened systems forbid it) the same pattern is interpreted.
        pcre2_jit_compile(pattern.code.get(), PCRE2_JIT_COMPLETE);
        return pattern;
    }

    /// Appends the matches in `piece` and the gaps between them; a match of nothing is a cut.
    Status split(std::string_view piece, Matching& matching, std::vector<std::string_view>& out) const {
        size_t cut = 0;  // what is before has been appended
        const auto run = [&](size_t begin, size_t end) -> Status {
            const std::string_view subject = piece.substr(begin, end - begin);
            const uint32_t edges = (begin > 0 ? PCRE2_NOTBOL : 0u) | (end < piece.size() ? PCRE2_NOTEOL : 0u);
            for (size_t at = begin; at < end;) {
                // Nothing may not match behind a match: every match makes progress.
                const uint32_t options = edges | (at == cut ? PCRE2_NOTEMPTY_ATSTART : 0u);
                Matching::Range match{};
                if (!matching.next(*this, subject, at - begin, options, match)) return matching.takeError();
                at = begin + match.end;
                const size_t from = begin + match.begin;
                if (from > cut) out.push_back(piece.substr(cut, from - cut));
                if (at > from) out.push_back(piece.substr(from, at - from));
                cut = at;
            }
            return {};
        };
        for (size_t at = 0; at < piece.size();) {
            const size_t end = matching.isUtf8() ? piece.size() : at + validSize(piece.substr(at));
            INGLE_TRY(run(at, end));
            at = end == piece.size() ? end : end + firstUtf8Part(piece.substr(end)).bytes;
        }
        if (cut < piece.size()) out.push_back(piece.substr(cut));
        return {};
    }
};

bool PreTokenizer::Matching::next(const Pattern& pattern, std::string_view subject, size_t at,
                                  uint32_t options, Range& match) {
    m_position = at;
    m_stepCost = pattern.stepCost;
    m_byteCost = pattern.byteCost;
    const auto find = [&](uint32_t more) {
        return pcre2_match(pattern.code.get(), reinterpret_cast<PCRE2_SPTR>(subject.data()), subject.size(),
                           at, options | PCRE2_NO_UTF_CHECK | more, m_data.get(), m_context.get());
    };
    m_count = find(0);
    if (m_count == PCRE2_ERROR_JIT_STACKLIMIT) m_count = find(PCRE2_NO_JIT);
    if (m_count < 0) return false;
    const PCRE2_SIZE* range = pcre2_get_ovector_pointer(m_data.get());
    match = {range[0], range[1]};
    return true;
}

Status PreTokenizer::Matching::takeError() {
    switch (m_count) {
        case PCRE2_ERROR_NOMATCH:
            return {};
        case PCRE2_ERROR_CALLOUT:
            return std::exchange(m_paid, {});
        case PCRE2_ERROR_MATCHLIMIT:  // its own limits
        case PCRE2_ERROR_DEPTHLIMIT:
        case PCRE2_ERROR_HEAPLIMIT:
            return takesTooLong();
        default:
            return fail(ErrorCode::InvalidArgument, "the text cannot be tokenized: {}", pcreMessage(m_count));
    }
}

PreTokenizer::PreTokenizer() = default;
PreTokenizer::~PreTokenizer() = default;

Result<std::unique_ptr<const PreTokenizer>> PreTokenizer::create(std::string_view name) {
    const auto definition = std::ranges::find(kDefinitions, name, &Definition::name);
    if (definition == std::end(kDefinitions))
        return fail(ErrorCode::Unsupported, "the pre-tokenizer '{}' is not supported", shown(name));
    std::unique_ptr<PreTokenizer> result(new PreTokenizer());
    for (const std::string_view text : definition->patterns) {
        if (text.empty()) continue;
        INGLE_TRY_ASSIGN(Pattern pattern,
                         Pattern::compile(text, text == kGroupsOfThree ? Paid::Yes : Paid::No));
        result->m_patterns.push_back(std::move(pattern));
    }
    const Vocabulary vocabulary = definition->vocabulary;
    result->m_takesWholeWords =
        vocabulary == Vocabulary::WholeWords || vocabulary == Vocabulary::WholeWordsAndBos;
    result->m_addsBosByDefault =
        vocabulary == Vocabulary::AddsBos || vocabulary == Vocabulary::WholeWordsAndBos;
    return result;
}

Result<std::unique_ptr<const PreTokenizer>> PreTokenizer::create(std::span<const std::string> patterns,
                                                                 bool takesWholeWords) {
    constexpr size_t kMaxBytes = 4096;
    if (patterns.size() > kMaxPatterns)
        return fail(ErrorCode::Unsupported, "{} pre-tokenizer patterns are too many", patterns.size());
    std::unique_ptr<PreTokenizer> result(new PreTokenizer());
    for (const std::string& text : patterns) {
        if (text.size() > kMaxBytes)
            return fail(ErrorCode::Unsupported, "a pre-tokenizer pattern of {} bytes is too long",
                        text.size());
        INGLE_TRY_ASSIGN(Pattern pattern, Pattern::compile(text, Paid::Yes));
        result->m_patterns.push_back(std::move(pattern));
    }
    result->m_takesWholeWords = takesWholeWords;
    return result;
}

std::vector<std::string_view> PreTokenizer::names() {
    std::vector<std::string_view> names;
    for (const Definition& definition : kDefinitions) names.push_back(definition.name);
    return names;
}

Result<std::vector<std::string_view>> PreTokenizer::split(std::string_view text, base::Meter& meter) const {
    std::vector<std::string_view> words;
    if (!text.empty()) words.push_back(text);
    Matching matching(text, meter);
    if (!matching.hasMemory()) return fail(ErrorCode::OutOfMemory, "no memory to match a pattern");
    for (const Pattern& pattern : m_patterns) {
        std::vector<std::string_view> smaller;
        for (const std::string_view word : words) INGLE_TRY(pattern.split(word, matching, smaller));
        words = std::move(smaller);
    }
    return words;
}

}  // namespace ingle::tokenizer
