/// Tokens that stand for themselves: cutting them out of prompt text, whose rest gets the form that the
/// vocabulary asks for, and knowing which end an answer.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/tokenizer/text_meter.h"
#include "engine/tokenizer/tokenizer.h"

namespace ingle::tokenizer {

/// Either a special token or text to be tokenized.
struct Fragment {
    std::optional<TokenId> special;
    std::string text;
};

/// The special tokens of a vocabulary. Immutable: any thread.
/// Source of the rules: llama.cpp's llama-vocab.cpp (candidates longest first, each cut out of all plain text
/// left).
class SpecialTokens {
  public:
    /// `data` may have no types; then nothing is special. `eos` is the vocabulary's end token after defaults.
    SpecialTokens(const formats::TokenizerData& data, std::optional<TokenId> eos);

    /// Cuts the special tokens out of the segments. Control and unknown tokens are only recognised in
    /// segments with parseSpecial, user-defined ones everywhere, unless they look like control tokens. Plain
    /// text of neighbouring segments is joined, so that it is tokenized like the whole prompt, and then
    /// changed by the vocabulary's text steps; a special token never spans two segments, but may take the
    /// white space of the next one. Errors: as TextMeter.
    Result<std::vector<Fragment>> split(std::span<const TextSegment> segments, TextMeter& meter) const;

    bool isEndOfGeneration(TokenId id) const;
    /// False when split() changes plain text.
    bool keepsText() const;
    /// Bytes of the longest one's text.
    size_t longest() const;

  private:
    struct Candidate {
        TokenId id;
        std::string text;
        bool inAnyText;  // user-defined
        formats::TokenSearch search;
    };

    /// The parts of plain text.
    Result<std::vector<Fragment>> cut(std::string_view text, bool parseSpecial,
                                      std::span<const Candidate> candidates, TextMeter& meter) const;
    /// Adds parts, joined with what is there; special tokens take the white space that is theirs.
    void join(std::vector<Fragment> parts, std::vector<Fragment>& out) const;

    std::vector<Candidate> m_candidates;  // longest text first
    std::vector<Candidate> m_normalized;  // such that are looked for behind the text steps
    std::map<TokenId, formats::TokenSearch> m_searches;
    std::vector<formats::TextStep> m_textSteps;
    std::vector<TokenId> m_endOfGeneration;  // sorted
};

}  // namespace ingle::tokenizer
