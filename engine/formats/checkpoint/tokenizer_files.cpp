#include "engine/formats/checkpoint/tokenizer_files.h"

#include <algorithm>
#include <set>

#include "engine/formats/checkpoint/json_flattener.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

constexpr std::string_view kSpaceMark = "\u2581";
/// Added tokens have ids behind the vocabulary's; far behind are only those of damaged files.
constexpr uint64_t kMaxGap = 1 << 16;

void growTo(TokenizerData& data, uint64_t count) {
    const uint64_t before = data.tokens.size();
    if (data.types.empty()) data.types.assign(before, TokenType::Normal);
    for (uint64_t id = before; id < count; ++id) {
        data.tokens.push_back(fmt::format("[PAD{}]", id));
        data.types.push_back(TokenType::Unused);
    }
    if (!data.scores.empty()) data.scores.resize(count, 0.0F);
}

/// The keys and values of a file beside the model; none where there is no such file.
Result<Metadata> readKeys(Checkpoint& checkpoint, const io::Source& source, std::string_view name) {
    INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, source, name));
    if (!text) return Metadata();
    auto keys = flattenJson(*text);
    if (!keys) return happenedTo(name, std::move(keys).error());
    return keys;
}

std::optional<TokenId> idOfText(const TokenizerData& data, std::string_view text) {
    const auto found = std::ranges::find(data.tokens, text);
    if (text.empty() || found == data.tokens.end()) return std::nullopt;
    return static_cast<TokenId>(found - data.tokens.begin());
}

/// A token by what tokenizer_config.json says, as a text or as an object that holds it.
void setSpecial(const Metadata& config, const std::string& key, const TokenizerData& data,
                std::optional<TokenId>& id) {
    for (const std::string& place : {key, key + ".content"}) {
        const MetaValue* value = config.find(place);
        const auto* text = value ? std::get_if<std::string>(value) : nullptr;
        const auto found = text ? idOfText(data, *text) : std::nullopt;
        if (found) id = found;
    }
}

void setFlag(const Metadata& config, const std::string& key, std::optional<bool>& flag) {
    const MetaValue* value = config.find(key);
    if (const bool* stated = value ? std::get_if<bool>(value) : nullptr) flag = *stated;
}

/// Every id that ends an answer; there is room for three.
void setEnds(const Metadata& generation, TokenizerData& data) {
    for (const TokenId id : idsOf(generation, "eos_token_id", data.tokens.size())) {
        if (id == data.eos || id == data.eot || id == data.eom) continue;
        if (!data.eos)
            data.eos = id;
        else if (!data.eot)
            data.eot = id;
        else if (!data.eom)
            data.eom = id;
    }
    const auto begin = idsOf(generation, "bos_token_id", data.tokens.size());
    if (!data.bos && !begin.empty()) data.bos = begin.front();
}

/// The template of chats: a file of its own, a text or several with names in tokenizer_config.json, or
/// chat_template.json.
Status setTemplates(Checkpoint& checkpoint, const io::Source& source, const Metadata& config,
                    TokenizerData& data) {
    INGLE_TRY_ASSIGN(const auto file, findText(checkpoint, source, "chat_template.jinja"));
    if (file) {
        data.chatTemplate = *file;
        return {};
    }
    data.chatTemplate = config.stringOr("chat_template", "").value_or("");
    if (!config.find("chat_template") && !config.find("chat_template.0.name")) {
        INGLE_TRY_ASSIGN(const Metadata own, readKeys(checkpoint, source, "chat_template.json"));
        data.chatTemplate = own.stringOr("chat_template", "").value_or("");
    }
    for (size_t i = 0;; ++i) {
        const auto part = [&](std::string_view name) {
            return config.stringOr(fmt::format("chat_template.{}.{}", i, name), "").value_or("");
        };
        const std::string name = part("name");
        if (name.empty()) return {};
        if (name == "default") data.chatTemplate = part("template");
        if (name == "tool_use") data.toolTemplate = part("template");
    }
}

std::vector<AddedToken> addedTokens(const Metadata& config) {
    std::vector<AddedToken> added;
    constexpr std::string_view kPlace = "added_tokens_decoder.";
    for (const auto& [key, value] : config.all()) {
        if (!key.starts_with(kPlace) || !key.ends_with(".content")) continue;
        const std::string number = key.substr(kPlace.size(), key.find('.', kPlace.size()) - kPlace.size());
        const auto* content = std::get_if<std::string>(&value);
        const bool isNumber = !number.empty() && number.size() < 9 &&
                              number.find_first_not_of("0123456789") == std::string::npos;
        if (!content || !isNumber) continue;
        const auto flag = [&](const char* name) {
            return config.boolOr(fmt::format("{}{}.{}", kPlace, number, name), false).value_or(false);
        };
        added.push_back({std::stoull(number),
                         *content,
                         flag("special"),
                         {flag("lstrip"), flag("rstrip"), flag("single_word"), flag("normalized")}});
    }
    return added;
}

/// added_tokens.json: text → id.
Result<std::vector<AddedToken>> readAddedTokens(Checkpoint& checkpoint, const io::Source& source) {
    INGLE_TRY_ASSIGN(const Metadata ids, readKeys(checkpoint, source, "added_tokens.json"));
    std::vector<AddedToken> added;
    for (const auto& [text, value] : ids.all()) {
        const auto* id = std::get_if<int64_t>(&value);
        if (id && *id >= 0) added.push_back({static_cast<uint64_t>(*id), text, false});
    }
    return added;
}

/// What no text spells in vocabularies that do not mark it: the tokens that have a role or are named beside
/// those.
void markSpecial(const Metadata& config, TokenizerData& data) {
    std::set<std::string_view> named;
    for (const auto& [key, value] : config.all()) {
        const bool isRole = key.ends_with("_token") || key.ends_with("_token.content");
        if (!isRole && !key.starts_with("additional_special_tokens")) continue;
        if (const auto* text = std::get_if<std::string>(&value)) named.insert(*text);
        if (const auto* texts = std::get_if<std::vector<std::string>>(&value))
            named.insert(texts->begin(), texts->end());
    }
    for (size_t id = 0; id < data.tokens.size(); ++id)
        if (named.contains(data.tokens[id])) data.types[id] = TokenType::Control;
}

/// tokenizer.model knows the scores that tokenizer.json only shows in an order; both are of one vocabulary if
/// their pieces have the same ids.
bool areOne(const TokenizerData& pieces, const TokenizerData& other) {
    if (pieces.model != other.model || pieces.tokens.size() > other.tokens.size()) return false;
    return std::equal(pieces.tokens.begin(), pieces.tokens.end(), other.tokens.begin());
}

/// A vocabulary without rules, where there is nothing else.
Result<std::optional<Vocabulary>> readPlainVocabulary(Checkpoint& checkpoint, const io::Source& source,
                                                      const WordRules& words) {
    const auto found = [](Result<Vocabulary> parsed,
                          std::string_view name) -> Result<std::optional<Vocabulary>> {
        if (!parsed) return happenedTo(name, std::move(parsed).error());
        return std::optional(*std::move(parsed));
    };
    for (const std::string_view name : {"tokenizer.model", "qwen.tiktoken"}) {
        INGLE_TRY_ASSIGN(const auto ranks, findText(checkpoint, source, name));
        if (ranks && isTiktoken(*ranks)) return found(parseTiktoken(*ranks, words), name);
    }
    INGLE_TRY_ASSIGN(const auto tekken, findText(checkpoint, source, "tekken.json"));
    if (tekken) return found(parseTekken(*tekken), "tekken.json");
    INGLE_TRY_ASSIGN(const auto vocabulary, findText(checkpoint, source, "vocab.json"));
    INGLE_TRY_ASSIGN(const auto merges, findText(checkpoint, source, "merges.txt"));
    if (vocabulary && merges)
        return found(parseVocabularyAndMerges(*vocabulary, *merges, words), "vocab.json");
    INGLE_TRY_ASSIGN(const auto list, findText(checkpoint, source, "vocab.txt"));
    if (list) return found(parseWordList(*list), "vocab.txt");
    return std::nullopt;
}

Result<std::optional<Vocabulary>> readVocabulary(Checkpoint& checkpoint, const io::Source& source) {
    std::optional<Vocabulary> pieces, rules;
    for (const char* name : {"tokenizer.model", "ice_text.model"}) {
        INGLE_TRY_ASSIGN(const auto model, findText(checkpoint, source, name));
        if (!model || isTiktoken(*model)) continue;
        auto parsed = parseSentencePiece(*model);
        if (!parsed) return happenedTo(name, std::move(parsed).error());
        pieces = *std::move(parsed);
        break;
    }
    INGLE_TRY_ASSIGN(const auto json, findText(checkpoint, source, "tokenizer.json"));
    if (json) {
        auto parsed = parseTokenizerJson(*json);
        // One of the two is enough.
        if (!parsed && !pieces) return happenedTo("tokenizer.json", std::move(parsed).error());
        if (parsed) rules = *std::move(parsed);
    }
    if (!pieces || !rules) return rules ? rules : pieces;
    if (!areOne(pieces->data, rules->data)) return rules;
    pieces->added = std::move(rules->added);
    pieces->data.textSteps = std::move(rules->data.textSteps);
    pieces->data.addBos = rules->data.addBos;
    pieces->data.addEos = rules->data.addEos;
    return pieces;
}

}  // namespace

std::vector<TokenId> idsOf(const Metadata& keys, std::string_view key, size_t numTokens) {
    const MetaValue* value = keys.find(key);
    std::vector<int64_t> stated;
    if (const auto* one = value ? std::get_if<int64_t>(value) : nullptr) stated = {*one};
    if (const auto* some = value ? std::get_if<std::vector<int64_t>>(value) : nullptr) stated = *some;
    std::vector<TokenId> ids;
    for (const int64_t id : stated)
        if (id >= 0 && static_cast<uint64_t>(id) < numTokens) ids.push_back(static_cast<TokenId>(id));
    return ids;
}

Status addTokens(TokenizerData& data, std::span<const AddedToken> added) {
    for (const AddedToken& token : added) {
        if (token.content.empty()) continue;
        if (token.id >= data.tokens.size() + kMaxGap)
            return fail(ErrorCode::Corrupt, "the added token '{}' has the id {} in a vocabulary of {}",
                        shown(token.content), token.id, data.tokens.size());
        growTo(data, std::max<uint64_t>(data.tokens.size(), token.id + 1));
        data.tokens[token.id] = token.content;
        TokenType& type = data.types[token.id];
        const bool isUnknown = type == TokenType::Unknown || data.unknown == static_cast<TokenId>(token.id);
        // A byte stays one whatever the list says.
        if (type == TokenType::Byte) continue;
        type = isUnknown ? TokenType::Unknown : token.isSpecial ? TokenType::Control : TokenType::UserDefined;
        data.searches.erase(static_cast<TokenId>(token.id));
        if (token.search != TokenSearch{}) data.searches[static_cast<TokenId>(token.id)] = token.search;
    }
    return {};
}

void fitVocabulary(TokenizerData& data, uint64_t numTokens) {
    // Tables are a little larger than vocabularies; where they are not, the vocabulary is another model's.
    if (data.tokens.empty() || numTokens > data.tokens.size() + kMaxGap) return;
    if (data.tokens.size() <= numTokens) return growTo(data, numTokens);
    data.tokens.resize(numTokens);
    if (!data.types.empty()) data.types.resize(numTokens);
    if (!data.scores.empty()) data.scores.resize(numTokens);
    std::erase_if(data.searches,
                  [&](const auto& entry) { return static_cast<uint64_t>(entry.first) >= numTokens; });
    for (auto* id :
         {&data.bos, &data.eos, &data.eot, &data.eom, &data.unknown, &data.padding, &data.separator})
        if (*id && static_cast<uint64_t>(**id) >= numTokens) *id = std::nullopt;
}

Status setTokens(std::span<const std::pair<std::string, uint64_t>> ids, TokenizerData& data) {
    uint64_t end = 0;
    for (const auto& [text, id] : ids) end = std::max(end, id + 1);
    // Most ids are there: the numbers of a damaged file are not.
    if (end > 2 * ids.size() + 65536)
        return fail(ErrorCode::Corrupt, "its {} tokens have ids up to {}", ids.size(), end - 1);
    data.tokens.resize(end);
    data.types.assign(end, TokenType::Unused);
    for (const auto& [text, id] : ids) {
        if (data.types[id] != TokenType::Unused)
            return fail(ErrorCode::Corrupt, "two tokens have the id {}", id);
        data.tokens[id] = text;
        data.types[id] = TokenType::Normal;
    }
    return {};
}

void spellWordPieces(TokenizerData& data, std::string_view inner) {
    for (std::string& token : data.tokens) {
        const bool isMark = token.starts_with('[') && token.ends_with(']');
        if (token.starts_with(inner))
            token.erase(0, inner.size());
        else if (!token.empty() && !isMark)
            token.insert(0, kSpaceMark);
    }
}

std::vector<TextStep> stepsOfWords(bool isLower, std::optional<bool> dropsAccents) {
    std::vector<TextStep> steps;
    if (dropsAccents.value_or(isLower)) steps = {TextStep::Nfd, TextStep::DropNonspacingMarks};
    if (isLower) steps.push_back(TextStep::Lowercase);
    return steps;
}

Result<TokenizerData> readTokenizerFiles(Checkpoint& checkpoint, const io::Source& source,
                                         const WordRules& words) {
    INGLE_TRY_ASSIGN(Metadata config, readKeys(checkpoint, source, "tokenizer_config.json"));
    INGLE_TRY_ASSIGN(const Metadata roles, readKeys(checkpoint, source, "special_tokens_map.json"));
    for (const auto& [key, value] : roles.all())
        if (!config.find(key)) config.set(key, value);
    INGLE_TRY_ASSIGN(const Metadata generation, readKeys(checkpoint, source, "generation_config.json"));
    INGLE_TRY_ASSIGN(const Metadata model, readKeys(checkpoint, source, "config.json"));
    INGLE_TRY_ASSIGN(auto vocabulary, readVocabulary(checkpoint, source));
    const bool isPlain = !vocabulary;
    if (isPlain) {
        INGLE_TRY_ASSIGN(vocabulary, readPlainVocabulary(checkpoint, source, words));
    }
    TokenizerData data;
    if (!vocabulary) {
        data.model = "none";
        return data;
    }
    data = std::move(vocabulary->data);
    INGLE_TRY(addTokens(data, vocabulary->added));
    if (isPlain) {
        INGLE_TRY_ASSIGN(const auto added, readAddedTokens(checkpoint, source));
        INGLE_TRY(addTokens(data, added));
    }
    INGLE_TRY(addTokens(data, addedTokens(config)));
    if (isPlain && data.model == "gpt2") markSpecial(config, data);
    setSpecial(config, "bos_token", data, data.bos);
    setSpecial(config, "eos_token", data, data.eos);
    setSpecial(config, "unk_token", data, data.unknown);
    setSpecial(config, "pad_token", data, data.padding);
    if (data.model == "bert") {
        INGLE_TRY_ASSIGN(const bool isLower, config.boolOr("do_lower_case", true));
        std::optional<bool> dropsAccents;
        setFlag(config, "strip_accents", dropsAccents);
        if (isPlain) data.textSteps = stepsOfWords(isLower, dropsAccents);
        setSpecial(config, "cls_token", data, data.bos);
        setSpecial(config, "sep_token", data, data.separator);
        data.eos = data.separator;
    } else {
        setFlag(config, "add_bos_token", data.addBos);
        setFlag(config, "add_eos_token", data.addEos);
    }
    setEnds(generation, data);
    setEnds(model, data);
    INGLE_TRY(setTemplates(checkpoint, source, config, data));
    return data;
}

Status readSampling(Checkpoint& checkpoint, const io::Source& source, Metadata& metadata) {
    INGLE_TRY_ASSIGN(const Metadata generation, readKeys(checkpoint, source, "generation_config.json"));
    constexpr std::pair<const char*, const char*> kNumbers[] = {
        {"temperature", "temp"}, {"top_p", "top_p"}, {"min_p", "min_p"}, {"top_k", "top_k"}};
    for (const auto& [from, to] : kNumbers) {
        const MetaValue* value = generation.find(from);
        const bool isNumber =
            value && (std::holds_alternative<double>(*value) || std::holds_alternative<int64_t>(*value));
        if (!isNumber) continue;
        if (std::string_view(to) == "top_k") {
            metadata.set("general.sampling.top_k", *value);
            continue;
        }
        INGLE_TRY_ASSIGN(const float number, generation.f32(from));
        metadata.set(fmt::format("general.sampling.{}", to), double{number});
    }
    return {};
}

}  // namespace ingle::formats
