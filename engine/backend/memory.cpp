#include "engine/backend/memory.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <span>

namespace ingle::backend {

const quant::QuantFormat& cacheFormat(KvType type) {
    switch (type) {
        case KvType::F32:
            return *quant::findFormat(quant::kF32);
        case KvType::F16:
            return *quant::findFormat(quant::kF16);
        case KvType::Q8:
            return *quant::findFormat(quant::kQ8_0);
    }
    return *quant::findFormat(quant::kF16);
}

size_t cacheRowBytes(const quant::QuantFormat& format, uint32_t elems) {
    return (size_t{elems} + format.blockElems - 1) / format.blockElems * format.blockBytes;
}

uint64_t cacheBytesPerToken(const MemorySpec& spec, KvType type) {
    const quant::QuantFormat& format = cacheFormat(type);
    uint64_t bytes = 0;
    for (const KvLayerSpec& layer : spec.kv)
        bytes += cacheRowBytes(format, layer.keyElems) + cacheRowBytes(format, layer.valueElems);
    return bytes;
}

uint64_t sequenceBytes(const MemorySpec& spec, KvType type, uint32_t tokens) {
    uint64_t bytes = cacheBytesPerToken(spec, type) * tokens;
    for (const StateSpec& state : spec.states) bytes += sizeof(float) * state.elems;
    return bytes;
}

bool isFinite(const SavedState& state, const MemorySpec& spec) {
    const quant::QuantFormat& format = cacheFormat(state.kvType);
    std::vector<float> values;
    std::span<const std::byte> left = state.bytes;
    // Takes `bytes` off the front and says whether the values that `decode` makes of them are finite.
    const auto next = [&](size_t bytes, size_t elems, auto decode) {
        if (bytes > left.size()) return false;
        values.resize(elems);
        decode(left.data(), values);
        left = left.subspan(bytes);
        return std::ranges::all_of(values, [](float value) { return std::isfinite(value); });
    };
    const auto decodeFloats = [](const std::byte* in, std::span<float> out) {
        std::memcpy(out.data(), in, out.size_bytes());
    };
    for (const KvLayerSpec& layer : spec.kv) {
        for (const uint32_t elems : {layer.keyElems, layer.valueElems}) {
            // Rows are whole blocks, back to back.
            const size_t rowBytes = cacheRowBytes(format, elems);
            const size_t rowElems = rowBytes / format.blockBytes * format.blockElems;
            if (!next(rowBytes * state.range.count, rowElems * state.range.count, format.decodeRow))
                return false;
        }
    }
    for (const StateSpec& recurrent : spec.states) {
        if (!next(recurrent.elems * sizeof(float), recurrent.elems, decodeFloats)) return false;
    }
    return left.empty();
}

}  // namespace ingle::backend
