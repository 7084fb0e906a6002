#include "engine/backend/vulkan/rope_cache.h"

#include <cmath>
#include <numbers>

namespace ingle::backend::vulkan {
namespace {

struct Push {
    uint32_t qWidth, kWidth, vWidth;
    uint32_t headDim, numPairs;
    float magnitude, eps;
    uint32_t maxPages;
    uint32_t keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
};

struct CacheVariant {
    const char* shader;
    uint32_t unit;  ///< elements an invocation takes
};

CacheVariant variantOf(KvType type) {
    switch (type) {
        case KvType::F32:
            return {"rope_cache_f32", 2};
        case KvType::F16:
            return {"rope_cache_f16", 2};
        case KvType::Q8:
            return {"rope_cache_q8", 64};
    }
    return {"rope_cache_f16", 2};
}

/// Turns a position, times 2^64, as two words, the high one first: whole turns do not matter.
Result<BufferRange> frequencies(const RopeParams& params, OpRecording& out) {
    constexpr double kWord = 4294967296.0;
    std::vector<uint32_t> words;
    for (const double radians : params.frequencies) {
        const double turns = radians / (2 * std::numbers::pi);
        const double high = (turns - std::floor(turns)) * kWord;
        words.push_back(static_cast<uint32_t>(high));
        words.push_back(static_cast<uint32_t>((high - std::floor(high)) * kWord));
    }
    return out.weights().constants(words);
}

}  // namespace

Status recordRopeCache(const OpRun& run, const RopeCache& work, OpRecording& out) {
    const VulkanMemoryPool& memory = out.memory();
    const CacheVariant variant = variantOf(memory.options().kv);
    const BufferRange& unused = out.unused();
    Push push{.maxPages = memory.tablePages()};
    std::vector<Binding> bindings{reads(out.step()), reads(unused), reads(unused),
                                  reads(unused),     reads(unused), reads(unused),
                                  reads(unused),     reads(unused), reads(memory.pageTables()),
                                  reads(unused),     reads(unused)};
    bool halfSplit = false;
    if (work.rope && !work.rope->frequencies.empty()) {
        push.headDim = work.rope->headDim;
        push.numPairs = static_cast<uint32_t>(work.rope->frequencies.size());
        push.magnitude = work.rope->magnitude;
        halfSplit = work.rope->style == RopeStyle::HalfSplit;
        INGLE_TRY_ASSIGN(const BufferRange turns, frequencies(*work.rope, out));
        bindings[1] = reads(turns);
    }
    push.headDim = std::max(push.headDim, 1U);
    if (work.norms) {
        push.eps = run.params<NormParams>(work.norms->ofQueries).eps;
        INGLE_TRY_ASSIGN(const BufferRange ofQueries, out.vector(run.op(work.norms->ofQueries), 0));
        INGLE_TRY_ASSIGN(const BufferRange ofKeys, out.vector(run.op(work.norms->ofKeys), 0));
        bindings[9] = reads(ofQueries);
        bindings[10] = reads(ofKeys);
    }
    if (work.query) {
        push.qWidth = run.width(work.query->x);
        bindings[2] = reads(out.rows(work.query->x));
        bindings[3] = writes(out.rows(work.query->y));
    }
    if (work.append) {
        const auto [keys, values, layer] = *work.append;
        push.kWidth = run.width(keys);
        if (values) {
            push.vWidth = run.width(*values);
            bindings[5] = reads(out.rows(*values));
        }
        push.keyRowWords = memory.keyRow(layer).rowWords();
        push.keyScaleWord = memory.keyRow(layer).scaleWord();
        push.valueRowWords = memory.valueRow(layer).rowWords();
        push.valueScaleWord = memory.valueRow(layer).scaleWord();
        bindings[4] = reads(out.rows(keys));
        bindings[6] = writes(memory.keys(layer));
        bindings[7] = writes(memory.values(layer));
    }
    // Outputs that are not there are bound to one that is: nothing is written to them.
    if (!work.query) bindings[3] = bindings[6];
    if (!work.append) bindings[6] = bindings[7] = bindings[3];
    const uint32_t units = groupsFor(push.qWidth, variant.unit) + groupsFor(push.kWidth, variant.unit) +
                           groupsFor(push.vWidth, variant.unit);
    return out.dispatch(variant.shader, {kElementGroup, halfSplit, work.rotateKeys, work.norms.has_value()},
                        std::move(bindings), push, {groupsFor(units, kElementGroup), out.numTokens(), 1});
}

bool sameRotation(const RopeParams& a, const RopeParams& b) {
    return a.headDim == b.headDim && a.frequencies == b.frequencies && a.magnitude == b.magnitude &&
           a.style == b.style;
}

}  // namespace ingle::backend::vulkan
