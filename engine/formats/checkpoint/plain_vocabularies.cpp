/// Vocabularies that are lists, without rules by which text is cut: those are the family's. Sources:
/// transformers, models/gpt2/tokenization_gpt2.py and models/bert/tokenization_bert.py (names of files, and
/// how they are read); openai/tiktoken, tiktoken/load.py.
#include <algorithm>
#include <charconv>
#include <string>
#include <unordered_map>

#include "engine/base/byte_alphabet.h"
#include "engine/formats/checkpoint/json_walk.h"
#include "engine/formats/checkpoint/tokenizer_files.h"
#include "ingle/base64.h"

namespace ingle::formats {
namespace {

/// Squares of the lengths of all tokens, which is what looking for their halves takes, and bounds what the
/// merges can take. Vocabularies of 150,000 tokens have 9 million.
constexpr uint64_t kMaxHalving = uint64_t{1} << 25;

class Ids final : public JsonVisitor {
  public:
    std::vector<std::pair<std::string, uint64_t>> ids;

    Status key(const JsonPath&) override { return {}; }
    Status value(const JsonPath& path, const JsonValue& value) override {
        const auto* id = std::get_if<int64_t>(&value);
        if (path.size() != 1 || !id || *id < 0 || static_cast<uint64_t>(*id) >= kMaxTokens)
            return fail(ErrorCode::Corrupt, "it is no list of tokens and their ids");
        ids.emplace_back(path[0].key, static_cast<uint64_t>(*id));
        return {};
    }
};

/// The first line, without its end; `text` is left with what follows.
std::string_view takeLine(std::string_view& text) {
    const size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    if (line.ends_with('\r')) line.remove_suffix(1);
    return line;
}

/// "BASE64 RANK"
std::optional<std::pair<std::string, uint64_t>> rankedToken(std::string_view line) {
    const size_t space = line.find(' ');
    if (space == std::string_view::npos || space == 0) return std::nullopt;
    const std::string_view number = line.substr(space + 1);
    uint64_t rank = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), rank);
    if (error != std::errc{} || end != number.data() + number.size() || rank >= kMaxTokens)
        return std::nullopt;
    auto bytes = fromBase64(line.substr(0, space));
    if (!bytes || bytes->empty()) return std::nullopt;
    return std::pair(*std::move(bytes), rank);
}

/// Bytes, cut by the family's rules.
Result<Vocabulary> byteLevel(TokenizerData data, const WordRules& words) {
    if (words.preTokenizer.empty())
        return fail(ErrorCode::Unsupported,
                    "it does not say how text is cut into words, and models of this family differ in it");
    if (data.tokens.empty()) return fail(ErrorCode::Corrupt, "its vocabulary is empty");
    data.model = "gpt2";
    data.pre = words.preTokenizer;
    data.textSteps.assign(words.textSteps.begin(), words.textSteps.end());
    data.addBos = data.addEos = false;
    return Vocabulary{std::move(data), {}};
}

}  // namespace

Result<std::vector<std::string>> mergesOfRanks(std::span<const std::string> tokens) {
    std::unordered_map<std::string_view, uint64_t> rankOf;
    uint64_t halving = 0;
    for (uint64_t rank = 0; rank < tokens.size(); ++rank) {
        rankOf.emplace(tokens[rank], rank);
        halving += uint64_t{tokens[rank].size()} * tokens[rank].size();
    }
    if (halving > kMaxHalving)
        return fail(ErrorCode::Corrupt, "its tokens are longer than those of any text");
    std::vector<std::string> merges;
    for (const std::string& text : tokens) {
        const std::string_view token = text;
        std::vector<std::pair<uint64_t, uint64_t>> halves;
        for (size_t i = 1; i < token.size(); ++i) {
            const auto left = rankOf.find(token.substr(0, i)), right = rankOf.find(token.substr(i));
            if (left != rankOf.end() && right != rankOf.end())
                halves.emplace_back(left->second, right->second);
        }
        std::ranges::sort(halves);
        for (const auto& [left, right] : halves)
            merges.push_back(base::inByteAlphabet(tokens[left]) + ' ' + base::inByteAlphabet(tokens[right]));
    }
    return merges;
}

Result<Vocabulary> parseVocabularyAndMerges(std::string_view vocabulary, std::string_view merges,
                                            const WordRules& words) {
    Ids file;
    INGLE_TRY(walkJson(vocabulary, file));
    TokenizerData data;
    INGLE_TRY(setTokens(file.ids, data));
    for (bool isFirst = true; !merges.empty(); isFirst = false) {
        const std::string_view line = takeLine(merges);
        if (line.empty() || (isFirst && line.starts_with("#version"))) continue;
        const size_t space = line.find(' ', 1);
        if (space == std::string_view::npos || space + 1 == line.size())
            return fail(ErrorCode::Corrupt, "merge {} has one side only", data.merges.size());
        data.merges.emplace_back(line);
    }
    return byteLevel(std::move(data), words);
}

bool isTiktoken(std::string_view text) {
    return rankedToken(takeLine(text)).has_value();
}

Result<Vocabulary> parseTiktoken(std::string_view text, const WordRules& words) {
    std::vector<std::pair<std::string, uint64_t>> ids;
    for (size_t number = 1; !text.empty(); ++number) {
        const std::string_view line = takeLine(text);
        if (line.empty()) continue;
        auto token = rankedToken(line);
        if (!token) return fail(ErrorCode::Corrupt, "line {} is no token with its rank", number);
        ids.push_back(*std::move(token));
    }
    TokenizerData data;
    INGLE_TRY(setTokens(ids, data));
    INGLE_TRY_ASSIGN(data.merges, mergesOfRanks(data.tokens));
    for (std::string& token : data.tokens) token = base::inByteAlphabet(token);
    return byteLevel(std::move(data), words);
}

Result<Vocabulary> parseWordList(std::string_view text) {
    Vocabulary vocabulary;
    TokenizerData& data = vocabulary.data;
    data.model = "bert";
    while (!text.empty()) data.tokens.emplace_back(takeLine(text));
    if (data.tokens.empty()) return fail(ErrorCode::Corrupt, "its vocabulary is empty");
    if (data.tokens.size() > kMaxTokens)
        return fail(ErrorCode::Corrupt, "{} tokens are too many", data.tokens.size());
    const std::pair<std::string_view, std::optional<TokenId>*> marks[] = {{"[UNK]", &data.unknown},
                                                                          {"[CLS]", &data.bos},
                                                                          {"[SEP]", &data.separator},
                                                                          {"[PAD]", &data.padding},
                                                                          {"[MASK]", nullptr}};
    for (const auto& [mark, id] : marks) {
        const auto found = std::ranges::find(data.tokens, mark);
        if (found == data.tokens.end()) continue;
        const auto at = found - data.tokens.begin();
        if (id) *id = static_cast<TokenId>(at);
        vocabulary.added.push_back({static_cast<uint64_t>(at), std::string(mark), true});
    }
    spellWordPieces(data, "##");
    return vocabulary;
}

}  // namespace ingle::formats
