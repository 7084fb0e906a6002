// llama2.c's checkpoints: version 0 in float32, version 2 in int8, and tokenizer.bin beside them. Sources:
// llama2.c's export.py (legacy_export, version2_export), tokenizer.py, run.c and runq.c.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <filesystem>
#include <optional>

#include "engine/formats/gguf_layout.h"
#include "engine/formats/llama2c_layout.h"
#include "engine/import/model_writer.h"
#include "engine/io/mapped_file.h"

namespace ingle::importer::llama2c_writer {
namespace {

using namespace formats::llama2c;
using formats::ModelFile;
using formats::TokenizerData;

/// What export.py takes for groups, halved until it divides the rows.
constexpr uint64_t kGroupSize = 64;
constexpr std::string_view kSpaceMark = "\u2581";

template <typename T>
void append(std::string& out, T value) {
    char bytes[sizeof value];
    std::memcpy(bytes, &value, sizeof value);
    out.append(bytes, sizeof bytes);
}

Result<int32_t> versionOf(const ImportOptions& options) {
    if (!options.tensorTypes.empty() || !options.importance.empty())
        return fail(ErrorCode::InvalidArgument,
                    "llama2.c files have one type for all matrices and no importances");
    if (options.quant.empty() || options.quant == "F32") return 0;
    if (options.quant == "Q8_0") return 2;
    return fail(ErrorCode::InvalidArgument,
                "llama2.c files hold F32 (version 0) or Q8_0 (version 2), not \"{}\"", options.quant);
}

tl::unexpected<Error> noPlaceFor(const std::string& what) {
    return fail(ErrorCode::Unsupported, "llama2.c files cannot hold this model: {}", what);
}

Result<Config> configOf(const ModelFile& model) {
    const auto& metadata = model.metadata;
    INGLE_TRY_ASSIGN(const std::string arch, metadata.string("general.architecture"));
    if (arch != "llama") return noPlaceFor(fmt::format("it is of the family {}, not llama", shown(arch)));
    const auto count = [&](const char* key) { return metadata.u32(fmt::format("llama.{}", key)); };
    const tensor::Tensor* embedding = model.find("token_embd.weight");
    if (!embedding) return noPlaceFor("it has no table of tokens");
    Config c{};
    INGLE_TRY_ASSIGN(c.dim, count("embedding_length"));
    INGLE_TRY_ASSIGN(c.hiddenDim, count("feed_forward_length"));
    INGLE_TRY_ASSIGN(c.numLayers, count("block_count"));
    INGLE_TRY_ASSIGN(c.numHeads, count("attention.head_count"));
    INGLE_TRY_ASSIGN(c.numKvHeads,
                     metadata.u32Or("llama.attention.head_count_kv", static_cast<uint32_t>(c.numHeads)));
    INGLE_TRY_ASSIGN(c.numPositions, count("context_length"));
    c.vocabSize = embedding->shape.numRows();
    c.sharedOutput = !model.find("output.weight");
    if (c.dim == 0 || c.numHeads == 0 || c.numKvHeads == 0 || c.dim % c.numHeads != 0)
        return noPlaceFor(fmt::format("{} heads do not divide rows of {}", c.numHeads, c.dim));

    INGLE_TRY_ASSIGN(const float epsilon, metadata.f32Or("llama.attention.layer_norm_rms_epsilon", kEpsilon));
    INGLE_TRY_ASSIGN(const float base, metadata.f32Or("llama.rope.freq_base", kRopeBase));
    INGLE_TRY_ASSIGN(const std::string scaling, metadata.stringOr("llama.rope.scaling.type", "none"));
    const auto headSize = static_cast<uint32_t>(c.headSize());
    INGLE_TRY_ASSIGN(const uint32_t keyLength, metadata.u32Or("llama.attention.key_length", headSize));
    INGLE_TRY_ASSIGN(const uint32_t rotated, metadata.u32Or("llama.rope.dimension_count", headSize));
    if (epsilon != kEpsilon)
        return noPlaceFor(fmt::format("its norms' epsilon is {}, not {}", epsilon, kEpsilon));
    if (base != kRopeBase || scaling != "none" || rotated != headSize)
        return noPlaceFor("its rotary positions are not those of base 10000 without scaling");
    if (keyLength != headSize) return noPlaceFor("its heads are not as wide as the rows divided by them");
    return c;
}

struct Array {
    StackedArray array;
    std::vector<const tensor::Tensor*> tensors;  ///< of the layers; empty: the tables of rotary positions
};

/// All tensors in the order of the file. Errors: Unsupported (one is missing, or one is left).
Result<std::vector<Array>> arraysOf(const ModelFile& model, const Config& config, int32_t version) {
    std::vector<Array> out;
    size_t numTaken = 0;
    for (const StackedArray& array : arraysInOrder(config, version)) {
        Array& next = out.emplace_back(Array{array, {}});
        for (uint64_t layer = 0; layer < array.count(config) && !array.name.empty(); ++layer) {
            const std::string prefix =
                array.extent == Extent::OnePerLayer ? fmt::format("blk.{}.", layer) : "";
            const std::string name = fmt::format("{}{}.weight", prefix, array.name);
            const tensor::Tensor* tensor = model.find(name);
            if (!tensor) return noPlaceFor(fmt::format("the tensor '{}' is missing", name));
            if (tensor->shape != array.shape)
                return noPlaceFor(fmt::format("the tensor '{}' has the shape {} instead of {}", name,
                                              tensor->shape.text(), array.shape.text()));
            next.tensors.push_back(tensor);
            ++numTaken;
        }
    }
    if (numTaken == model.tensors.size()) return out;
    for (const auto& entry : model.tensors) {
        const bool isTaken = std::ranges::any_of(out, [&](const Array& array) {
            return std::ranges::find(array.tensors, &entry.second) != array.tensors.end();
        });
        if (!isTaken)
            return noPlaceFor(fmt::format("there is no place for the tensor '{}'", shown(entry.first)));
    }
    return out;
}

/// tokenizer.bin; nothing where the model has no vocabulary. Errors: Unsupported (one that run.c would read
/// wrongly).
Result<std::optional<std::string>> tokenizerBytes(const TokenizerData& data, uint64_t vocabSize) {
    constexpr size_t kFirstByte = 3;
    if (data.model == "none" || data.tokens.empty()) return std::nullopt;
    const bool hasBytes = data.tokens.size() > kFirstByte && data.tokens[kFirstByte] == "<0x00>";
    if (data.model != "llama" || data.scores.size() != data.tokens.size() || !hasBytes ||
        data.bos.value_or(1) != 1 || data.eos.value_or(2) != 2)
        return noPlaceFor(
            "its vocabulary is not one of SentencePiece with <s> as 1, </s> as 2 and bytes from 3 on");
    std::string pieces;
    size_t longest = 0;
    for (size_t id = 0; id < vocabSize; ++id) {
        std::string text;
        std::string_view rest = id < data.tokens.size() ? data.tokens[id] : std::string_view();
        for (size_t at = rest.find(kSpaceMark); at != std::string_view::npos; at = rest.find(kSpaceMark)) {
            text += rest.substr(0, at);
            text += ' ';
            rest.remove_prefix(at + kSpaceMark.size());
        }
        text += rest;
        // As tokenizer.py writes them; no text spells these.
        if ((id == 1 || id == 2) && !text.starts_with('\n')) text = fmt::format("\n{}\n", text);
        longest = std::max(longest, text.size());
        append(pieces, id < data.scores.size() ? data.scores[id] : 0.0F);
        append(pieces, static_cast<int32_t>(text.size()));
        pieces += text;
    }
    std::string out;
    append(out, static_cast<uint32_t>(longest));
    return out + pieces;
}

std::string headerOf(const Config& c, int32_t version, uint64_t groupSize) {
    std::string out;
    if (version > 0) {
        append(out, kMagic);
        append(out, version);
    }
    const auto vocabulary = static_cast<int32_t>(c.vocabSize);
    for (const uint64_t field : {c.dim, c.hiddenDim, c.numLayers, c.numHeads, c.numKvHeads})
        append(out, static_cast<int32_t>(field));
    append(out, version == 0 && !c.sharedOutput ? -vocabulary : vocabulary);
    append(out, static_cast<int32_t>(c.numPositions));
    if (version == 0) return out;
    append(out, static_cast<uint8_t>(c.sharedOutput));
    append(out, static_cast<int32_t>(groupSize));
    out.resize(kHeaderBytes, '\0');
    return out;
}

/// Cosines, then sines, of all positions. run.c skips them.
Status writeRopeTables(const Config& c, io::AtomicFile& file) {
    for (const bool isSine : {false, true}) {
        for (uint64_t position = 0; position < c.numPositions; ++position) {
            std::vector<float> row;
            for (uint64_t pair = 0; pair < c.headSize() / 2; ++pair) {
                const double angle = static_cast<double>(position) /
                                     std::pow(double{kRopeBase}, 2.0 * static_cast<double>(pair) /
                                                                     static_cast<double>(c.headSize()));
                row.push_back(static_cast<float>(isSine ? std::sin(angle) : std::cos(angle)));
            }
            INGLE_TRY(file.write(std::as_bytes(std::span(row))));
        }
    }
    return {};
}

/// Integers of the whole matrix, then its scales.
Status writeGroups(const tensor::Tensor& tensor, uint64_t groupSize, WritingProgress& progress,
                   io::AtomicFile& file) {
    std::vector<float> scales;
    const auto encode = [&](std::span<const float> values, std::span<std::byte> row) {
        for (size_t begin = 0; begin < values.size(); begin += groupSize) {
            float largest = 0;
            for (const float value : values.subspan(begin, groupSize))
                largest = std::max(largest, std::abs(value));
            const float scale = largest / 127;
            scales.push_back(scale);
            for (size_t i = begin; i < begin + groupSize; ++i) {
                // Clamped as a float, NaN to -127: converting one outside the range of the integer is
                // undefined.
                const float q = scale > 0 ? std::nearbyint(values[i] / scale) : 0.0F;
                row[i] =
                    static_cast<std::byte>(static_cast<int8_t>(std::fmin(std::fmax(q, -127.0F), 127.0F)));
            }
        }
    };
    INGLE_TRY(writeRows(tensor, tensor.shape.rowElems(), encode, progress, file));
    return file.write(std::as_bytes(std::span(scales)));
}

/// All checkpoints of a folder share one tokenizer.bin: one of another model is not replaced.
Status checkVocabularyBeside(const std::string& path, const std::string& pieces) {
    if (!std::filesystem::exists(path)) return {};
    INGLE_TRY_ASSIGN(const auto there, io::MappedFile::open(path));
    const auto bytes = there->bytes();
    if (std::ranges::equal(bytes, std::as_bytes(std::span(pieces)))) return {};
    return fail(ErrorCode::InvalidArgument, "{}: is the vocabulary of another model; choose another folder",
                path);
}

Status write(const ImportOptions& options, const ImportEvents& events) {
    INGLE_TRY_ASSIGN(const int32_t version, versionOf(options));
    INGLE_TRY_ASSIGN(ModelFile model, openForWriting(options));
    INGLE_TRY(formats::layOutRotaryPairs(model, formats::RotaryPairs::AsInGguf));
    INGLE_TRY_ASSIGN(const Config config, configOf(model));
    INGLE_TRY_ASSIGN(const auto arrays, arraysOf(model, config, version));
    INGLE_TRY_ASSIGN(const auto tokenizer, tokenizerBytes(model.tokenizer, config.vocabSize));
    const auto beside = std::filesystem::path(options.target).parent_path() / "tokenizer.bin";
    if (tokenizer && beside.filename() == std::filesystem::path(options.target).filename())
        return fail(ErrorCode::InvalidArgument,
                    "{}: is the name of the vocabulary, which is written beside; choose another one",
                    options.target);
    if (tokenizer) INGLE_TRY(checkVocabularyBeside(beside.string(), *tokenizer));
    uint64_t groupSize = kGroupSize;
    while (config.dim % groupSize != 0 || config.hiddenDim % groupSize != 0) groupSize /= 2;

    WritingProgress progress(events);
    uint64_t targetBytes = 0;
    for (const Array& array : arrays) {
        const bool isGrouped = version == 2 && array.array.role == formats::llama2c::Role::Matrix;
        const uint64_t count = array.array.shape.numElems() * array.array.count(config);
        targetBytes += isGrouped ? count + count / groupSize * sizeof(float) : count * sizeof(float);
        for (const tensor::Tensor* tensor : array.tensors) progress.expect(tensor->bytes());
    }
    INGLE_TRY(checkRoom(options.target, targetBytes));
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(options.target));
    const std::string header = headerOf(config, version, groupSize);
    INGLE_TRY(file->write(std::as_bytes(std::span(header))));
    for (const Array& array : arrays) {
        if (array.tensors.empty()) INGLE_TRY(writeRopeTables(config, *file));
        for (const tensor::Tensor* tensor : array.tensors) {
            if (version == 2 && array.array.role == formats::llama2c::Role::Matrix)
                INGLE_TRY(writeGroups(*tensor, groupSize, progress, *file));
            else
                INGLE_TRY(writeFloats(*tensor, progress, *file));
        }
    }
    if (!tokenizer) {
        if (events.notice) events.notice("the model has no vocabulary, so no tokenizer.bin is written");
        return file->commit();
    }
    INGLE_TRY_ASSIGN(const auto pieces, io::AtomicFile::create(beside.string()));
    INGLE_TRY(pieces->write(std::as_bytes(std::span(*tokenizer))));
    INGLE_TRY(pieces->commit());
    return file->commit();
}

}  // namespace

extern const ModelWriter writer{.extension = ".bin", .name = "llama2.c", .write = write};

}  // namespace ingle::importer::llama2c_writer
