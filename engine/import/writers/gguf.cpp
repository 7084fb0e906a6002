// GGUF v3: everything that opens can be written so.

#include <algorithm>
#include <array>
#include <map>
#include <optional>

#include "engine/base/cpu_features.h"
#include "engine/formats/gguf_layout.h"
#include "engine/formats/gguf_writer.h"
#include "engine/formats/tokenizer_data.h"
#include "engine/import/importance.h"
#include "engine/import/model_writer.h"
#include "engine/import/quant_mix.h"
#include "engine/quant/encode_rows.h"

namespace ingle::importer::gguf_writer {
namespace {

/// Keys that described the file, not the model.
bool describesTheFile(std::string_view key) {
    constexpr std::array<std::string_view, 3> kKeys{"general.alignment", "general.file_type",
                                                    "general.quantization_version"};
    return key.starts_with("split.") || std::ranges::find(kKeys, key) != kKeys.end();
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
          m_progress(events),
          m_threads(options.threads ? options.threads : base::physicalCores()) {}

    Status addTo(formats::GgufWriter& writer, const TensorFormats& formats, const Importance* importance) {
        std::map<std::pair<std::string_view, std::string_view>, uint32_t>
            fallbacks;  // written, wanted → count
        uint32_t numUnknown = 0, numExpanded = 0;
        bool isRequantized = false;
        for (const auto& [name, tensor] : m_model.tensors) {
            const TensorFormats::Choice choice = formats.of(m_model, tensor);
            const quant::QuantFormat& format = *choice.format;
            if (choice.insteadOf) ++fallbacks[{format.name, choice.insteadOf->name}];
            const bool isQuantized = tensor.format->blockElems > 1 || tensor.side;
            isRequantized |= &format != tensor.format && format.id != quant::kF32 && isQuantized;
            if (tensor.side && format.id == quant::kF32) ++numExpanded;
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
            m_progress.expect(tensor.bytes());
        }
        for (const auto& [pair, count] : fallbacks) {
            notice(fmt::format("{} {} as {}, since {} rows are not whole blocks of {}", count,
                               count == 1 ? "tensor is written" : "tensors are written", pair.first,
                               count == 1 ? "its" : "their", pair.second));
        }
        if (numExpanded > 0)
            notice(
                fmt::format("{} {} as F32, since GGUF has no such integers with scales; --quant makes the "
                            "file smaller",
                            numExpanded, numExpanded == 1 ? "tensor is written" : "tensors are written"));
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

    /// importance: null, or what knows this tensor.
    formats::GgufWriter::RowSource rowsOf(const tensor::Tensor& tensor, const quant::QuantFormat& format,
                                          const Importance* importance) {
        const size_t elems = tensor.shape.rowElems();
        const size_t sourceBytes = tensor.rowBytes();
        const size_t targetBytes = elems / format.blockElems * format.blockBytes;
        if (&format == tensor.format) {
            return [this, copy = formats::copyRows(tensor)](uint64_t first,
                                                            std::span<std::byte> bytes) -> Status {
                INGLE_TRY(m_progress.proceed(bytes.size()));
                return copy(first, bytes);
            };
        }
        return [=, this, &tensor, &format](uint64_t first, std::span<std::byte> bytes) -> Status {
            INGLE_TRY(m_progress.proceed(bytes.size() / targetBytes * sourceBytes));
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
    WritingProgress m_progress;
    base::ThreadPool m_threads;
};

Status write(const ImportOptions& options, const ImportEvents& events) {
    const QuantMix* mix = nullptr;
    if (!options.quant.empty()) {
        INGLE_TRY_ASSIGN(mix, findMix(options.quant));
    }
    INGLE_TRY_ASSIGN(const TensorFormats formats, TensorFormats::create(mix, options.tensorTypes));
    std::optional<Importance> importance;
    if (!options.importance.empty()) {
        INGLE_TRY_ASSIGN(importance, Importance::read(options.importance));
    }
    INGLE_TRY_ASSIGN(formats::ModelFile model, openForWriting(options));
    INGLE_TRY(formats::layOutRotaryPairs(model, formats::RotaryPairs::AsInGguf));
    INGLE_TRY(formats::joinHeads(model));
    INGLE_TRY(formats.checkNames(model));
    formats::GgufWriter writer;
    writeKeys(model, mix, writer);
    Tensors tensors(model, options, events);
    INGLE_TRY(tensors.addTo(writer, formats, importance ? &*importance : nullptr));
    INGLE_TRY(checkRoom(options.target, writer.dataBytes()));
    return writer.write(options.target);
}

}  // namespace

extern const ModelWriter writer{.extension = ".gguf", .name = "GGUF", .write = write};

}  // namespace ingle::importer::gguf_writer
