/// gpt-oss: rows of gate and up of each expert by turns, packed as MXFP4, or numbers that are stored
/// transposed. Source: transformers, modeling_gpt_oss.py and configuration_gpt_oss.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/transposed_rows.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"

namespace ingle::formats::gpt_oss_architectures {
namespace {

constexpr float kGluLimit = 7;  // of the family

/// The stored matrices of all experts.
Result<std::shared_ptr<const tensor::Tensor>> expertsOf(const StoredTensor& stored) {
    if (stored.packed) return stored.packed;
    INGLE_TRY_ASSIGN(tensor::Tensor made, transposed(stored));
    return std::make_shared<const tensor::Tensor>(std::move(made));
}

Status placeDown(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const auto experts, expertsOf(stored));
    tensor::Tensor down = *experts;
    down.name = place.name;
    return addTensor(t.model, std::move(down));
}

/// place.name holds "*" for "gate" and "up".
std::string partName(const Place& place, std::string_view part) {
    std::string name = place.name;
    return name.replace(name.find('*'), 1, part);
}

Status splitTurns(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const auto both, expertsOf(stored));
    const tensor::Shape& shape = both->shape;
    const uint64_t rows = shape.dims[1] / 2;
    if (shape.dims[1] % 2 != 0)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} has no rows of gate and up by turns",
                    shown(stored.name), shape.text());
    for (const uint64_t first : {0U, 1U}) {
        INGLE_TRY_ASSIGN(tensor::Tensor part, tensor::joinRows({{both, first, rows * shape.dims[2], 2}}));
        part.name = partName(place, first == 0 ? "gate" : "up");
        part.shape = tensor::Shape::of(shape.dims[0], rows, shape.dims[2]);
        INGLE_TRY(addTensor(t.model, std::move(part)));
    }
    return {};
}

Status splitBiases(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const std::vector<float> both, t.numbersOf(stored));
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    for (const size_t first : {0U, 1U}) {
        std::vector<float> part;
        for (size_t i = first; i < both.size(); i += 2) part.push_back(both[i]);
        INGLE_TRY(t.make(partName(place, first == 0 ? "gate" : "up"),
                         tensor::Shape::of(shape.dims[0] / 2, shape.dims[1]), part));
    }
    return {};
}

constexpr TensorRule kRules[] = {
    {"model.layers.#.post_attention_layernorm.weight", "blk.#.post_attention_norm.weight"},
    {"model.layers.#.self_attn.sinks", "blk.#.attn_sinks.weight"},
    {"model.layers.#.mlp.router.weight", "blk.#.ffn_gate_inp.weight"},
    {"model.layers.#.mlp.router.bias", "blk.#.ffn_gate_inp.bias"},
    {"model.layers.#.mlp.experts.gate_up_proj", "blk.#.ffn_*_exps.weight", splitTurns},
    {"model.layers.#.mlp.experts.gate_up_proj_bias", "blk.#.ffn_*_exps.bias", splitBiases},
    {"model.layers.#.mlp.experts.down_proj", "blk.#.ffn_down_exps.weight", placeDown},
    {"model.layers.#.mlp.experts.down_proj_bias", "blk.#.ffn_down_exps.bias"},
};

/// Every other layer has a window, from the first on: the family knows that, and nothing else.
Status expectAlternatingWindows(const Translation& t) {
    const MetaValue* value = t.config.find("layer_types");
    const auto* kinds = value ? std::get_if<std::vector<std::string>>(value) : nullptr;
    for (size_t i = 0; kinds && i < kinds->size(); ++i) {
        if ((*kinds)[i] != (i % 2 == 0 ? "sliding_attention" : "full_attention"))
            return fail(ErrorCode::Unsupported, "layer_types names other layers than every second");
    }
    return {};
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectAlternatingWindows(t));
    INGLE_TRY_ASSIGN(const float limit, t.config.f32Or("swiglu_limit", kGluLimit));
    if (limit != kGluLimit) return fail(ErrorCode::Unsupported, "swiglu_limit = {} is not supported", limit);
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t, {.usualEpsilon = 1e-5}));
    INGLE_TRY_ASSIGN(const uint32_t ffnDim, t.config.u32("intermediate_size"));
    INGLE_TRY_ASSIGN(const uint32_t window, t.config.u32("sliding_window"));
    INGLE_TRY_ASSIGN(const uint32_t numExperts, t.config.u32("num_local_experts"));
    INGLE_TRY_ASSIGN(const uint32_t older, t.config.u32Or("experts_per_token", 4, 4));
    INGLE_TRY_ASSIGN(const uint32_t numUsed, t.config.u32Or("num_experts_per_tok", older));
    t.setCount("expert_feed_forward_length", ffnDim);
    t.setCount("expert_count", numExperts);
    t.setCount("expert_used_count", numUsed);
    t.setCount("attention.sliding_window", window);
    return setRope(t, sizes, 150000);
}

constexpr Architecture kArchitectures[] = {
    {.name = "GptOssForCausalLM", .family = "gpt-oss", .setKeys = setKeys, .tensors = kRules},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::gpt_oss_architectures
