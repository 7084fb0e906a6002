/// Writes GGUF v3 files, tensor by tensor, without holding a tensor in memory.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/tensor/tensor.h"
#include "ingle/result.h"

namespace ingle::formats {

/// Collects keys and tensor descriptions, then writes the file in one go. One thread.
class GgufWriter {
  public:
    /// Fills the encoded bytes of the rows from `first` on, `bytes.size()` over a row's bytes of them; asked
    /// for in order, row 0 first, about a MiB at a time.
    using RowSource = std::function<Status(uint64_t first, std::span<std::byte> bytes)>;

    /// Integers become u32, i32, i64 or u64, whichever holds them first (arrays: i32 or i64), and numbers f32
    /// unless they exceed its range: readers of other engines insist on these types.
    void set(std::string key, MetaValue value);
    /// Errors: Corrupt when the shape does not fit the format; InvalidArgument when the name is empty, too
    /// long or taken.
    Status addTensor(std::string name, const tensor::Shape& shape, const quant::QuantFormat& format,
                     RowSource rows);
    /// What all tensors take, and so the file but for its header.
    uint64_t dataBytes() const { return m_dataBytes; }
    /// Data begins at multiples of 32. `path` appears complete or not at all. Errors: Io, and those of the
    /// row sources.
    Status write(const std::string& path) const;

  private:
    struct TensorEntry {
        std::string name;
        tensor::Shape shape;
        const quant::QuantFormat* format;
        RowSource rows;
        uint64_t offset;  // from the start of the data section
        uint64_t bytes;
    };

    std::string header() const;

    Metadata m_metadata;
    std::vector<TensorEntry> m_tensors;
    std::set<std::string, std::less<>> m_names;
    uint64_t m_dataBytes = 0;
};

/// A row source that copies a tensor that is already encoded. The tensor's bytes must outlive the writer.
GgufWriter::RowSource copyRows(const tensor::Tensor& tensor);

}  // namespace ingle::formats
