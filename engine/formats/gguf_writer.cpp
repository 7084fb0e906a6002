#include "engine/formats/gguf_writer.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "engine/formats/gguf.h"
#include "engine/io/atomic_file.h"

namespace ingle::formats {
namespace {

using gguf::ValueType;

/// Rows are gathered into writes of about this size.
constexpr size_t kChunkBytes = size_t{1} << 20;

template <typename T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof bytes);
}

void appendString(std::string& out, std::string_view text) {
    append(out, uint64_t{text.size()});
    out += text;
}

void appendType(std::string& out, ValueType type) {
    append(out, static_cast<int32_t>(type));
}

template <typename T>
bool fits(int64_t value) {
    return value >= int64_t{std::numeric_limits<T>::min()} && value <= int64_t{std::numeric_limits<T>::max()};
}

/// Infinities and NaN are f32 values too.
bool fitsFloat(double value) {
    return !std::isfinite(value) || std::abs(value) <= std::numeric_limits<float>::max();
}

/// Appends type and value; see GgufWriter::set for the choice of types.
struct ValueWriter {
    std::string& out;

    void operator()(int64_t value) const {
        if (fits<uint32_t>(value))
            scalar(ValueType::U32, static_cast<uint32_t>(value));
        else if (fits<int32_t>(value))
            scalar(ValueType::I32, static_cast<int32_t>(value));
        else
            scalar(ValueType::I64, value);
    }
    void operator()(uint64_t value) const { scalar(ValueType::U64, value); }
    void operator()(double value) const {
        if (fitsFloat(value))
            scalar(ValueType::F32, static_cast<float>(value));
        else
            scalar(ValueType::F64, value);
    }
    void operator()(bool value) const { scalar(ValueType::Bool, static_cast<uint8_t>(value)); }
    void operator()(const std::string& value) const {
        appendType(out, ValueType::String);
        appendString(out, value);
    }
    void operator()(const std::vector<int64_t>& values) const {
        if (std::ranges::all_of(values, fits<int32_t>))
            array<int32_t>(ValueType::I32, values);
        else
            array<int64_t>(ValueType::I64, values);
    }
    void operator()(const std::vector<double>& values) const {
        if (std::ranges::all_of(values, fitsFloat))
            array<float>(ValueType::F32, values);
        else
            array<double>(ValueType::F64, values);
    }
    void operator()(const std::vector<std::string>& values) const {
        arrayHead(ValueType::String, values.size());
        for (const std::string& value : values) appendString(out, value);
    }

  private:
    template <typename T>
    void scalar(ValueType type, T value) const {
        appendType(out, type);
        append(out, value);
    }
    void arrayHead(ValueType elementType, uint64_t count) const {
        appendType(out, ValueType::Array);
        appendType(out, elementType);
        append(out, count);
    }
    template <typename T, typename Values>
    void array(ValueType elementType, const Values& values) const {
        arrayHead(elementType, values.size());
        for (const auto value : values) append(out, static_cast<T>(value));
    }
};

uint32_t numUsedDims(const tensor::Shape& shape) {
    auto used = static_cast<uint32_t>(shape.dims.size());
    while (used > 1 && shape.dims[used - 1] == 1) --used;
    return used;
}

Status writePadding(io::AtomicFile& file) {
    static constexpr std::byte kZeros[gguf::kDefaultAlignment] = {};
    const uint64_t written = file.bytesWritten();
    return file.write(std::span(kZeros).first(gguf::alignUp(written, gguf::kDefaultAlignment) - written));
}

}  // namespace

void GgufWriter::set(std::string key, MetaValue value) {
    m_metadata.set(std::move(key), std::move(value));
}

Status GgufWriter::addTensor(std::string name, const tensor::Shape& shape, const quant::QuantFormat& format,
                             RowSource rows) {
    if (name.empty() || name.size() > gguf::kMaxTensorName)
        return fail(ErrorCode::InvalidArgument, "a tensor name of {} bytes; 1 to {} are allowed", name.size(),
                    gguf::kMaxTensorName);
    if (format.id.id >= quant::kFirstForeignId)
        return fail(ErrorCode::InvalidArgument,
                    "tensor '{}': GGUF files have no block format {}; a quant such as Q8_0 has to be chosen",
                    shown(name), format.name);
    INGLE_TRY_ASSIGN(const uint64_t bytes, tensor::checkedBytes(shape, format));
    if (!m_names.insert(name).second)
        return fail(ErrorCode::InvalidArgument, "tensor '{}' is already there", shown(name));
    m_tensors.push_back({std::move(name), shape, &format, std::move(rows), m_dataBytes, bytes});
    m_dataBytes = gguf::alignUp(m_dataBytes + bytes, gguf::kDefaultAlignment);
    return {};
}

std::string GgufWriter::header() const {
    std::string out(gguf::kMagic);
    append(out, gguf::kVersion);
    append(out, uint64_t{m_tensors.size()});
    append(out, uint64_t{m_metadata.all().size()});
    for (const auto& [key, value] : m_metadata.all()) {
        appendString(out, key);
        std::visit(ValueWriter{out}, value);
    }
    for (const TensorEntry& tensor : m_tensors) {
        appendString(out, tensor.name);
        const uint32_t numDims = numUsedDims(tensor.shape);
        append(out, numDims);
        for (uint32_t i = 0; i < numDims; ++i) append(out, tensor.shape.dims[i]);
        append(out, int32_t{tensor.format->id.id});
        append(out, tensor.offset);
    }
    return out;
}

Status GgufWriter::write(const std::string& path) const {
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(path));
    const std::string head = header();
    INGLE_TRY(file->write(std::as_bytes(std::span(head))));
    INGLE_TRY(writePadding(*file));
    std::vector<std::byte> chunk;
    for (const TensorEntry& tensor : m_tensors) {
        const uint64_t numRows = tensor.shape.numRows();
        const size_t rowBytes = tensor.bytes / numRows;
        const uint64_t rowsPerChunk = std::max<uint64_t>(kChunkBytes / rowBytes, 1);
        for (uint64_t first = 0; first < numRows; first += rowsPerChunk) {
            const uint64_t count = std::min(rowsPerChunk, numRows - first);
            chunk.resize(count * rowBytes);
            INGLE_TRY(tensor.rows(first, chunk));
            INGLE_TRY(file->write(chunk));
        }
        INGLE_TRY(writePadding(*file));
    }
    return file->commit();
}

GgufWriter::RowSource copyRows(const tensor::Tensor& tensor) {
    return [tensor](uint64_t first, std::span<std::byte> bytes) -> Status {
        const uint64_t rowBytes = tensor.rowBytes();
        if (tensor.side)
            return fail(ErrorCode::Unsupported,
                        "tensor '{}' has scales of its own, which GGUF files cannot hold beside it",
                        shown(tensor.name));
        if (tensor.data.empty() && tensor.decoder) {
            tensor.decoder->decode(first, bytes.size() / rowBytes, bytes.data());
            return {};
        }
        for (; !bytes.empty(); bytes = bytes.subspan(rowBytes))
            std::copy_n(tensor.row(first++), rowBytes, bytes.begin());
        return {};
    };
}

}  // namespace ingle::formats
