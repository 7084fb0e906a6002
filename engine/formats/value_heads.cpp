#include "engine/formats/value_heads.h"

#include <algorithm>
#include <cstring>
#include <memory>

#include "engine/tensor/joined_rows.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

/// Value heads, behind so many numbers that stay.
struct ValueHeads {
    uint32_t count;
    uint32_t keyHeads;
    uint64_t kept;
    uint64_t dim;  ///< numbers of each

    uint64_t size() const { return kept + count * dim; }
    /// The head that comes to place `index`.
    uint64_t sourceOf(uint64_t index) const {
        return index % keyHeads * (count / keyHeads) + index / keyHeads;
    }
    /// Where the number that comes to `index` lies.
    uint64_t sourceOfNumber(uint64_t index) const {
        if (index < kept) return index;
        return kept + sourceOf((index - kept) / dim) * dim + (index - kept) % dim;
    }
};

/// Columns in another order. Numbers stay as they are stored where they are stored one by one.
class TiledColumns final : public tensor::RowDecoder {
  public:
    TiledColumns(tensor::Tensor of, const ValueHeads& heads) : m_of(std::move(of)), m_heads(heads) {}

    bool areStoredAlone() const { return m_of.format->blockElems == 1 && !m_of.side; }

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        const uint64_t width = m_of.shape.rowElems();
        const size_t unit = areStoredAlone() ? m_of.format->blockBytes : sizeof(float);
        std::vector<std::byte> bytes(width * unit);
        std::vector<float> numbers(areStoredAlone() ? 0 : width);
        for (uint64_t row = first; row < first + count; ++row, out += bytes.size()) {
            if (!areStoredAlone()) {
                m_of.decodeRow(row, numbers);
                std::memcpy(bytes.data(), numbers.data(), bytes.size());
            } else if (m_of.data.empty() && m_of.decoder) {
                m_of.decoder->decode(row, 1, bytes.data());
            } else {
                std::copy_n(m_of.row(row), bytes.size(), bytes.begin());
            }
            for (uint64_t i = 0; i < width; ++i)
                std::memcpy(out + i * unit, bytes.data() + m_heads.sourceOfNumber(i) * unit, unit);
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        if (m_of.decoder) m_of.decoder->addStored(stored);
    }

  private:
    tensor::Tensor m_of;
    ValueHeads m_heads;
};

/// The tensor of that name, if there is one, and if it has as many numbers along the heads.
Result<tensor::Tensor*> findSized(ModelFile& model, const std::string& name, uint64_t size,
                                  bool alongColumns) {
    const auto found = model.tensors.find(name);
    if (found == model.tensors.end()) return nullptr;
    const tensor::Shape& shape = found->second.shape;
    if ((alongColumns ? shape.rowElems() : shape.numRows()) != size)
        return fail(ErrorCode::Corrupt,
                    "{}: tensor '{}' of shape {} does not hold heads of {} numbers together", model.path,
                    shown(name), shape.text(), size);
    return &found->second;
}

Status tileRows(ModelFile& model, const std::string& name, const ValueHeads& heads) {
    INGLE_TRY_ASSIGN(tensor::Tensor* const tensor, findSized(model, name, heads.size(), false));
    if (!tensor) return {};
    const auto of = std::make_shared<const tensor::Tensor>(*tensor);
    std::vector<tensor::RowRange> ranges;
    if (heads.kept > 0) ranges.push_back({of, 0, heads.kept});
    for (uint64_t head = 0; head < heads.count; ++head)
        ranges.push_back({of, heads.kept + heads.sourceOf(head) * heads.dim, heads.dim});
    INGLE_TRY_ASSIGN(*tensor, tensor::joinRows(std::move(ranges)));
    return {};
}

Status tileColumns(ModelFile& model, const std::string& name, const ValueHeads& heads) {
    INGLE_TRY_ASSIGN(tensor::Tensor* const tensor, findSized(model, name, heads.size(), true));
    if (!tensor) return {};
    auto columns = std::make_shared<TiledColumns>(*tensor, heads);
    tensor::Tensor tiled{.name = tensor->name, .shape = tensor->shape, .format = tensor->format};
    if (!columns->areStoredAlone()) tiled.format = quant::findFormat(quant::kF32);
    tiled.decoder = std::move(columns);
    *tensor = std::move(tiled);
    return {};
}

Status tileVector(ModelFile& model, const std::string& name, const ValueHeads& heads) {
    INGLE_TRY_ASSIGN(tensor::Tensor* const tensor, findSized(model, name, heads.size(), true));
    if (!tensor) return {};
    std::vector<float> values(heads.size());
    tensor->decodeRow(0, values);
    INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(values.size() * sizeof(float)));
    for (uint64_t i = 0; i < values.size(); ++i) buffer.floats()[i] = values[heads.sourceOfNumber(i)];
    tensor->format = quant::findFormat(quant::kF32);
    tensor->data = {std::as_const(buffer).data(), buffer.size()};
    model.buffers.push_back(std::move(buffer));
    return {};
}

}  // namespace

Status tileValueHeads(ModelFile& model) {
    INGLE_TRY_ASSIGN(const std::string arch, model.metadata.stringOr("general.architecture", ""));
    const std::string key = fmt::format("{}.{}", arch, kConsecutiveValueHeads);
    INGLE_TRY_ASSIGN(const bool areConsecutive, model.metadata.boolOr(key, false));
    if (!areConsecutive) return {};
    const auto count = [&](std::string_view name) {
        return model.metadata.u32(fmt::format("{}.{}", arch, name));
    };
    INGLE_TRY_ASSIGN(const uint32_t numLayers, count("block_count"));
    INGLE_TRY_ASSIGN(const uint32_t keyHeads, count("ssm.group_count"));
    INGLE_TRY_ASSIGN(const uint32_t valueHeads, count("ssm.time_step_rank"));
    INGLE_TRY_ASSIGN(const uint32_t keyDim, count("ssm.state_size"));
    INGLE_TRY_ASSIGN(const uint32_t inner, count("ssm.inner_size"));
    if (keyHeads == 0 || valueHeads == 0 || valueHeads % keyHeads != 0 || inner == 0 ||
        inner % valueHeads != 0)
        return fail(ErrorCode::Corrupt,
                    "{}: {} numbers in {} value heads for {} key heads are no gated delta net", model.path,
                    inner, valueHeads, keyHeads);
    const uint64_t queriesAndKeys = uint64_t{2} * keyDim * keyHeads, dim = inner / valueHeads;
    const ValueHeads mixed{valueHeads, keyHeads, queriesAndKeys, dim}, values{valueHeads, keyHeads, 0, dim},
        rates{valueHeads, keyHeads, 0, 1};
    for (uint32_t layer = 0; layer < numLayers && layer < model.tensors.size(); ++layer) {
        const auto name = [&](std::string_view part) { return fmt::format("blk.{}.{}", layer, part); };
        if (!model.find(name("ssm_a"))) continue;
        INGLE_TRY(tileRows(model, name("attn_qkv.weight"), mixed));
        INGLE_TRY(tileRows(model, name("ssm_conv1d.weight"), mixed));
        INGLE_TRY(tileRows(model, name("attn_gate.weight"), values));
        INGLE_TRY(tileRows(model, name("ssm_beta.weight"), rates));
        INGLE_TRY(tileRows(model, name("ssm_alpha.weight"), rates));
        INGLE_TRY(tileColumns(model, name("ssm_out.weight"), values));
        INGLE_TRY(tileVector(model, name("ssm_a"), rates));
        INGLE_TRY(tileVector(model, name("ssm_dt.bias"), rates));
    }
    Metadata others;
    for (const auto& [name, value] : model.metadata.all())
        if (name != key) others.set(name, value);
    model.metadata = std::move(others);
    return {};
}

}  // namespace ingle::formats
