// ChatGLM-6B's vocabulary: unigrams of SentencePiece, with pieces of their own for a line's end, a tab, and
// runs of 2 to 80 spaces, of which the longest is taken first; one space in front of all. Source:
// THUDM/chatglm-6b, tokenization_chatglm.py (SPTokenizer).
#include <algorithm>
#include <charconv>
#include <optional>

#include "engine/tokenizer/sentencepiece_tokenizer.h"

namespace ingle::tokenizer::chatglm1_tokenizer {
namespace {

using formats::TokenizerData;
using formats::TokenType;

/// What a piece stands for: "<n>", "<|tab|>", "<|blank_7|>". Nothing for others.
std::optional<std::string> whiteSpaceOf(std::string_view piece) {
    constexpr std::string_view kBlank = "<|blank_", kEnd = "|>";
    constexpr uint32_t kMostSpaces = 80;
    if (piece == "<n>") return "\n";
    if (piece == "<|tab|>") return "\t";
    if (!piece.starts_with(kBlank) || !piece.ends_with(kEnd)) return std::nullopt;
    piece.remove_prefix(kBlank.size());
    uint32_t count = 0;
    const char* end = piece.data() + piece.size() - kEnd.size();
    const auto parsed = std::from_chars(piece.data(), end, count);
    const bool isCount = parsed.ec == std::errc{} && parsed.ptr == end && count >= 2 && count <= kMostSpaces;
    return isCount ? std::optional(std::string(count, ' ')) : std::nullopt;
}

class ChatGlm1Tokenizer final : public Tokenizer {
  public:
    static Result<std::unique_ptr<Tokenizer>> create(const TokenizerData& data) {
        TokenizerData pieces = data;
        pieces.model = "t5";
        pieces.addBos = pieces.addEos = pieces.addSpacePrefix = pieces.removeExtraSpaces = false;
        pieces.types.resize(data.tokens.size(), TokenType::Normal);
        // Other unigram vocabularies have the unknown piece elsewhere.
        if (!pieces.unknown) pieces.unknown = 0;
        for (size_t id = 0; id < pieces.tokens.size(); ++id) {
            auto white = whiteSpaceOf(pieces.tokens[id]);
            if (!white) continue;
            pieces.tokens[id] = *std::move(white);
            pieces.types[id] = TokenType::UserDefined;
        }
        auto tokenizer = std::unique_ptr<ChatGlm1Tokenizer>(new ChatGlm1Tokenizer(data));
        INGLE_TRY_ASSIGN(tokenizer->m_pieces, createTokenizer(pieces));
        return tokenizer;
    }

    size_t vocabSize() const override { return m_pieces->vocabSize(); }
    std::string pieceBytes(TokenId id) const override { return m_pieces->pieceBytes(id); }
    bool dropsLeadingSpace() const override { return m_addSpacePrefix; }
    bool isEndOfGeneration(TokenId id) const override { return m_pieces->isEndOfGeneration(id); }
    Result<std::vector<TokenId>> encode(std::span<const TextSegment> segments,
                                        bool addSpecial) const override {
        std::vector<TextSegment> all(segments.begin(), segments.end());
        const auto first =
            std::ranges::find_if(all, [](const auto& segment) { return !segment.text.empty(); });
        // As the mark itself: with a space behind it, a space would be a run of two.
        if (m_addSpacePrefix && first != all.end() && !beginsSpecially(*first))
            first->text.insert(0, kSpaceMark);
        return m_pieces->encode(all, addSpecial);
    }

  private:
    explicit ChatGlm1Tokenizer(const TokenizerData& data)
        : m_addSpacePrefix(data.addSpacePrefix.value_or(true)) {
        for (size_t id = 0; id < data.types.size(); ++id)
            if (data.types[id] == TokenType::Control) m_controls.push_back(data.tokens[id]);
    }

    bool beginsSpecially(const TextSegment& segment) const {
        return segment.parseSpecial && std::ranges::any_of(m_controls, [&](const std::string& text) {
                   return !text.empty() && segment.text.starts_with(text);
               });
    }

    bool m_addSpacePrefix;
    std::vector<std::string> m_controls;
    std::unique_ptr<Tokenizer> m_pieces;
};

}  // namespace

extern const TokenizerKind tokenizer{.model = "chatglm1", .create = ChatGlm1Tokenizer::create};

}  // namespace ingle::tokenizer::chatglm1_tokenizer
