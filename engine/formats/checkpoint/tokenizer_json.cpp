/// tokenizer.json: a vocabulary, and rules by which text is changed, cut, and joined again. Source:
/// huggingface/tokenizers, tokenizers/src (models, normalizers, pre_tokenizers, processors).
#include <algorithm>
#include <array>
#include <unordered_map>

#include "engine/formats/checkpoint/json_flattener.h"
#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/formats/checkpoint/word_patterns.h"
#include "engine/formats/published_patterns.h"
#include "ingle/base64.h"
#include "ingle/utf8.h"

namespace ingle::formats {
namespace {

/// Vocabulary and merges go straight to where they are wanted, the rest becomes keys and values.
class Collector final : public JsonFlattener {
  public:
    std::vector<std::pair<std::string, uint64_t>> ids;   ///< of BPE and WordPiece
    std::vector<std::pair<std::string, double>> scores;  ///< of unigram, id by id
    std::vector<std::string> merges;                     ///< "left right"

    Status key(const JsonPath& path) override {
        return isVocabulary(path) ? Status() : JsonFlattener::key(path);
    }

    Status value(const JsonPath& path, const JsonValue& value) override {
        if (!isVocabulary(path)) return JsonFlattener::value(path, value);
        const auto* text = std::get_if<std::string_view>(&value);
        if (path[1].key == "merges") return addMerge(path, text);
        if (!path[2].isIndex) return addId(path, value);
        if (path.size() != 4) return wrong("vocab");
        if (path[3].index == 0 && text) {
            scores.emplace_back(*text, 0.0);
            return {};
        }
        const std::optional<double> score = numberOf(value);
        if (path[3].index != 1 || !score || scores.size() != path[2].index + 1) return wrong("vocab");
        scores.back().second = *score;
        return {};
    }

  private:
    static bool isVocabulary(const JsonPath& path) {
        return path.size() >= 3 && path[0].key == "model" &&
               (path[1].key == "vocab" || path[1].key == "merges");
    }
    static tl::unexpected<Error> wrong(std::string_view what) {
        return fail(ErrorCode::Corrupt, "its \"{}\" is not one of a tokenizer", what);
    }
    static std::optional<double> numberOf(const JsonValue& value) {
        if (const auto* number = std::get_if<double>(&value)) return *number;
        if (const auto* number = std::get_if<int64_t>(&value)) return static_cast<double>(*number);
        return std::nullopt;
    }

    Status addId(const JsonPath& path, const JsonValue& value) {
        const auto* id = std::get_if<int64_t>(&value);
        if (path.size() != 3 || !id || *id < 0 || static_cast<uint64_t>(*id) >= kMaxTokens)
            return wrong("vocab");
        ids.emplace_back(path[2].key, static_cast<uint64_t>(*id));
        return {};
    }

    Status addMerge(const JsonPath& path, const std::string_view* text) {
        if (!text) return wrong("merges");
        if (path.size() == 3) {
            merges.emplace_back(*text);
            return {};
        }
        if (path.size() != 4 || path[3].index > 1) return wrong("merges");
        if (path[3].index == 0)
            merges.emplace_back(*text);
        else
            merges.back() += ' ' + std::string(*text);
        return {};
    }
};

/// One rule of a chain, by its place in the file.
struct Rule {
    std::string at;
    std::string type;
};

class Rules {
  public:
    explicit Rules(Metadata metadata) : m_metadata(std::move(metadata)) {}

    const Metadata& all() const { return m_metadata; }
    std::string text(const std::string& key) const { return m_metadata.stringOr(key, "").value_or(""); }
    bool flag(const std::string& key, bool usual) const {
        return m_metadata.boolOr(key, usual).value_or(usual);
    }
    bool has(const std::string& key) const { return m_metadata.find(key) != nullptr; }

    /// The rules under a key, those of chains one by one.
    std::vector<Rule> chain(const std::string& at) const {
        std::vector<Rule> rules;
        const std::string type = text(at + ".type");
        if (type.empty()) return rules;
        if (type != "Sequence") return {{at, type}};
        for (const char* list : {"normalizers", "pretokenizers", "processors", "decoders"}) {
            for (size_t i = 0;; ++i) {
                const std::string inner = fmt::format("{}.{}.{}", at, list, i);
                if (!has(inner + ".type")) break;
                for (Rule& rule : chain(inner)) rules.push_back(std::move(rule));
            }
        }
        return rules;
    }

  private:
    Metadata m_metadata;
};

tl::unexpected<Error> unknownRule(const Rule& rule, std::string_view kind) {
    return fail(ErrorCode::Unsupported, "its rule \"{}\" is not supported in vocabularies of {}",
                shown(rule.type), kind);
}

std::vector<AddedToken> addedTokens(const Rules& rules) {
    std::vector<AddedToken> added;
    for (size_t i = 0;; ++i) {
        const std::string at = fmt::format("added_tokens.{}", i);
        const MetaValue* id = rules.all().find(at + ".id");
        const auto* number = id ? std::get_if<int64_t>(id) : nullptr;
        if (!number || *number < 0) return added;
        const auto flag = [&](const char* name) { return rules.flag(at + name, false); };
        added.push_back({static_cast<uint64_t>(*number),
                         rules.text(at + ".content"),
                         flag(".special"),
                         {flag(".lstrip"), flag(".rstrip"), flag(".single_word"), flag(".normalized")}});
    }
}

bool isOneCharacter(std::string_view text) {
    return !text.empty() && firstCharacter(text).bytes == text.size();
}

bool isByteToken(std::string_view text) {
    return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>');
}

void markBytes(TokenizerData& data) {
    for (size_t id = 0; id < data.tokens.size(); ++id)
        if (isByteToken(data.tokens[id])) data.types[id] = TokenType::Byte;
}

/// "Metaspace": where text gets a space in front.
void setSpacePrefix(const Rules& rules, const Rule& rule, TokenizerData& data) {
    const std::string scheme = rules.text(rule.at + ".prepend_scheme");
    data.addSpacePrefix = scheme != "never" && rules.flag(rule.at + ".add_prefix_space", true);
    data.prefixesOnlyFirst = scheme == "first";
}

constexpr std::pair<std::string_view, TextStep> kTextSteps[] = {
    {"NFC", TextStep::Nfc},
    {"NFD", TextStep::Nfd},
    {"NFKC", TextStep::Nfkc},
    {"NFKD", TextStep::Nfkd},
    {"StripAccents", TextStep::DropMarks},
    {"Lowercase", TextStep::Lowercase},
};

/// A rule that changes text whatever the vocabulary is.
Status addTextStep(const Rule& rule, std::string_view kind, TokenizerData& data) {
    const auto* found = std::ranges::find(kTextSteps, rule.type, [](const auto& row) { return row.first; });
    if (found == std::end(kTextSteps)) return unknownRule(rule, kind);
    data.textSteps.push_back(found->second);
    return {};
}

/// Byte-level BPE: how text is cut before it is merged.
Status setWords(const Rules& rules, TokenizerData& data) {
    for (const Rule& rule : rules.chain("normalizer")) INGLE_TRY(addTextStep(rule, "bytes", data));
    std::vector<std::string> patterns;
    for (const Rule& rule : rules.chain("pre_tokenizer")) {
        if (rule.type == "ByteLevel") {
            if (rules.flag(rule.at + ".add_prefix_space", false)) return unknownRule(rule, "bytes");
            if (rules.flag(rule.at + ".use_regex", true)) patterns.emplace_back(kByteLevelPattern);
        } else if (rule.type == "Digits") {
            patterns.emplace_back(rules.flag(rule.at + ".individual_digits", false) ? R"(\p{N})"
                                                                                    : R"(\p{N}+)");
        } else if (rule.type == "Split") {
            const std::string behavior = rules.text(rule.at + ".behavior");
            const bool keepsAll =
                behavior == "Isolated" || (behavior == "Removed" && rules.flag(rule.at + ".invert", false));
            if (!keepsAll) return unknownRule(rule, "bytes");
            std::string pattern = rules.text(rule.at + ".pattern.Regex");
            if (pattern.empty()) pattern = literalPattern(rules.text(rule.at + ".pattern.String"));
            patterns.push_back(std::move(pattern));
        } else {
            return unknownRule(rule, "bytes");
        }
    }
    data.takesWholeWords = rules.flag("model.ignore_merges", false);
    data.pre = nameOfPatterns(patterns, data.takesWholeWords);
    if (data.pre.empty()) data.patterns = std::move(patterns);
    return {};
}

/// BPE over text whose spaces are U+2581: what merges first has the higher score.
Status setScores(const Rules& rules, const Collector& file, TokenizerData& data) {
    data.model = "llama";
    data.addSpacePrefix = false;
    for (const char* place : {"normalizer", "pre_tokenizer"}) {
        // Steps come before anything else here, and behind it there they would not.
        bool isChanged = false;
        for (const Rule& rule : rules.chain(place)) {
            if (rule.type == "Prepend")
                data.addSpacePrefix = true;
            else if (rule.type == "Metaspace")
                setSpacePrefix(rules, rule, data);
            else if (rule.type != "Replace" && rule.type != "Split") {
                if (isChanged) return unknownRule(rule, "pieces");
                INGLE_TRY(addTextStep(rule, "pieces", data));
                continue;
            }
            isChanged = true;
        }
    }
    std::unordered_map<std::string_view, size_t> idOf;
    for (size_t id = 0; id < data.tokens.size(); ++id) idOf.emplace(data.tokens[id], id);
    constexpr float kNever = -1e9F;
    data.scores.assign(data.tokens.size(), kNever);
    for (size_t rank = 0; rank < file.merges.size(); ++rank) {
        const std::string& merge = file.merges[rank];
        const size_t space = merge.find(' ', 1);
        if (space == std::string::npos) return fail(ErrorCode::Corrupt, "merge {} has one side only", rank);
        const auto found = idOf.find(merge.substr(0, space) + merge.substr(space + 1));
        if (found == idOf.end()) continue;
        float& score = data.scores[found->second];
        if (score == kNever) score = -static_cast<float>(rank + 1);
    }
    markBytes(data);
    // What no merge makes does not come out of any text.
    for (size_t id = 0; id < data.tokens.size(); ++id) {
        const bool isMade = data.scores[id] != kNever || isOneCharacter(data.tokens[id]);
        if (data.types[id] == TokenType::Normal && !isMade) data.types[id] = TokenType::Unused;
    }
    return {};
}

Status setBpe(const Rules& rules, Collector& file, TokenizerData& data) {
    INGLE_TRY(setTokens(file.ids, data));
    const auto isByteLevel = [&](const std::string& place) {
        return std::ranges::any_of(rules.chain(place),
                                   [](const Rule& rule) { return rule.type == "ByteLevel"; });
    };
    if (!isByteLevel("pre_tokenizer") && !isByteLevel("decoder")) return setScores(rules, file, data);
    data.model = "gpt2";
    data.merges = std::move(file.merges);
    return setWords(rules, data);
}

Status setCharacterMap(std::string_view base64, TokenizerData& data) {
    auto bytes = fromBase64(base64);
    if (!bytes) return fail(ErrorCode::Corrupt, "its map of characters is no Base64");
    data.characterMap = *std::move(bytes);
    return {};
}

Status setUnigram(const Rules& rules, Collector& file, TokenizerData& data) {
    data.model = "t5";
    data.addSpacePrefix = false;
    data.removeExtraSpaces = false;
    for (auto& [text, score] : file.scores) {
        data.tokens.push_back(std::move(text));
        data.scores.push_back(static_cast<float>(score));
    }
    data.types.assign(data.tokens.size(), TokenType::Normal);
    markBytes(data);
    bool isChanged = false;
    for (const Rule& rule : rules.chain("normalizer")) {
        if (rule.type == "Precompiled") {
            INGLE_TRY(setCharacterMap(rules.text(rule.at + ".precompiled_charsmap"), data));
        } else if (rule.type == "Replace" && rules.text(rule.at + ".pattern.Regex") == " {2,}") {
            data.removeExtraSpaces = true;
        } else if (rule.type != "Strip" && rule.type != "Nmt") {
            if (isChanged) return unknownRule(rule, "unigrams");
            INGLE_TRY(addTextStep(rule, "unigrams", data));
            continue;
        }
        isChanged = true;
    }
    for (const Rule& rule : rules.chain("pre_tokenizer")) {
        if (rule.type == "WhitespaceSplit")
            data.removeExtraSpaces = true;
        else if (rule.type == "Metaspace")
            setSpacePrefix(rules, rule, data);
        else
            return unknownRule(rule, "unigrams");
    }
    const MetaValue* unknown = rules.all().find("model.unk_id");
    const auto* id = unknown ? std::get_if<int64_t>(unknown) : nullptr;
    if (id && *id >= 0 && static_cast<uint64_t>(*id) < data.tokens.size()) {
        data.unknown = static_cast<TokenId>(*id);
        data.types[static_cast<size_t>(*id)] = TokenType::Unknown;
    }
    return {};
}

Status setWordPiece(const Rules& rules, const Collector& file, TokenizerData& data) {
    data.model = "bert";
    INGLE_TRY(setTokens(file.ids, data));
    for (const Rule& rule : rules.chain("normalizer")) {
        if (rule.type != "BertNormalizer") {
            INGLE_TRY(addTextStep(rule, "words", data));
            continue;
        }
        for (const char* usual : {"clean_text", "handle_chinese_chars"})
            if (!rules.flag(fmt::format("{}.{}", rule.at, usual), true))
                return fail(ErrorCode::Unsupported, "its rule \"BertNormalizer\" without {} is not supported",
                            usual);
        const bool isLower = rules.flag(rule.at + ".lowercase", true);
        for (const TextStep step : stepsOfWords(isLower, rules.flag(rule.at + ".strip_accents", isLower)))
            data.textSteps.push_back(step);
    }
    const std::string stated = rules.text("model.continuing_subword_prefix");
    spellWordPieces(data, stated.empty() ? std::string_view("##") : stated);
    return {};
}

/// What is put around a text: the first token of the template, and the last one.
void setEnds(const Rules& rules, Vocabulary& vocabulary) {
    TokenizerData& data = vocabulary.data;
    const auto idOf = [&](const std::string& text) -> std::optional<TokenId> {
        for (const AddedToken& token : vocabulary.added)
            if (token.content == text) return static_cast<TokenId>(token.id);
        const auto found = std::ranges::find(data.tokens, text);
        if (found == data.tokens.end()) return std::nullopt;
        return static_cast<TokenId>(found - data.tokens.begin());
    };
    bool addsBos = false, addsEos = false;
    for (const Rule& rule : rules.chain("post_processor")) {
        if (rule.type == "TemplateProcessing") {
            bool isBehind = false;
            for (size_t i = 0; i < 64; ++i) {
                const std::string at = fmt::format("{}.single.{}", rule.at, i);
                if (rules.has(at + ".Sequence.id")) isBehind = true;
                const std::string token = rules.text(at + ".SpecialToken.id");
                if (token.empty()) continue;
                (isBehind ? addsEos : addsBos) = true;
                (isBehind ? data.eos : data.bos) = idOf(token);
            }
        } else if (rule.type == "BertProcessing" || rule.type == "RobertaProcessing") {
            addsBos = addsEos = true;
            for (const auto& [key, token] : {std::pair(".cls", &data.bos), std::pair(".sep", &data.eos)}) {
                const MetaValue* pair = rules.all().find(rule.at + key);
                if (const auto* names = pair ? std::get_if<std::vector<std::string>>(pair) : nullptr)
                    *token = idOf(names->front());
            }
        }
    }
    data.addBos = addsBos;
    data.addEos = addsEos;
    if (data.model != "bert") return;
    data.separator = data.eos;
    data.addBos = data.addEos = std::nullopt;
}

}  // namespace

Result<Vocabulary> parseTokenizerJson(std::string_view text) {
    Collector file;
    INGLE_TRY(walkJson(text, file));
    const Rules rules(file.take());
    Vocabulary vocabulary;
    TokenizerData& data = vocabulary.data;
    std::string type = rules.text("model.type");
    // Old files do not say it.
    if (type.empty()) type = !file.merges.empty() ? "BPE" : !file.scores.empty() ? "Unigram" : "WordPiece";
    if (type == "BPE")
        INGLE_TRY(setBpe(rules, file, data));
    else if (type == "Unigram")
        INGLE_TRY(setUnigram(rules, file, data));
    else if (type == "WordPiece")
        INGLE_TRY(setWordPiece(rules, file, data));
    else
        return fail(ErrorCode::Unsupported, "vocabularies of the kind \"{}\" are not supported", shown(type));
    if (data.tokens.empty()) return fail(ErrorCode::Corrupt, "its vocabulary is empty");
    vocabulary.added = addedTokens(rules);
    if (const std::string unknown = rules.text("model.unk_token"); !unknown.empty()) {
        const auto found = std::ranges::find(data.tokens, unknown);
        if (found != data.tokens.end()) data.unknown = static_cast<TokenId>(found - data.tokens.begin());
    }
    setEnds(rules, vocabulary);
    return vocabulary;
}

}  // namespace ingle::formats
