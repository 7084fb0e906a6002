#include "engine/formats/gguf_layout.h"

#include <algorithm>

#include "engine/formats/value_heads.h"
#include "engine/tensor/joined_rows.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// Heads of queries or keys, and how many numbers of each are rotated.
struct Heads {
    uint32_t count;
    uint32_t dim;
    uint32_t rotated;
    RotaryPairs wanted;

    /// Where the row that comes to `index` lies.
    uint64_t sourceOf(uint64_t index) const {
        const uint64_t within = index % dim, half = rotated / 2;
        if (within >= rotated) return index;
        const uint64_t source = wanted == RotaryPairs::AsInGguf ? within % 2 * half + within / 2
                                                                : within % half * 2 + within / half;
        return index - within + source;
    }
};

Status reorder(ModelFile& model, const std::string& name, const Heads& heads) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) return {};
    tensor::Tensor& tensor = found->second;
    const bool isVector = tensor.shape.numRows() == 1;
    const uint64_t numRows = isVector ? tensor.shape.rowElems() : tensor.shape.numRows();
    if (numRows != uint64_t{heads.count} * heads.dim)
        return fail(ErrorCode::Corrupt, "{}: tensor '{}' of shape {} does not hold {} heads of {}",
                    model.path, shown(name), tensor.shape.text(), heads.count, heads.dim);
    if (tensor.decoder || tensor.side) {
        std::vector<tensor::RowRange> ranges;
        const auto of = std::make_shared<const tensor::Tensor>(tensor);
        for (uint64_t row = 0; row < numRows;) {
            const bool isPair = row % heads.dim < heads.rotated;
            ranges.push_back({of, heads.sourceOf(row), isPair ? 2U : 1U, isPair ? heads.rotated / 2 : 1});
            row += ranges.back().count;
        }
        INGLE_TRY_ASSIGN(tensor, tensor::joinRows(std::move(ranges)));
        return {};
    }
    if (!isVector) {
        auto table = std::make_shared<tensor::RowTable>();
        for (uint64_t row = 0; row < numRows; ++row) table->runs.push_back(tensor.row(heads.sourceOf(row)));
        tensor.table = std::move(table);
        tensor.data = {};
        tensor.rowStride = tensor.matrixStride = 0;
        return {};
    }
    std::vector<float> values(numRows);
    tensor.decodeRow(0, values);
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(numRows * sizeof(float)));
    for (uint64_t i = 0; i < numRows; ++i) buffer.floats()[i] = values[heads.sourceOf(i)];
    tensor.format = quant::findFormat(quant::kF32);
    tensor.data = {std::as_const(buffer).data(), buffer.size()};
    model.buffers.push_back(std::move(buffer));
    return {};
}

/// The numbers of vectors, one behind the other.
Result<tensor::Tensor> joinVectors(ModelFile& model, std::span<const tensor::Tensor> parts) {
    std::vector<float> numbers;
    for (const tensor::Tensor& part : parts) {
        const size_t begin = numbers.size();
        numbers.resize(begin + part.shape.rowElems());
        part.decodeRow(0, std::span(numbers).subspan(begin));
    }
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(numbers.size() * sizeof(float)));
    std::ranges::copy(numbers, buffer.floats().begin());
    tensor::Tensor joined{.shape = tensor::Shape::of(numbers.size()),
                          .format = quant::findFormat(quant::kF32),
                          .data = {std::as_const(buffer).data(), buffer.size()}};
    model.buffers.push_back(std::move(buffer));
    return joined;
}

}  // namespace

Status joinHeads(ModelFile& model) {
    if (!model.joinsHeadsInGguf) return {};
    constexpr std::string_view kQueries = ".attn_q.";
    std::vector<std::string> names;
    for (const auto& [name, tensor] : model.tensors)
        if (name.find(kQueries) != std::string::npos) names.push_back(name);
    for (const std::string& name : names) {
        const auto named = [&](std::string_view part) {
            return std::string(name).replace(name.find(kQueries), kQueries.size(), part);
        };
        const std::string fused = named(".attn_qkv.");
        std::vector<tensor::Tensor> parts;
        for (const std::string_view part :
             {kQueries, std::string_view(".attn_k."), std::string_view(".attn_v.")}) {
            const tensor::Tensor* found = model.find(named(part));
            if (!found)
                return fail(ErrorCode::Corrupt, "{}: the tensor {} is missing", model.path, named(part));
            parts.push_back(*found);
        }
        std::vector<tensor::RowRange> ranges;
        for (const tensor::Tensor& part : parts)
            ranges.push_back({std::make_shared<const tensor::Tensor>(part), 0, part.shape.numRows()});
        const bool areVectors = parts.front().shape.numRows() == 1;
        INGLE_TRY_ASSIGN(tensor::Tensor joined,
                         areVectors ? joinVectors(model, parts) : tensor::joinRows(std::move(ranges)));
        for (const std::string_view part :
             {kQueries, std::string_view(".attn_k."), std::string_view(".attn_v.")})
            model.tensors.erase(named(part));
        joined.name = fused;
        model.tensors.insert_or_assign(fused, std::move(joined));
    }
    return {};
}

Status layOutRotaryPairs(ModelFile& model, RotaryPairs wanted) {
    INGLE_TRY(tileValueHeads(model));
    if (model.rotaryPairs == wanted) return {};
    INGLE_TRY_ASSIGN(const std::string arch, model.metadata.string("general.architecture"));
    const auto count = [&](std::string_view key) {
        return model.metadata.u32(fmt::format("{}.{}", arch, key));
    };
    const auto countOr = [&](std::string_view key, uint32_t usual) {
        return model.metadata.u32Or(fmt::format("{}.{}", arch, key), usual);
    };
    INGLE_TRY_ASSIGN(const uint32_t numLayers, count("block_count"));
    INGLE_TRY_ASSIGN(const uint32_t numHeads, count("attention.head_count"));
    INGLE_TRY_ASSIGN(const uint32_t width, count("embedding_length"));
    INGLE_TRY_ASSIGN(const uint32_t dim, countOr("attention.key_length", numHeads ? width / numHeads : 0));
    INGLE_TRY_ASSIGN(const uint32_t rotated, countOr("rope.dimension_count", dim));
    if (dim == 0 || rotated == 0 || rotated > dim || rotated % 2 != 0)
        return fail(ErrorCode::Corrupt, "{}: {} of {} numbers of a head cannot be rotated", model.path,
                    rotated, dim);
    for (uint32_t layer = 0; layer < numLayers && layer < model.tensors.size(); ++layer) {
        const std::string prefix = fmt::format("blk.{}.attn_", layer);
        // Layers may differ in their heads of keys.
        const tensor::Tensor* keys = model.find(prefix + "k.weight");
        const auto numKvHeads = static_cast<uint32_t>(keys ? keys->shape.numRows() / dim : 0);
        for (const char* suffix : {".weight", ".bias"}) {
            INGLE_TRY(reorder(model, fmt::format("{}q{}", prefix, suffix), {numHeads, dim, rotated, wanted}));
            INGLE_TRY(
                reorder(model, fmt::format("{}k{}", prefix, suffix), {numKvHeads, dim, rotated, wanted}));
        }
    }
    model.rotaryPairs = wanted;
    return {};
}

}  // namespace ingle::formats
