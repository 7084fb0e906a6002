/// GPTQ: words of 32 bits hold levels of 2, 3, 4 or 8 bits that follow each other down a column, and zeros
/// along a row; "g_idx" says to which group each column belongs. Value = scale * (level - zero), where "gptq"
/// stores zero - 1 and "gptq_v2" the zero itself. Sources: Frantar et al., "GPTQ" (2023); AutoGPTQ,
/// auto_gptq/nn_modules/qlinear (packing); GPTQModel, gptqmodel/utils/model.py (the two formats); AutoRound,
/// auto_round/export (which writes the first, and calls it packing_format "auto_round:auto_gptq").
#include <algorithm>

#include "engine/formats/checkpoint/group_weights.h"
#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats::gptq_packing {
namespace {

constexpr std::string_view kMethods[] = {"gptq", "auto-round", "auto_round"};

class Source final : public GroupSource {
  public:
    Source(const StoredTensor& levels, const StoredTensor& zeros, const StoredTensor& scales, uint32_t bits,
           uint32_t addedToZeros)
        : m_levels(levels.data),
          m_zeros(zeros.data),
          m_scales(scales),
          m_numOut(levels.dims[1]),
          m_width(levels.dims[0] * 32 / bits),
          m_bits(bits),
          m_addedToZeros(addedToZeros) {}

    void readLevels(uint64_t first, uint64_t count, uint8_t* out) const override {
        if (m_bits < 4) return readFewBits(first, count, out);
        const uint64_t perWord = 32 / m_bits;
        for (uint64_t i = 0; i < m_width / perWord; ++i) {
            for (uint64_t row = 0; row < count; ++row)
                spread(wordAt(m_levels, i * m_numOut + first + row), out + row * m_width + i * perWord);
        }
    }
    float scale(uint64_t row, uint64_t group) const override { return m_scales.at(group * m_numOut + row); }
    uint32_t zero(uint64_t row, uint64_t group) const override {
        const std::span<const std::byte> zeros = m_zeros.subspan(group * m_numOut * m_bits / 8);
        return (field(zeros, 1, row) + m_addedToZeros) & ((1U << m_bits) - 1);
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_levels, m_zeros, m_scales.data()});
    }

  private:
    /// Field `index` of words that are so many apart. One may begin in a word and end in the next.
    uint32_t field(std::span<const std::byte> words, uint64_t step, uint64_t index) const {
        const uint64_t bit = index * m_bits, word = bit / 32;
        uint64_t two = wordAt(words, word * step);
        if (bit % 32 + m_bits > 32) two |= uint64_t{wordAt(words, (word + 1) * step)} << 32;
        return static_cast<uint32_t>(two >> bit % 32) & ((1U << m_bits) - 1);
    }
    void readFewBits(uint64_t first, uint64_t count, uint8_t* out) const {
        for (uint64_t row = first; row < first + count; ++row)
            for (uint64_t i = 0; i < m_width; ++i)
                *out++ = static_cast<uint8_t>(field(m_levels.subspan(4 * row), m_numOut, i));
    }
    /// The fields of a word of 4 or 8 bits, a byte each.
    void spread(uint32_t word, uint8_t* out) const {
        if (m_bits == 8) {
            std::memcpy(out, &word, sizeof word);
            return;
        }
        uint64_t wide = word;
        wide = (wide | wide << 16) & 0x0000FFFF0000FFFF;
        wide = (wide | wide << 8) & 0x00FF00FF00FF00FF;
        wide = (wide | wide << 4) & 0x0F0F0F0F0F0F0F0F;
        std::memcpy(out, &wide, sizeof wide);
    }

    std::span<const std::byte> m_levels, m_zeros;
    ScaleTable m_scales;
    uint64_t m_numOut, m_width;
    uint32_t m_bits, m_addedToZeros;
};

/// How the file stores its zeros: 1 is to be added to them, or 0.
Result<uint32_t> addedToZeros(const Metadata& settings) {
    INGLE_TRY_ASSIGN(const bool isMarlin, settings.boolOr("is_marlin_format", false));
    INGLE_TRY_ASSIGN(std::string format, settings.stringOr("checkpoint_format", "gptq"));
    if (isMarlin) format = "marlin";
    INGLE_TRY_ASSIGN(const std::string packing, settings.stringOr("packing_format", ""));
    constexpr std::string_view kAutoRound[] = {"auto_round:auto_gptq", "auto_gptq"};
    if (std::ranges::find(kAutoRound, packing) != std::end(kAutoRound)) return 1;
    if (!packing.empty()) format = packing;
    if (format == "gptq" || format == "gptq_v2") return format == "gptq" ? 1 : 0;
    return fail(ErrorCode::Unsupported, "GPTQ weights in the layout \"{}\" are not supported", shown(format));
}

/// Bits of a level: as many as zeros of a row take.
Result<uint32_t> bitsOf(const std::string& module, uint64_t wordsOfZeros, uint64_t numOut) {
    for (const uint32_t bits : {2U, 3U, 4U, 8U})
        if (wordsOfZeros * 32 == numOut * bits) return bits;
    return fail(ErrorCode::Unsupported, "the GPTQ weights '{}' have {} bits; 2, 3, 4 and 8 are supported",
                shown(module), wordsOfZeros * 32 / std::max<uint64_t>(numOut, 1));
}

Result<std::vector<uint32_t>> groupsOf(Checkpoint& checkpoint, const std::string& module, uint64_t width,
                                       uint64_t numGroups, const Metadata& settings) {
    if (checkpoint.tensors.contains(module + ".g_idx")) {
        INGLE_TRY_ASSIGN(const StoredTensor stated, takeTyped(checkpoint, module + ".g_idx", {"I32"}, 1));
        return statedGroups(stated, width, numGroups);
    }
    // -1, and other numbers that no group has, stand for whole rows.
    uint64_t size = width;
    if (const MetaValue* value = settings.find("group_size")) {
        const auto* number = std::get_if<int64_t>(value);
        if (number && *number > 0) size = std::min<uint64_t>(static_cast<uint64_t>(*number), width);
    }
    if ((width + size - 1) / size != numGroups)
        return fail(ErrorCode::Corrupt, "the GPTQ weights '{}' have scales for {} groups of {} columns of {}",
                    shown(module), numGroups, size, width);
    return evenGroups(width, size);
}

Status unpackModule(Checkpoint& checkpoint, const std::string& module, const Metadata& settings,
                    uint32_t addedToZeros) {
    INGLE_TRY_ASSIGN(const StoredTensor levels, takeTyped(checkpoint, module + ".qweight", {"I32"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor zeros, takeTyped(checkpoint, module + ".qzeros", {"I32"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor scales,
                     takeTyped(checkpoint, module + ".scales", {"F16", "BF16"}, 2));
    const uint64_t numOut = levels.dims[1], numGroups = scales.dims[0];
    INGLE_TRY_ASSIGN(const uint32_t bits, bitsOf(module, zeros.dims[1], numOut));
    if (scales.dims[1] != numOut || zeros.dims[0] != numGroups)
        return fail(ErrorCode::Corrupt, "the scales, zeros and levels of the GPTQ weights '{}' do not fit",
                    shown(module));
    GroupMatrix matrix{.name = module + ".weight",
                       .width = levels.dims[0] * 32 / bits,
                       .numRows = numOut,
                       .bits = std::max(bits, 4U)};
    if (levels.dims[0] * 32 % bits != 0)
        return fail(ErrorCode::Corrupt, "the GPTQ weights '{}' end within a level", shown(module));
    INGLE_TRY_ASSIGN(matrix.groupOfColumn, groupsOf(checkpoint, module, matrix.width, numGroups, settings));
    matrix.source = std::make_shared<Source>(levels, zeros, scales, bits, addedToZeros);
    INGLE_TRY_ASSIGN(tensor::Tensor made, makeGroupTensor(std::move(matrix)));
    return enter(checkpoint, std::move(made));
}

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    // GPTQModel may turn weights and activations by a matrix before it packs.
    INGLE_TRY_ASSIGN(const std::string rotation, settings.stringOr("rotation", ""));
    if (!rotation.empty())
        return fail(ErrorCode::Unsupported,
                    "GPTQ weights that were rotated (\"{}\") before they were packed are not supported",
                    shown(rotation));
    INGLE_TRY_ASSIGN(const uint32_t added, addedToZeros(settings));
    for (const std::string& module : modulesWith(checkpoint, ".qweight"))
        INGLE_TRY(unpackModule(checkpoint, module, settings, added));
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::gptq_packing
