#include "engine/import/model_writer.h"

#include <sys/stat.h>

#include <algorithm>
#include <cstring>
#include <filesystem>

#include "engine/formats/kind.h"
#include "ingle/error_ids.h"
#include "ingle/size_text.h"

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
    auto model = formats::openModelFile(source);
    if (!model) return tl::unexpected(formats::inWords(std::move(model).error(), source.path()));
    if (auto refusal = formats::refusalOf(*model)) return tl::unexpected(*std::move(refusal));
    INGLE_TRY(refuseOverwriting(*model, options.replaces.empty() ? options.target : options.replaces));
    return model;
}

Status checkRoom(const std::string& target, uint64_t bytes) {
    std::error_code unknown;
    const std::string parent = std::filesystem::path(target).parent_path().string();
    const std::string folder = parent.empty() ? "." : parent;
    const std::filesystem::space_info room = std::filesystem::space(folder, unknown);
    if (unknown || room.available >= bytes) return {};
    return withId<ErrorId::ModelNeedsRoom>(
        fail(ErrorCode::Io, "{}: needs {} of room on its disk, and {} are free", target, sizeText(bytes),
             sizeText(room.available)),
        folder, bytes, room.available);
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
