/// How fast a model will answer on the processor, from what a token makes it read and how fast that is read
/// here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/backend/plan.h"
#include "engine/session/devices/read_speeds.h"
#include "engine/session/loading/memory_estimate.h"

namespace ingle::session {

struct OpenedModel;

/// What one token of an answer reads of memory, in bytes.
struct TokenReads {
    std::map<std::string, uint64_t, std::less<>> weights;  ///< by block format; of experts only those chosen
    uint64_t cache = 0;  ///< keys and values so far, or states (also written)
    uint32_t numOps = 0;
    /// Weights of matrices that a token of a prompt is multiplied with: all but those of its logits.
    uint64_t promptProducts = 0;

    uint64_t weightBytes() const;
};

/// `earlierTokens`: of the conversation.
TokenReads tokenReads(const backend::Plan& plan, const backend::MemorySpec& memory, KvType kv,
                      uint32_t earlierTokens);

/// Of an answer in the middle of a usual conversation.
TokenReads answerReads(const OpenedModel& model, const LoadOptions& options);

/// Seconds per token: each format is read as fast as memory or its kernel allows, whichever is slower.
double foretoldSeconds(const TokenReads& reads, const ReadSpeeds& speeds);

/// Of answerReads(), at the speeds of readSpeeds(); nothing where these are not known.
std::optional<double> foretoldTokensPerSecond(const OpenedModel& model, const LoadOptions& options);

}  // namespace ingle::session
