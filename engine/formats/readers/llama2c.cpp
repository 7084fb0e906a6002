// llama2.c checkpoints, version 0. Seven i32: dim, hidden dim, layers, heads, key/value heads, vocabulary
// (negative: the output matrix is not shared with the embedding), positions; then float32 arrays, each
// stacked over the layers. Source: llama2.c's run.c and export.py. There is no magic number, so the sizes
// must give exactly the file's size. Rows of wq and wk rotate adjacent pairs, which is the order of GGUF's
// "llama" as well.
#include <array>
#include <cstring>
#include <optional>

#include "engine/formats/file_reader.h"
#include "engine/formats/tensor_directory.h"

namespace ingle::formats {
namespace {

/// Later versions begin with this number instead (the text "24ka") and state their version.
constexpr uint32_t kVersionedMagic = 0x616B3432;
constexpr size_t kHeaderBytes = 7 * sizeof(int32_t);

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

std::optional<Config> parseConfig(std::span<const std::byte> file) {
    if (file.size() < kHeaderBytes) return std::nullopt;
    std::array<int32_t, 7> fields;
    std::memcpy(fields.data(), file.data(), kHeaderBytes);
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

struct StackedArray {
    std::string_view name;
    tensor::Shape shape;
};

/// The arrays between the embedding and the final norm, each holding all layers one after another.
std::array<StackedArray, 9> layerArrays(const Config& c) {
    const tensor::Shape norm{{c.dim, 1, 1, 1}};
    const tensor::Shape square{{c.dim, c.dim, 1, 1}};
    const tensor::Shape keyValue{{c.dim, c.kvDim(), 1, 1}};
    const tensor::Shape widening{{c.dim, c.hiddenDim, 1, 1}};
    const tensor::Shape narrowing{{c.hiddenDim, c.dim, 1, 1}};
    return {{{"attn_norm", norm},
             {"attn_q", square},
             {"attn_k", keyValue},
             {"attn_v", keyValue},
             {"attn_output", square},
             {"ffn_norm", norm},
             {"ffn_gate", widening},
             {"ffn_down", narrowing},
             {"ffn_up", widening}}};
}

uint64_t fileBytes(const Config& c) {
    uint64_t elems = c.vocabSize * c.dim * (c.sharedOutput ? 1 : 2) + c.dim + c.ropeTableElems();
    for (const StackedArray& array : layerArrays(c))
        elems += c.numLayers * array.shape.dims[0] * array.shape.dims[1];
    return kHeaderBytes + elems * sizeof(float);
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
    return config && fileBytes(*config) == file.size() ? Match::Size : Match::No;
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

Result<ModelFile> read(std::span<const std::byte> file) {
    if (isVersioned(file)) {
        int32_t version = 0;
        if (file.size() >= 8) std::memcpy(&version, file.data() + 4, sizeof version);
        return fail(ErrorCode::Unsupported, "llama2.c files of version {} are not supported (version 0 is)",
                    version);
    }
    const auto config = parseConfig(file);
    const quant::QuantFormat* f32 = quant::findFormat(quant::kF32);
    if (!config || !f32) return fail(ErrorCode::Corrupt, "not a llama2.c header");
    const Config& c = *config;

    ModelFile model;
    model.format = "llama2.c v0";
    model.tokenizer.model = "none";
    setKeys(model.metadata, c);
    uint64_t offset = kHeaderBytes;
    const auto add = [&](std::string name, const tensor::Shape& shape) -> Status {
        INGLE_TRY_ASSIGN(const uint64_t bytes, addTensor(model, file, std::move(name), shape, *f32, offset));
        offset += bytes;
        return {};
    };
    INGLE_TRY(add("token_embd.weight", {{c.dim, c.vocabSize, 1, 1}}));
    for (const StackedArray& array : layerArrays(c))
        for (uint64_t layer = 0; layer < c.numLayers; ++layer)
            INGLE_TRY(add(fmt::format("blk.{}.{}.weight", layer, array.name), array.shape));
    INGLE_TRY(add("output_norm.weight", {{c.dim, 1, 1, 1}}));
    offset += c.ropeTableElems() * sizeof(float);
    if (!c.sharedOutput) INGLE_TRY(add("output.weight", {{c.dim, c.vocabSize, 1, 1}}));
    return model;
}

}  // namespace

extern const FileReader llama2c_reader;
const FileReader llama2c_reader{.name = "llama2.c", .probe = probe, .read = read};

}  // namespace ingle::formats
