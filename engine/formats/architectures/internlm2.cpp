/// InternLM2 and 2.5, whose matrices of queries, keys and values lie in one by heads of keys. Source:
/// InternLM's modeling_internlm2.py and configuration_internlm2.py.
#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/tensor_directory.h"
#include "engine/tensor/joined_rows.h"

namespace ingle::formats::internlm2_architectures {
namespace {

/// Rows [first, first + count) of each of `period`, as a tensor of their own.
Status takeRows(Translation& t, const std::shared_ptr<const tensor::Tensor>& whole, std::string name,
                uint64_t first, uint64_t count, uint64_t period) {
    const uint64_t numRuns = whole->shape.numRows() / period;
    tensor::Tensor part = *whole;
    if (whole->decoder || whole->side) {
        std::vector<tensor::RowRange> ranges;
        for (uint64_t run = 0; run < numRuns; ++run) ranges.push_back({whole, run * period + first, count});
        INGLE_TRY_ASSIGN(part, tensor::joinRows(std::move(ranges)));
    } else {
        auto table = std::make_shared<tensor::RowTable>();
        table->rowsPerRun = count;
        for (uint64_t run = 0; run < numRuns; ++run) table->runs.push_back(whole->row(run * period + first));
        part.table = std::move(table);
        part.data = {};
    }
    part.name = std::move(name);
    part.shape = tensor::Shape::of(whole->shape.rowElems(), numRuns * count);
    return addTensor(t.model, std::move(part));
}

/// For each head of keys its queries' rows, its own, and those of its values.
Status splitHeads(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    INGLE_TRY_ASSIGN(tensor::Tensor tensor, t.tensorOf(stored, place.name, shape));
    const auto countOf = [&](std::string_view key) {
        return t.model.metadata.u32(fmt::format("{}.attention.{}", t.family(), key));
    };
    INGLE_TRY_ASSIGN(const uint64_t heads, countOf("head_count"));
    INGLE_TRY_ASSIGN(const uint64_t kvHeads, countOf("head_count_kv"));
    INGLE_TRY_ASSIGN(const uint64_t dim, countOf("key_length"));
    if (kvHeads == 0 || heads % kvHeads != 0 || shape.numRows() != (heads + 2 * kvHeads) * dim)
        return fail(ErrorCode::Corrupt, "tensor '{}' of shape {} does not hold {} and {} heads of {}",
                    shown(stored.name), shape.text(), heads, kvHeads, dim);
    const uint64_t queries = heads / kvHeads * dim, period = queries + 2 * dim;
    const auto whole = std::make_shared<const tensor::Tensor>(std::move(tensor));
    const auto named = [&](std::string_view part) {
        std::string name = place.name;
        return name.replace(name.find('*'), 1, part);
    };
    INGLE_TRY(takeRows(t, whole, named("q"), 0, queries, period));
    INGLE_TRY(takeRows(t, whole, named("k"), queries, dim, period));
    return takeRows(t, whole, named("v"), queries + dim, dim, period);
}

constexpr TensorRule kRules[] = {
    {"model.tok_embeddings.weight", "token_embd.weight"},
    {"output.weight", "output.weight"},
    {"model.layers.#.attention_norm.weight", "blk.#.attn_norm.weight"},
    {"model.layers.#.attention.wqkv.weight", "blk.#.attn_*.weight", splitHeads},
    {"model.layers.#.attention.wo.weight", "blk.#.attn_output.weight"},
    {"model.layers.#.ffn_norm.weight", "blk.#.ffn_norm.weight"},
    {"model.layers.#.feed_forward.w1.weight", "blk.#.ffn_gate.weight"},
    {"model.layers.#.feed_forward.w3.weight", "blk.#.ffn_up.weight"},
    {"model.layers.#.feed_forward.w2.weight", "blk.#.ffn_down.weight"},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    INGLE_TRY(expectFlag(t.config, "bias", false, false));
    INGLE_TRY_ASSIGN(const DecoderSizes sizes, setDecoderKeys(t));
    return setRope(t, sizes);
}

constexpr Architecture kArchitectures[] = {
    {.name = "InternLM2ForCausalLM",
     .family = "internlm2",
     .setKeys = setKeys,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::internlm2_architectures
