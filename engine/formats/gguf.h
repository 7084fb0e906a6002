/// Numbers of the GGUF format that its reader and writer share.
/// Layout: "GGUF", u32 version, u64 tensor count, u64 key count, keys, tensor infos, padding, tensor data;
/// all little-endian, nothing aligned but the data. Source: ggml's GGUF specification, versions 2 and 3.
#pragma once

#include <cstdint>
#include <string_view>

namespace ingle::formats::gguf {

inline constexpr std::string_view kMagic = "GGUF";
inline constexpr uint32_t kVersion = 3;
inline constexpr uint64_t kDefaultAlignment = 32;
/// Names of 64 bytes and more do not fit the fixed buffers of other readers.
inline constexpr uint64_t kMaxTensorName = 63;

enum class ValueType : int32_t {
    U8,
    I8,
    U16,
    I16,
    U32,
    I32,
    F32,
    Bool,
    String,
    Array,
    U64,
    I64,
    F64,
};

/// The next multiple of `alignment`, a power of two. Callers keep `offset` far below 2^64.
constexpr uint64_t alignUp(uint64_t offset, uint64_t alignment) {
    return (offset + alignment - 1) & ~(alignment - 1);
}

}  // namespace ingle::formats::gguf
