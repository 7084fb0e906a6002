/// An answer that exists, looked at again: what would be chosen now at each of its places.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// The places [from, from + count) of an answer; the place behind its last token is one, too.
struct ScoreRequest {
    GenerateRequest request;   ///< as it was when the answer was written; `resumeIds` is not looked at
    std::vector<TokenId> ids;  ///< the answer
    uint32_t from = 0;
    uint32_t count = 0;  ///< 0: to the last token
    uint32_t top = 0;    ///< how many of the likeliest tokens to tell of each place, at most kMostTop
    /// Not negative: `from` is the token that this byte of the answer's text begins in (textOf() its parts of
    /// kind Text).
    int64_t atByte = -1;
};

struct ScoredPosition {
    ScoredToken stored;  ///< the answer's; id -1 behind its last token
    ScoredToken chosen;  ///< what the sampler chooses here, given all tokens of the answer before
    float margin = 0;    ///< logit of `chosen` less that of `stored`, before filters; 0 behind the last
    std::vector<ScoredToken> top;  ///< likeliest first, ties by the lowest id

    bool operator==(const ScoredPosition&) const = default;
};

struct Scores {
    uint64_t promptHash = 0;  ///< as PromptPlan::promptHash
    uint32_t from = 0;        ///< the place of the first of the positions
    /// What the tokens before that place say, and bytes of them that are not told yet.
    std::vector<PartPiece> before = {};
    std::string withheld = {};
    std::vector<ScoredPosition> positions = {};
};

/// Receives what comes of one scoring. Called on the thread that calls Engine::step().
class ScoreSink {
  public:
    virtual ~ScoreSink() = default;
    virtual void onProgress(uint32_t done, uint32_t total) = 0;  ///< tokens read of prompt and answer
    virtual void onScored(Scores scores) = 0;                    ///< last, unless onError
    virtual void onError(const Error& error) = 0;                ///< last, unless onScored
};

}  // namespace ingle
