/// The replacement rules that SentencePiece applies to text before it is cut: a "precompiled_charsmap".
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"

namespace ingle::tokenizer {

/// Immutable after creation: any thread. Source: sentencepiece's normalizer.cc; darts-clone's darts.h for the
/// double array.
class CharacterMap {
  public:
    /// `bytes`: size of the double array in bytes (u32, little-endian), its nodes (u32 each), then
    /// replacement texts, each ended by a NUL. No bytes mean no rules. Errors: Corrupt.
    static Result<CharacterMap> create(std::string_view bytes);

    /// `text` with the longest rule applied at each place; what no rule names is kept. Errors: Corrupt when
    /// the text leads outside the tables.
    Result<std::string> apply(std::string_view text) const;

  private:
    struct Match {
        size_t bytes = 0;  ///< 0: no rule
        std::string_view replacement;
    };
    Result<Match> longestMatch(std::string_view text) const;

    std::vector<uint32_t> m_nodes;
    std::string m_replacements;
};

}  // namespace ingle::tokenizer
