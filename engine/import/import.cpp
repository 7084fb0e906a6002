#include "engine/import/import.h"

#include <algorithm>
#include <filesystem>

#include "engine/import/model_writer.h"
#include "engine/io/mapped_file.h"

namespace ingle::importer {

Status importModel(const ImportOptions& options, const ImportEvents& events) {
    std::string extension = std::filesystem::path(options.target).extension().string();
    std::ranges::transform(extension, extension.begin(), [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 'a' - 'A') : c;
    });
    const auto writers = allWriters();
    auto writer = std::ranges::find(writers, extension, &ModelWriter::extension);
    if (writer == writers.end()) writer = std::ranges::find(writers, ".gguf", &ModelWriter::extension);
    return (*writer)->write(options, events);
}

Status dequantFile(const std::string& formatName, const std::string& raw, const std::string& target) {
    const quant::QuantFormat* format = quant::findFormat(formatName);
    if (!format) return fail(ErrorCode::InvalidArgument, "the block format \"{}\" is not known", formatName);
    INGLE_TRY_ASSIGN(const auto mapping, io::MappedFile::open(raw));
    const auto blocks = mapping->bytes();
    if (blocks.size() % format->blockBytes != 0)
        return fail(ErrorCode::InvalidArgument, "{}: {} bytes are not whole blocks of {} ({} bytes)", raw,
                    blocks.size(), format->name, format->blockBytes);
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(target));
    constexpr size_t kPieceElems = size_t{1} << 16;  // a multiple of every block
    const size_t pieceBytes = kPieceElems / format->blockElems * format->blockBytes;
    std::vector<float> values;
    for (size_t at = 0; at < blocks.size(); at += pieceBytes) {
        const size_t bytes = std::min(pieceBytes, blocks.size() - at);
        values.resize(bytes / format->blockBytes * format->blockElems);
        format->decodeRow(blocks.data() + at, values);
        INGLE_TRY(file->write(std::as_bytes(std::span(values))));
    }
    return file->commit();
}

}  // namespace ingle::importer
