/// Parts of a plan that are computed by another backend, in the middle of a step (OpCode::Elsewhere).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

namespace ingle::backend {

class OpObserver;

/// Rows of a value: row t has `width` floats from `data + t * stride` on.
struct RowsView {
    const float* data = nullptr;
    size_t stride = 0;
    uint32_t width = 0;
};

/// Computes them. One thread, that of the program whose plan has them.
class PartRunner {
  public:
    virtual ~PartRunner() = default;
    /// Reads `numRows` rows of each input, and writes as many to `y`, row t from `y + t * stride` on.
    virtual void run(uint32_t part, uint32_t numRows, std::span<const RowsView> inputs, float* y,
                     size_t stride) = 0;
    /// As Program::observe().
    virtual void observe(OpObserver* observer) = 0;
};

}  // namespace ingle::backend
