/// bitsandbytes. Of four bits: numbers of a list ("quant_map"), two in a byte, the first in its high half,
/// times the largest of each block ("absmax"), which may be packed itself; rows follow each other, and a JSON
/// text beside them says the rest. They become numbers of the type that they were made of, as bitsandbytes
/// computes with. Of eight bits: signed bytes, with a scale of each row ("SCB") times 127. Source:
/// bitsandbytes-foundation/bitsandbytes, bitsandbytes/functional.py (QuantState, dequantize_4bit) and
/// nn/modules.py (Linear8bitLt).
#include <algorithm>
#include <cstring>

#include "engine/formats/checkpoint/group_weights.h"
#include "engine/formats/checkpoint/json_flattener.h"
#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/quant/block.h"
#include "engine/tensor/side_data.h"

namespace ingle::formats::bitsandbytes_packing {
namespace {

constexpr std::string_view kMethods[] = {"bitsandbytes"};
constexpr std::string_view kState = ".weight.quant_state.bitsandbytes__";
constexpr std::string_view kKinds[] = {"nf4", "fp4"};
constexpr uint64_t kLargestBlock = 4096;

struct FloatType {
    std::string_view dtype, format;
};
constexpr FloatType kFloatTypes[] = {{"bfloat16", "BF16"}, {"float16", "F16"}, {"float32", "F32"}};

std::vector<float> floatsOf(const StoredTensor& stored) {
    std::vector<float> numbers(stored.data.size() / sizeof(float));
    std::memcpy(numbers.data(), stored.data.data(), numbers.size() * sizeof(float));
    return numbers;
}

class FourBitRows final : public tensor::RowDecoder {
  public:
    FourBitRows(std::span<const std::byte> levels, std::vector<float> map, std::vector<float> largest,
                uint64_t block, uint64_t width, const quant::QuantFormat& format)
        : m_levels(levels),
          m_map(std::move(map)),
          m_largest(std::move(largest)),
          m_block(block),
          m_width(width),
          m_format(format) {}

    void decode(uint64_t first, uint64_t count, std::byte* out) const override {
        std::vector<float> row(m_width);
        for (uint64_t at = first * m_width; count > 0; --count, out += m_width * m_format.blockBytes) {
            for (float& value : row) {
                const uint32_t level = quant::nibbleAt(m_levels.data(), at ^ 1);  // the high half first
                value = m_map[level] * m_largest[at / m_block];
                ++at;
            }
            m_format.encodeRow(row, {}, out);
        }
    }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.push_back(m_levels);
    }

  private:
    std::span<const std::byte> m_levels;
    std::vector<float> m_map, m_largest;
    uint64_t m_block, m_width;
    const quant::QuantFormat& m_format;
};

/// What the text beside a matrix says.
struct State {
    uint64_t block = 0, rows = 0, columns = 0;
    const quant::QuantFormat* format = nullptr;
    uint64_t nestedBlock = 0;
    float nestedOffset = 0;
};

Result<State> parseState(const StoredTensor& text) {
    INGLE_TRY_ASSIGN(const Metadata keys,
                     flattenJson({reinterpret_cast<const char*>(text.data.data()), text.data.size()}));
    State state;
    INGLE_TRY_ASSIGN(state.block, keys.u32Or("blocksize", 0));
    INGLE_TRY_ASSIGN(state.nestedBlock, keys.u32Or("nested_blocksize", 0));
    INGLE_TRY_ASSIGN(state.nestedOffset, keys.f32Or("nested_offset", 0));
    INGLE_TRY_ASSIGN(const std::string dtype, keys.stringOr("dtype", ""));
    const auto* type = std::ranges::find(kFloatTypes, dtype, &FloatType::dtype);
    const MetaValue* value = keys.find("shape");
    const auto* shape = value ? std::get_if<std::vector<int64_t>>(value) : nullptr;
    if (type == std::end(kFloatTypes) || !shape || shape->size() != 2 || (*shape)[0] <= 0 ||
        (*shape)[1] <= 0 || state.block == 0 || state.block > kLargestBlock)
        return fail(ErrorCode::Corrupt, "tensor '{}' does not say how its weights are packed",
                    shown(text.name));
    state.rows = static_cast<uint64_t>((*shape)[0]);
    state.columns = static_cast<uint64_t>((*shape)[1]);
    state.format = quant::findFormat(type->format);
    return state;
}

/// The largest of each block of a matrix.
Result<std::vector<float>> largestOf(Checkpoint& checkpoint, const std::string& matrix, const State& state) {
    INGLE_TRY_ASSIGN(const StoredTensor stored, takeTyped(checkpoint, matrix + ".absmax", {"F32", "U8"}, 1));
    if (stored.type == "F32") return floatsOf(stored);
    INGLE_TRY_ASSIGN(const StoredTensor nested, takeTyped(checkpoint, matrix + ".nested_absmax", {"F32"}, 1));
    INGLE_TRY_ASSIGN(const StoredTensor list,
                     takeTyped(checkpoint, matrix + ".nested_quant_map", {"F32"}, 1));
    const std::vector<float> map = floatsOf(list), scales = floatsOf(nested);
    if (map.size() != 256 || state.nestedBlock == 0 ||
        (stored.data.size() + state.nestedBlock - 1) / state.nestedBlock != scales.size())
        return fail(ErrorCode::Corrupt, "the numbers that '{}.absmax' is packed in do not fit",
                    shown(matrix));
    std::vector<float> largest(stored.data.size());
    for (size_t i = 0; i < largest.size(); ++i)
        largest[i] =
            map[quant::byteAt(stored.data.data() + i)] * scales[i / state.nestedBlock] + state.nestedOffset;
    return largest;
}

Status unpackFourBits(Checkpoint& checkpoint, const std::string& module, std::string_view kind) {
    const std::string matrix = module + ".weight";
    INGLE_TRY_ASSIGN(const StoredTensor text,
                     takeTyped(checkpoint, fmt::format("{}{}{}", module, kState, kind), {"U8"}, 1));
    INGLE_TRY_ASSIGN(const State state, parseState(text));
    INGLE_TRY_ASSIGN(const StoredTensor levels, takeTyped(checkpoint, matrix, {"U8"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor map, takeTyped(checkpoint, matrix + ".quant_map", {"F32"}, 1));
    INGLE_TRY_ASSIGN(std::vector<float> largest, largestOf(checkpoint, matrix, state));
    tensor::Tensor made{
        .name = matrix, .shape = tensor::Shape::of(state.columns, state.rows), .format = state.format};
    INGLE_TRY(tensor::checkedBytes(made.shape, *made.format));
    const uint64_t count = state.rows * state.columns;
    if (levels.data.size() != (count + 1) / 2 || map.dims[0] != 16 ||
        largest.size() != (count + state.block - 1) / state.block)
        return fail(ErrorCode::Corrupt, "the levels, numbers and shape of the weights '{}' do not fit",
                    shown(matrix));
    made.decoder = std::make_shared<FourBitRows>(levels.data, floatsOf(map), std::move(largest), state.block,
                                                 state.columns, *state.format);
    return enter(checkpoint, std::move(made));
}

/// Signed bytes, 128 more than they are.
class Bytes final : public GroupSource {
  public:
    explicit Bytes(const StoredTensor& stored) : m_data(stored.data), m_width(stored.dims[1]) {}

    void readLevels(uint64_t first, uint64_t count, uint8_t* out) const override {
        for (uint64_t i = 0; i < count * m_width; ++i)
            out[i] = static_cast<uint8_t>(quant::byteAt(m_data.data() + first * m_width + i) ^ 128);
    }
    float scale(uint64_t, uint64_t) const override { return 1; }
    uint32_t zero(uint64_t, uint64_t) const override { return 128; }
    void addStored(std::vector<std::span<const std::byte>>& stored) const override {
        stored.push_back(m_data);
    }

  private:
    std::span<const std::byte> m_data;
    uint64_t m_width;
};

Status unpackBytes(Checkpoint& checkpoint, const std::string& module) {
    INGLE_TRY_ASSIGN(const StoredTensor stored, takeTyped(checkpoint, module + ".weight", {"I8"}, 2));
    INGLE_TRY_ASSIGN(const StoredTensor largest, takeTyped(checkpoint, module + ".SCB", {"F32"}, 1));
    const uint64_t rows = stored.dims[0], columns = stored.dims[1];
    if (largest.dims[0] != rows)
        return fail(ErrorCode::Corrupt, "the scales of the weights '{}' do not fit", shown(module));
    INGLE_TRY_ASSIGN(tensor::Tensor made, makeGroupTensor({.name = module + ".weight",
                                                           .width = columns,
                                                           .numRows = rows,
                                                           .bits = 8,
                                                           .groupOfColumn = evenGroups(columns, columns),
                                                           .source = std::make_shared<Bytes>(stored)}));
    std::vector<float> scales = floatsOf(largest);
    for (float& scale : scales) scale /= 127;
    made.side = std::make_shared<const tensor::SideData>(
        tensor::SideData{.partRows = 1, .partColumns = columns, .scales = std::move(scales)});
    return enter(checkpoint, std::move(made));
}

Status unpack(Checkpoint& checkpoint, const Metadata&) {
    for (const std::string_view kind : kKinds)
        for (const std::string& module : modulesWith(checkpoint, fmt::format("{}{}", kState, kind)))
            INGLE_TRY(unpackFourBits(checkpoint, module, kind));
    for (const std::string& module : modulesWith(checkpoint, ".SCB")) {
        // 0: rows, one behind the other; others are for a kind of graphics cards.
        const auto layout = take(checkpoint, module + ".weight_format");
        if (layout && std::ranges::any_of(layout->data, [](std::byte byte) { return byte != std::byte{0}; }))
            return fail(ErrorCode::Unsupported, "the weights '{}' do not lie in rows ('weight_format')",
                        shown(module));
        INGLE_TRY(unpackBytes(checkpoint, module));
    }
    drop(checkpoint, {".weight_format"});
    return {};
}

}  // namespace

extern const PackedScheme packing{kMethods, unpack};

}  // namespace ingle::formats::bitsandbytes_packing
