/// Weights with random values of moderate size, in any block format.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <random>
#include <vector>

#include "engine/quant/format.h"
#include "engine/quant/integers.h"

namespace ingle::test {

inline std::vector<float> gaussian(std::mt19937& random, size_t count) {
    std::normal_distribution<float> normal;
    std::vector<float> values(count);
    for (float& value : values) value = normal(random);
    return values;
}

/// Encoded Gaussian rows; for formats without an encoder, random blocks whose values are of moderate size.
inline std::vector<std::byte> makeWeights(const quant::QuantFormat& format, std::mt19937& random,
                                          size_t elems) {
    std::vector<std::byte> out(elems / format.blockElems * format.blockBytes);
    if (format.encodeRow) {
        format.encodeRow(gaussian(random, elems), {}, out.data());
        return out;
    }
    if (quant::findInteger(format.id)) {
        for (std::byte& byte : out) byte = std::byte(random() & 0xFF);
        return out;
    }
    std::vector<float> values(format.blockElems);
    for (size_t at = 0; at < out.size(); at += format.blockBytes) {
        float largest = 0;
        do {
            for (size_t i = 0; i < format.blockBytes; ++i) out[at + i] = std::byte(random() & 0xFF);
            format.decodeRow(out.data() + at, values);
            largest = std::abs(*std::ranges::max_element(values, {}, [](float v) { return std::abs(v); }));
        } while (!(largest > 0.5F && largest < 50.0F));
    }
    return out;
}

}  // namespace ingle::test
