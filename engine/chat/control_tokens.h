/// Tokens that are more than their letters: the same letters in ordinary tokens are text.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/tokenizer/stream_decoder.h"
#include "ingle/types.h"

namespace ingle::chat {

/// The control tokens of a vocabulary, and those of its own that look like marks. Immutable: any thread.
class ControlTokens {
  public:
    static constexpr char kSign = tokenizer::StreamDecoder::kSign;

    /// None: what marks are made of is ordinary text.
    ControlTokens() = default;
    explicit ControlTokens(const formats::TokenizerData& data);

    /// Null: an ordinary token.
    const std::string* textOf(TokenId id) const;
    /// The longest of them that `text` begins with; empty: none.
    std::string_view beginningOf(std::string_view text) const;
    /// The text with kSign before what a model writes as one of these tokens.
    std::string spelled(std::string_view text) const;

  private:
    std::unordered_map<TokenId, std::string> m_texts;
    std::array<std::vector<std::string>, 256> m_byFirst;  ///< the longest first
};

/// The letters of such a text.
std::string withoutSigns(std::string_view spelled);

}  // namespace ingle::chat
