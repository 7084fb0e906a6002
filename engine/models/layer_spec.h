/// What a decoder's layers consist of: mixers, feed-forwards, and where norms stand.
#pragma once

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/models/family.h"
#include "engine/models/rope_scaling.h"

namespace ingle::models {

enum class NormKind : uint8_t {
    Rms,
    RmsBiased,      ///< with bias
    RmsBare,        ///< without gain
    Layer,          ///< with bias
    LayerUnbiased,  ///< without
    LayerBare,      ///< without gain and bias
};

/// Rotary positions of each head's first dimensions.
struct RopeSpec {
    backend::RopeStyle style = backend::RopeStyle::Interleaved;
    RopeFrequencies frequencies;
    /// By two positions, the halves of a head are rotated each by itself.
    backend::RopePositions positions = backend::RopePositions::OfToken;
    std::vector<uint8_t> axes = {};  ///< see backend::RopeParams

    bool operator==(const RopeSpec&) const = default;
};

/// A norm of queries and keys: attn_q_norm and attn_k_norm.
struct HeadNormSpec {
    enum class Gain : uint8_t {
        None,        ///< heads are only divided
        OfAllHeads,  ///< one gain, of a head's length
        OfEachHead,  ///< one gain for each head
        OfRow,       ///< all heads together are normalised, with one gain
    };
    NormKind kind = NormKind::Rms;
    Gain gain = Gain::OfAllHeads;
    Presence presence = Presence::Required;
    bool isAfterRotation = false;  ///< else before it

    bool operator==(const HeadNormSpec&) const = default;
};

/// What heads give is multiplied by f(attn_gate x) before attn_output.
struct OutputGateSpec {
    backend::ActivationKind activation = backend::ActivationKind::Sigmoid;
    bool isOfHeads = false;  ///< one number for each head, else one for each of its numbers

    bool operator==(const OutputGateSpec&) const = default;
};

/// Grouped-query attention. Source: Vaswani et al., "Attention Is All You Need" (2017), section 3.2;
/// Ainslie et al., "GQA" (2023).
struct AttentionSpec {
    uint32_t numHeads = 0;
    uint32_t numKvHeads = 0;
    uint32_t keyDim = 0;                ///< of a head of queries and keys
    uint32_t valueDim = 0;              ///< of a head of values
    float scale = 0;                    ///< of q·k
    std::optional<RopeSpec> rope = {};  ///< none: positions come from elsewhere
    uint32_t window = 0;                ///< see backend::AttentionParams, as the next four
    uint32_t chunk = 0;
    float softCap = 0;
    std::vector<float> alibiSlopes = {};
    bool hasSinks = false;  ///< attn_sinks
    backend::Mask mask = backend::Mask::Causal;
    /// Queries at position i, the first of which is `temperatureFirst`, are multiplied by
    /// 1 + temperature ln(floor(i / temperatureLength) + 1).
    float temperature = 0;
    uint32_t temperatureLength = 1;
    uint32_t temperatureFirst = 0;
    std::optional<HeadNormSpec> headNorm = {};
    float clamp = 0;  ///< queries, keys and values stay within ± this as they are made; 0: they need not
    std::optional<OutputGateSpec> outputGate = {};
    float outputScale = 1;      ///< of what heads give
    bool hasQkvFactors = true;  ///< as of FeedForwardSpec
    Presence qkvBias = Presence::Optional;
    Presence outputBias = Presence::Optional;
    /// What makes queries, keys and values.
    enum class Projections : uint8_t {
        Separate,       ///< attn_q, attn_k and attn_v; files may hold them as the rows of attn_qkv
        Fused,          ///< so they usually do
        FusedWide,      ///< attn_qkv has rows for as many keys and values as there are queries; those that
                        ///< are used follow each other
        FusedThirds,    ///< so it has, and keys and values begin where they would then
        FusedByHead,    ///< attn_qkv has for each head its query, its key and its value
        GatedQueries,   ///< attn_q has for each head its query and, behind it, a gate as wide as a value,
                        ///< whose sigmoid multiplies what the head gives
        ValuesAreKeys,  ///< no attn_v: values are what attn_k gives, before its norm and rotation
    } projections = Projections::Separate;
    bool normsValues = false;  ///< heads of values are divided by their root mean square
    /// The layer before this one whose keys and values it reads, without any of its own.
    std::optional<uint32_t> cacheOf = {};

    bool operator==(const AttentionSpec&) const = default;
};

/// Attention whose cache keeps, for all heads together, a latent of keys and values and one rotated key.
/// Source: DeepSeek-AI, "DeepSeek-V2: A Strong, Economical, and Efficient Mixture-of-Experts Language Model"
/// (2024), section 2.1.
struct LatentAttentionSpec {
    uint32_t numHeads = 0;
    uint32_t queryRank = 0;   ///< of the queries' latent; 0: they come from x at once
    uint32_t rank = 0;        ///< of the latent of keys and values
    uint32_t plainDim = 0;    ///< of a head of queries and keys, not rotated; these dimensions come first
    uint32_t rotatedDim = 0;  ///< … and rotated
    uint32_t valueDim = 0;    ///< of a head of values
    float scale = 0;          ///< of q·k
    float normEps = 0;        ///< of the norms of both latents; 0: that of the layers
    std::optional<RopeSpec> rope = {};  ///< none: the rotated dimensions are not, either
    bool hasQueryFactors = true;        ///< of attn_q, as of FeedForwardSpec
    /// The sigmoid of attn_gate x, one number for each head; no factors behind it.
    bool hasOutputGate = false;
    /// attn_k_b (turned) and attn_v_b make keys and values of the latent, else attn_kv_b.
    bool isSplit = true;

    bool operator==(const LatentAttentionSpec&) const = default;
};

/// The gated delta rule over queries, keys and values that went through a short convolution; what it gives is
/// normalised head by head and gated. Source: Yang et al., "Gated Delta Networks" (2024), section 3.
struct GatedDeltaSpec {
    uint32_t numKeyHeads = 0;
    uint32_t numValueHeads = 0;
    uint32_t keyDim = 0;
    uint32_t valueDim = 0;
    uint32_t kernel = 0;  ///< rows of the convolution
    backend::HeadPairing pairing = backend::HeadPairing::Consecutive;
    enum class Files : uint8_t {
        Separate,        ///< attn_qkv (all q, all k, all v), attn_gate, ssm_beta, ssm_alpha
        RatesByKeyHead,  ///< the last two are ssm_ba: for each key head its rates, then its steps
        AllByKeyHead,    ///< so are the first two: ssm_in has for each key head q, k, values, gates
    } files = Files::Separate;
    bool hasFactors = true;  ///< as of FeedForwardSpec

    bool operator==(const GatedDeltaSpec&) const = default;
};

/// Mamba-2. Source: Dao & Gu, "Transformers are SSMs" (2024), section 7.
struct MambaSpec {
    uint32_t numHeads = 0;
    uint32_t headSize = 0;
    uint32_t groups = 0;
    uint32_t stateSize = 0;
    uint32_t kernel = 0;                 ///< rows of the convolution
    Presence norm = Presence::Required;  ///< ssm_norm, of each group of what the scan gives

    bool operator==(const MambaSpec&) const = default;
};

/// Mamba. Source: Gu & Dao, "Mamba: Linear-Time Sequence Modeling with Selective State Spaces" (2023),
/// section 3.
struct ChannelMambaSpec {
    uint32_t inner = 0;
    uint32_t stateSize = 0;
    uint32_t stepRank = 0;  ///< of what steps are made of
    uint32_t kernel = 0;    ///< rows of the convolution
    /// Steps, B and C are normalised before they are used.
    enum class Norms : uint8_t {
        None,
        Bare,    ///< without gain
        Gained,  ///< ssm_dt_norm, ssm_b_norm, ssm_c_norm
    } norms = Norms::None;
    float normEps = 0;  ///< of these; 0: that of the layers

    bool operator==(const ChannelMambaSpec&) const = default;
};

/// PLaMo's Mamba: one decay for each head, as of Mamba-2, but steps, B and C are made of what went through
/// the convolution, and normalised. Source: Preferred Networks, "PLaMo 2 Technical Report" (2025), section 2.
struct PlamoMambaSpec {
    uint32_t numHeads = 0;
    uint32_t headSize = 0;
    uint32_t stateSize = 0;
    uint32_t stepRank = 0;
    uint32_t kernel = 0;  ///< rows of the convolution

    bool operator==(const PlamoMambaSpec&) const = default;
};

/// The delta rule with a decay for each channel of a key; queries, keys and values go through a short
/// convolution each, what it gives is normalised head by head and gated. Source: Kimi Team, "Kimi Linear: An
/// Expressive, Efficient Attention Architecture" (2025), section 3.
struct ChannelDeltaSpec {
    uint32_t numHeads = 0;
    uint32_t headDim = 0;
    uint32_t kernel = 0;  ///< rows of the convolutions
    float lowest = 0;     ///< see backend::ChannelDeltaParams
    /// Steps and gates are made by ssm_f_a and ssm_g_a at once, else by ssm_f_b and ssm_g_b of what these
    /// make.
    bool isDirect = false;

    bool operator==(const ChannelDeltaSpec&) const = default;
};

/// Attention and Mamba-2 read the same and are added.
struct AttentionAndMambaSpec {
    AttentionSpec attention;
    MambaSpec mamba;

    bool operator==(const AttentionAndMambaSpec&) const = default;
};

/// A half that a layer lacks.
struct Nothing {
    bool operator==(const Nothing&) const = default;
};

/// A gated short convolution: Wout( C * conv(B * u) ) with (B, C, u) = Win x. Source: Liquid AI, "LFM2
/// Technical Report" (2025), section 2.
struct ShortConvSpec {
    uint32_t kernel = 0;  ///< rows of the convolution
    uint32_t width = 0;   ///< of B, C and u: the model's

    bool operator==(const ShortConvSpec&) const = default;
};

/// Gated: Wdown( f(Wgate x) * (Wup x) ). Source: Shazeer, "GLU Variants Improve Transformer" (2020), eq. 6.
/// Sequential: Wdown f(Wup x). Both with biases where the file has them.
struct FeedForwardSpec {
    uint32_t dim = 0;  ///< inner width
    backend::ActivationKind activation = backend::ActivationKind::Silu;
    enum class Form : uint8_t {
        Gated,
        GatedFused,  ///< files hold gate and up, in this order, as the rows of ffn_up
        Sequential,
    } form = Form::Gated;
    Presence bias = Presence::Optional;
    /// Products are multiplied by "X.scale", where files have it. (Attention's always are.)
    bool hasFactors = false;

    bool operator==(const FeedForwardSpec&) const = default;
};

/// sum_e share_e gated_e(x) over the experts that the router chooses.
/// Source: Jiang et al., "Mixtral of Experts" (2024), section 2.1.
struct ExpertsSpec {
    uint32_t numExperts = 0;
    uint32_t dim = 0;  ///< inner width of each
    kernels::RouteRule rule;
    backend::ActivationKind activation = backend::ActivationKind::Silu;
    /// Inner width of one more expert that every row goes to (the *_shexp tensors); 0: none. Its share is 1,
    /// or the sigmoid of ffn_gate_inp_shexp · x.
    uint32_t sharedDim = 0;
    bool sharedIsGated = false;
    bool hasBiases = false;      ///< the router and the experts
    bool hasFactors = false;     ///< as of FeedForwardSpec
    float gluLimit = 0;          ///< OpCode::ClampedGlu with this limit in place of the activation; 0: not so
    bool hasChoiceBias = false;  ///< exp_probs_b, if the file has it: see OpCode::RouteExperts
    /// Gates are at most this, and what they multiply stays within ± it: of experts, and of the one that
    /// every row goes to; 0: they need not.
    float clamp = 0;
    float sharedClamp = 0;
    bool isGated = true;             ///< else Wdown f(Wup x), the shared one, too
    bool isWeighedFirst = false;     ///< shares multiply what experts read, not what they give
    bool routesLayersInput = false;  ///< the router reads what the layer does
    uint32_t latentDim = 0;  ///< experts read ffn_latent_down x, and ffn_latent_up reads them; 0: not so
    float scale = 1;         ///< of experts and the shared one together
    /// Added once to what all chosen experts give together; empty: nothing is.
    std::vector<float> sumBias = {};

    bool operator==(const ExpertsSpec&) const = default;
};

/// A feed-forward and experts side by side, each with norms of its own:  post_ffw_norm_1(dense(x)) +
/// post_ffw_norm_2(experts(pre_ffw_norm_2(h))), h the residual. The router reads  ffn_gate_inp.scale * h /
/// (rms(h) sqrt(dim)).
struct FeedForwardAndExpertsSpec {
    FeedForwardSpec dense;
    ExpertsSpec experts;

    bool operator==(const FeedForwardAndExpertsSpec&) const = default;
};

/// A feed-forward and experts side by side, which read the same, or experts a norm of their own of what the
/// layer reads:  scale (dense(x) + experts(x)).
struct FeedForwardBesideExpertsSpec {
    FeedForwardSpec dense;
    ExpertsSpec experts;
    float scale = 1;
    std::string_view expertsNorm = {};

    bool operator==(const FeedForwardBesideExpertsSpec&) const = default;
};

/// Names of a layer's norms in files; an empty one is not there.
struct NormPlaces {
    std::string_view beforeMixer = "attn_norm";
    std::string_view afterMixer = {};  ///< of what is added to the residual
    /// Empty: what the mixer reads is read here, too (parallel residual), or nothing is normalised where that
    /// is empty as well.
    std::string_view beforeFfn = "ffn_norm";
    std::string_view afterFfn = {};
    bool ffnReadsLayersInput = false;  ///< the norm before it, in place of the sum (parallel residual)

    bool operator==(const NormPlaces&) const = default;
};

using MixerSpec =
    std::variant<AttentionSpec, LatentAttentionSpec, GatedDeltaSpec, MambaSpec, ChannelMambaSpec,
                 PlamoMambaSpec, ChannelDeltaSpec, ShortConvSpec, AttentionAndMambaSpec, Nothing>;
using FfnSpec = std::variant<FeedForwardSpec, ExpertsSpec, FeedForwardAndExpertsSpec,
                             FeedForwardBesideExpertsSpec, Nothing>;

/// One layer over the residual h:  h += after(mixer(before h));  h += after(ffn(before h));  with a width
/// ownEmbedding p:  h += post_norm(proj( gelu(inp_gate h) * e )), e the layer's own embedding of the token;
/// with an output scale  h *= s.
struct LayerSpec {
    NormPlaces norms;
    MixerSpec mixer;
    FfnSpec ffn;
    float residualScale = 1;  ///< of what both halves add
    /// a, where they add to a (before h) in place of h; 0: they do not.
    float normedResidual = 0;
    uint32_t ownEmbedding = 0;    ///< width; 0: none. The same in all layers
    bool hasOutputScale = false;  ///< layer_output_scale, one number

    bool operator==(const LayerSpec&) const = default;
};

/// The mixer of a layer that has attention.
inline AttentionSpec& attentionOf(LayerSpec& layer) {
    return std::get<AttentionSpec>(layer.mixer);
}
/// Its experts, or null.
inline ExpertsSpec* expertsOf(LayerSpec& layer) {
    return std::get_if<ExpertsSpec>(&layer.ffn);
}

}  // namespace ingle::models
