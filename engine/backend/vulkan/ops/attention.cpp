#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {
namespace {

constexpr OpCode kCodes[] = {OpCode::Attention};

constexpr uint32_t kInvocations = 64;
constexpr uint32_t kMaxHeadDim = 256;
constexpr uint32_t kMaxTileHeadDim = 128;
constexpr uint32_t kTileRows = 16;
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
};

/// How the names of the shaders' variants end.
std::string_view cacheName(KvType type) {
    switch (type) {
        case KvType::F32:
            return "f32";
        case KvType::F16:
            return "f16";
        case KvType::Q8:
            return "q8";
    }
    return "f16";
}

uint32_t headsOfGroup(uint32_t headsPerKv) {
    uint32_t heads = std::min(headsPerKv, kMaxHeads);
    while (headsPerKv % heads != 0) --heads;
    return heads;
}

/// Few rows share out their pages, so that enough workgroups run.
uint32_t splitsOf(const AttentionParams& params, uint32_t heads, const OpRecording& out) {
    if (out.numTokens() > kMaxMatvecRows) return 1;
    const uint32_t groups = params.numHeads / heads * out.numTokens();
    const uint64_t splitBytes =
        uint64_t{out.numTokens()} * params.numHeads * (params.headDim + 2) * sizeof(float);
    const uint64_t most =
        std::min<uint64_t>({kMaxSplits, out.memory().maxPages(), out.scratch().bytes / splitBytes});
    return static_cast<uint32_t>(
        std::clamp<uint64_t>(kWantedGroups / groups, 1, std::max<uint64_t>(most, 1)));
}

Status record(const OpRun& run, OpRecording& out) {
    const auto& params = run.params<AttentionParams>(0);
    const VulkanMemoryPool& memory = out.memory();
    if (params.headDim > kMaxHeadDim)
        return fail(ErrorCode::Unsupported,
                    "attention heads of {} dimensions on this device; at most {} are possible",
                    params.headDim, kMaxHeadDim);
    const uint32_t headsPerKv = params.numHeads / params.numKvHeads;
    const uint32_t heads = headsOfGroup(headsPerKv);
    const uint32_t splits = splitsOf(params, heads, out);
    const Push push{.numHeads = params.numHeads,
                    .headsPerKv = headsPerKv,
                    .scale = params.scale,
                    .maxPages = memory.maxPages(),
                    .keyRowWords = memory.keyRow(params.layer).rowWords(),
                    .keyScaleWord = memory.keyRow(params.layer).scaleWord(),
                    .valueRowWords = memory.valueRow(params.layer).rowWords(),
                    .valueScaleWord = memory.valueRow(params.layer).scaleWord(),
                    .numRows = out.numTokens()};
    const std::string_view cache = cacheName(memory.options().kv);
    const BufferRange& y = out.rows(run.output(0));
    std::vector<Binding> bindings{reads(out.step()),
                                  reads(out.rows(run.input(0, 0))),
                                  reads(memory.keys(params.layer)),
                                  reads(memory.values(params.layer)),
                                  reads(memory.pageTables()),
                                  writes(splits > 1 ? out.scratch() : y)};
    if (out.numTokens() > kMaxMatvecRows && params.headDim <= kMaxTileHeadDim) {
        return out.dispatch(fmt::format("attention_tile_{}", cache), {kInvocations, params.headDim},
                            std::move(bindings), push,
                            {params.numHeads, groupsFor(out.numTokens(), kTileRows), 1});
    }
    INGLE_TRY(out.dispatch(fmt::format("attention_{}", cache), {kInvocations, params.headDim, heads, splits},
                           std::move(bindings), push,
                           {params.numHeads / heads * splits, out.numTokens(), 1}));
    if (splits == 1) return {};
    const struct { uint32_t headDim, numSplits; } combine{params.headDim, splits};
    return out.dispatch("attention_combine", {kInvocations}, {reads(out.scratch()), writes(y)}, combine,
                        {params.numHeads, out.numTokens(), 1});
}

}  // namespace

extern const VulkanOp attention_op;
const VulkanOp attention_op{kCodes, nullptr, record};

}  // namespace ingle::backend::vulkan
