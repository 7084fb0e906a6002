/// Recurrences whose state is a matrix: a lane is a column of it (a value index), and columns do not depend
/// on each other.
#pragma once

#include "engine/kernels/simd/simd.h"

namespace ingle::kernels {
namespace {

constexpr uint32_t kVectors = 4;

/// V vectors of columns; of the last one, the first `count`.
template <uint32_t V>
struct Columns {
    Floats at[V];

    static Columns of(const float* from, uint32_t count) {
        Columns columns;
        for (uint32_t i = 0; i < V; ++i)
            columns.at[i] = i + 1 < V ? load(from + i * kLanes) : loadPart(from + i * kLanes, count);
        return columns;
    }
    static Columns zeros() {
        Columns columns;
        for (Floats& value : columns.at) value = zeroFloats();
        return columns;
    }
    void storeTo(float* to, uint32_t count) const {
        for (uint32_t i = 0; i < V; ++i) storeLanes(to + i * kLanes, at[i], 0, i + 1 < V ? kLanes : count);
    }
};

/// Calls body.template operator()<V>(first column, count in the last vector) until n columns are done.
template <typename Body>
void forColumns(size_t n, Body body) {
    size_t first = 0;
    for (; first + kVectors * kLanes <= n; first += kVectors * kLanes)
        body.template operator()<kVectors>(first, kLanes);
    for (; first < n; first += kLanes)
        body.template operator()<1>(first, n - first < kLanes ? static_cast<uint32_t>(n - first) : kLanes);
}

}  // namespace
}  // namespace ingle::kernels
