#include "engine/formats/checkpoint/mxfp4_weights.h"

#include "engine/quant/block.h"

namespace ingle::formats {
namespace {

constexpr uint64_t kHalfBytes = 16;  // of a block

/// The file's format of blocks has exponent and levels together, and other neighbours in a byte.
class Mxfp4Rows final : public tensor::RowDecoder {
  public:
    Mxfp4Rows(const StoredTensor& halves, const StoredTensor& exponents)
        : m_halves(halves.data), m_exponents(exponents.data), m_blocksOfRow(exponents.dims.back()) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        const uint64_t end = (first + count) * m_blocksOfRow;
        for (uint64_t block = first * m_blocksOfRow; block < end; ++block, out += 1 + kHalfBytes) {
            out[0] = m_exponents[block];
            const std::byte* halves = m_halves.data() + block * kHalfBytes;
            quant::storeNibbles32(out + 1, [&](size_t e) { return quant::nibbleAt(halves, e); });
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_halves, m_exponents});
    }

  private:
    std::span<const std::byte> m_halves, m_exponents;
    uint64_t m_blocksOfRow;
};

}  // namespace

Status enterMxfp4(Checkpoint& checkpoint, std::string name, const StoredTensor& halves,
                  const StoredTensor& exponents) {
    const auto& dims = exponents.dims;
    const uint64_t numBlocks = exponents.data.size();
    if (dims.size() < 2 || dims.size() > 3 || halves.data.size() % kHalfBytes != 0 ||
        halves.data.size() / kHalfBytes != numBlocks)
        return fail(ErrorCode::Corrupt, "the blocks and scales of the MXFP4 weights '{}' do not fit",
                    shown(name));
    const bool areMatrices = dims.size() == 3;
    tensor::Tensor made{.name = std::move(name),
                        .shape = tensor::Shape::of(dims.back() * 2 * kHalfBytes, dims[dims.size() - 2],
                                                   areMatrices ? dims[0] : 1),
                        .format = quant::findFormat("MXFP4")};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    made.decoder = std::make_shared<Mxfp4Rows>(halves, exponents);
    return enter(checkpoint, std::move(made));
}

}  // namespace ingle::formats
