/// Formats that models are written in. One file per format: engine/import/writers/<name>.cpp defines `extern
/// const ModelWriter writer` in the namespace `<name>_writer`.
#pragma once

#include <span>
#include <string_view>

#include "engine/formats/model_file.h"
#include "engine/import/import.h"
#include "engine/io/atomic_file.h"

namespace ingle::importer {

struct ModelWriter {
    std::string_view extension;  ///< of the target: ".gguf"
    std::string_view name;
    /// See importModel(). What the format cannot hold is refused before anything is written.
    Status (*write)(const ImportOptions& options, const ImportEvents& events);
};

std::span<const ModelWriter* const> allWriters();

/// Any model, unless it is the target itself; errors begin with what people understand. Errors: as
/// importModel().
Result<formats::ModelFile> openForWriting(const ImportOptions& options);
/// Refuses to begin what the target's disk has no room for; a disk that does not tell has. Errors: Io.
Status checkRoom(const std::string& target, uint64_t bytes);

/// Counts what is done and speaks to the caller.
class WritingProgress {
  public:
    explicit WritingProgress(const ImportEvents& events) : m_events(events) {}

    /// So many bytes more of the source are to come.
    void expect(uint64_t bytes) { m_totalBytes += bytes; }
    /// Before a piece that takes `bytes` of the source. Errors: Cancelled.
    Status proceed(uint64_t bytes);

  private:
    const ImportEvents& m_events;
    uint64_t m_totalBytes = 0;
    uint64_t m_doneBytes = 0;
};

/// Appends the rows of a tensor to a file, about a MiB at a time: `encode` makes the bytes of a row of its
/// values.
Status writeRows(const tensor::Tensor& tensor, size_t targetRowBytes,
                 const std::function<void(std::span<const float> values, std::span<std::byte> row)>& encode,
                 WritingProgress& progress, io::AtomicFile& file);
/// The values themselves.
Status writeFloats(const tensor::Tensor& tensor, WritingProgress& progress, io::AtomicFile& file);

}  // namespace ingle::importer
