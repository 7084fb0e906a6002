#include "engine/formats/checkpoint/nvfp4_weights.h"

#include <cmath>

#include "engine/quant/nvfp4_block.h"
#include "engine/tensor/side_data.h"

namespace ingle::formats {
namespace {

using Block = quant::Nvfp4Block;

constexpr uint64_t kPartsOfBlock = Block::kElems / Block::kPart;
constexpr uint32_t kSign = 0x80;       // of a scale
constexpr uint32_t kLevelSign = 0x08;  // of a level

class Nvfp4Rows final : public tensor::RowDecoder {
  public:
    explicit Nvfp4Rows(const Nvfp4Parts& parts)
        : m_levels(parts.levels.data), m_scales(parts.scales.data), m_partsOfRow(parts.scales.dims[1]) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        const uint64_t end = (first + count) * m_partsOfRow;
        for (uint64_t part = first * m_partsOfRow; part < end; part += kPartsOfBlock, out += Block::kBytes) {
            for (uint64_t i = 0; i < kPartsOfBlock; ++i) storePart(part + i, out, i);
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_levels, m_scales});
    }

  private:
    /// The blocks of GGUF have scales without a sign, so that of a scale goes to its levels.
    void storePart(uint64_t part, std::byte* block, uint64_t index) const {
        const uint32_t scale = quant::byteAt(m_scales.data() + part);
        const uint32_t turned = (scale & kSign) != 0 ? kLevelSign : 0;
        block[index] = static_cast<std::byte>(scale & ~kSign);
        const std::byte* levels = m_levels.data() + part * (Block::kPart / 2);
        std::byte* out = block + kPartsOfBlock + index * (Block::kPart / 2);
        for (size_t i = 0; i < Block::kPart / 2; ++i) {
            const uint32_t low = quant::nibbleAt(levels, i) ^ turned;
            const uint32_t high = quant::nibbleAt(levels, i + Block::kPart / 2) ^ turned;
            out[i] = static_cast<std::byte>(low | high << 4);
        }
    }

    std::span<const std::byte> m_levels, m_scales;
    uint64_t m_partsOfRow;
};

}  // namespace

Result<float> onlyNumber(const StoredTensor& stored) {
    const quant::QuantFormat* format = quant::findFormat(std::string_view(stored.type));
    if (!format || format->blockElems != 1 || stored.data.size() != format->blockBytes)
        return fail(ErrorCode::Corrupt, "tensor '{}' is not one number", shown(stored.name));
    float number = 0;
    format->decodeRow(stored.data.data(), {&number, 1});
    if (!std::isfinite(number))
        return fail(ErrorCode::Corrupt, "tensor '{}' is not one number", shown(stored.name));
    return number;
}

Status enterNvfp4(Checkpoint& checkpoint, const std::string& module, const Nvfp4Parts& parts) {
    const uint64_t rows = parts.levels.dims[0], columns = parts.levels.dims[1] * 2;
    if (columns % Block::kElems != 0)
        return fail(ErrorCode::Unsupported,
                    "the NVFP4 weights '{}' have rows of {} values, no multiple of {}", shown(module),
                    columns, Block::kElems);
    if (parts.scales.dims[0] != rows || parts.scales.dims[1] * Block::kPart != columns)
        return fail(ErrorCode::Corrupt, "the levels and scales of the NVFP4 weights '{}' do not fit",
                    shown(module));
    tensor::Tensor made{.name = module + ".weight",
                        .shape = tensor::Shape::of(columns, rows / parts.matrices, parts.matrices),
                        .format = quant::findFormat(quant::kNVFP4)};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    made.decoder = std::make_shared<Nvfp4Rows>(parts);
    made.side = std::make_shared<const tensor::SideData>(
        tensor::SideData{.partRows = rows, .partColumns = columns, .scales = {parts.factor}});
    return enter(checkpoint, std::move(made));
}

}  // namespace ingle::formats
