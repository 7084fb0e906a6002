#include <bit>

#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan::attention_ops {
namespace {

constexpr OpCode kCodes[] = {OpCode::Attention};

/// Of keys: with eight heads the queries of attention.comp take 20 KiB of shared memory.
constexpr uint32_t kMaxHeadDim = 640;
/// Rows that are likely to be of as many sequences, so that none share a tile.
constexpr uint32_t kFewTokens = 16;

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
    kBefore = 128,
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
    if (params.mask == Mask::Before) features |= kBefore;
    return features;
}

/// That the tables and the scratch buffer have room for. Many rows keep a device busy by themselves. As many
/// for all numbers of rows of which each gives what it gives alone.
uint32_t mostSplits(const AttentionParams& params, const OpRecording& out) {
    if (out.numTokens() > kFewTokens) return 1;
    const uint32_t rows = std::max(out.numTokens(), kAlikeRows);
    const uint64_t headBytes = out.scratch().bytes / (uint64_t{rows} * params.numHeads);
    const uint64_t fitting = (headBytes / sizeof(float) - 1) / (params.valueDim + 2);
    return static_cast<uint32_t>(std::min<uint64_t>(out.memory().tablePages(), fitting));
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
    const AttentionSize size{params.keyDim,   params.valueDim,    params.numHeads,    headsPerKv,
                             out.numTokens(), featuresOf(params), memory.options().kv};
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
    const auto bindings = [&](const BufferRange& output) {
        return std::vector<Binding>{reads(out.step()),
                                    reads(out.rows(run.input(0, 0))),
                                    reads(keys),
                                    reads(values),
                                    reads(memory.pageTables()),
                                    writes(output),
                                    reads(slopes),
                                    reads(sinks)};
    };
    if (out.numTokens() > kFewTokens) {
        if (auto tiles = out.attentionKernels().tiles(size))
            return out.dispatch(std::move(tiles->spec), bindings(y), push, tiles->groups);
    }
    AttentionKernel rows = out.attentionKernels().rows(size, mostSplits(params, out));
    const bool isSplit = rows.splits > 1;
    INGLE_TRY(out.dispatch(std::move(rows.spec), bindings(isSplit ? out.scratch() : y), push, rows.groups));
    if (!isSplit) return {};
    std::optional<OpRecording::FormedRows> formed;
    if (params.valueDim % 32 == 0 && params.numHeads * params.valueDim % 64 == 0)
        formed = out.formedRows(run.output(0));
    AttentionKernel combine =
        AttentionKernels::combine(size, rows.splits, params.hasSinks, OpRecording::formNumber(formed));
    return out.dispatch(
        std::move(combine.spec),
        {reads(out.scratch()), writes(y), reads(sinks), writes(formed ? formed->range : out.unused())}, {},
        combine.groups);
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::attention_ops
