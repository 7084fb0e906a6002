/// tekken.json, Mistral AI's vocabularies: bytes by their ranks, behind a number of special tokens. Source:
/// mistralai/mistral-common, src/mistral_common/tokens/tokenizers/tekken.py.
#include <algorithm>

#include "engine/base/byte_alphabet.h"
#include "engine/formats/checkpoint/json_walk.h"
#include "engine/formats/checkpoint/tokenizer_files.h"
#include "engine/formats/checkpoint/word_patterns.h"
#include "ingle/base64.h"

namespace ingle::formats {
namespace {

/// Special tokens by their ids, in files that do not list them (the first versions).
constexpr std::string_view kFirstSpecial[] = {"<unk>",
                                              "<s>",
                                              "</s>",
                                              "[INST]",
                                              "[/INST]",
                                              "[AVAILABLE_TOOLS]",
                                              "[/AVAILABLE_TOOLS]",
                                              "[TOOL_RESULTS]",
                                              "[/TOOL_RESULTS]",
                                              "[TOOL_CALLS]",
                                              "[IMG]",
                                              "<pad>",
                                              "[IMG_BREAK]",
                                              "[IMG_END]",
                                              "[PREFIX]",
                                              "[MIDDLE]",
                                              "[SUFFIX]",
                                              "[SYSTEM_PROMPT]",
                                              "[/SYSTEM_PROMPT]",
                                              "[TOOL_CONTENT]"};

class TekkenFile final : public JsonVisitor {
  public:
    struct Entry {
        std::string text;
        uint64_t rank = 0;
    };
    std::vector<Entry> tokens;   ///< bytes
    std::vector<Entry> special;  ///< of files that list them
    std::string pattern;
    uint64_t size = 0;  ///< with special tokens
    uint64_t numSpecial = 0;

    Status key(const JsonPath&) override { return {}; }
    Status value(const JsonPath& path, const JsonValue& value) override {
        const std::string& first = path[0].key;
        if (path.size() == 2 && first == "config") return takeSetting(path[1].key, value);
        if (path.size() != 3 || !path[1].isIndex) return {};
        if (first == "vocab") return takeEntry(tokens, path[1].index, path[2].key, value);
        if (first == "special_tokens") return takeEntry(special, path[1].index, path[2].key, value);
        return {};
    }

  private:
    static Result<uint64_t> number(const std::string& key, const JsonValue& value) {
        const auto* stated = std::get_if<int64_t>(&value);
        if (!stated || *stated < 0 || static_cast<uint64_t>(*stated) >= kMaxTokens)
            return fail(ErrorCode::Corrupt, "its \"{}\" is no number of tokens", key);
        return static_cast<uint64_t>(*stated);
    }
    Status takeSetting(const std::string& key, const JsonValue& value) {
        if (const auto* text = std::get_if<std::string_view>(&value); text && key == "pattern")
            pattern = *text;
        if (key == "default_vocab_size") {
            INGLE_TRY_ASSIGN(size, number(key, value));
        }
        if (key == "default_num_special_tokens") {
            INGLE_TRY_ASSIGN(numSpecial, number(key, value));
        }
        return {};
    }
    static Status takeEntry(std::vector<Entry>& entries, uint64_t index, const std::string& key,
                            const JsonValue& value) {
        entries.resize(std::max<size_t>(entries.size(), index + 1));
        Entry& entry = entries[index];
        const auto* text = std::get_if<std::string_view>(&value);
        if (key == "rank") {
            INGLE_TRY_ASSIGN(entry.rank, number(key, value));
        }
        if (key == "token_bytes" && text) {
            auto bytes = fromBase64(*text);
            if (!bytes) return fail(ErrorCode::Corrupt, "token {} is no text in Base64", index);
            entry.text = *std::move(bytes);
        }
        if (key == "token_str" && text && entry.text.empty()) entry.text = *text;
        return {};
    }
};

/// Texts of special tokens by their ids.
Result<std::vector<std::string>> specialTokens(const TekkenFile& file) {
    std::vector<std::string> texts(file.numSpecial);
    for (size_t id = 0; id < texts.size(); ++id) texts[id] = fmt::format("<SPECIAL_{}>", id);
    if (file.special.empty())
        std::copy_n(kFirstSpecial, std::min(std::size(kFirstSpecial), texts.size()), texts.begin());
    for (const TekkenFile::Entry& entry : file.special) {
        if (entry.rank >= texts.size() || entry.text.empty())
            return fail(ErrorCode::Corrupt, "a special token has the rank {} of {}", entry.rank,
                        texts.size());
        texts[entry.rank] = entry.text;
    }
    return texts;
}

std::optional<TokenId> idOf(std::span<const std::string> texts, std::string_view text) {
    const auto found = std::ranges::find(texts, text);
    if (found == texts.end()) return std::nullopt;
    return static_cast<TokenId>(found - texts.begin());
}

}  // namespace

Result<Vocabulary> parseTekken(std::string_view text) {
    TekkenFile file;
    INGLE_TRY(walkJson(text, file));
    if (file.size <= file.numSpecial || file.tokens.size() < file.size - file.numSpecial)
        return fail(ErrorCode::Corrupt, "it has {} tokens and says that it has {}, {} of them special",
                    file.tokens.size(), file.size, file.numSpecial);
    TokenizerData data;
    data.model = "gpt2";
    data.pre = nameOfPatterns({&file.pattern, 1}, true);
    if (data.pre.empty())
        return fail(ErrorCode::Unsupported, "its rule by which text is cut into words is not supported");

    const uint64_t count = file.size - file.numSpecial;
    std::vector<std::pair<std::string, uint64_t>> ranked;
    for (TekkenFile::Entry& entry : file.tokens)
        if (entry.rank < count) ranked.emplace_back(std::move(entry.text), entry.rank);
    INGLE_TRY(setTokens(ranked, data));
    INGLE_TRY_ASSIGN(data.merges, mergesOfRanks(data.tokens));
    INGLE_TRY_ASSIGN(std::vector<std::string> texts, specialTokens(file));
    for (const std::string& token : data.tokens) texts.push_back(base::inByteAlphabet(token));
    data.types.insert(data.types.begin(), file.numSpecial, TokenType::Control);
    data.tokens = std::move(texts);
    const std::span<const std::string> special(data.tokens.data(), file.numSpecial);
    data.bos = idOf(special, "<s>");
    data.eos = idOf(special, "</s>");
    data.unknown = idOf(special, "<unk>");
    data.padding = idOf(special, "<pad>");
    data.addBos = true;
    data.addEos = false;
    return Vocabulary{std::move(data), {}};
}

}  // namespace ingle::formats
