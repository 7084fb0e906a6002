/// MLX. Affine: levels of 2 to 8 bits follow each other along a row in words of 32 bits, the first in the
/// lowest; groups of a row have a scale and a bias. Value = scale * level + bias. Up to four bits they become
/// Q4_1, where no scale or bias loses anything as a half. The modes mxfp4 and nvfp4: levels of four bits in
/// such words, and a scale of 8 bits for 32 or 16 of them. Source: ml-explore/mlx, mlx/ops.cpp,
/// affine_quantize(), affine_dequantize() and fp_dequantize(); python/mlx/nn/layers/quantized.py.
#include <algorithm>
#include <cmath>

#include "engine/base/half.h"
#include "engine/formats/checkpoint/group_weights.h"
#include "engine/formats/checkpoint/mxfp4_weights.h"
#include "engine/formats/checkpoint/nvfp4_weights.h"
#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/quant/block.h"
#include "engine/tensor/side_data.h"

namespace ingle::formats::mlx_packing {
namespace {

constexpr std::string_view kMethods[] = {"mlx"};
constexpr uint32_t kUsualGroup = 64;
constexpr uint64_t kBlock = 32;  // of Q4_1

/// Or as many as there are experts, all below each other.
struct Matrix {
    uint64_t matrices = 1;
    StoredTensor levels;  ///< U32 [rows, columns * bits / 32]
    StoredTensor scales;  ///< [rows, groups]
    StoredTensor biases;
    uint64_t group = 0;
    uint32_t bits = 0;

    uint64_t rows() const { return levels.dims[0]; }
    uint64_t columns() const { return scales.dims[1] * group; }
    void readRow(uint64_t row, uint8_t* out) const {
        const auto words = levels.data.subspan(row * levels.dims[1] * 4);
        for (uint64_t i = 0, bit = 0; i < columns(); ++i, bit += bits) {
            uint64_t two = wordAt(words, bit / 32);
            if (bit % 32 + bits > 32) two |= uint64_t{wordAt(words, bit / 32 + 1)} << 32;
            out[i] = static_cast<uint8_t>(two >> bit % 32 & ((1U << bits) - 1));
        }
    }
};

std::vector<float> numbersOf(const StoredTensor& stored, uint64_t first, uint64_t count) {
    const quant::QuantFormat* format = quant::findFormat(std::string_view(stored.type));
    std::vector<float> numbers(count);
    format->decodeRow(stored.data.data() + first * format->blockBytes, numbers);
    return numbers;
}

bool fitHalves(const StoredTensor& stored) {
    if (stored.type == "F16") return true;
    const uint64_t groups = stored.dims[1];
    for (uint64_t row = 0; row < stored.dims[0]; ++row)
        for (const float number : numbersOf(stored, row * groups, groups))
            if (base::f16ToF32(base::f32ToF16(number)) != number) return false;
    return true;
}

class Q4_1Rows final : public tensor::RowDecoder {
  public:
    explicit Q4_1Rows(Matrix matrix) : m_matrix(std::move(matrix)) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        const uint64_t groups = m_matrix.scales.dims[1];
        std::vector<uint8_t> levels(m_matrix.columns());
        for (uint64_t row = first; row < first + count; ++row) {
            m_matrix.readRow(row, levels.data());
            const std::vector<float> scales = numbersOf(m_matrix.scales, row * groups, groups);
            const std::vector<float> biases = numbersOf(m_matrix.biases, row * groups, groups);
            for (uint64_t at = 0; at < levels.size(); at += kBlock, out += 4 + kBlock / 2) {
                quant::storeHalf(out, scales[at / m_matrix.group]);
                quant::storeHalf(out + 2, biases[at / m_matrix.group]);
                quant::storeNibbles32(out + 4, [&](size_t e) { return levels[at + e]; });
            }
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.insert(stored.end(), {m_matrix.levels.data, m_matrix.scales.data, m_matrix.biases.data});
    }

  private:
    Matrix m_matrix;
};

/// Levels alone, as a group format has them.
class Levels final : public GroupSource {
  public:
    explicit Levels(Matrix matrix) : m_matrix(std::move(matrix)) {}

    void readLevels(uint64_t first, uint64_t count, uint8_t* out) const override {
        for (uint64_t row = first; row < first + count; ++row, out += m_matrix.columns())
            m_matrix.readRow(row, out);
    }
    float scale(uint64_t, uint64_t) const override { return 1; }
    uint32_t zero(uint64_t, uint64_t) const override { return 0; }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.push_back(m_matrix.levels.data);
    }

  private:
    Matrix m_matrix;
};

Result<tensor::Tensor> blocksOf(const std::string& name, const Matrix& matrix) {
    tensor::Tensor made{
        .name = name,
        .shape = tensor::Shape::of(matrix.columns(), matrix.rows() / matrix.matrices, matrix.matrices),
        .format = quant::findFormat(quant::kQ4_1)};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    made.decoder = std::make_shared<Q4_1Rows>(matrix);
    return made;
}

Result<tensor::Tensor> levelsWithNumbers(const std::string& name, const Matrix& matrix) {
    INGLE_TRY_ASSIGN(tensor::Tensor made,
                     makeGroupTensor({.name = name,
                                      .width = matrix.columns(),
                                      .numRows = matrix.rows(),
                                      .bits = matrix.bits > 4 ? 8U : 4U,
                                      .groupOfColumn = evenGroups(matrix.columns(), matrix.group),
                                      .source = std::make_shared<Levels>(matrix)}));
    made.shape = tensor::Shape::of(matrix.columns(), matrix.rows() / matrix.matrices, matrix.matrices);
    const uint64_t count = matrix.rows() * matrix.scales.dims[1];
    made.side = std::make_shared<const tensor::SideData>(
        tensor::SideData{.partRows = 1,
                         .partColumns = matrix.group,
                         .scales = numbersOf(matrix.scales, 0, count),
                         .offsets = numbersOf(matrix.biases, 0, count)});
    return made;
}

/// Takes one of two dimensions, or of three: the first is the number of `matrices`, and goes into the next.
Result<StoredTensor> takeFlat(Checkpoint& checkpoint, const std::string& name,
                              std::initializer_list<std::string_view> types, uint64_t matrices) {
    INGLE_TRY_ASSIGN(StoredTensor stored, takeTyped(checkpoint, name, types, matrices > 1 ? 3 : 2));
    if (matrices == 1) return stored;
    if (stored.dims[0] != matrices)
        return fail(ErrorCode::Corrupt, "the MLX weights '{}' are not of {} matrices", shown(name), matrices);
    stored.dims = {stored.dims[0] * stored.dims[1], stored.dims[2]};
    return stored;
}

/// How many matrices lie in a tensor of MLX.
uint64_t matricesIn(const Checkpoint& checkpoint, const std::string& name) {
    const auto found = checkpoint.tensors.find(name);
    return found == checkpoint.tensors.end() || found->second.dims.size() < 3 ? 1 : found->second.dims[0];
}

Result<Matrix> takeMatrix(Checkpoint& checkpoint, const std::string& module, const Metadata& settings) {
    const std::initializer_list<std::string_view> kFloats = {"F16", "BF16", "F32"};
    Matrix matrix;
    INGLE_TRY_ASSIGN(const uint32_t usual, settings.u32Or("group_size", kUsualGroup));
    INGLE_TRY_ASSIGN(matrix.group, settings.u32Or(module + ".group_size", usual));
    matrix.matrices = matricesIn(checkpoint, module + ".weight");
    INGLE_TRY_ASSIGN(matrix.levels, takeFlat(checkpoint, module + ".weight", {"U32"}, matrix.matrices));
    INGLE_TRY_ASSIGN(matrix.scales, takeFlat(checkpoint, module + ".scales", kFloats, matrix.matrices));
    INGLE_TRY_ASSIGN(matrix.biases, takeFlat(checkpoint, module + ".biases", kFloats, matrix.matrices));
    if (matrix.group == 0 || matrix.group % kBlock != 0)
        return fail(ErrorCode::Unsupported, "the MLX weights '{}' have groups of {}, no multiple of {}",
                    shown(module), matrix.group, kBlock);
    for (const uint32_t bits : {2U, 3U, 4U, 5U, 6U, 8U})
        if (matrix.levels.dims[1] * 32 == matrix.columns() * bits) matrix.bits = bits;
    if (matrix.bits == 0 || matrix.scales.dims != matrix.biases.dims ||
        matrix.scales.dims[0] != matrix.rows())
        return fail(ErrorCode::Corrupt, "the levels, scales and biases of the MLX weights '{}' do not fit",
                    shown(module));
    return matrix;
}

/// Levels of four bits with a scale of 8 bits for as many of them as the mode has in a group, and no bias.
Status unpackFloats(Checkpoint& checkpoint, const std::string& module, bool isMx) {
    const uint64_t group = isMx ? 32 : 16;
    const std::string name = module + ".weight";
    const uint64_t matrices = matricesIn(checkpoint, name);
    INGLE_TRY_ASSIGN(StoredTensor levels, takeFlat(checkpoint, name, {"U32"}, matrices));
    INGLE_TRY_ASSIGN(StoredTensor scales, takeFlat(checkpoint, module + ".scales", {"U8"}, matrices));
    levels.type = "U8";
    levels.dims.back() *= 4;
    if (levels.dims[0] != scales.dims[0] || levels.dims[1] != scales.dims[1] * group / 2)
        return fail(ErrorCode::Corrupt, "the levels and scales of the MLX weights '{}' do not fit",
                    shown(module));
    if (isMx) {
        scales.dims.insert(scales.dims.begin(), matrices);
        scales.dims[1] /= matrices;
        return enterMxfp4(checkpoint, name, levels, scales);
    }
    scales.type = "F8_E4M3";
    return enterNvfp4(checkpoint, module,
                      {.levels = std::move(levels), .scales = std::move(scales), .matrices = matrices});
}

Status unpack(Checkpoint& checkpoint, const Metadata& settings) {
    INGLE_TRY_ASSIGN(const std::string usualMode, settings.stringOr("mode", "affine"));
    for (const std::string& module : modulesWith(checkpoint, ".scales")) {
        // A module with settings of its own is affine where they do not say otherwise.
        const bool isOwn = settings.find(module + ".bits") || settings.find(module + ".group_size");
        INGLE_TRY_ASSIGN(const std::string mode,
                         settings.stringOr(module + ".mode", isOwn ? "affine" : usualMode));
        if (mode == "mxfp4" || mode == "nvfp4") {
            INGLE_TRY(unpackFloats(checkpoint, module, mode == "mxfp4"));
            continue;
        }
        if (mode != "affine")
            return fail(ErrorCode::Unsupported, "MLX weights of the mode \"{}\" are not supported",
                        shown(mode));
        INGLE_TRY_ASSIGN(const Matrix matrix, takeMatrix(checkpoint, module, settings));
        const bool isExact = matrix.bits <= 4 && fitHalves(matrix.scales) && fitHalves(matrix.biases);
        const std::string name = module + ".weight";
        INGLE_TRY_ASSIGN(tensor::Tensor made,
                         isExact ? blocksOf(name, matrix) : levelsWithNumbers(name, matrix));
        INGLE_TRY(enter(checkpoint, std::move(made)));
    }
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::mlx_packing
