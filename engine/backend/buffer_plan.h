/// Which buffers hold what a program computes: those that are needed at different times share one.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace ingle::backend {

/// Bytes that are written in step `first` of a program and read in `last` for the last time.
struct BufferNeed {
    uint64_t bytes = 0;
    uint32_t first = 0;
    uint32_t last = 0;
};

struct BufferPlan {
    std::vector<uint64_t> sizes;     ///< bytes, of each buffer
    std::vector<uint32_t> bufferOf;  ///< index into sizes, of each need
};

/// Needs of one step have buffers of their own, whether they begin, end or last then: what a step writes
/// never lies where it reads.
BufferPlan planBuffers(std::span<const BufferNeed> needs);

}  // namespace ingle::backend
