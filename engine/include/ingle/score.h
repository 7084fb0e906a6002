/// Scores an existing answer: computes what the sampler would choose now at each position of it.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// The positions [from, from + count) of an answer. The one behind its last token can be scored, too.
struct ScoreRequest {
    GenerateRequest request;   ///< as it was when the answer was written; `resumeIds` is ignored
    std::vector<TokenId> ids;  ///< all tokens of the answer
    uint32_t from = 0;
    uint32_t count = 0;  ///< 0: to the last token
    uint32_t top = 0;    ///< how many of the likeliest tokens to return for each position, at most kMostTop
    /// If this is not negative, scoring begins at the token in which this byte of the answer's text begins,
    /// and `from` is ignored. The text is textOf() the parts of kind Text.
    int64_t atByte = -1;
};

struct ScoredPosition {
    ScoredToken stored;  ///< token of the answer; its id is -1 behind the last one
    ScoredToken chosen;  ///< what the sampler chooses here, given all earlier tokens of the answer
    float margin = 0;    ///< logit of `chosen` minus that of `stored`, before filters; 0 behind the last
    std::vector<ScoredToken> top;  ///< likeliest first, ties by the lowest id

    bool operator==(const ScoredPosition&) const = default;
};

struct Scores {
    uint64_t promptHash = 0;  ///< as PromptPlan::promptHash
    uint32_t from = 0;        ///< index in the answer of the first of `positions`
    /// The text of the tokens before `from`, and the bytes of them that are not part of it yet (as
    /// GenerateResult::withheld).
    std::vector<PartPiece> before = {};
    std::string withheld = {};
    std::vector<ScoredPosition> positions = {};
};

/// Receives the events of one scoring. The thread that calls Engine::step() calls every function.
class ScoreSink {
  public:
    virtual ~ScoreSink() = default;
    virtual void onProgress(uint32_t done, uint32_t total) = 0;  ///< tokens read of prompt and answer
    virtual void onScored(Scores scores) = 0;                    ///< last, unless onError
    virtual void onError(const Error& error) = 0;                ///< last, unless onScored
};

}  // namespace ingle
