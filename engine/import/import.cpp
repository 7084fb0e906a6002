#include "engine/import/import.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <map>
#include <optional>

#include "engine/base/cpu_features.h"
#include "engine/formats/gguf_layout.h"
#include "engine/formats/gguf_writer.h"
#include "engine/formats/kind.h"
#include "engine/formats/tokenizer_data.h"
#include "engine/import/importance.h"
#include "engine/import/quant_mix.h"
#include "engine/io/atomic_file.h"
#include "engine/quant/encode_rows.h"
#include "ingle/error_ids.h"
#include "ingle/size_text.h"

namespace ingle::importer {
namespace {

/// Keys that described the file, not the model.
bool describesTheFile(std::string_view key) {
    constexpr std::array<std::string_view, 3> kKeys{"general.alignment", "general.file_type",
                                                    "general.quantization_version"};
    return key.starts_with("split.") || std::ranges::find(kKeys, key) != kKeys.end();
}

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

/// Refuses to begin what its disk has no room for; a disk that does not tell has.
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

void writeKeys(const formats::ModelFile& model, const QuantMix* mix, formats::GgufWriter& writer) {
    formats::Metadata metadata = model.metadata;
    if (!metadata.find("tokenizer.ggml.model")) formats::writeTokenizerData(model.tokenizer, metadata);
    for (const auto& [key, value] : metadata.all()) {
        if (!describesTheFile(key)) writer.set(key, value);
    }
    writer.set("general.quantization_version", int64_t{2});  // of the block layouts
    const formats::MetaValue* fileType = model.metadata.find("general.file_type");
    if (mix)
        writer.set("general.file_type", int64_t{mix->fileType});
    else if (fileType)
        writer.set("general.file_type", *fileType);
}

/// The tensors on their way into the file: encodes them, counts what is done and speaks to the caller.
class Tensors {
  public:
    Tensors(const formats::ModelFile& model, const ImportOptions& options, const ImportEvents& events)
        : m_model(model),
          m_events(events),
          m_threads(options.threads ? options.threads : base::physicalCores()) {}

    Status addTo(formats::GgufWriter& writer, const TensorFormats& formats, const Importance* importance) {
        std::map<std::pair<std::string_view, std::string_view>, uint32_t>
            fallbacks;  // written, wanted → count
        uint32_t numUnknown = 0;
        bool isRequantized = false;
        for (const auto& [name, tensor] : m_model.tensors) {
            const TensorFormats::Choice choice = formats.of(m_model, tensor);
            const quant::QuantFormat& format = *choice.format;
            if (choice.insteadOf) ++fallbacks[{format.name, choice.insteadOf->name}];
            isRequantized |= &format != tensor.format && tensor.format->blockElems > 1;
            const bool isRounded = &format != tensor.format && format.blockElems > 1;
            const Importance* known = nullptr;
            if (importance && isRounded) {
                INGLE_TRY_ASSIGN(const bool isKnown, importance->knows(tensor));
                if (isKnown)
                    known = importance;
                else
                    ++numUnknown;
            }
            INGLE_TRY(writer.addTensor(name, tensor.shape, format, rowsOf(tensor, format, known)));
            m_totalBytes += tensor.bytes();
        }
        for (const auto& [pair, count] : fallbacks) {
            notice(fmt::format("{} {} as {}, since {} rows are not whole blocks of {}", count,
                               count == 1 ? "tensor is written" : "tensors are written", pair.first,
                               count == 1 ? "its" : "their", pair.second));
        }
        if (numUnknown > 0)
            notice(fmt::format("the importance matrix says nothing of {} {}; all their columns matter alike",
                               numUnknown, numUnknown == 1 ? "tensor" : "tensors"));
        if (isRequantized)
            notice("the source is quantised already: its weights are decoded and rounded a second time");
        return {};
    }

  private:
    void notice(const std::string& sentence) const {
        if (m_events.notice) m_events.notice(sentence);
    }

    /// Before a piece that takes `bytes` of the source.
    Status proceed(uint64_t bytes) {
        if (m_events.isCancelled && m_events.isCancelled())
            return fail(ErrorCode::Cancelled, "the import was stopped; nothing was written");
        m_doneBytes += bytes;
        if (m_events.progress && m_totalBytes > 0) {
            m_events.progress(static_cast<double>(m_doneBytes) / static_cast<double>(m_totalBytes),
                              "writing the model");
        }
        return {};
    }

    /// importance: null, or what knows this tensor.
    formats::GgufWriter::RowSource rowsOf(const tensor::Tensor& tensor, const quant::QuantFormat& format,
                                          const Importance* importance) {
        const size_t elems = tensor.shape.rowElems();
        const size_t sourceBytes = tensor.rowBytes();
        const size_t targetBytes = elems / format.blockElems * format.blockBytes;
        if (&format == tensor.format) {
            return [this, copy = formats::copyRows(tensor)](uint64_t first,
                                                            std::span<std::byte> bytes) -> Status {
                INGLE_TRY(proceed(bytes.size()));
                return copy(first, bytes);
            };
        }
        return [=, this, &tensor, &format](uint64_t first, std::span<std::byte> bytes) -> Status {
            INGLE_TRY(proceed(bytes.size() / targetBytes * sourceBytes));
            quant::RowsToEncode rows{
                elems, [&](uint64_t row, std::span<float> values) { tensor.decodeRow(row, values); }};
            if (importance)
                rows.importance = [&, importance](uint64_t row) { return importance->ofRow(tensor, row); };
            quant::encodeRows(format, rows, first, bytes, m_threads);
            return {};
        };
    }

    const formats::ModelFile& m_model;
    const ImportEvents& m_events;
    base::ThreadPool m_threads;
    uint64_t m_totalBytes = 0;
    uint64_t m_doneBytes = 0;
};

/// Any model; its errors begin with what people understand.
Result<formats::ModelFile> openSource(const io::Source& source) {
    auto model = formats::openModelFile(source);
    if (!model) return tl::unexpected(formats::inWords(std::move(model).error(), source.path()));
    if (auto refusal = formats::refusalOf(*model)) return tl::unexpected(*std::move(refusal));
    return model;
}

}  // namespace

Status importModel(const ImportOptions& options, const ImportEvents& events) {
    const QuantMix* mix = nullptr;
    if (!options.quant.empty()) {
        INGLE_TRY_ASSIGN(mix, findMix(options.quant));
    }
    INGLE_TRY_ASSIGN(const TensorFormats formats, TensorFormats::create(mix, options.tensorTypes));
    std::optional<Importance> importance;
    if (!options.importance.empty()) {
        INGLE_TRY_ASSIGN(importance, Importance::read(options.importance));
    }
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(options.source));
    INGLE_TRY_ASSIGN(formats::ModelFile model, openSource(source));
    INGLE_TRY(formats::layOutAsGguf(model));
    INGLE_TRY(refuseOverwriting(model, options.target));
    formats::GgufWriter writer;
    writeKeys(model, mix, writer);
    Tensors tensors(model, options, events);
    INGLE_TRY(tensors.addTo(writer, formats, importance ? &*importance : nullptr));
    INGLE_TRY(checkRoom(options.target, writer.dataBytes()));
    return writer.write(options.target);
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
