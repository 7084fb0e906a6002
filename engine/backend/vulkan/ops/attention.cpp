#include <bit>

#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::attention_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Attention};

constexpr uint32_t kInvocations = 64;
/// Of keys: with eight heads the queries of attention.comp take 20 KiB of shared memory.
constexpr uint32_t kMaxHeadDim = 640;
/// Rows of which none shares a tile.
constexpr uint32_t kFewTokens = 8;
/// Query heads of a workgroup: each key and value is read once for all of them, and each needs registers.
constexpr uint32_t kMaxHeads = 8;
/// Workgroups that keep a device busy.
constexpr uint32_t kWantedGroups = 256;
constexpr uint32_t kMaxSplits = 16;

struct Push {
    uint32_t numHeads, headsPerKv;
    float scale;
    uint32_t maxPages;
    uint32_t keyRowWords, keyScaleWord, valueRowWords, valueScaleWord;
    uint32_t numRows;
    uint32_t window, chunk;
    float softCap;
};

/// As in shaders/attention.glsl, which is compiled for those that there are.
enum Feature : uint32_t {
    kWindow = 1,
    kChunk = 2,
    kSoftCap = 4,
    kSlopes = 8,
    kSinks = 16,
    kPrefix = 32,
    kFull = 64,
};

uint32_t featuresOf(const AttentionParams& params) {
    uint32_t features = 0;
    if (params.window > 0) features |= kWindow;
    if (params.chunk > 0) features |= kChunk;
    if (params.softCap > 0) features |= kSoftCap;
    if (!params.alibiSlopes.empty()) features |= kSlopes;
    if (params.hasSinks) features |= kSinks;
    // Where a picture is, its run has an end that all of its rows see.
    if (params.mask == Mask::Prefix || params.mask == Mask::Picture) features |= kPrefix;
    if (params.mask == Mask::Full) features |= kFull;
    return features;
}

uint32_t headsOfGroup(uint32_t headsPerKv) {
    uint32_t heads = std::min(headsPerKv, kMaxHeads);
    while (headsPerKv % heads != 0) --heads;
    return heads;
}

/// Few rows share out their pages, so that enough workgroups run.
uint32_t splitsOf(const AttentionParams& params, uint32_t heads, const OpRecording& out) {
    if (out.numTokens() > kFewTokens) return 1;
    const uint32_t groups = params.numHeads / heads * out.numTokens();
    const uint64_t splitBytes =
        uint64_t{out.numTokens()} * params.numHeads * (params.valueDim + 2) * sizeof(float);
    const uint64_t most =
        std::min<uint64_t>({kMaxSplits, out.memory().tablePages(), out.scratch().bytes / splitBytes});
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(kWantedGroups / groups, 1, std::max<uint64_t>(most, 1)));
}

Result<BufferRange> slopesOf(const AttentionParams& params, OpRecording& out) {
    if (params.alibiSlopes.empty()) return out.unused();
    std::vector<uint32_t> words;
    for (const float slope : params.alibiSlopes) words.push_back(std::bit_cast<uint32_t>(slope));
    return out.weights().constants(words);
}

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<AttentionParams>(0);
    const VulkanMemoryPool& memory = out.memory();
    const uint32_t largestDim = std::max(params.keyDim, params.valueDim);
    if (largestDim > kMaxHeadDim)
        return fail(ErrorCode::Unsupported,
                    "attention heads of {} dimensions on this device; at most {} are possible", largestDim,
                    kMaxHeadDim);
    const uint32_t headsPerKv = params.numHeads / params.numKvHeads;
    const uint32_t heads = headsOfGroup(headsPerKv);
    const uint32_t splits = splitsOf(params, heads, out);
    const uint32_t features = featuresOf(params);
    const bool valuesInKeys = memory.spec().kv[params.layer].valueElems == 0;
    const CacheRow& keyRow = memory.keyRow(params.layer);
    const CacheRow& valueRow = valuesInKeys ? keyRow : memory.valueRow(params.layer);
    const BufferRange& keys = memory.keys(params.layer);
    const BufferRange& values = valuesInKeys ? keys : memory.values(params.layer);
    const Push push{.numHeads = params.numHeads,
                    .headsPerKv = headsPerKv,
                    .scale = params.scale,
                    .maxPages = memory.tablePages(),
                    .keyRowWords = keyRow.rowWords(),
                    .keyScaleWord = keyRow.scaleWord(),
                    .valueRowWords = valueRow.rowWords(),
                    .valueScaleWord = valueRow.scaleWord(),
                    .numRows = out.numTokens(),
                    .window = params.window,
                    .chunk = params.chunk,
                    .softCap = params.softCap};
    const BufferRange& y = out.rows(run.output(0));
    INGLE_TRY_ASSIGN(const BufferRange slopes, slopesOf(params, out));
    BufferRange sinks = out.unused();
    if (params.hasSinks) {
        INGLE_TRY_ASSIGN(sinks, out.vector(run.op(0), 0));
    }
    std::vector<Binding> bindings{
        reads(out.step()),          reads(out.rows(run.input(0, 0))),       reads(keys),   reads(values),
        reads(memory.pageTables()), writes(splits > 1 ? out.scratch() : y), reads(slopes), reads(sinks)};
    if (out.numTokens() > kFewTokens) {
        const AttentionSize size{params.keyDim,   params.valueDim, params.numHeads,    headsPerKv,
                                 out.numTokens(), features,        memory.options().kv};
        if (auto tiles = out.attentionKernels().tiles(size))
            return out.dispatch(std::move(tiles->spec), std::move(bindings), push, tiles->groups);
    }
    INGLE_TRY(out.dispatch(fmt::format("attention_{}", cacheName(memory.options().kv)),
                           {kInvocations, params.keyDim, params.valueDim, features, heads, splits},
                           std::move(bindings), push,
                           {params.numHeads / heads * splits, out.numTokens(), 1}));
    if (splits == 1) return {};
    const struct { uint32_t valueDim, numSplits; } combine{params.valueDim, splits};
    return out.dispatch("attention_combine", {kInvocations, params.hasSinks},
                        {reads(out.scratch()), writes(y), reads(sinks)}, combine,
                        {params.numHeads, out.numTokens(), 1});
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::attention_ops
