/// Owned memory, zeroed and aligned to a cache line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <memory>
#include <new>
#include <span>

#include "ingle/result.h"

namespace ingle::base {

class Buffer {
  public:
    /// Enough for every vector load we use, and a cache line, so that threads writing to two buffers never
    /// share one.
    static constexpr size_t kAlignment = 64;

    Buffer() = default;
    /// Zeroed. Errors: OutOfMemory, naming the size.
    static Result<Buffer> allocate(size_t bytes) {
        Buffer buffer;
        const size_t rounded = (bytes + kAlignment - 1) / kAlignment * kAlignment;
        if (bytes == 0) return buffer;
        void* data =
            rounded < bytes ? nullptr : ::operator new (rounded, std::align_val_t{kAlignment}, std::nothrow);
        if (!data) return fail(ErrorCode::OutOfMemory, "cannot allocate {} MiB of memory", bytes >> 20);
        buffer.m_data.reset(static_cast<std::byte*>(data));
        buffer.m_size = bytes;
        std::fill_n(buffer.m_data.get(), rounded, std::byte{0});
        return buffer;
    }

    std::byte* data() { return m_data.get(); }
    const std::byte* data() const { return m_data.get(); }
    size_t size() const { return m_size; }
    std::span<float> floats() { return {reinterpret_cast<float*>(m_data.get()), m_size / sizeof(float)}; }
    std::span<const float> floats() const {
        return {reinterpret_cast<const float*>(m_data.get()), m_size / sizeof(float)};
    }

  private:
    struct Free {
        void operator()(std::byte* data) const { ::operator delete (data, std::align_val_t{kAlignment}); }
    };
    std::unique_ptr<std::byte, Free> m_data;
    size_t m_size = 0;
};

}  // namespace ingle::base
