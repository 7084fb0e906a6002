/// Transformer decoders as data: what each layer consists of, and how all of them are read, listed and built.
/// A family reads its keys into a DecoderSpec, mostly by readDecoder(), and changes what it does differently.
#pragma once

#include <string_view>
#include <vector>

#include "engine/models/layer_spec.h"
#include "engine/models/pooling.h"

namespace ingle::models {

/// h = embed * embeddingScale [+ position];  the layers;  logits = cap(logitScale * Wout norm(h)), cap(x) = c
/// tanh(x / c). Of a decoder that makes embeddings (ModelFacts::pooling):  rows = norm(h).
struct DecoderSpec {
    ModelFacts facts;
    NormKind norm = NormKind::Rms;
    float normEps = 0;
    float embeddingScale = 1;
    float logitScale = 1;
    float logitCap = 0;                          ///< c; 0: none
    std::optional<NormKind> embeddingNorm = {};  ///< token_embd_norm, of the embedding
    float branchEps = 0;                         ///< of the norms afterMixer and afterFfn; 0: normEps
    std::string_view finalNorm = "output_norm";
    /// position_embd has a row for each position, which is added to the embedding; those behind the last one
    /// share its row.
    bool learnsPositions = false;
    bool hasOutputBias = true;  ///< output.bias, where the file has it
    /// Where it is one: openDefinition() reads how rows are pooled.
    ClassifierTraits classifier = {.pooling = Pooling::Last};
    /// The rows of pictures have further parts, as wide as the first, one of which is added behind each of so
    /// many layers.
    uint32_t numPictureLayers = 0;
    std::vector<LayerSpec> layers;
    /// Hidden rows are what these layers read, side by side; empty: what the output layer reads.
    std::vector<uint32_t> handedOver = {};

    void handOver(std::span<const uint32_t> read) { handedOver.assign(read.begin(), read.end()); }
    void takePictures() { facts.pictureWidth = (1 + numPictureLayers) * facts.dim; }
    bool areAlike(uint32_t layer, uint32_t other) const { return layers[layer] == layers[other]; }
    void keepLayers(std::span<const uint32_t> kept);
};

/// Slopes of linear biases, one per head; `maxBias` is the steepest one's exponent, mostly 8. Source: Press
/// et al., "Train Short, Test Long" (2021), section 3, and their code for numbers of heads that are no powers
/// of 2.
std::vector<float> alibiSlopes(uint32_t numHeads, float maxBias);

/// What decoders differ in that no key tells.
struct DecoderTraits {
    NormKind norm = NormKind::Rms;
    backend::RopeStyle ropeStyle = backend::RopeStyle::HalfSplit;
    bool hasFfnFactors = false;
    bool hasRopeFactors = true;  ///< rope_freqs.weight, where the file has it
    /// A layer without heads of keys is no error: the family gives it another mixer.
    bool mayLackHeads = false;
    /// Nor is one whose feed-forward is 0 wide: it has none.
    bool mayLackFeedForward = false;
};

/// Whether the layer has attention. Of those that readDecoder() read with mayLackHeads, too.
inline bool hasAttention(const LayerSpec& layer) {
    const auto* attention = std::get_if<AttentionSpec>(&layer.mixer);
    return attention && attention->numKvHeads > 0;
}

/// A decoder like Llama's, of the sizes in the file: rotary attention and gated feed-forward, each behind a
/// norm. Errors: Corrupt; Unsupported for other rope scalings than readRopeFrequencies() knows.
Result<DecoderSpec> readDecoder(const Keys& keys, const DecoderTraits& traits);

/// Divides the rotary frequencies of all layers by those of rope_factors_long or rope_factors_short, if the
/// file has them: long ones where conversations may be longer than rope.scaling.original_context_length.
/// Source: Ding et al., "LongRoPE: Extending LLM Context Window Beyond 2 Million Tokens" (2024). Errors:
/// Corrupt.
Status readLongRope(const Keys& keys, DecoderSpec& spec);

/// Experts in place of the feed-forward of every layer, if the file has any, as wide as that and with shares
/// that add up to 1. Errors: Corrupt.
Status readExperts(const Keys& keys, DecoderSpec& spec);
/// Their inner width, expert_feed_forward_length, where the file states one. Errors: Corrupt.
Status readExpertDim(const Keys& keys, DecoderSpec& spec);

/// Whether queries have a latent of their own: attention.q_lora_rank.
enum class LatentQueries : uint8_t { Stated, Optional, Plain };
/// Latent attention, the same for all layers that have attention. `decoder`: as readDecoder() read it.
/// Errors: Corrupt.
Result<LatentAttentionSpec> readLatentAttention(const Keys& keys, const DecoderSpec& decoder,
                                                LatentQueries queries);

/// What mixtures differ in that no key tells, or keys of which files may lack.
struct MixtureTraits {
    kernels::ExpertScores scores = kernels::ExpertScores::Softmax;  ///< without expert_gating_func
    bool renormalises = false;                                      ///< without expert_weights_norm
    bool hasDenseLayers = true;  ///< the first leading_dense_block_count ones
    /// What tells how wide the expert is that every row goes to.
    enum class Shared : uint8_t {
        Count,   ///< expert_shared_count, in widths of an expert
        Length,  ///< expert_shared_feed_forward_length
        Both,    ///< the count, in lengths, or in widths of an expert where there is no length
    } shared = Shared::Count;
};
/// Experts behind the first layers, chosen by all the rules that keys tell. Errors: Corrupt; Unsupported for
/// an unknown rule.
Status readMixture(const Keys& keys, DecoderSpec& spec, const MixtureTraits& traits = {});

/// How rope.dimension_sections, numbers of pairs, assign coordinates to rotated pairs.
enum class RopeSections : uint8_t {
    InOrder,      ///< those of the first section come first
    Interleaved,  ///< time, row, column, time, row, column …, as long as each section has some
};
/// Gives each rotated pair the coordinate that it turns by, where the file has sections. Source: Wang et al.,
/// "Qwen2-VL" (2024), section 2.1; Qwen team, "Qwen3-VL Technical Report" (2025). Errors: Corrupt.
Status readRopeSections(const Keys& keys, RopeSections sections, DecoderSpec& spec);

/// What the models of Qwen3-VL have for pictures: interleaved coordinates, and layers behind which further
/// parts of a picture's rows are added, n_deepstack_layers. Source: Meng et al., "DeepStack" (2024). Errors:
/// Corrupt.
Status readPictureLayers(const Keys& keys, DecoderSpec& spec);

/// Sizes of Mamba-2, the ssm keys. Errors: Corrupt.
Result<MambaSpec> readMamba(const Keys& keys);
/// Sizes of Mamba, the ssm keys but group_count. Errors: Corrupt.
Result<ChannelMambaSpec> readChannelMamba(const Keys& keys);

/// Sizes of Kimi's delta attention: ssm.conv_kernel and kda.head_dim. Errors: Corrupt.
Result<ChannelDeltaSpec> readChannelDelta(const Keys& keys, uint32_t numHeads);

/// Inner width of the expert that every row goes to, expert_shared_feed_forward_length; 0: none. Errors:
/// Corrupt.
Result<uint32_t> readSharedExpertDim(const Keys& keys);
/// Errors: Corrupt, where the file has such an expert that would be left out.
Status checkSharedExperts(const Keys& keys, const DecoderSpec& spec);

/// Which layers have windows: attention.sliding_window_pattern, one flag per layer or a period n of which the
/// last layer has none; `period` where the key is absent. 0: all, 1: none. Errors: Corrupt.
Result<std::vector<bool>> readWindowed(const Keys& keys, uint32_t numLayers, uint32_t period);
/// Gives those layers the window attention.sliding_window; 0 is none. Errors: Corrupt.
Status readWindows(const Keys& keys, DecoderSpec& spec, const std::vector<bool>& windowed);

/// Gives layers with a window heads of their own sizes and positions: attention.key_length_swa and
/// attention.value_length_swa (else those of the others), rope.dimension_count_swa (else the whole key) and
/// rope.freq_base_swa. Errors: Corrupt.
Status readWindowedHeads(const Keys& keys, DecoderSpec& spec, const std::vector<bool>& windowed);

/// The reverse of readDecoder(), for made-up models …
void synthesizeDecoder(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       NormKind norm = NormKind::Rms);
/// … and of readExperts(): where the sizes name no experts, of a model with at least `leastExperts`.
void synthesizeExperts(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata,
                       uint32_t leastExperts = 0);
/// … of readLatentAttention() …
void synthesizeLatentAttention(std::string_view arch, formats::Metadata& metadata);
/// … of readChannelMamba() …
void synthesizeChannelMamba(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);
/// … and of readMixture(), with experts in any case.
void synthesizeMixture(std::string_view arch, const SynthSizes& sizes, formats::Metadata& metadata);

std::vector<TensorSpec> decoderTensors(const DecoderSpec& spec);
backend::MemorySpec decoderMemory(const DecoderSpec& spec);
void buildDecoder(graph::Builder& builder, const DecoderSpec& spec, const Weights& weights);

}  // namespace ingle::models
