/// AWQ as its matrix kernels want it ("GEMM"): words of 32 bits hold eight neighbours of a row of inputs, of
/// levels and of zeros, in the order 0 2 4 6 1 3 5 7. Value = scale * (level - zero). Sources: Lin et al.,
/// "AWQ" (2024); AutoAWQ, awq/modules/linear/gemm.py and awq/utils/packing_utils.py.
#include <algorithm>

#include "engine/formats/checkpoint/group_weights.h"
#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats::awq_packing {
namespace {

constexpr std::string_view kMethods[] = {"awq"};
constexpr uint32_t kPerWord = 8;
/// The field of each of eight neighbours.
constexpr uint32_t kFields[kPerWord] = {0, 4, 1, 5, 2, 6, 3, 7};

class Source final : public GroupSource {
  public:
    Source(const StoredTensor& levels, const StoredTensor& zeros, const StoredTensor& scales)
        : m_levels(levels.data),
          m_zeros(zeros.data),
          m_scales(scales),
          m_wordsOfRow(levels.dims[1]),
          m_width(levels.dims[0]) {}

    void readLevels(uint64_t first, uint64_t count, uint8_t* out) const override {
        for (uint64_t i = 0; i < m_width; ++i) {
            for (uint64_t row = 0; row < count; ++row)
                out[row * m_width + i] = static_cast<uint8_t>(fieldAt(m_levels, i, first + row));
        }
    }
    float scale(uint64_t row, uint64_t group) const override {
        return m_scales.at(group * m_wordsOfRow * kPerWord + row);
    }
    uint32_t zero(uint64_t row, uint64_t group) const override { return fieldAt(m_zeros, group, row); }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_levels, m_zeros, m_scales.data()});
    }

  private:
    uint32_t fieldAt(std::span<const std::byte> words, uint64_t line, uint64_t row) const {
        return wordAt(words, line * m_wordsOfRow + row / kPerWord) >> 4 * kFields[row % kPerWord] & 15;
    }

    std::span<const std::byte> m_levels, m_zeros;
    ScaleTable m_scales;
    uint64_t m_wordsOfRow, m_width;
};

Status unpackModule(Checkpoint& checkpoint, const std::string& module) {
    INGLE_TRY_ASSIGN(const StoredTensor levels, takeTyped(checkpoint, module + ".qweight", {"I32"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor zeros, takeTyped(checkpoint, module + ".qzeros", {"I32"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor scales,
                     takeTyped(checkpoint, module + ".scales", {"F16", "BF16"}, 2));
    const uint64_t width = levels.dims[0], numGroups = scales.dims[0];
    if (zeros.dims[1] != levels.dims[1] || scales.dims[1] != levels.dims[1] * kPerWord ||
        zeros.dims[0] != numGroups || width % numGroups != 0)
        return fail(ErrorCode::Corrupt, "the scales, zeros and levels of the AWQ weights '{}' do not fit",
                    shown(module));
    INGLE_TRY_ASSIGN(tensor::Tensor made,
                     makeGroupTensor({.name = module + ".weight",
                                      .width = width,
                                      .numRows = scales.dims[1],
                                      .groupOfColumn = evenGroups(width, width / numGroups),
                                      .source = std::make_shared<Source>(levels, zeros, scales)}));
    return enter(checkpoint, std::move(made));
}

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    INGLE_TRY_ASSIGN(std::string version, settings.stringOr("version", "gemm"));
    std::ranges::transform(version, version.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (version != "gemm")
        return fail(ErrorCode::Unsupported, "AWQ weights in the layout \"{}\" are not supported",
                    shown(version));
    for (const char* key : {"bits", "w_bit"}) {
        INGLE_TRY_ASSIGN(const uint32_t bits, settings.u32Or(key, 4));
        if (bits != 4) return fail(ErrorCode::Unsupported, "AWQ weights of {} bits are not supported", bits);
    }
    for (const std::string& module : modulesWith(checkpoint, ".qweight"))
        INGLE_TRY(unpackModule(checkpoint, module));
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::awq_packing
