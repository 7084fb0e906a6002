#include "engine/backend/memory.h"

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

}  // namespace ingle::backend
