/// Baichuan and Baichuan 2: q, k and v are the rows of one matrix, and the second's output is normalised row
/// by row. Source: baichuan-inc's modeling_baichuan.py of Baichuan2-7B-Base and Baichuan2-13B-Base.
#include <algorithm>
#include <cmath>

#include "engine/formats/checkpoint/architecture.h"

namespace ingle::formats::baichuan_architectures {
namespace {

/// The vocabulary of Baichuan 2, by which its files are known; that of the first has 64000 tokens.
constexpr uint32_t kVocabularyOf2 = 125696;

Status placeOutput(Translation& t, const StoredTensor& stored, const Place& place) {
    INGLE_TRY_ASSIGN(const uint32_t numTokens, t.config.u32("vocab_size"));
    if (numTokens != kVocabularyOf2) return t.place(stored, place.name);
    INGLE_TRY_ASSIGN(auto rows, t.numbersOf(stored));
    INGLE_TRY_ASSIGN(const tensor::Shape shape, shapeOf(stored));
    for (auto row = rows.begin(); row != rows.end(); row += static_cast<ptrdiff_t>(shape.rowElems())) {
        const auto end = row + static_cast<ptrdiff_t>(shape.rowElems());
        double squares = 0;
        std::for_each(row, end, [&](float value) { squares += double{value} * value; });
        const auto length = static_cast<float>(std::max(std::sqrt(squares), 1e-7));
        std::for_each(row, end, [&](float& value) { value /= length; });
    }
    return t.make(place.name, shape, rows);
}

constexpr TensorRule kRules[] = {
    {"model.layers.#.self_attn.W_pack.weight", "blk.#.attn_qkv.weight"},
    {"lm_head.weight", "output.weight", placeOutput},
};

Status setKeys(Translation& t) {
    INGLE_TRY(expectText(t.config, "hidden_act", "silu", {"silu"}));
    const bool isRotated = t.config.find("max_position_embeddings") != nullptr;
    INGLE_TRY_ASSIGN(
        const DecoderSizes sizes,
        setDecoderKeys(t, {.context = isRotated ? "max_position_embeddings" : "model_max_length"}));
    // The family tells its two models apart by their layers.
    if (sizes.numLayers != (isRotated ? 32 : 40))
        return fail(ErrorCode::Unsupported, "Baichuan of {} layers is not supported", sizes.numLayers);
    return {};
}

Status finish(Translation& t) {
    INGLE_TRY_ASSIGN(const uint32_t dim, t.config.u32("hidden_size"));
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.config.u32("num_hidden_layers"));
    for (uint32_t layer = 0; layer < numLayers; ++layer) {
        const auto name = [&](std::string_view part) {
            return fmt::format("blk.{}.attn_{}.weight", layer, part);
        };
        const Translation::Part parts[] = {{name("q"), dim}, {name("k"), dim}, {name("v"), dim}};
        INGLE_TRY(t.split(name("qkv"), parts));
    }
    return {};
}

constexpr Architecture kArchitectures[] = {
    {.name = "BaichuanForCausalLM",
     .family = "baichuan",
     .setKeys = setKeys,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves,
     .finish = finish},
    {.name = "BaiChuanForCausalLM",
     .family = "baichuan",
     .setKeys = setKeys,
     .tensors = kRules,
     .rotaryPairs = RotaryPairs::Halves,
     .finish = finish},
};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::baichuan_architectures
