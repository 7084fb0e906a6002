#include "engine/quant/integers.h"

#include <algorithm>
#include <array>

#include "engine/quant/block.h"

namespace ingle::quant {
namespace {

void decodeSigned(const std::byte* in, std::span<float> y) {
    for (float& value : y) value = static_cast<float>(signedByteAt(in++));
}

void decodeUnsigned(const std::byte* in, std::span<float> y) {
    for (float& value : y) value = static_cast<float>(byteAt(in++));
}

void decodeNibbles(const std::byte* in, std::span<float> y) {
    for (size_t i = 0; i < y.size(); i += 2, ++in) {
        y[i] = static_cast<float>(byteAt(in) >> 4);
        y[i + 1] = static_cast<float>(byteAt(in) & 15);
    }
}

using DecodeRow = void (*)(const std::byte* in, std::span<float> y);

constexpr QuantFormat integers(Quant id, std::string_view name, uint32_t numPerByte, DecodeRow decode) {
    return {.id = id,
            .name = name,
            .blockElems = numPerByte,
            .blockBytes = 1,
            .maxRelRmse = 0,
            .encodeRow = nullptr,
            .decodeRow = decode};
}

constexpr std::array kFormats{integers(kInt8, "INT8", 1, decodeSigned),
                              integers(kUint8, "UINT8", 1, decodeUnsigned),
                              integers(kUint4, "UINT4", 2, decodeNibbles)};

}  // namespace

std::span<const QuantFormat> integerFormats() {
    return kFormats;
}

const QuantFormat* findInteger(Quant id) {
    const auto* found = std::ranges::find(kFormats, id, &QuantFormat::id);
    return found == kFormats.end() ? nullptr : found;
}

const QuantFormat* findInteger(std::string_view name) {
    const auto* found = std::ranges::find(kFormats, name, &QuantFormat::name);
    return found == kFormats.end() ? nullptr : found;
}

}  // namespace ingle::quant
