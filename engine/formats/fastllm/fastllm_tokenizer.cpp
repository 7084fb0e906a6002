#include "engine/formats/fastllm/fastllm_tokenizer.h"

#include <algorithm>
#include <charconv>

#include <unordered_map>

#include "engine/base/byte_alphabet.h"
#include "engine/formats/checkpoint/tokenizer_files.h"

namespace ingle::formats {
namespace {

/// Ids may leave gaps; far behind are only those of damaged files.
constexpr size_t kMaxGap = 1 << 16;

std::string_view textOf(const FastLlmFile& file, std::string_view key) {
    const auto found = file.dictionary.find(key);
    return found == file.dictionary.end() ? std::string_view() : found->second;
}

bool isTrue(const FastLlmFile& file, std::string_view key, bool usual) {
    const std::string_view value = textOf(file, key);
    return value.empty() ? usual : value == "True" || value == "true" || value == "1";
}

bool isBytePiece(std::string_view text) {
    return text.size() == 6 && text.starts_with("<0x") && text.ends_with('>');
}

Result<TokenizerData> piecesOf(const FastLlmFile& file) {
    int64_t last = -1;
    for (const FastLlmToken& token : file.tokens) {
        if (token.id < 0 || static_cast<size_t>(token.id) >= file.tokens.size() + kMaxGap)
            return fail(ErrorCode::Corrupt, "a token has the id {} in a vocabulary of {}", token.id,
                        file.tokens.size());
        last = std::max<int64_t>(last, token.id);
    }
    TokenizerData data;
    data.model = "llama";
    const auto count = static_cast<size_t>(last + 1);
    data.scores.assign(count, 0);
    data.types.assign(count, TokenType::Unused);
    for (size_t id = 0; id < count; ++id) data.tokens.push_back(fmt::format("[PAD{}]", id));
    for (const FastLlmToken& token : file.tokens) {
        const auto id = static_cast<size_t>(token.id);
        data.tokens[id] = token.text;
        data.scores[id] = token.score;
        data.types[id] = isBytePiece(token.text) ? TokenType::Byte
                         : token.text == "<unk>" ? TokenType::Unknown
                                                 : TokenType::Normal;
    }
    return data;
}

/// The bytes of a token in the byte alphabet; nothing where it has other characters.
std::optional<std::string> bytesOf(std::string_view token) {
    static const auto kByteOf = [] {
        std::unordered_map<std::string_view, char> byteOf;
        for (size_t byte = 0; byte < 256; ++byte)
            byteOf[base::byteAlphabet()[byte]] = static_cast<char>(byte);
        return byteOf;
    }();
    std::string bytes;
    while (!token.empty()) {
        const size_t length = static_cast<unsigned char>(token[0]) < 0x80 ? 1 : 2;
        const auto found = kByteOf.find(token.substr(0, length));
        if (found == kByteOf.end()) return std::nullopt;
        bytes += found->second;
        token.remove_prefix(std::min(length, token.size()));
    }
    return bytes;
}

/// Turns pieces into a vocabulary of bytes. Scores are the ranks of merges, below zero; all other tokens have
/// 1, and those of several characters among them are special.
Status setBytes(const WordRules& words, TokenizerData& data) {
    if (words.preTokenizer.empty())
        return fail(ErrorCode::Unsupported,
                    "its vocabulary does not say how text is cut into words, and models of this family "
                    "differ in it");
    std::vector<size_t> order;
    std::vector<std::string> texts(data.tokens.size());
    for (size_t id = 0; id < texts.size(); ++id) {
        auto bytes = data.types[id] == TokenType::Normal ? bytesOf(data.tokens[id]) : std::nullopt;
        if (!bytes || (data.scores[id] > 0 && bytes->size() > 1)) continue;
        texts[id] = *std::move(bytes);
        order.push_back(id);
    }
    std::ranges::stable_sort(order, std::greater{}, [&](size_t id) { return data.scores[id]; });
    std::vector<std::string> ranked;
    ranked.reserve(order.size());
    for (const size_t id : order) ranked.push_back(std::move(texts[id]));
    INGLE_TRY_ASSIGN(data.merges, mergesOfRanks(ranked));
    data.model = "gpt2";
    data.pre = words.preTokenizer;
    data.textSteps.assign(words.textSteps.begin(), words.textSteps.end());
    data.scores.clear();
    return {};
}

void setSpecial(TokenizerData& data, TokenId id) {
    TokenType& type = data.types[static_cast<size_t>(id)];
    if (type != TokenType::Byte && type != TokenType::Unknown) type = TokenType::Control;
}

void setEnds(const Metadata& config, TokenizerData& data) {
    const auto ends = idsOf(config, "eos_token_id", data.tokens.size());
    for (size_t i = 0; i < ends.size() && i < 3; ++i)
        (i == 0 ? data.eos : i == 1 ? data.eot : data.eom) = ends[i];
    if (const auto ids = idsOf(config, "bos_token_id", data.tokens.size()); !ids.empty()) data.bos = ids[0];
    if (const auto ids = idsOf(config, "pad_token_id", data.tokens.size()); !ids.empty())
        data.padding = ids[0];
    for (const auto& id : {data.bos, data.eos, data.eot, data.eom, data.padding})
        if (id) setSpecial(data, *id);
}

/// A text with "<FLM_FIX_TOKEN_n>", which stands for token n whatever its text.
std::string withTokens(std::string_view text, TokenizerData& data) {
    constexpr std::string_view kBegin = "<FLM_FIX_TOKEN_";
    std::string out;
    while (true) {
        const size_t at = text.find(kBegin);
        out += text.substr(0, at);
        if (at == std::string_view::npos) return out;
        text.remove_prefix(at + kBegin.size());
        uint32_t id = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), id);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (text.starts_with('>')) text.remove_prefix(1);
        if (error != std::errc{} || id >= data.tokens.size()) continue;
        setSpecial(data, static_cast<TokenId>(id));
        out += data.tokens[id];
    }
}

/// Pieces in angle brackets that a text of the prompt spells: "<|im_start|>".
void setMarks(std::string_view text, TokenizerData& data) {
    for (size_t id = 0; id < data.tokens.size(); ++id) {
        const std::string& token = data.tokens[id];
        const bool isMark = token.size() > 2 && token.starts_with('<') && token.ends_with('>');
        if (isMark && text.find(token) != std::string_view::npos) setSpecial(data, static_cast<TokenId>(id));
    }
}

/// A text as a literal of Jinja.
std::string literal(std::string_view text) {
    std::string out = "'";
    for (const char c : text) {
        if (c == '\'' || c == '\\') out += '\\';
        if (c == '\n')
            out += "\\n";
        else if (c == '\r')
            out += "\\r";
        else
            out += c;
    }
    return out + "'";
}

/// What FastLLM puts in front of every prompt of a family.
std::string_view beginningOf(std::string_view family) {
    return family == "chatglm" ? "[gMASK]sop" : "";
}

}  // namespace

Result<TokenizerData> tokenizerOf(const FastLlmFile& file, const WordRules& words) {
    TokenizerData none;
    none.model = "none";
    if (file.tokens.empty()) return none;
    INGLE_TRY_ASSIGN(TokenizerData data, piecesOf(file));
    const bool isBytes = isTrue(file, "tokenizer_byte_as_char", false);
    if (isBytes) {
        INGLE_TRY(setBytes(words, data));
    }
    setEnds(configOf(file), data);
    for (const std::string& text : file.specialTokens)
        if (const auto found = std::ranges::find(data.tokens, text); found != data.tokens.end())
            setSpecial(data, static_cast<TokenId>(found - data.tokens.begin()));
    data.addBos = data.addEos = false;
    if (isBytes) return data;
    data.addSpacePrefix = isTrue(file, "tokenizer_add_dummy_prefix", true);
    data.removeExtraSpaces = isTrue(file, "tokenizer_remove_extra_whitespaces", false);
    return data;
}

void setPrompt(const FastLlmFile& file, std::string_view family, TokenizerData& data) {
    if (const std::string_view own = textOf(file, "chat_template"); !own.empty()) {
        setMarks(own, data);
        data.chatTemplate = own;
        return;
    }
    if (data.tokens.empty() || textOf(file, "bot_role").empty()) return;
    const auto part = [&](std::string_view key) {
        const std::string_view text = textOf(file, key);
        setMarks(text, data);
        return literal(withTokens(text, data));
    };
    data.chatTemplate = fmt::format(
        "{{{{ {} }}}}{{% for message in messages %}}"
        "{{% if message.role == 'system' %}}{{{{ raise_exception('there is no place for it') }}}}"
        "{{% elif message.role == 'user' %}}{{{{ {} + message.content }}}}"
        "{{% if add_generation_prompt or not loop.last %}}{{{{ {} }}}}{{% endif %}}"
        "{{% else %}}{{{{ message.content + {} }}}}{{% endif %}}{{% endfor %}}",
        literal(beginningOf(family)) + " + " + part("pre_prompt"), part("user_role"), part("bot_role"),
        part("history_sep"));
}

}  // namespace ingle::formats
