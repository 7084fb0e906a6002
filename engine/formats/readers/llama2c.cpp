// llama2.c checkpoints, versions 0 and 1: seven i32 (dim, hidden dim, layers, heads, key/value heads,
// vocabulary, positions), then float32 arrays, each stacked over the layers. Source: llama2.c's run.c and
// export.py. Rows of wq and wk rotate adjacent pairs, which is the order of GGUF's "llama" as well. Version 0
// begins with the seven numbers; a negative vocabulary says that the output matrix is not shared with the
// embedding. There is no magic number, so the sizes must give exactly the file's size.
// Version 1 begins with a magic number and the version, has a byte for the shared output matrix, and its
// header takes 256 bytes.
#include <array>
#include <cstring>
#include <optional>
#include <vector>

#include "engine/formats/file_reader.h"
#include "engine/formats/tensor_directory.h"

namespace ingle::formats {
namespace {

/// Later versions begin with this number instead (the text "24ka") and state their version.
constexpr uint32_t kVersionedMagic = 0x616B3432;
constexpr size_t kConfigBytes = 7 * sizeof(int32_t);
constexpr size_t kVersionedConfigOffset = 8;
constexpr size_t kSharedOutputOffset = kVersionedConfigOffset + kConfigBytes;
constexpr size_t kVersionedHeaderBytes = 256;

// Bounds of a plausible header. They keep every product below far from 2^64: 2^12 * 2^22 * 2^22.
constexpr int64_t kMaxLayers = 1 << 12;
constexpr int64_t kMaxWidth = 1 << 22;
constexpr int64_t kMaxCount = 1 << 24;

struct Config {
    uint64_t dim, hiddenDim, numLayers, numHeads, numKvHeads, vocabSize, numPositions;
    bool sharedOutput;

    uint64_t headSize() const { return dim / numHeads; }
    uint64_t kvDim() const { return headSize() * numKvHeads; }
    /// Cosines and sines of all positions, which this engine computes itself.
    uint64_t ropeTableElems() const { return 2 * (numPositions * headSize() / 2); }
};

/// The numbers at the beginning of `bytes`, if they describe a model.
std::optional<Config> parseConfig(std::span<const std::byte> bytes) {
    if (bytes.size() < kConfigBytes) return std::nullopt;
    std::array<int32_t, 7> fields;
    std::memcpy(fields.data(), bytes.data(), kConfigBytes);
    const auto [dim, hiddenDim, numLayers, numHeads, numKvHeads, signedVocab, numPositions] = fields;
    const int64_t vocabSize = signedVocab < 0 ? -int64_t{signedVocab} : signedVocab;
    const auto within = [](int64_t value, int64_t max) { return value > 0 && value <= max; };
    const bool plausible = within(dim, kMaxWidth) && within(hiddenDim, kMaxWidth) &&
                           within(numLayers, kMaxLayers) && within(numHeads, dim) &&
                           within(numKvHeads, numHeads) && within(vocabSize, kMaxCount) &&
                           within(numPositions, kMaxCount);
    if (!plausible || dim % numHeads != 0 || numHeads % numKvHeads != 0 || dim / numHeads % 2 != 0)
        return std::nullopt;
    const auto size = [](int64_t value) { return static_cast<uint64_t>(value); };
    return Config{size(dim),        size(hiddenDim), size(numLayers),    size(numHeads),
                  size(numKvHeads), size(vocabSize), size(numPositions), signedVocab > 0};
}

enum class Extent { OnePerLayer, OnePerModel };

/// Arrays in the order of a file, each with all layers one after another. One without a name is skipped.
struct StackedArray {
    std::string_view name;
    tensor::Shape shape;
    Extent extent = Extent::OnePerLayer;
};

struct Arrays {
    StackedArray embedding, attentionNorm, query, key, value, attentionOutput, ffnNorm, gate, down, up,
        outputNorm, ropeTables, output;
};

Arrays arraysOf(const Config& c) {
    const tensor::Shape norm{{c.dim, 1, 1, 1}};
    const tensor::Shape square{{c.dim, c.dim, 1, 1}};
    const tensor::Shape keyValue{{c.dim, c.kvDim(), 1, 1}};
    const tensor::Shape widening{{c.dim, c.hiddenDim, 1, 1}};
    const tensor::Shape narrowing{{c.hiddenDim, c.dim, 1, 1}};
    const tensor::Shape vocabulary{{c.dim, c.vocabSize, 1, 1}};
    return {.embedding = {"token_embd", vocabulary, Extent::OnePerModel},
            .attentionNorm = {"attn_norm", norm},
            .query = {"attn_q", square},
            .key = {"attn_k", keyValue},
            .value = {"attn_v", keyValue},
            .attentionOutput = {"attn_output", square},
            .ffnNorm = {"ffn_norm", norm},
            .gate = {"ffn_gate", widening},
            .down = {"ffn_down", narrowing},
            .up = {"ffn_up", widening},
            .outputNorm = {"output_norm", norm, Extent::OnePerModel},
            .ropeTables = {"", {{c.ropeTableElems(), 1, 1, 1}}, Extent::OnePerModel},
            .output = {"output", vocabulary, Extent::OnePerModel}};
}

std::vector<StackedArray> arraysInOrder(const Config& c, int32_t version) {
    const Arrays a = arraysOf(c);
    std::vector<StackedArray> order;
    if (version == 0)
        order = {a.embedding, a.attentionNorm, a.query, a.key, a.value,      a.attentionOutput,
                 a.ffnNorm,   a.gate,          a.down,  a.up,  a.outputNorm, a.ropeTables};
    else
        order = {a.attentionNorm, a.ffnNorm,         a.outputNorm, a.embedding, a.query, a.key,
                 a.value,         a.attentionOutput, a.gate,       a.down,      a.up};
    if (!c.sharedOutput) order.push_back(a.output);
    return order;
}

uint64_t version0Bytes(const Config& c) {
    uint64_t elems = 0;
    for (const StackedArray& array : arraysInOrder(c, 0))
        elems += array.shape.numElems() * (array.extent == Extent::OnePerLayer ? c.numLayers : 1);
    return kConfigBytes + elems * sizeof(float);
}

bool isVersioned(std::span<const std::byte> file) {
    uint32_t magic = 0;
    if (file.size() < sizeof magic) return false;
    std::memcpy(&magic, file.data(), sizeof magic);
    return magic == kVersionedMagic;
}

Match probe(std::span<const std::byte> file) {
    if (isVersioned(file)) return Match::Magic;
    const auto config = parseConfig(file);
    return config && version0Bytes(*config) == file.size() ? Match::Size : Match::No;
}

void setKeys(Metadata& metadata, const Config& c) {
    const auto setCount = [&](const char* key, uint64_t value) {
        metadata.set(key, static_cast<int64_t>(value));
    };
    metadata.set("general.architecture", std::string("llama"));
    setCount("llama.context_length", c.numPositions);
    setCount("llama.embedding_length", c.dim);
    setCount("llama.block_count", c.numLayers);
    setCount("llama.feed_forward_length", c.hiddenDim);
    setCount("llama.attention.head_count", c.numHeads);
    setCount("llama.attention.head_count_kv", c.numKvHeads);
    setCount("llama.vocab_size", c.vocabSize);
    // Constants of run.c.
    metadata.set("llama.attention.layer_norm_rms_epsilon", 1e-5);
    metadata.set("llama.rope.freq_base", 10000.0);
}

/// Config of a file with a magic number, of the only version that is read: 1.
Result<Config> parseVersionedHeader(std::span<const std::byte> file) {
    int32_t version = 0;
    if (file.size() >= kVersionedConfigOffset) std::memcpy(&version, file.data() + 4, sizeof version);
    if (version != 1)
        return fail(ErrorCode::Unsupported, "llama2.c files of version {} are not supported (0 and 1 are)",
                    version);
    if (file.size() < kVersionedHeaderBytes)
        return fail(ErrorCode::Corrupt, "the header of a llama2.c file takes {} bytes, this one has {}",
                    kVersionedHeaderBytes, file.size());
    auto config = parseConfig(file.subspan(kVersionedConfigOffset));
    // The sign of the vocabulary's size means something in version 0 only.
    if (!config || !config->sharedOutput) return fail(ErrorCode::Corrupt, "not a llama2.c header");
    config->sharedOutput = file[kSharedOutputOffset] != std::byte{0};
    return *config;
}

Result<ModelFile> readArrays(std::span<const std::byte> file, const Config& c, int32_t version,
                             uint64_t offset) {
    const quant::QuantFormat* f32 = quant::findFormat(quant::kF32);
    if (!f32) return fail(ErrorCode::Unsupported, "this version does not know the block type F32");
    ModelFile model;
    model.format = fmt::format("llama2.c v{}", version);
    model.tokenizer.model = "none";
    setKeys(model.metadata, c);
    for (const StackedArray& array : arraysInOrder(c, version)) {
        const bool perLayer = array.extent == Extent::OnePerLayer;
        for (uint64_t layer = 0; layer < (perLayer ? c.numLayers : 1); ++layer) {
            if (!array.name.empty()) {
                const std::string prefix = perLayer ? fmt::format("blk.{}.", layer) : "";
                INGLE_TRY(addTensor(model, file, fmt::format("{}{}.weight", prefix, array.name), array.shape,
                                    *f32, offset));
            }
            offset += array.shape.numElems() * sizeof(float);
        }
    }
    return model;
}

Result<ModelFile> read(std::span<const std::byte> file) {
    if (isVersioned(file)) {
        INGLE_TRY_ASSIGN(const Config config, parseVersionedHeader(file));
        return readArrays(file, config, 1, kVersionedHeaderBytes);
    }
    const auto config = parseConfig(file);
    if (!config) return fail(ErrorCode::Corrupt, "not a llama2.c header");
    return readArrays(file, *config, 0, kConfigBytes);
}

}  // namespace

extern const FileReader llama2c_reader;
const FileReader llama2c_reader{.name = "llama2.c", .probe = probe, .read = read};

}  // namespace ingle::formats
