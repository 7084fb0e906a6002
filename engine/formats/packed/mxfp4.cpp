/// MXFP4 as gpt-oss has its experts: "_blocks" of 16 bytes for 32 neighbours of a row, two after each other
/// in a byte, the first in its low half, and "_scales", an exponent for each; the file's format of blocks has
/// both together, and other neighbours in a byte. Source: transformers,
/// src/transformers/integrations/mxfp4.py.
#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/quant/block.h"

namespace ingle::formats::mxfp4_packing {
namespace {

constexpr std::string_view kMethods[] = {"mxfp4"};
constexpr uint64_t kHalfBytes = 16;

class Rows final : public tensor::RowDecoder {
  public:
    Rows(const StoredTensor& halves, const StoredTensor& exponents)
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

Status unpackTensor(Checkpoint& checkpoint, const std::string& name) {
    INGLE_TRY_ASSIGN(const StoredTensor halves, takeTyped(checkpoint, name + "_blocks", {"U8"}, 4));
    INGLE_TRY_ASSIGN(const StoredTensor exponents, takeTyped(checkpoint, name + "_scales", {"U8"}, 3));
    std::vector<uint64_t> dims = exponents.dims;
    dims.push_back(kHalfBytes);
    if (dims != halves.dims)
        return fail(ErrorCode::Corrupt, "the blocks and scales of the MXFP4 weights '{}' do not fit",
                    shown(name));
    tensor::Tensor made{.name = name,
                        .shape = tensor::Shape::of(dims[2] * 2 * kHalfBytes, dims[1], dims[0]),
                        .format = quant::findFormat("MXFP4")};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    made.decoder = std::make_shared<Rows>(halves, exponents);
    return enter(checkpoint, std::move(made));
}

Status unpack(Checkpoint& checkpoint, const Metadata&) {
    for (const std::string& name : modulesWith(checkpoint, "_blocks"))
        INGLE_TRY(unpackTensor(checkpoint, name));
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::mxfp4_packing
