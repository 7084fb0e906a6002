/// compressed-tensors: levels of 4 or 8 bits that follow each other along a row, in words of 32 bits or, of 8
/// bits, as signed bytes, and matrices of F8_E4M3. Value = scale * (level - zero), where levels and packed
/// zeros are stored with half their range added. And NVFP4, where a value is divided by one number of the
/// whole. Source: compressed-tensors,
/// src/compressed_tensors/compressors/quantized_compressors/{pack,naive,fp4}_quantized.py and
/// quantization/lifecycle/forward.py.
#include <algorithm>

#include "engine/formats/checkpoint/group_weights.h"
#include "engine/formats/checkpoint/nvfp4_weights.h"
#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats::compressed_tensors_packing {
namespace {

constexpr std::string_view kMethods[] = {"compressed-tensors"};
constexpr std::string_view kFormats[] = {"pack-quantized",      "int-quantized",   "float-quantized",
                                         "naive-quantized",     "mixed-precision", "dense",
                                         "nvfp4-pack-quantized"};

/// What is computed with rotated weights has to be rotated, too.
constexpr std::string_view kTransforms = "transform_config";

/// Whether a key is this one or in it.
bool isOf(std::string_view outer, std::string_view key) {
    return key.starts_with(outer) && (key.size() == outer.size() || key[outer.size()] == '.');
}

/// What is beside a matrix of levels.
struct Companions {
    StoredTensor scales;                ///< [numRows, numGroups]
    std::optional<StoredTensor> zeros;  ///< I32 [numRows / levels of a word, numGroups], or I8 for each scale
};

class Source final : public GroupSource {
  public:
    Source(std::span<const std::byte> levels, uint64_t width, uint32_t bits, bool areSigned,
           const Companions& beside)
        : m_levels(levels),
          m_zeros(beside.zeros ? beside.zeros->data : std::span<const std::byte>{}),
          m_scales(beside.scales),
          m_width(width),
          m_numGroups(beside.scales.dims[1]),
          m_bits(bits),
          m_half(1U << (bits - 1)),
          m_levelsAreSigned(areSigned),
          m_zerosAreBytes(beside.zeros && beside.zeros->type == "I8") {}

    void readLevels(uint64_t first, uint64_t count, uint8_t* out) const override {
        const auto* stored = reinterpret_cast<const uint8_t*>(m_levels.data()) + first * m_width * m_bits / 8;
        const uint64_t total = count * m_width;
        if (m_bits == 4) {
            for (uint64_t i = 0; i < total; ++i)
                out[i] = static_cast<uint8_t>(stored[i / 2] >> i % 2 * 4 & 15);
            return;
        }
        const uint8_t added = m_levelsAreSigned ? 128 : 0;
        for (uint64_t i = 0; i < total; ++i) out[i] = static_cast<uint8_t>(stored[i] + added);
    }
    float scale(uint64_t row, uint64_t group) const override {
        return m_scales.at(row * m_numGroups + group);
    }
    uint32_t zero(uint64_t row, uint64_t group) const override {
        if (m_zeros.empty()) return m_half;
        const uint32_t mask = 2 * m_half - 1;
        if (m_zerosAreBytes)
            return (std::to_integer<uint32_t>(m_zeros[row * m_numGroups + group]) + m_half) & mask;
        const uint64_t perWord = 32 / m_bits;
        return wordAt(m_zeros, row / perWord * m_numGroups + group) >> row % perWord * m_bits & mask;
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_levels, m_zeros, m_scales.data()});
    }

  private:
    std::span<const std::byte> m_levels, m_zeros;
    ScaleTable m_scales;
    uint64_t m_width, m_numGroups;
    uint32_t m_bits, m_half;
    bool m_levelsAreSigned, m_zerosAreBytes;
};

/// Takes what is beside a matrix, checked against its shape.
Result<Companions> takeCompanions(Checkpoint& checkpoint, const std::string& module,
                                  const GroupMatrix& matrix) {
    const std::string name = module + ".weight_scale";
    // One scale for each row may have lost its second dimension, and one for all of them both.
    if (const auto found = checkpoint.tensors.find(name); found != checkpoint.tensors.end())
        if (found->second.dims.size() == 1) found->second.dims.push_back(1);
    INGLE_TRY_ASSIGN(StoredTensor scales, takeTyped(checkpoint, name, {"F16", "BF16"}, 2));
    Companions beside{std::move(scales), std::nullopt};
    const uint64_t numGroups = beside.scales.dims[1];
    bool fits = beside.scales.dims[0] == matrix.numRows && matrix.width % numGroups == 0;
    if (checkpoint.tensors.contains(module + ".weight_zero_point")) {
        INGLE_TRY_ASSIGN(beside.zeros,
                         takeTyped(checkpoint, module + ".weight_zero_point", {"I32", "I8"}, 2));
        const uint64_t perLine = beside.zeros->type == "I8" ? 1 : 32 / matrix.bits;
        fits = fits && beside.zeros->dims[1] == numGroups &&
               beside.zeros->dims[0] == (matrix.numRows + perLine - 1) / perLine;
    }
    if (!fits)
        return fail(ErrorCode::Corrupt, "the scales, zeros and levels of the packed weights '{}' do not fit",
                    shown(module));
    return beside;
}

Status finish(Checkpoint& checkpoint, const std::string& module, GroupMatrix matrix,
              std::span<const std::byte> levels, bool areSigned) {
    INGLE_TRY_ASSIGN(const Companions beside, takeCompanions(checkpoint, module, matrix));
    const uint64_t numGroups = beside.scales.dims[1];
    matrix.groupOfColumn = evenGroups(matrix.width, matrix.width / numGroups);
    if (checkpoint.tensors.contains(module + ".weight_g_idx")) {
        INGLE_TRY_ASSIGN(const StoredTensor stated,
                         takeTyped(checkpoint, module + ".weight_g_idx", {"I32"}, 1));
        INGLE_TRY_ASSIGN(matrix.groupOfColumn, statedGroups(stated, matrix.width, numGroups));
    }
    matrix.source = std::make_shared<Source>(levels, matrix.width, matrix.bits, areSigned, beside);
    INGLE_TRY_ASSIGN(tensor::Tensor made, makeGroupTensor(std::move(matrix)));
    return enter(checkpoint, std::move(made));
}

Status unpackWords(Checkpoint& checkpoint, const std::string& module) {
    INGLE_TRY_ASSIGN(const StoredTensor levels, takeTyped(checkpoint, module + ".weight_packed", {"I32"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor shape,
                     takeTyped(checkpoint, module + ".weight_shape", {"I64", "I32"}, 1));
    if (shape.dims[0] != 2)
        return fail(ErrorCode::Corrupt, "tensor '{}' is no shape of a matrix", shown(shape.name));
    const uint64_t size = shape.type == "I64" ? 2 : 1;  // words of a number, whose upper ones are zeros
    const uint64_t numRows = wordAt(shape.data, 0), width = wordAt(shape.data, size);
    GroupMatrix matrix{.name = module + ".weight", .width = width, .numRows = numRows, .bits = 0};
    for (const uint32_t bits : {4U, 8U})
        if (levels.dims[1] * 32 == width * bits) matrix.bits = bits;
    if (matrix.bits == 0 || numRows != levels.dims[0])
        return fail(ErrorCode::Unsupported,
                    "the packed weights '{}' of {} × {} words are no matrix of {} × {} levels of 4 or 8 bits",
                    shown(module), levels.dims[0], levels.dims[1], numRows, width);
    return finish(checkpoint, module, std::move(matrix), levels.data, false);
}

Status unpackFp4(Checkpoint& checkpoint, const std::string& module) {
    Nvfp4Parts parts;
    INGLE_TRY_ASSIGN(const float divisor, onlyNumber(*take(checkpoint, module + ".weight_global_scale")));
    if (divisor == 0) return fail(ErrorCode::Corrupt, "tensor '{}.weight_global_scale' is 0", shown(module));
    parts.factor = 1 / divisor;
    INGLE_TRY_ASSIGN(parts.levels, takeTyped(checkpoint, module + ".weight_packed", {"U8"}, 2));
    INGLE_TRY_ASSIGN(parts.scales, takeTyped(checkpoint, module + ".weight_scale", {"F8_E4M3"}, 2));
    return enterNvfp4(checkpoint, module, parts);
}

Status unpackBytes(Checkpoint& checkpoint, const std::string& module) {
    INGLE_TRY_ASSIGN(const StoredTensor levels, takeTyped(checkpoint, module + ".weight", {"I8"}, 2));
    GroupMatrix matrix{
        .name = module + ".weight", .width = levels.dims[1], .numRows = levels.dims[0], .bits = 8};
    return finish(checkpoint, module, std::move(matrix), levels.data, true);
}

/// Rows and columns of blocks with scales of their own; 0: there are none.
std::pair<uint64_t, uint64_t> blockOf(const Metadata& settings) {
    for (const auto& [key, value] : settings.all()) {
        const auto* numbers = std::get_if<std::vector<int64_t>>(&value);
        if (key.ends_with(".weights.block_structure") && numbers && numbers->size() == 2 &&
            (*numbers)[0] > 0 && (*numbers)[1] > 0)
            return {static_cast<uint64_t>((*numbers)[0]), static_cast<uint64_t>((*numbers)[1])};
    }
    return {0, 0};
}

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    INGLE_TRY_ASSIGN(const std::string format, settings.stringOr("format", "pack-quantized"));
    if (std::ranges::find(kFormats, format) == std::end(kFormats))
        return fail(ErrorCode::Unsupported, "weights compressed as \"{}\" are not supported", shown(format));
    if (std::ranges::any_of(settings.all(), [](const auto& entry) { return isOf(kTransforms, entry.first); }))
        return fail(ErrorCode::Unsupported,
                    "weights that were rotated before they were compressed ({}) are not supported",
                    kTransforms);
    for (const std::string& module : modulesWith(checkpoint, ".weight_global_scale"))
        INGLE_TRY(unpackFp4(checkpoint, module));
    drop(checkpoint, {".input_global_scale"});
    for (const std::string& module : modulesWith(checkpoint, ".weight_packed"))
        INGLE_TRY(unpackWords(checkpoint, module));
    for (const std::string& module : modulesWith(checkpoint, ".weight"))
        if (checkpoint.tensors.at(module + ".weight").type == "I8")
            INGLE_TRY(unpackBytes(checkpoint, module));
    const auto [blockRows, blockColumns] = blockOf(settings);
    return unpackFp8(checkpoint, blockRows, blockColumns);
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::compressed_tensors_packing
