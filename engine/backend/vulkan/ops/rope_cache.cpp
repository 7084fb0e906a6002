// Norms of heads, rotation of queries and keys and the append to the cache, see shaders/rope_cache.comp.
#include <cmath>
#include <numbers>
#include <optional>

#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::rope_cache_ops {
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

/// Turns a position, times 2^64, as two words, the high one first: whole turns do not matter. Behind them the
/// axis of each pair, where they have some.
Result<BufferRange> frequencies(const RopeParams& params, OpRecording& out) {
    constexpr double kWord = 4294967296.0;
    std::vector<uint32_t> words;
    for (const double radians : params.frequencies) {
        const double turns = radians / (2 * std::numbers::pi);
        const double high = (turns - std::floor(turns)) * kWord;
        words.push_back(static_cast<uint32_t>(high));
        words.push_back(static_cast<uint32_t>((high - std::floor(high)) * kWord));
    }
    for (const uint8_t axis : params.axes) words.insert(words.end(), {axis, 0});
    return out.weights().constants(words);
}

/// What one dispatch does; any part may be missing.
struct RopeCache {
    /// Which ops of the run.
    struct HeadNorms {
        size_t ofQueries, ofKeys;
    };
    struct Rotation {
        ValueId x, y;
    };
    struct Append {
        ValueId keys;
        std::optional<ValueId> values;  ///< nothing: they lie in the keys
        uint32_t layer;
    };
    std::optional<HeadNorms> norms;    ///< before the rotation; their eps is the same
    const RopeParams* rope = nullptr;  ///< of queries and keys; null: nothing is rotated
    std::optional<Rotation> query;
    std::optional<Append> append;
    bool rotateKeys = false;
};

Status recordRopeCache(const OpRun& run, const RopeCache& work, OpRecording& out) {
    const VulkanMemoryPool& memory = out.memory();
    const CacheVariant variant = variantOf(memory.options().kv);
    const BufferRange& unused = out.unused();
    Push push{.maxPages = memory.tablePages()};
    std::vector<Binding> bindings{reads(out.step()), reads(unused), reads(unused),
                                  reads(unused),     reads(unused), reads(unused),
                                  reads(unused),     reads(unused), reads(memory.pageTables()),
                                  reads(unused),     reads(unused), reads(unused)};
    bool halfSplit = false;
    bool twoPositions = false;
    bool hasAxes = false;
    if (work.rope && !work.rope->frequencies.empty()) {
        push.headDim = work.rope->headDim;
        push.numPairs = static_cast<uint32_t>(work.rope->frequencies.size());
        push.magnitude = work.rope->magnitude;
        halfSplit = work.rope->style == RopeStyle::HalfSplit;
        twoPositions = work.rope->positions == RopePositions::TwoForEach;
        INGLE_TRY_ASSIGN(const BufferRange turns, frequencies(*work.rope, out));
        bindings[1] = reads(turns);
        hasAxes = out.takesPictures() && !work.rope->axes.empty();
    }
    if (hasAxes) bindings[11] = reads(out.pictures());
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
    return out.dispatch(
        variant.shader,
        {kElementGroup, halfSplit, work.rotateKeys, work.norms.has_value(), twoPositions, hasAxes},
        std::move(bindings), push, {groupsFor(units, kElementGroup), out.numTokens(), 1});
}

/// Whether one set of frequencies serves both.
bool sameRotation(const RopeParams& a, const RopeParams& b) {
    return a.headDim == b.headDim && a.frequencies == b.frequencies && a.magnitude == b.magnitude &&
           a.style == b.style && a.positions == b.positions && a.axes == b.axes;
}

constexpr OpCode kKvAppend[] = {OpCode::KvAppend};

Status recordKvAppend(const OpRun& run, OpRecording& out) {
    RopeCache work;
    work.append = {.keys = run.input(0, 0), .values = {}, .layer = run.params<CacheParams>(0).layer};
    if (run.inputs(0).size() > 1) work.append->values = run.input(0, 1);
    return recordRopeCache(run, work, out);
}

constexpr OpCode kRope[] = {OpCode::Rope};

Status recordRope(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(0)};
    work.query = {run.input(0, 0), run.output(0)};
    return recordRopeCache(run, work, out);
}

// Queries are rotated, keys too and kept with the values.
constexpr OpCode kRopeAppend[] = {OpCode::Rope, OpCode::Rope, OpCode::KvAppend};

bool fitsRopeAppend(const OpRun& run, const Plan&) {
    return run.inputs(2).size() == 2 && run.usedOnce(run.output(1)) && run.input(2, 0) == run.output(1) &&
           sameRotation(run.params<RopeParams>(0), run.params<RopeParams>(1));
}

Status recordRopeAppend(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(0), .rotateKeys = true};
    work.query = {run.input(0, 0), run.output(0)};
    work.append = {run.input(1, 0), run.input(2, 1), run.params<CacheParams>(2).layer};
    return recordRopeCache(run, work, out);
}

// The heads of queries and keys are normalised and rotated, keys kept with the values.
constexpr OpCode kNormRopeAppend[] = {OpCode::RmsNorm, OpCode::RmsNorm, OpCode::Rope, OpCode::Rope,
                                      OpCode::KvAppend};

/// Whether op `i` normalises the heads that only op `rope` reads, with one gain for all of them.
bool normalisesHeads(const OpRun& run, const Plan& plan, size_t i, size_t rope) {
    const auto& params = run.params<RopeParams>(rope);
    return run.usedOnce(run.output(i)) && run.input(rope, 0) == run.output(i) &&
           run.op(i).weights.size() == 1 &&
           plan.weights[run.op(i).weights[0]].tensor->shape.numElems() == params.headDim &&
           !params.frequencies.empty() &&
           run.width(run.output(i)) == run.params<NormParams>(i).groups * params.headDim;
}

bool fitsNormRopeAppend(const OpRun& run, const Plan& plan) {
    return run.inputs(4).size() == 2 && normalisesHeads(run, plan, 0, 2) &&
           normalisesHeads(run, plan, 1, 3) &&
           run.params<NormParams>(0).eps == run.params<NormParams>(1).eps && run.usedOnce(run.output(3)) &&
           run.input(4, 0) == run.output(3) &&
           sameRotation(run.params<RopeParams>(2), run.params<RopeParams>(3));
}

Status recordNormRopeAppend(const OpRun& run, OpRecording& out) {
    RopeCache work{.rope = &run.params<RopeParams>(2), .rotateKeys = true};
    work.norms = {0, 1};
    work.query = {run.input(0, 0), run.output(2)};
    work.append = {run.input(1, 0), run.input(4, 1), run.params<CacheParams>(4).layer};
    return recordRopeCache(run, work, out);
}

constexpr VulkanOp kOps[] = {
    {kKvAppend, nullptr, recordKvAppend},
    {kRope, nullptr, recordRope},
    {kRopeAppend, fitsRopeAppend, recordRopeAppend},
    {kNormRopeAppend, fitsNormRopeAppend, recordNormRopeAppend},
};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::rope_cache_ops
