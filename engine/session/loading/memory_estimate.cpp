#include "engine/session/loading/memory_estimate.h"

#include <algorithm>
#include <bit>

#include "engine/session/loading/model.h"
#include "ingle/size_text.h"

namespace ingle::session {
namespace {

using backend::kPageTokens;

constexpr uint32_t kUsualContext = 4096, kThinkingContext = 8192;
/// The longest that is chosen: reading more than that again takes minutes on a processor.
constexpr uint32_t kMostContext = 16384;
/// A context that is more than usual takes at most this share of what the model leaves of memory.
constexpr uint64_t kContextShare = 4;
/// Below this, hardly a question and its answer fit a context: no remedy.
constexpr uint32_t kLeastRemedy = 512;
/// What conversations never take: room for the window, and for files that others read.
constexpr uint64_t kShareOfOthers = 16;
/// Idle sequences that are kept, and the one that is made before an old one goes.
constexpr uint32_t kMoreSequences = 9;

uint64_t stateBytes(const ModelShape& shape) {
    uint64_t bytes = 0;
    for (const backend::StateSpec& state : shape.memory.states)
        bytes += uint64_t{state.elems} * sizeof(float);
    return bytes;
}

uint64_t modelBytes(const ModelShape& shape) {
    return shape.weightBytes + shape.workBytes;
}

uint64_t needOf(const ModelShape& shape, KvType kv, uint32_t contextTokens) {
    return modelBytes(shape) + conversationBytes(shape, kv, contextTokens);
}

/// The longest context shorter than `contextTokens` with which the model fits; 0: none.
uint32_t fittingContext(const ModelShape& shape, KvType kv, uint32_t contextTokens, uint64_t available) {
    if (shape.memory.kv.empty()) return 0;
    for (uint32_t context = contextTokens; context > kLeastRemedy;) {
        context = shorterContext(context);
        if (needOf(shape, kv, context) <= available) return context;
    }
    return 0;
}

std::vector<FitChoice> choicesFor(const ModelShape& shape, KvType kv, uint32_t contextTokens,
                                  uint64_t available) {
    std::vector<FitChoice> choices;
    const auto add = [&](FitRemedy remedy, uint32_t context, KvType cache, std::string quant = "") {
        ModelShape small = shape;
        if (!quant.empty()) small.weightBytes = shape.smallerBytes;
        choices.push_back({remedy, context, cache, std::move(quant), needOf(small, cache, context)});
    };
    if (const uint32_t context = fittingContext(shape, kv, contextTokens, available))
        add(FitRemedy::ShorterContext, context, kv);
    if (kv != KvType::Q8 && !shape.memory.kv.empty()) {
        if (needOf(shape, KvType::Q8, contextTokens) <= available)
            add(FitRemedy::SmallerCache, contextTokens, KvType::Q8);
        else if (const uint32_t context = fittingContext(shape, KvType::Q8, contextTokens, available);
                 context > 0 && choices.empty())
            add(FitRemedy::ShorterContext, context, KvType::Q8);
    }
    if (shape.smallerBytes > 0) {
        ModelShape small = shape;
        small.weightBytes = shape.smallerBytes;
        if (needOf(small, kv, contextTokens) <= available)
            add(FitRemedy::SmallerModel, contextTokens, kv, kSmallerQuant);
        else if (const uint32_t context = fittingContext(small, kv, contextTokens, available))
            add(FitRemedy::SmallerModel, context, kv, kSmallerQuant);
    }
    return choices;
}

}  // namespace

uint32_t usualContext(const ModelShape& shape) {
    return shape.thinks ? kThinkingContext : kUsualContext;
}

uint32_t longestContext(const ModelShape& shape) {
    return shape.trainedContext > 0 ? std::min(shape.trainedContext, kMostContext) : kUsualContext;
}

uint32_t shorterContext(uint32_t contextTokens) {
    return std::bit_floor(contextTokens - 1);
}

uint32_t keptTokens(const ModelShape& shape, uint32_t contextTokens) {
    return shape.memory.mostKept(contextTokens, Model::kStepTokens);
}

uint64_t conversationBytes(const ModelShape& shape, KvType kv, uint32_t contextTokens) {
    const uint64_t pages = (uint64_t{keptTokens(shape, contextTokens)} + kPageTokens - 1) / kPageTokens;
    return pages * kPageTokens * backend::cacheBytesPerToken(shape.memory, kv) + stateBytes(shape);
}

uint32_t chooseContext(const ModelShape& shape, KvType kv, const std::optional<base::SystemMemory>& system) {
    if (shape.memory.kv.empty()) return 0;
    const uint32_t most = longestContext(shape);
    const uint32_t usual = usualContext(shape);
    if (!system) return std::min(most, usual);
    const uint64_t left = system->usableBytes - std::min(system->usableBytes, modelBytes(shape));
    uint32_t context = most;
    while (context > usual && conversationBytes(shape, kv, context) > left / kContextShare)
        context = shorterContext(context);
    while (context > kLeastContext && needOf(shape, kv, context) > system->availableBytes)
        context = shorterContext(context);
    return context;
}

PoolLimits poolLimits(const ModelShape& shape, KvType kv, uint32_t contextTokens, uint32_t mostContexts,
                      const std::optional<base::SystemMemory>& system) {
    uint64_t left = UINT64_MAX;
    if (system) {
        const uint64_t taken = modelBytes(shape) + system->usableBytes / kShareOfOthers;
        left = system->availableBytes - std::min(system->availableBytes, taken);
    }
    PoolLimits limits{.sequences = mostContexts + kMoreSequences};
    if (const uint64_t bytes = stateBytes(shape))
        limits.sequences = static_cast<uint32_t>(std::clamp<uint64_t>(left / bytes, 2, limits.sequences));
    if (const uint64_t bytes = backend::cacheBytesPerToken(shape.memory, kv)) {
        // A page more than the context: a sequence copies the one that it shares before it writes there.
        const uint32_t kept = keptTokens(shape, contextTokens);
        const uint64_t least = uint64_t{kept} + kPageTokens;
        const uint64_t most = std::min<uint64_t>(uint64_t{mostContexts} * kept, UINT32_MAX);
        limits.tokens = static_cast<uint32_t>(std::max(least, std::min(left / bytes, most)));
    }
    return limits;
}

MemoryEstimate estimateMemory(const ModelShape& shape, KvType kv, uint32_t contextTokens,
                              const PoolLimits& limits, const std::optional<base::SystemMemory>& system) {
    MemoryEstimate estimate{.weightBytes = shape.weightBytes,
                            .cacheBytes = conversationBytes(shape, kv, contextTokens),
                            .workBytes = shape.workBytes};
    estimate.mostBytes = modelBytes(shape) +
                         uint64_t{limits.tokens} * backend::cacheBytesPerToken(shape.memory, kv) +
                         uint64_t{limits.sequences} * stateBytes(shape);
    if (!system) return estimate;
    // 0 stands for not known.
    estimate.availableBytes = std::max<uint64_t>(system->availableBytes, 1);
    estimate.usableBytes = system->usableBytes;
    if (!estimate.fits()) estimate.choices = choicesFor(shape, kv, contextTokens, system->availableBytes);
    return estimate;
}

uint64_t fullNeed(const ModelShape& shape, const LoadOptions& options,
                  const std::optional<base::SystemMemory>& system) {
    auto emptied = system;
    if (emptied) emptied->availableBytes = emptied->usableBytes;
    const uint32_t context =
        options.contextTokens > 0 ? options.contextTokens : chooseContext(shape, options.kv, emptied);
    return needOf(shape, options.kv, context);
}

bool leavesShare(uint64_t bytes, const base::SystemMemory& system) {
    const uint64_t share = system.usableBytes / kShareOfOthers;
    return share <= system.availableBytes && bytes <= system.availableBytes - share;
}

std::string refusalOf(const MemoryEstimate& estimate, const std::string& model) {
    return fmt::format("{} needs {} of memory ({} of them for the conversation), but {} of {} are free",
                       model, sizeText(estimate.needBytes()), sizeText(estimate.cacheBytes),
                       sizeText(estimate.availableBytes), sizeText(estimate.usableBytes));
}

}  // namespace ingle::session
