/// How fast a model will answer on the processor, from what a token makes it read and how fast that is read
/// here.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>

#include "engine/backend/plan.h"
#include "engine/session/memory_estimate.h"

namespace ingle::session {

struct OpenedModel;

/// What one token of an answer reads of memory, in bytes.
struct TokenReads {
    std::map<std::string, uint64_t, std::less<>> weights;  ///< by block format; of experts only those chosen
    uint64_t cache = 0;  ///< keys and values so far, or states (also written)
    uint32_t numOps = 0;
};

/// `earlierTokens`: of the conversation.
TokenReads tokenReads(const backend::Plan& plan, const backend::MemorySpec& memory, KvType kv,
                      uint32_t earlierTokens);

/// Of an answer in the middle of a usual conversation.
TokenReads answerReads(const OpenedModel& model, const LoadOptions& options);

/// How fast this processor reads, with all threads.
struct ReadSpeeds {
    double memoryBytesPerSecond = 0;  ///< summing up what no cache holds
    /// Multiplying matrices that caches hold, by block format: what decoding the blocks allows at most.
    std::map<std::string, double, std::less<>> formatBytesPerSecond;
    double secondsPerOp = 0;  ///< until all threads have begun and ended one

    bool operator==(const ReadSpeeds&) const = default;
};

/// Seconds per token: each format is read as fast as memory or its kernel allows, whichever is slower.
double foretoldSeconds(const TokenReads& reads, const ReadSpeeds& speeds);

/// Takes about 50 ms (300 ms where the last cache is very large), and less than 2 ms more for each format of
/// `reads`. Nothing where little memory is free.
std::optional<ReadSpeeds> measureReadSpeeds(const TokenReads& reads, const LoadOptions& options);

/// As measureReadSpeeds(), but what was measured for this processor in the last day is taken from `folder`,
/// and what is faster than before is kept there: anything else that goes on only makes a trial slower.
/// `folder`: of LoadOptions::trials; empty: nothing is kept. Any thread, any process.
std::optional<ReadSpeeds> readSpeeds(const TokenReads& reads, const LoadOptions& options);

/// What readSpeeds() kept last for this processor; nothing where there is none.
std::optional<ReadSpeeds> rememberedSpeeds(const LoadOptions& options);

/// The same of memory, however it was measured; 0: nothing.
double rememberedMemorySpeed(const std::string& folder);

}  // namespace ingle::session
