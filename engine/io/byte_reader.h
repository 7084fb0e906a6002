/// Bounds-checked reading of little-endian fields from bytes that nobody vouches for.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string_view>
#include <type_traits>

#include "ingle/result.h"

namespace ingle::io {

static_assert(std::endian::native == std::endian::little, "file fields are copied as they are");

/// A cursor over a span. Every read checks what remains; a failed one leaves the cursor where it was.
/// Errors: Corrupt, naming the byte offset. Does not own the bytes.
class ByteReader {
  public:
    explicit ByteReader(std::span<const std::byte> bytes) : m_bytes(bytes) {}

    uint64_t offset() const { return m_offset; }
    uint64_t remaining() const { return m_bytes.size() - m_offset; }
    /// Whether a read failed because the bytes end too early.
    bool ranOut() const { return m_ranOut; }

    template <typename T>
    requires std::is_arithmetic_v<T> Result<T> read() {
        INGLE_TRY_ASSIGN(const auto field, take(sizeof(T)));
        T value;
        std::memcpy(&value, field.data(), sizeof(T));
        return value;
    }

    /// The next `count` bytes, not copied.
    Result<std::span<const std::byte>> take(uint64_t count) {
        if (count > remaining()) {
            m_ranOut = true;
            return fail(ErrorCode::Corrupt, "{} bytes are needed at byte {}, but only {} follow", count,
                        m_offset, remaining());
        }
        const auto taken = m_bytes.subspan(m_offset, count);
        m_offset += count;
        return taken;
    }

    /// The next `count` bytes as text of any content, not copied.
    Result<std::string_view> text(uint64_t count) {
        INGLE_TRY_ASSIGN(const auto bytes, take(count));
        return std::string_view(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }

  private:
    std::span<const std::byte> m_bytes;
    size_t m_offset = 0;
    bool m_ranOut = false;
};

}  // namespace ingle::io
