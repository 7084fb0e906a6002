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

/// That the tables and the scratch buffer have room for. Many rows keep a device busy by themselves.
uint32_t mostSplits(const AttentionSize& size, const OpRecording& out) {
    if (size.numTokens > kFewTokens) return 1;
    return std::min(out.memory().tablePages(), AttentionKernels::splitsIn(out.scratch().bytes, size));
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
    AttentionSize size{params.keyDim,   params.valueDim,    params.numHeads,    headsPerKv,
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
    std::vector<Binding> bindings{reads(out.step()),
                                  reads(out.rows(run.input(0, 0))),
                                  reads(keys),
                                  reads(values),
                                  reads(memory.pageTables()),
                                  writes(y),
                                  reads(slopes),
                                  reads(sinks)};
    if (out.numTokens() > kFewTokens) {
        if (auto tiles = out.attentionKernels().tiles(size))
            return out.dispatch(std::move(tiles->spec), std::move(bindings), push, tiles->groups);
    }
    const uint32_t most = mostSplits(size, out);
    std::optional<OpRecording::FormedRows> formed;
    const bool isFormed = params.valueDim % 32 == 0 && params.numHeads * params.valueDim % 64 == 0;
    if (isFormed && out.attentionKernels().rows(size, most).splits > 1)
        formed = out.formedRows(run.output(0));
    size.form = OpRecording::formNumber(formed);
    AttentionKernel rows = out.attentionKernels().rows(size, most);
    // Without splits, too: what the shader could write is nothing that others read.
    bindings.push_back(updates(out.arrivals()));
    bindings.push_back(updates(out.scratch()));
    bindings.push_back(formed ? writes(formed->range) : updates(out.scratch()));
    return out.dispatch(std::move(rows.spec), std::move(bindings), push, rows.groups);
}

constexpr VulkanOp kOps[] = {{kCodes, nullptr, record}};

}  // namespace

extern const VulkanOpList ops(kOps);

}  // namespace ingle::backend::vulkan::attention_ops
