#include "engine/lab/synth.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/cpu_features.h"
#include "engine/formats/gguf_writer.h"
#include "engine/import/quant_mix.h"
#include "engine/quant/encode_rows.h"

namespace ingle::lab {
namespace {

/// SplitMix64 (Steele, Lea & Flood, 2014): fast enough that writing the file takes longer.
class Random {
  public:
    explicit Random(uint64_t seed) : m_state(seed) {}
    /// Uniform in [low, high).
    float between(float low, float high) {
        m_state += 0x9E3779B97F4A7C15u;
        uint64_t x = m_state;
        x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
        x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
        x ^= x >> 31;
        return low + (high - low) * (static_cast<float>(x >> 40) * 0x1p-24f);
    }

  private:
    uint64_t m_state;
};

struct Range {
    float low, high;
};

/// Ranges that keep activations near 1 through any depth: gains around 1, small biases, other vectors (mixing
/// shares, decays) as fractions, and matrices with variance 1/in.
Range rangeOf(const models::TensorSpec& spec) {
    if (spec.use == backend::WeightUse::Matrix) {
        const float bound = std::sqrt(3.0f / static_cast<float>(spec.shape.rowElems()));
        return {-bound, bound};
    }
    if (spec.name.ends_with(".bias")) return {-0.1f, 0.1f};
    if (spec.name.find("norm") != std::string::npos || spec.name.find("_ln.") != std::string::npos) {
        return {0.8f, 1.2f};
    }
    // What is left of a state is the exponential of it.
    if (spec.name.ends_with(".ssm_a")) return {-0.9f, -0.1f};
    return {0.1f, 0.9f};
}

/// Values of row `row` of a tensor: a function of seed, tensor and row, so that rows may be made in any
/// order.
void fillRow(const SynthOptions& options, const models::TensorSpec& spec, uint64_t row,
             std::span<float> values) {
    uint64_t nameHash = 0xCBF29CE484222325u;  // FNV-1a
    for (const char c : spec.name) nameHash = (nameHash ^ static_cast<uint8_t>(c)) * 0x100000001B3u;
    Random random(options.seed * 0x9E3779B97F4A7C15u ^ nameHash ^ (row << 20));
    const Range range = rangeOf(spec);
    for (float& value : values) value = random.between(range.low, range.high);
}

/// The token `steps` steps behind another one, or before it, in the one circle that all ordinary tokens are
/// on.
uint64_t alongCircle(uint64_t token, int64_t steps, uint64_t vocabSize) {
    constexpr uint64_t kFirst = 3;  // those before it mean something
    if (token < kFirst || vocabSize <= kFirst) return token;
    const auto size = static_cast<int64_t>(vocabSize - kFirst);
    return kFirst +
           static_cast<uint64_t>((static_cast<int64_t>(token - kFirst) + steps % size + size) % size);
}

/// As fillRow(), of a model with SynthOptions::headAgreement: the residual is the token's embedding, and the
/// row of the output that is most like it that of the next token in the circle.
void fillRowOfCircle(const SynthOptions& options, const models::TensorSpec& spec,
                     const models::TensorSpec& embedding, uint64_t row, std::span<float> values) {
    const uint64_t vocabSize = options.sizes.vocabSize;
    const std::string_view name = spec.name;
    const auto isPart = [name](std::string_view part) { return name.find(part) != std::string_view::npos; };
    constexpr std::array kEndsOfHalves{"attn_output.", "ffn_down", "ssm_out.", "out_proj.", "nextn.hnorm."};
    if (std::ranges::any_of(kEndsOfHalves, isPart)) {
        std::ranges::fill(values, 0.0F);
        return;
    }
    if (isPart("nextn.eh_proj.")) {
        std::ranges::fill(values, 0.0F);
        values[row] = 1;
        return;
    }
    if (name == "output.weight") return fillRow(options, embedding, alongCircle(row, -1, vocabSize), values);
    if (isPart("nextn.embed_tokens.")) {
        constexpr uint64_t kWrongFrom = 1 << 20;
        Random random(options.seed * 0x9E3779B97F4A7C15u ^ (kWrongFrom + row));
        const bool isRight = random.between(0, 1) < static_cast<float>(*options.headAgreement);
        return fillRow(options, embedding, alongCircle(row, isRight ? 0 : 7, vocabSize), values);
    }
    fillRow(options, spec, row, values);
}

formats::GgufWriter::RowSource synthRows(const SynthOptions& options, const models::TensorSpec& spec,
                                         const models::TensorSpec& embedding,
                                         const quant::QuantFormat& format, base::ThreadPool& threads) {
    return [&, spec, embedding](uint64_t first, std::span<std::byte> bytes) {
        const auto fill = [&](uint64_t row, std::span<float> values) {
            if (options.headAgreement)
                fillRowOfCircle(options, spec, embedding, row, values);
            else
                fillRow(options, spec, row, values);
        };
        quant::encodeRows(format, {spec.shape.rowElems(), fill}, first, bytes, threads);
        return Status{};
    };
}

void writeVocabulary(formats::GgufWriter& writer, uint32_t size) {
    constexpr uint32_t kFirstByte = 3;
    constexpr uint32_t kFirstPiece = kFirstByte + 256;
    if (size < kFirstPiece) {
        writer.set("tokenizer.ggml.model", std::string(size == 256 ? "bytes" : "none"));
        return;
    }
    enum : int64_t { Normal = 1, Unknown = 2, Control = 3, Byte = 6 };
    std::vector<std::string> tokens{"<unk>", "<s>", "</s>"};
    std::vector<int64_t> types{Unknown, Control, Control};
    for (int byte = 0; byte < 256; ++byte) {
        tokens.push_back(fmt::format("<0x{:02X}>", byte));
        types.push_back(Byte);
    }
    // Two letters and up: every piece can be reached by merging shorter ones only when those exist, so single
    // letters come first.
    for (uint32_t index = 0; tokens.size() < size; ++index) {
        std::string piece;
        for (uint32_t rest = index;; rest = rest / 26 - 1) {
            piece.insert(piece.begin(), static_cast<char>('a' + rest % 26));
            if (rest < 26) break;
        }
        tokens.push_back(std::move(piece));
        types.push_back(Normal);
    }
    std::vector<double> scores(size, 0.0);
    for (uint32_t id = kFirstPiece; id < size; ++id) scores[id] = -static_cast<double>(id - kFirstPiece);
    writer.set("tokenizer.ggml.model", std::string("llama"));
    writer.set("tokenizer.ggml.tokens", std::move(tokens));
    writer.set("tokenizer.ggml.scores", std::move(scores));
    writer.set("tokenizer.ggml.token_type", std::move(types));
    writer.set("tokenizer.ggml.bos_token_id", int64_t{1});
    writer.set("tokenizer.ggml.eos_token_id", int64_t{2});
    writer.set("tokenizer.ggml.unknown_token_id", int64_t{0});
}

/// The tensors of a model and of its head, without optional biases and factors, and without an output layer
/// of the head's own.
std::vector<models::TensorSpec> synthTensors(const models::ModelDefinition& model) {
    std::vector<models::TensorSpec> tensors = model.tensors();
    if (const auto head = model.head()) std::ranges::copy(head->tensors(), std::back_inserter(tensors));
    tensors = models::usualTensors(tensors);
    std::erase_if(tensors, [](const models::TensorSpec& spec) {
        const bool isWeight = spec.name.ends_with(".weight");
        return (spec.presence == models::Presence::Optional && !isWeight) ||
               spec.name.ends_with("shared_head_head.weight");
    });
    return tensors;
}

/// One block more, which predicts further tokens.
void addHead(const SynthOptions& options, formats::Metadata& metadata) {
    metadata.set(options.family + ".block_count", int64_t{options.sizes.numLayers} + 1);
    metadata.set(options.family + ".nextn_predict_layers", int64_t{1});
}

Status checkSizes(const models::SynthSizes& sizes) {
    constexpr uint32_t kMaxLayers = 1024;
    constexpr uint32_t kMaxWidth = 1u << 20;
    if (sizes.numLayers > kMaxLayers || sizes.dim > kMaxWidth || sizes.ffnDim > kMaxWidth) {
        return fail(ErrorCode::InvalidArgument, "{} layers of width {} and {} are more than {} and {}",
                    sizes.numLayers, sizes.dim, sizes.ffnDim, kMaxLayers, kMaxWidth);
    }
    if (sizes.numExpertsUsed > sizes.numExperts || (sizes.numExperts > 0 && sizes.numExpertsUsed == 0)) {
        return fail(ErrorCode::InvalidArgument, "{} of {} experts cannot serve a token", sizes.numExpertsUsed,
                    sizes.numExperts);
    }
    if (sizes.dim == 0 || sizes.ffnDim == 0 || sizes.numLayers == 0 || sizes.vocabSize == 0 ||
        sizes.numHeads == 0 || sizes.dim % sizes.numHeads != 0 || sizes.numKvHeads == 0 ||
        sizes.numHeads % sizes.numKvHeads != 0) {
        return fail(
            ErrorCode::InvalidArgument,
            "sizes contradict each other: dim {}, ffn {}, {} layers, {} heads, {} kv heads, vocabulary {}",
            sizes.dim, sizes.ffnDim, sizes.numLayers, sizes.numHeads, sizes.numKvHeads, sizes.vocabSize);
    }
    return {};
}

}  // namespace

Status writeSynthModel(const SynthOptions& options, const std::string& path) {
    INGLE_TRY(checkSizes(options.sizes));
    const auto families = models::allFamilies();
    const auto family = std::ranges::find(families, options.family, &models::ModelFamily::arch);
    if (family == families.end()) {
        return fail(ErrorCode::InvalidArgument, "the model family \"{}\" is not supported", options.family);
    }
    const quant::QuantFormat* matrixFormat = quant::findFormat(options.quant);
    if (!matrixFormat || !matrixFormat->encodeRow) {
        return fail(ErrorCode::InvalidArgument, "cannot write the block format \"{}\"", options.quant);
    }
    const quant::QuantFormat* floatFormat = quant::findFormat(quant::kF32);

    formats::ModelFile described;  // metadata only, to ask the family which tensors it wants
    described.path = path;
    described.metadata.set("general.architecture", std::string(options.family));
    described.metadata.set("general.name", fmt::format("synthetic {} {}", options.family, options.quant));
    (*family)->synthesize(options.sizes, described.metadata);
    const bool hasHead = options.hasHead || options.headAgreement;
    if (hasHead) addHead(options, described.metadata);
    INGLE_TRY_ASSIGN(const auto model, models::openDefinition(**family, described));
    if (hasHead && !model->head())
        return fail(ErrorCode::InvalidArgument, "models of the family \"{}\" have no such head",
                    options.family);

    base::ThreadPool threads(base::physicalCores());
    formats::GgufWriter writer;
    for (const auto& [key, value] : described.metadata.all()) writer.set(key, value);
    writeVocabulary(writer, options.sizes.vocabSize);
    const std::vector<models::TensorSpec> tensors = synthTensors(*model);
    const models::TensorSpec& embedding =
        *std::ranges::find(tensors, "token_embd.weight", &models::TensorSpec::name);
    for (const models::TensorSpec& spec : tensors) {
        const bool isQuantized = importer::isQuantizable(spec.name, spec.shape);
        const quant::QuantFormat* format = isQuantized ? matrixFormat : floatFormat;
        INGLE_TRY(writer.addTensor(spec.name, spec.shape, *format,
                                   synthRows(options, spec, embedding, *format, threads)));
    }
    return writer.write(path);
}

}  // namespace ingle::lab
