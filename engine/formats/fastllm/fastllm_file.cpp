#include "engine/formats/fastllm/fastllm_file.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "engine/formats/checkpoint/json_flattener.h"
#include "engine/io/byte_reader.h"
#include "engine/quant/integers.h"
#include "engine/tensor/side_data.h"
#include "ingle/error_ids.h"

namespace ingle::formats {
namespace {

constexpr int32_t kOldest = 1, kNewest = 2;
// More than any file has; they keep what is made of a damaged one small.
constexpr size_t kMaxKeys = 1 << 16;
constexpr size_t kMaxKeyBytes = 256;
constexpr size_t kMaxDims = 8;

/// What lies in front of a weight's numbers.
enum class Ranges : uint8_t { None, PerRow, PerGroup };
/// How its numbers follow from the range (min, max) of their row or group: all have a scale, and a zero, or
/// minus the scaled zero as an offset.
enum class Shift : uint8_t { Zero, Offset };

struct WeightType {
    int32_t number;
    std::string_view name;  ///< of ours
    Ranges ranges = Ranges::None;
    uint32_t bits = 0;
    Shift shift = Shift::Zero;
};

constexpr WeightType kTypes[] = {
    {0, "F32"},
    {1, "BF16"},
    {7, "F16"},
    {3, "UINT8", Ranges::PerRow, 8, Shift::Zero},
    {4, "UINT4", Ranges::PerRow, 4, Shift::Zero},
    {8, "UINT4", Ranges::PerRow, 4, Shift::Offset},
    {9, "UINT4", Ranges::PerGroup, 4, Shift::Offset},
};

Result<uint64_t> readCount(io::ByteReader& in, uint64_t leastBytes, std::string_view what) {
    INGLE_TRY_ASSIGN(const auto count, in.read<int32_t>());
    if (count < 0 || static_cast<uint64_t>(count) > in.remaining() / leastBytes)
        return fail(ErrorCode::Corrupt, "{} {} at byte {}, where {} bytes follow", count, what, in.offset(),
                    in.remaining());
    return static_cast<uint64_t>(count);
}

Result<std::string> readString(io::ByteReader& in) {
    INGLE_TRY_ASSIGN(const uint64_t bytes, readCount(in, 1, "bytes of text"));
    INGLE_TRY_ASSIGN(const auto text, in.text(bytes));
    return std::string(text);
}

Status readDictionary(io::ByteReader& in, std::map<std::string, std::string, std::less<>>& out) {
    INGLE_TRY_ASSIGN(const uint64_t count, readCount(in, 2 * sizeof(int32_t), "keys"));
    if (count > kMaxKeys) return fail(ErrorCode::Corrupt, "{} keys are too many", count);
    for (uint64_t i = 0; i < count; ++i) {
        INGLE_TRY_ASSIGN(std::string key, readString(in));
        INGLE_TRY_ASSIGN(std::string value, readString(in));
        out.insert_or_assign(std::move(key), std::move(value));
    }
    return {};
}

bool says(const FastLlmFile& file, std::string_view key, std::string_view value) {
    const auto found = file.dictionary.find(key);
    return found != file.dictionary.end() && found->second == value;
}

Status readTokens(io::ByteReader& in, FastLlmFile& file) {
    const bool hasScores = says(file, "tokenizer_use_score", "1");
    INGLE_TRY_ASSIGN(const uint64_t count, readCount(in, 2 * sizeof(int32_t), "tokens"));
    for (uint64_t i = 0; i < count; ++i) {
        FastLlmToken& token = file.tokens.emplace_back();
        INGLE_TRY_ASSIGN(const uint64_t length, readCount(in, sizeof(int32_t), "bytes of a token"));
        for (uint64_t at = 0; at < length; ++at) {
            // Bytes above 127 are below zero where FastLLM itself wrote the file.
            INGLE_TRY_ASSIGN(const auto byte, in.read<int32_t>());
            if (byte < -128 || byte > 255)
                return fail(ErrorCode::Corrupt, "{} is no byte of token {}", byte, i);
            token.text += static_cast<char>(byte & 255);
        }
        INGLE_TRY_ASSIGN(token.id, in.read<int32_t>());
        token.score = -static_cast<float>(i);
        if (hasScores) {
            INGLE_TRY_ASSIGN(token.score, in.read<float>());
        }
    }
    if (!says(file, "tokenizer_has_special_tokens", "1")) return {};
    INGLE_TRY_ASSIGN(const uint64_t numSpecial, readCount(in, sizeof(int32_t), "special tokens"));
    for (uint64_t i = 0; i < numSpecial; ++i) {
        INGLE_TRY_ASSIGN(std::string text, readString(in));
        file.specialTokens.push_back(std::move(text));
    }
    return {};
}

/// Scales with zeros or offsets of `count` ranges. Source: LowBitConfig in FastLLM's include/fastllm.h, whose
/// operations these are, one by one.
Status readRanges(io::ByteReader& in, uint64_t count, const WeightType& type, tensor::SideData& side) {
    INGLE_TRY_ASSIGN(const auto bytes, in.take(count * 2 * sizeof(float)));
    io::ByteReader ranges(bytes);
    const auto most = static_cast<float>((1U << type.bits) - 1);
    std::vector<float> scales(count), shifts(count);
    for (uint64_t i = 0; i < count; ++i) {
        INGLE_TRY_ASSIGN(float low, ranges.read<float>());
        INGLE_TRY_ASSIGN(float high, ranges.read<float>());
        if (!std::isfinite(low) || !std::isfinite(high) || low > high)
            return fail(ErrorCode::Corrupt, "a range from {} to {}", low, high);
        low = std::min(low, 0.0F);
        high = std::max(high, 0.0F);
        scales[i] = (high - low) / most;
        const float zero = scales[i] > 0 ? std::round(std::clamp(-low / scales[i], 0.0F, most)) : 0.0F;
        shifts[i] = type.shift == Shift::Zero ? zero : -scales[i] * zero;
    }
    side.scales = std::move(scales);
    (type.shift == Shift::Zero ? side.zeros : side.offsets) = std::move(shifts);
    return {};
}

Result<tensor::SideData> readSide(io::ByteReader& in, const StoredTensor& weight, const WeightType& type) {
    if (weight.dims.size() != 2)
        return fail(ErrorCode::Unsupported, "it is packed and has {} dimensions", weight.dims.size());
    const uint64_t rows = weight.dims[0], columns = weight.dims[1];
    if (type.bits == 4 && columns % 2 != 0)
        return fail(ErrorCode::Unsupported, "rows of {} nibbles are not supported", columns);
    INGLE_TRY_ASSIGN(const auto axis, in.read<int32_t>());
    if (axis != 0) return fail(ErrorCode::Unsupported, "ranges along axis {} are not supported", axis);
    tensor::SideData side{.partColumns = columns};
    if (type.ranges == Ranges::PerGroup) {
        INGLE_TRY_ASSIGN(const auto groups, in.read<int32_t>());
        INGLE_TRY_ASSIGN(const auto size, in.read<int32_t>());
        if (size <= 0 || groups <= 0) return fail(ErrorCode::Corrupt, "{} groups of {}", groups, size);
        side.partColumns = static_cast<uint64_t>(size);
        const uint64_t needed = (columns - 1) / side.partColumns + 1;
        if (static_cast<uint64_t>(groups) != needed)
            return fail(ErrorCode::Corrupt, "{} groups of {} in a row of {}", groups, size, columns);
        INGLE_TRY(readRanges(in, rows * needed, type, side));
    } else {
        INGLE_TRY(readRanges(in, rows, type, side));
    }
    return side;
}

Status readNumbers(io::ByteReader& in, StoredTensor& weight, int32_t number) {
    const auto* type = std::ranges::find(kTypes, number, &WeightType::number);
    if (type == std::end(kTypes))
        return withId<ErrorId::UnknownBlockType>(
            fail(ErrorCode::Unsupported, "its type {} is not supported", number), std::to_string(number));
    uint64_t bytes = type->bits == 0 ? (type->name == "F32" ? 4 : 2) : 1;
    for (const uint64_t dim : weight.dims) {
        if (bytes > in.remaining() * 2 / dim)
            return fail(ErrorCode::Corrupt, "it is larger than the {} bytes that follow", in.remaining());
        bytes *= dim;
    }
    weight.type = type->name;
    if (type->ranges == Ranges::None) {
        INGLE_TRY_ASSIGN(weight.data, in.take(bytes));
        return {};
    }
    INGLE_TRY_ASSIGN(tensor::SideData side, readSide(in, weight, *type));
    tensor::Tensor packed{.name = weight.name,
                          .shape = tensor::Shape::of(weight.dims[1], weight.dims[0]),
                          .format = quant::findInteger(type->name)};
    INGLE_TRY_ASSIGN(packed.data, in.take(type->bits == 4 ? bytes / 2 : bytes));
    INGLE_TRY(tensor::checkSideData(side, packed.shape));
    packed.side = std::make_shared<const tensor::SideData>(std::move(side));
    weight.packed = std::make_shared<const tensor::Tensor>(std::move(packed));
    return {};
}

Status readWeight(io::ByteReader& in, StoredTensor& weight) {
    INGLE_TRY_ASSIGN(const uint64_t numDims, readCount(in, sizeof(int32_t), "dimensions"));
    if (numDims > kMaxDims) return fail(ErrorCode::Corrupt, "it has {} dimensions", numDims);
    for (uint64_t i = 0; i < numDims; ++i) {
        INGLE_TRY_ASSIGN(const auto dim, in.read<int32_t>());
        if (dim <= 0) return fail(ErrorCode::Corrupt, "it has a dimension of {}", dim);
        weight.dims.push_back(static_cast<uint64_t>(dim));
    }
    INGLE_TRY_ASSIGN(const auto number, in.read<int32_t>());
    return readNumbers(in, weight, number);
}

/// What a text says in Python: a number, a truth value, a list; else itself.
std::optional<MetaValue> valueOf(const std::string& text) {
    if (text == "None") return std::nullopt;
    if (text == "True" || text == "False") return MetaValue(text == "True");
    const char* end = text.data() + text.size();
    int64_t integer = 0;
    if (const auto parsed = std::from_chars(text.data(), end, integer);
        parsed.ec == std::errc{} && parsed.ptr == end)
        return MetaValue(integer);
    double number = 0;
    if (const auto parsed = std::from_chars(text.data(), end, number);
        parsed.ec == std::errc{} && parsed.ptr == end && std::isfinite(number))
        return MetaValue(number);
    if (text.starts_with('[') && text.ends_with(']')) {
        std::string json = text;
        std::ranges::replace(json, '\'', '"');
        const auto list = flattenJson(fmt::format("{{\"list\":{}}}", json));
        const MetaValue* found = list ? list->find("list") : nullptr;
        if (found) return *found;
    }
    return MetaValue(text);
}

}  // namespace

bool isFastLlm(std::span<const std::byte> file) {
    io::ByteReader in(file);
    const auto version = in.read<int32_t>();
    if (!version || *version < kOldest || *version > kNewest) return false;
    const auto count = readCount(in, 2 * sizeof(int32_t), "keys");
    if (!count || *count == 0 || *count > kMaxKeys) return false;
    const auto key = readString(in);
    if (!key || key->empty() || key->size() > kMaxKeyBytes) return false;
    return std::ranges::all_of(*key, [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
               c == '.';
    });
}

Result<FastLlmFile> parseFastLlm(std::span<const std::byte> bytes) {
    io::ByteReader in(bytes);
    FastLlmFile file;
    INGLE_TRY_ASSIGN(file.version, in.read<int32_t>());
    INGLE_TRY(readDictionary(in, file.dictionary));
    if (file.dictionary.contains("peft_size"))
        return fail(ErrorCode::Unsupported, "files with adapters (peft_size) are not supported");
    INGLE_TRY(readTokens(in, file));
    INGLE_TRY_ASSIGN(const uint64_t count, readCount(in, 3 * sizeof(int32_t), "weights"));
    for (uint64_t i = 0; i < count; ++i) {
        StoredTensor& weight = file.weights.emplace_back();
        INGLE_TRY_ASSIGN(weight.name, readString(in));
        if (auto read = readWeight(in, weight); !read) {
            Error error = std::move(read).error();
            error.message = fmt::format("tensor '{}': {}", shown(weight.name), error.message);
            if (!in.ranOut()) return tl::unexpected(std::move(error));
            return withId<ErrorId::DownloadCutShort>(tl::unexpected(std::move(error)), bytes.size());
        }
    }
    if (in.remaining() > 0)
        return fail(ErrorCode::Corrupt, "{} bytes follow the last tensor", in.remaining());
    return file;
}

Metadata configOf(const FastLlmFile& file) {
    Metadata config;
    for (const auto& [key, text] : file.dictionary)
        if (auto value = valueOf(text)) config.set(key, *std::move(value));
    return config;
}

}  // namespace ingle::formats
