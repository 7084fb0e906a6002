// Keys and types: the GGUF specification's tokenizer section; reference readers accept longer arrays than the
// vocabulary, never shorter ones.
#include "engine/formats/tokenizer_data.h"

#include <algorithm>

namespace ingle::formats {
namespace {

/// The kind of tokenizer whose ids are bytes. Other engines do not know it, see writeTokenizerData().
constexpr std::string_view kBytes = "bytes";
constexpr std::string_view kWords = "bert";
constexpr std::string_view kIsLower = "normalizer.lowercase";
constexpr std::string_view kDropsAccents = "normalizer.strip_accents";
/// Rules of cutting text that have no name. Other engines do not know these keys.
constexpr std::string_view kPatterns = "inglenook_patterns";
constexpr std::string_view kWholeWords = "inglenook_whole_words";
constexpr std::string_view kPrefixesOnlyFirst = "inglenook_prefixes_only_first";
/// [id, bits of TokenSearch in their order, …]
constexpr std::string_view kSearches = "inglenook_token_searches";

class TokenizerKeys {
  public:
    explicit TokenizerKeys(const Metadata& metadata) : m_metadata(metadata) {}

    Result<std::vector<std::string>> strings(std::string_view name) const {
        const MetaValue* value = find(name);
        if (!value) return std::vector<std::string>{};
        if (const auto* held = std::get_if<std::vector<std::string>>(value)) return *held;
        return fail(ErrorCode::Corrupt, "key 'tokenizer.ggml.{}' is not an array of strings", name);
    }

    /// One value per token, or nothing when the key is absent.
    template <typename T, typename Convert>
    Result<std::vector<T>> perToken(std::string_view name, size_t numTokens, Convert convert) const {
        const MetaValue* value = find(name);
        if (!value) return std::vector<T>{};
        const auto convertFirst = [&](const auto& array) -> Result<std::vector<T>> {
            if (array.size() < numTokens)
                return fail(ErrorCode::Corrupt, "key 'tokenizer.ggml.{}' has {} entries for {} tokens", name,
                            array.size(), numTokens);
            std::vector<T> out(numTokens);
            std::transform(array.begin(), array.begin() + static_cast<ptrdiff_t>(numTokens), out.begin(),
                           convert);
            return out;
        };
        if (const auto* integers = std::get_if<std::vector<int64_t>>(value)) return convertFirst(*integers);
        if (const auto* doubles = std::get_if<std::vector<double>>(value)) return convertFirst(*doubles);
        return fail(ErrorCode::Corrupt, "key 'tokenizer.ggml.{}' is not an array of numbers", name);
    }

    /// The bytes of an array of u8 or i8, or nothing when the key is absent.
    Result<std::string> bytes(std::string_view name) const {
        const MetaValue* value = find(name);
        if (!value) return std::string();
        const auto* integers = std::get_if<std::vector<int64_t>>(value);
        const auto isByte = [](int64_t number) { return number >= -128 && number <= 255; };
        if (!integers || !std::ranges::all_of(*integers, isByte))
            return fail(ErrorCode::Corrupt, "key 'tokenizer.ggml.{}' is not an array of bytes", name);
        std::string out(integers->size(), '\0');
        std::ranges::transform(*integers, out.begin(), [](int64_t byte) { return static_cast<char>(byte); });
        return out;
    }

    Result<std::vector<int64_t>> integers(std::string_view name) const {
        const MetaValue* value = find(name);
        if (!value) return std::vector<int64_t>{};
        if (const auto* integers = std::get_if<std::vector<int64_t>>(value)) return *integers;
        return fail(ErrorCode::Corrupt, "key 'tokenizer.ggml.{}' is not an array of whole numbers", name);
    }

    std::optional<TokenId> id(std::string_view name, size_t numTokens) const {
        const MetaValue* value = find(name);
        const auto* number = value ? std::get_if<int64_t>(value) : nullptr;
        if (!number || *number < 0 || static_cast<uint64_t>(*number) >= numTokens) return std::nullopt;
        return static_cast<TokenId>(*number);
    }

    Result<std::optional<bool>> flag(std::string_view name) const {
        if (!find(name)) return std::nullopt;
        INGLE_TRY_ASSIGN(const bool value, m_metadata.boolOr(key(name), false));
        return value;
    }

  private:
    static std::string key(std::string_view name) { return fmt::format("tokenizer.ggml.{}", name); }
    const MetaValue* find(std::string_view name) const { return m_metadata.find(key(name)); }

    const Metadata& m_metadata;
};

Result<std::vector<TextStep>> stepsOfWords(const TokenizerKeys& keys) {
    INGLE_TRY_ASSIGN(const auto isLower, keys.flag(kIsLower));
    INGLE_TRY_ASSIGN(const auto dropsAccents, keys.flag(kDropsAccents));
    std::vector<TextStep> steps;
    if (dropsAccents.value_or(isLower.value_or(true))) steps.push_back(TextStep::BaseLetters);
    if (isLower.value_or(true)) steps.push_back(TextStep::Lowercase);
    return steps;
}

constexpr bool TokenSearch::*kSearchBits[] = {&TokenSearch::takesSpaceBefore, &TokenSearch::takesSpaceBehind,
                                              &TokenSearch::isWord, &TokenSearch::isNormalized};

std::map<TokenId, TokenSearch> searchesOf(const std::vector<int64_t>& numbers, size_t numTokens) {
    std::map<TokenId, TokenSearch> searches;
    for (size_t i = 0; i + 1 < numbers.size(); i += 2) {
        if (numbers[i] < 0 || static_cast<uint64_t>(numbers[i]) >= numTokens) continue;
        TokenSearch& search = searches[static_cast<TokenId>(numbers[i])];
        for (size_t bit = 0; bit < std::size(kSearchBits); ++bit)
            search.*kSearchBits[bit] = (numbers[i + 1] >> bit & 1) != 0;
    }
    return searches;
}

/// Phi-3 was trained on prompts whose marks take the white space behind them, which GGUF does not say. Its
/// vocabulary is known by a token that no other one has.
std::map<TokenId, TokenSearch> searchesOfPhi3(const TokenizerData& data) {
    constexpr std::string_view kPlain[] = {"<s>", "<unk>", "<|endoftext|>"};
    std::map<TokenId, TokenSearch> searches;
    const bool isPhi3 = data.model == "llama" && data.types.size() == data.tokens.size() &&
                        std::ranges::find(data.tokens, "<|placeholder1|>") != data.tokens.end();
    for (size_t id = 0; isPhi3 && id < data.tokens.size(); ++id) {
        const bool isMark = data.types[id] == TokenType::Control || data.tokens[id] == "</s>";
        if (isMark && std::ranges::find(kPlain, data.tokens[id]) == std::end(kPlain))
            searches[static_cast<TokenId>(id)].takesSpaceBehind = true;
    }
    return searches;
}

TokenType tokenType(double number) {
    const bool known = number >= 0 && number <= static_cast<double>(TokenType::Byte);
    return known ? static_cast<TokenType>(static_cast<uint8_t>(number)) : TokenType::Undefined;
}

}  // namespace

Result<TokenizerData> readTokenizerData(const Metadata& metadata) {
    const TokenizerKeys keys(metadata);
    TokenizerData data;
    INGLE_TRY_ASSIGN(data.model, metadata.stringOr("tokenizer.ggml.model", "none"));
    if (data.model == "no_vocab") data.model = "none";
    INGLE_TRY_ASSIGN(data.pre, metadata.stringOr("tokenizer.ggml.pre", ""));
    if (data.pre == kBytes) data.model = kBytes;
    if (data.model == kWords) {
        INGLE_TRY_ASSIGN(data.textSteps, stepsOfWords(keys));
    }
    INGLE_TRY_ASSIGN(data.tokens, keys.strings("tokens"));
    INGLE_TRY_ASSIGN(data.merges, keys.strings("merges"));
    INGLE_TRY_ASSIGN(data.patterns, keys.strings(kPatterns));
    INGLE_TRY_ASSIGN(const auto wholeWords, keys.flag(kWholeWords));
    data.takesWholeWords = wholeWords.value_or(false);
    const size_t numTokens = data.tokens.size();
    INGLE_TRY_ASSIGN(data.scores, keys.perToken<float>("scores", numTokens, [](auto number) {
        return static_cast<float>(number);
    }));
    INGLE_TRY_ASSIGN(data.types, keys.perToken<TokenType>("token_type", numTokens, [](auto number) {
        return tokenType(static_cast<double>(number));
    }));

    INGLE_TRY_ASSIGN(const auto searches, keys.integers(kSearches));
    data.searches = searches.empty() ? searchesOfPhi3(data) : searchesOf(searches, numTokens);
    INGLE_TRY_ASSIGN(const auto onlyFirst, keys.flag(kPrefixesOnlyFirst));
    data.prefixesOnlyFirst = onlyFirst.value_or(false);

    data.bos = keys.id("bos_token_id", numTokens);
    if (!data.bos) data.bos = keys.id("cls_token_id", numTokens);
    data.eos = keys.id("eos_token_id", numTokens);
    data.eot = keys.id("eot_token_id", numTokens);
    data.eom = keys.id("eom_token_id", numTokens);
    data.unknown = keys.id("unknown_token_id", numTokens);
    data.padding = keys.id("padding_token_id", numTokens);
    data.separator = keys.id("seperator_token_id", numTokens);  // the spelling of most files
    if (!data.separator) data.separator = keys.id("separator_token_id", numTokens);
    INGLE_TRY_ASSIGN(data.addBos, keys.flag("add_bos_token"));
    INGLE_TRY_ASSIGN(data.addEos, keys.flag("add_eos_token"));
    INGLE_TRY_ASSIGN(data.addSpacePrefix, keys.flag("add_space_prefix"));
    INGLE_TRY_ASSIGN(data.removeExtraSpaces, keys.flag("remove_extra_whitespaces"));
    INGLE_TRY_ASSIGN(data.characterMap, keys.bytes("precompiled_charsmap"));
    for (const char* key : {"tokenizer.chat_template", "tokenizer.chat_template.default"}) {
        if (!data.chatTemplate.empty()) break;
        INGLE_TRY_ASSIGN(data.chatTemplate, metadata.stringOr(key, ""));
    }
    INGLE_TRY_ASSIGN(data.toolTemplate, metadata.stringOr("tokenizer.chat_template.tool_use", ""));
    return data;
}

void writeTokenizerData(const TokenizerData& data, Metadata& metadata) {
    const auto set = [&](std::string_view name, MetaValue value) {
        metadata.set(fmt::format("tokenizer.ggml.{}", name), std::move(value));
    };
    if (data.model == kBytes) {
        std::vector<std::string> bytes(256);
        for (size_t byte = 0; byte < bytes.size(); ++byte) bytes[byte] = fmt::format("\\x{:02x}", byte);
        set("model", std::string("rwkv"));
        set("pre", std::string(kBytes));
        set("tokens", std::move(bytes));
        set("token_type", std::vector<int64_t>(256, static_cast<int64_t>(TokenType::Normal)));
        return;
    }
    // Without tokens only ids work, whatever the kind; other engines know this name.
    if (data.tokens.empty()) {
        set("model", std::string("no_vocab"));
        return;
    }
    set("model", data.model);
    set("tokens", data.tokens);
    if (!data.pre.empty()) set("pre", data.pre);
    if (!data.patterns.empty()) {
        set(kPatterns, data.patterns);
        set(kWholeWords, data.takesWholeWords);
    }
    if (data.prefixesOnlyFirst) set(kPrefixesOnlyFirst, true);
    if (!data.searches.empty()) {
        std::vector<int64_t> numbers;
        for (const auto& [id, search] : data.searches) {
            int64_t bits = 0;
            for (size_t bit = 0; bit < std::size(kSearchBits); ++bit)
                bits |= int64_t{search.*kSearchBits[bit]} << bit;
            numbers.insert(numbers.end(), {id, bits});
        }
        set(kSearches, std::move(numbers));
    }
    if (!data.merges.empty()) set("merges", data.merges);
    if (!data.scores.empty()) set("scores", std::vector<double>(data.scores.begin(), data.scores.end()));
    if (!data.types.empty()) {
        std::vector<int64_t> types;
        for (const TokenType type : data.types) types.push_back(static_cast<int64_t>(type));
        set("token_type", std::move(types));
    }
    const std::pair<std::string_view, std::optional<TokenId>> ids[] = {
        {"bos_token_id", data.bos}, {"eos_token_id", data.eos},         {"eot_token_id", data.eot},
        {"eom_token_id", data.eom}, {"unknown_token_id", data.unknown}, {"padding_token_id", data.padding}};
    for (const auto& [name, id] : ids) {
        if (id) set(name, int64_t{*id});
    }
    const std::pair<std::string_view, std::optional<bool>> flags[] = {
        {"add_bos_token", data.addBos},
        {"add_eos_token", data.addEos},
        {"add_space_prefix", data.addSpacePrefix},
        {"remove_extra_whitespaces", data.removeExtraSpaces}};
    for (const auto& [name, flag] : flags) {
        if (flag) set(name, *flag);
    }
    if (data.model == kWords) {
        const bool isLower = std::ranges::find(data.textSteps, TextStep::Lowercase) != data.textSteps.end();
        const bool dropsAccents = std::ranges::any_of(data.textSteps, [](TextStep step) {
            return step == TextStep::BaseLetters || step == TextStep::DropMarks ||
                   step == TextStep::DropNonspacingMarks;
        });
        // Unsaid, text becomes lower-cased, and loses its accents where it does.
        if (!isLower) set(kIsLower, false);
        if (dropsAccents != isLower) set(kDropsAccents, dropsAccents);
    }
    if (!data.characterMap.empty())
        set("precompiled_charsmap", std::vector<int64_t>(data.characterMap.begin(), data.characterMap.end()));
    if (!data.chatTemplate.empty()) metadata.set("tokenizer.chat_template", data.chatTemplate);
}

}  // namespace ingle::formats
