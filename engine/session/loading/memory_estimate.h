/// What a model takes of memory where the processor computes, said before it is loaded: the one estimate that
/// decides about loads, contexts and pools and that people are shown.
#pragma once

#include <cstdint>
#include <optional>

#include "engine/backend/memory.h"
#include "engine/base/system_memory.h"
#include "ingle/types.h"

namespace ingle::session {

/// What the estimate depends on.
struct ModelShape {
    uint64_t weightBytes = 0;  ///< the file, and what is made of parts of it in their place
    uint64_t workBytes = 0;    ///< everything else that does not grow with conversations
    backend::MemorySpec memory;
    uint32_t trainedContext = 0;  ///< 0: not stated
    bool thinks = false;          ///< writes down what it thinks before it answers
    uint64_t smallerBytes = 0;    ///< the weights as kSmallerQuant; 0: they would not be much smaller
};

/// What `ingle import --quant` would make of a model that does not fit.
inline constexpr const char* kSmallerQuant = "Q4_K_M";

/// The shortest context that is chosen where none was asked for.
inline constexpr uint32_t kLeastContext = 2048;
/// One that serves: a thinking model fills 4,096 tokens with a few thoughts.
uint32_t usualContext(const ModelShape& shape);
/// The longest that is chosen.
uint32_t longestContext(const ModelShape& shape);
/// The power of two below.
uint32_t shorterContext(uint32_t contextTokens);

/// Tokens whose keys and values one conversation keeps when a context of so many is full.
uint32_t keptTokens(const ModelShape& shape, uint32_t contextTokens);

/// What one conversation remembers when a context of so many tokens is full (0: recurrent models, of any
/// length).
uint64_t conversationBytes(const ModelShape& shape, KvType kv, uint32_t contextTokens);

/// The context where none was asked for; 0 for recurrent models. A power of two, or what the model was
/// trained with. It depends on the memory the computer has, so that it is mostly the same from start to
/// start; only where that is not free now is it less.
uint32_t chooseContext(const ModelShape& shape, KvType kv, const std::optional<base::SystemMemory>& system);

/// How far the memory of all conversations together may grow.
struct PoolLimits {
    uint32_t tokens = 0;     ///< of keys and values: room for one context at least
    uint32_t sequences = 0;  ///< of recurrent states: two at least
};

/// Up to `mostContexts`, as far as memory is free beside the model and a share that is left to others.
PoolLimits poolLimits(const ModelShape& shape, KvType kv, uint32_t contextTokens, uint32_t mostContexts,
                      const std::optional<base::SystemMemory>& system);

/// `system`: nothing where it is not known; everything fits then.
MemoryEstimate estimateMemory(const ModelShape& shape, KvType kv, uint32_t contextTokens,
                              const PoolLimits& limits, const std::optional<base::SystemMemory>& system);

/// What a model takes with the context that was asked for, or with the one that would be chosen if all memory
/// were free. `system`: nothing where it is not known.
uint64_t fullNeed(const ModelShape& shape, const LoadOptions& options,
                  const std::optional<base::SystemMemory>& system);

/// Whether so much is free, beside the share that is left to others.
bool leavesShare(uint64_t bytes, const base::SystemMemory& system);

/// One sentence with the numbers of a model that does not fit.
std::string refusalOf(const MemoryEstimate& estimate, const std::string& model);

}  // namespace ingle::session
