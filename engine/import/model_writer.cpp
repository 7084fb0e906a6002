#include "engine/import/model_writer.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>

namespace ingle::importer {
namespace {

/// Rows are gathered into writes of about this size.
constexpr size_t kChunkBytes = size_t{1} << 20;

Status refuseOverwriting(const formats::ModelFile& model, const std::string& target) {
    struct stat there {};
    if (::stat(target.c_str(), &there) != 0) return {};  // writing to it will say what is wrong, if anything
    for (const io::Source& source : model.sources) {
        struct stat own {};
        if (::fstat(source.descriptor(), &own) == 0 && own.st_dev == there.st_dev &&
            own.st_ino == there.st_ino)
            return fail(ErrorCode::InvalidArgument, "{}: is the source itself; write to another file",
                        target);
    }
    return {};
}

}  // namespace

Result<formats::ModelFile> openForWriting(const ImportOptions& options) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(options.source));
    INGLE_TRY_ASSIGN(formats::ModelFile model, formats::openModelFile(source));
    INGLE_TRY(refuseOverwriting(model, options.target));
    return model;
}

Status WritingProgress::proceed(uint64_t bytes) {
    if (m_events.isCancelled && m_events.isCancelled())
        return fail(ErrorCode::Cancelled, "the import was stopped; nothing was written");
    m_doneBytes += bytes;
    if (m_events.progress && m_totalBytes > 0) {
        m_events.progress(static_cast<double>(m_doneBytes) / static_cast<double>(m_totalBytes),
                          "writing the model");
    }
    return {};
}

Status writeRows(const tensor::Tensor& tensor, size_t targetRowBytes,
                 const std::function<void(std::span<const float> values, std::span<std::byte> row)>& encode,
                 WritingProgress& progress, io::AtomicFile& file) {
    const uint64_t numRows = tensor.shape.numRows();
    const uint64_t rowsPerChunk = std::max<uint64_t>(kChunkBytes / targetRowBytes, 1);
    std::vector<float> values(tensor.shape.rowElems());
    std::vector<std::byte> chunk;
    for (uint64_t first = 0; first < numRows; first += rowsPerChunk) {
        const uint64_t count = std::min(rowsPerChunk, numRows - first);
        INGLE_TRY(progress.proceed(count * tensor.rowBytes()));
        chunk.resize(count * targetRowBytes);
        for (uint64_t row = 0; row < count; ++row) {
            tensor.decodeRow(first + row, values);
            encode(values, std::span(chunk).subspan(row * targetRowBytes, targetRowBytes));
        }
        INGLE_TRY(file.write(chunk));
    }
    return {};
}

Status writeFloats(const tensor::Tensor& tensor, WritingProgress& progress, io::AtomicFile& file) {
    const auto copy = [](std::span<const float> values, std::span<std::byte> row) {
        std::memcpy(row.data(), values.data(), row.size());
    };
    return writeRows(tensor, tensor.shape.rowElems() * sizeof(float), copy, progress, file);
}

}  // namespace ingle::importer
