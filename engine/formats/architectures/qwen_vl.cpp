/// The language models of Qwen2-VL, Qwen2.5-VL and Qwen3-VL; their positions have components that are all the
/// same in text. Sources: transformers, modeling_qwen2_vl.py, modeling_qwen2_5_vl.py, modeling_qwen3_vl.py,
/// modeling_qwen3_vl_moe.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/transposed_experts.h"

namespace ingle::formats::qwen_vl_architectures {
namespace {

constexpr std::string_view kImageParts[] = {"visual.", "model.visual."};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    // Where windows are used, they are of some layers; up to their length there are none.
    INGLE_TRY_ASSIGN(const bool hasWindows, t.config.boolOr("use_sliding_window", false));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32Or("sliding_window", 4096, 0));
    if (hasWindows && window > 0 && window < sizes.context) t.setCount("context_length", window);
    return setRope(t, sizes, 1e6);
}

Status setQwen3(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes, 5e6);
}

/// As they are published experts are stored transposed; packed ones are not.
bool areTransposed(const Translation& t, const StoredTensor& stored, std::string_view rowsKey,
                   uint32_t times) {
    const uint64_t rows = uint64_t{t.config.u32Or(rowsKey, 0).value_or(0)} * times;
    return !stored.packed && stored.dims.size() == 3 && stored.dims[2] == rows;
}
Status placeGateUp(Translation& t, const StoredTensor& stored, const Place& place) {
    return areTransposed(t, stored, "moe_intermediate_size", 2) ? splitTransposedGateUp(t, stored, place)
                                                                : splitGateUp(t, stored, place);
}
Status placeDown(Translation& t, const StoredTensor& stored, const Place& place) {
    return areTransposed(t, stored, "hidden_size", 1) ? placeTransposed(t, stored, place)
                                                      : t.place(stored, place.name);
}

constexpr TensorRule kExpertRules[] = {
    {"model.layers.#.mlp.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", placeGateUp},
    {"model.layers.#.mlp.experts.down_proj", "blk.#.ffn_down_exps.weight", placeDown},
};

Status setQwen3Experts(Translation& t) {
    INGLE_TRY(setQwen3(t));
    INGLE_TRY(expectFlag(t.config, "norm_topk_prob", true, true));
    INGLE_TRY_ASSIGN(const uint32_t step, t.config.u32Or("decoder_sparse_step", 1));
    const MetaValue* dense = t.config.find("mlp_only_layers");
    if (step != 1 || dense)
        return fail(ErrorCode::Unsupported, "experts in some layers only are not supported for such models");
    // The key's name depends on the version that wrote it.
    const bool isNewer = t.config.find("num_local_experts") != nullptr;
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32(isNewer ? "num_local_experts" : "num_experts"));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32("num_experts_per_tok"));
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("moe_intermediate_size"));
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("expert_feed_forward_length", dim);
    return {};
}

constexpr TextStep kSteps[] = {TextStep::Nfc};
constexpr WordRules kWords{"qwen2", kSteps};

constexpr Architecture kArchitectures[] = {
    {.name = "Qwen2VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords},
    {.name = "Qwen2_5_VLForConditionalGeneration",
     .family = "qwen2vl",
     .setKeys = setKeys,
     .ignored = kImageParts,
     .words = kWords},
    {.name = "Qwen3VLForConditionalGeneration",
     .family = "qwen3vl",
     .setKeys = setQwen3,
     .ignored = kImageParts,
     .words = kWords},
    {.name = "Qwen3VLMoeForConditionalGeneration",
     .family = "qwen3vlmoe",
     .setKeys = setQwen3Experts,
     .tensors = kExpertRules,
     .ignored = kImageParts,
     .words = kWords},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::qwen_vl_architectures
