/// The operations a plan is made of. Adding one (docs/add-an-op.md): a row here and in op_facts.cpp, a
/// readable kernel in engine/kernels/ref, its walk in engine/backend/cpu/ops (and a shader where it pays).
///
/// Notation: x, y … are values, rows of f32 [numRows, width]; T tokens of one run (consecutive tokens of one
/// sequence);
/// `*` elementwise; W a matrix [out, in]; everything is computed in f32.
#pragma once

#include <algorithm>
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "engine/kernels/ref/experts.h"

namespace ingle::backend {

// clang-format off
enum class OpCode : uint8_t {
    // code           inputs → outputs; formula                                  params; weights
    Embed,         // () → y; y[t] = row tokens[t] of W                          none; W
    RmsNorm,       // x → y; y = x / sqrt(mean(x²) + eps) [* g], over each of    NormParams; [g] (a part or a row long)
                   //        `groups` equal parts
    LayerNorm,     // x → y; y = (x - mean) / sqrt(var + eps) * g + b            NormParams; g, b
    GroupNorm,     // x → y; LayerNorm over each of `groups` equal parts         NormParams; g[, b] (a row long)
    L2Norm,        // x → y; z = x * g, y = z / max(|z|, eps), |z| the length    NormParams; g (a row long)
                   //        of each of `groups` equal parts
    Linear,        // x → y_0 … y_n; y_p = W_p x + b_p                           LinearParams; as listed there
    RouteExperts,  // x → r; who computes a row, and with which shares: the ids    RouteParams; as listed there
                   //        of the chosen experts, ascending, then their shares;
                   //        see kernels/ref/experts.h
    ExpertLinear,  // x, r → y; part s of y = W_e x_s + b_e, e the s-th expert    none; W, [experts]
                   //        of r; x_s is part s of x, or x itself where it has   matrices[, b]
                   //        one part
    ExpertSum,     // x, r → y; y = sum over s of share_s x_s, x_s part s of x    none
    Rope,          // x → y; rotary position embedding of each head              RopeParams
    KvAppend,      // k[, v] → (); writes the run's rows to the cache            CacheParams
    Attention,     // q → y; y_h = softmax(s_h) V over the keys of the cache     AttentionParams; sinks, if it
                   //        that the query sees; see AttentionParams                     has them
    HeadLinear,    // x → y; y_h = M_h x_h for each of numHeads equal parts;     HeadLinearParams; W
                   //        M_h: some of the rows of part h of W, or these turned
    Add,           // a, b → y; y = a + b
    Multiply,      // a, b → y; y = a * b
    Scale,         // x → y; y = x * factor                                      ScaleParams
    Activation,    // x → y; y = f(x)                                            ActivationParams
    GatedActivation,  // a, b → y; y = f(a) * b                                  ActivationParams
    TokenShift,    // x → y; y[t] = x[t-1], y[0] = state; then state = x[T-1]    StateParams
    Lerp,          // a, b[, d] → y; y = a + (b - a) * (m + d)                   none; [m]; at least one of m, d
    Wkv4,          // k, v → y; RWKV-4 recurrence, see kernels/ref/wkv4.h        WkvParams; w, u
    Wkv5,          // r, k, v[, w] → y; recurrence of RWKV-5, and of RWKV-6      WkvParams; u[, w]: w is an input
                   //        (decay per token), see kernels/ref/wkv5.h                      or a weight
    Wkv7,          // r, w, k, v, kk, a → y; RWKV-7, see kernels/ref/wkv7.h      WkvParams
    WkvBonus,      // r, k, v → y; y = (sum over the head of r * k * u) * v      WkvParams; u
    SelectRows,    // x → y; the rows whose logits are wanted
    Slice,         // x → y; of each of `groups` equal parts of a row the floats   SliceParams
                   //        [first, first + count)
    Concat,        // a, b → y; for each of `groups`, a's part, then b's          ConcatParams
    ShortConv,     // x → y; y[t] = Σ_j w_j * x[t - K + 1 + j] [+ b], K = kernel;  ShortConvParams; w [width, K][, b]
                   //        state: a ring of the last rows, see chunk_state.h
    GatedDelta,    // q, k, v, a, r → y; delta rule with decay and rate per       GatedDeltaParams; A, b
                   //        head, see kernels/ref/gated_delta.h                    (one number per v head)
    MambaScan,     // x, B, C, a → y; Mamba-2, see kernels/ref/mamba_scan.h       MambaScanParams; A, D, b (one
                   //                                                               number per head)
    EmbedPosition, // () → y; y[t] = row i of W, i the token's position, or     none; W
                   //        the last row where that is behind it
    PositionScale, // x → y; y[t] = x[t] (1 + a ln(floor(i / n) + 1)), i the     PositionScaleParams
                   //        token's position, the first of which is `first`
    ExpertScale,   // x, r → y; part s of y = f_e x_s, e the s-th expert of r    none; f [numExperts]
    ClampedGlu,    // a, b → y; y = g σ(1.702 g) (u + 1), g = min(a, limit),     ClampedGluParams
                   //        u = clamp(b, -limit, limit)
    Clamp,         // x → y; y = min(max(x, low), high)                          ClampParams
    ScaleParts,    // x, f → y; part p of y = f_p x_p, of as many equal parts    none
                   //           of x as f is wide
    ChannelScan,   // x, B, C, a → y; Mamba: a decay for each channel and state,  ChannelScanParams; A [width,
                   //                 see kernels/ref/channel_scan.h                stateSize], D, b (per channel)
    ChannelDelta,  // q, k, v, a, r → y; delta rule with a decay for each key     ChannelDeltaParams; A (per head),
                   //                    channel, see kernels/ref/channel_scan.h  b (per key channel)
    InputRows,     // () → y; y[t] = row t of Step::inputRows                     InputRowsParams
    PictureRows,   // x → y; of a run that is a picture (SequenceRun::isPicture)  PictureRowsParams
                   //        y[t] = columns of its row of Step::inputRows, or x[t]
                   //        plus these; elsewhere y[t] = x[t]
    Elsewhere,     // x, … → y; what Plan::elsewhere makes of rows: a part that     ElsewhereParams
                   //           another backend computes
    End,           // no op: stays the last
};
// clang-format on
inline constexpr uint32_t kNumOpCodes = static_cast<uint32_t>(OpCode::End);

struct InputRowsParams {
    uint32_t width = 0;
};
/// Of the rows of Step::inputRows, which are `width` wide, the columns [first, first + width of x).
struct PictureRowsParams {
    uint32_t width = 0;
    uint32_t first = 0;
    bool areAdded = false;  ///< to x; else they take its place
};

/// Which part of what was cut out of a plan (backend/split/experts_cut.h).
struct ElsewhereParams {
    uint32_t part = 0;
    uint32_t width = 0;  ///< of y
};

struct NormParams {
    float eps = 0;
    uint32_t groups = 1;
};

/// One product of a Linear op. Indices into the op's weights.
struct LinearPart {
    uint32_t matrix = 0;
    std::optional<uint32_t> bias = {};
};
struct LinearParams {
    std::vector<LinearPart> parts;  ///< one per output
};

/// Indices into the op's weights, [numExperts] each.
struct RouteParams {
    kernels::RouteRule rule;
    std::optional<uint32_t> choiceBias = {};   ///< added to scores for the choice only
    std::optional<uint32_t> expertScale = {};  ///< multiplies shares
};

enum class RopeStyle : uint8_t {
    Interleaved,  ///< pairs (2p, 2p+1)
    HalfSplit,    ///< pairs (p, p + frequencies.size())
};
/// Which position a head is rotated by, of token i of a sequence whose prefix (SequenceRun::prefixTokens)
/// ends with token n; n is 0 where there is none. Source of the second: Du et al., "GLM: General Language
/// Model Pretraining with Autoregressive Blank Infilling" (2022), section 2.2.
enum class RopePositions : uint8_t {
    OfToken,     ///< i
    TwoForEach,  ///< even heads min(i, n): in the prefix; odd heads i - min(i, n): in what follows it
};
/// See RopePositions.
inline uint32_t ropePosition(RopePositions positions, uint32_t head, uint32_t token, uint32_t prefixTokens) {
    if (positions == RopePositions::OfToken) return token;
    const uint32_t inPrefix = std::min(token, std::max(prefixTokens, 1U) - 1);
    return head % 2 == 0 ? inPrefix : token - inPrefix;
}

/// Coordinates of a token whose position has several: of a picture's rows time, row, column and another one
/// that few models have; of text all are the same.
using Coordinates = std::array<uint32_t, 4>;

/// Angle of pair p at position i: i * frequencies[p]; cos and sin are multiplied by `magnitude`. Dimensions
/// beyond the pairs pass through.
struct RopeParams {
    uint32_t numHeads = 0;
    uint32_t headDim = 0;
    std::vector<double> frequencies;  ///< radians per position, at most headDim / 2
    float magnitude = 1;
    RopeStyle style = RopeStyle::Interleaved;
    RopePositions positions = RopePositions::OfToken;
    /// For each pair the coordinate (Step::coordinates) that takes the place of i; empty: i itself.
    std::vector<uint8_t> axes = {};
};

struct CacheParams {
    uint32_t layer = 0;  ///< index into MemorySpec::kv
};
/// Which keys of its sequence a query sees, by position.
enum class Mask : uint8_t {
    Causal,   ///< up to its own
    Picture,  ///< up to its own; of a picture (SequenceRun::isPicture) all of its rows as well
    Before,   ///< those of earlier steps: its own step adds none
    Prefix,   ///< up to its own, and the sequence's prefix (SequenceRun::prefixTokens)
    Full,     ///< all: a sequence is one step
};
/// The score of query head h at position i and the key at position j:  s = scale * q·k;  s = c tanh(s / c)
/// with a soft cap c;  s = s - slope_h |i - j| with slopes.  A sink is one more score, of a key whose value
/// is zero.
struct AttentionParams {
    uint32_t layer = 0;  ///< index into MemorySpec::kv
    uint32_t numHeads = 0;
    uint32_t numKvHeads = 0;  ///< query head h reads kv head h / (numHeads / numKvHeads)
    uint32_t keyDim = 0;      ///< of a head of queries and keys
    uint32_t valueDim = 0;    ///< of a head of values and of y
    float scale = 0;
    uint32_t window = 0;             ///< sees i - j < window, of Mask::Full |i - j|; 0: however far
    uint32_t chunk = 0;              ///< sees i / chunk == j / chunk; 0: not in chunks
    float softCap = 0;               ///< 0: none
    std::vector<float> alibiSlopes;  ///< [numHeads]; empty: none
    bool hasSinks = false;           ///< weight 0: [numHeads]
    Mask mask = Mask::Causal;
};

/// The rows of W are as many for each head; of these, M_h is [firstRow, firstRow + numRows).
struct HeadLinearParams {
    uint32_t numHeads = 0;
    uint32_t firstRow = 0;
    uint32_t numRows = 0;
    bool turned = false;  ///< M_h is their transpose: x_h has numRows, y_h as many as a row
};

enum class ActivationKind : uint8_t {
#define INGLE_ACTIVATION(number, Kind, function) Kind = number,
#include "engine/kernels/activation_kinds.inc"
#undef INGLE_ACTIVATION
};
struct ActivationParams {
    ActivationKind kind = ActivationKind::Silu;
};

struct ScaleParams {
    float factor = 1;
};

/// Scores of far tokens, sharpened. Source: Meta, "The Llama 4 herd" (2025); a is 0.1 there.
struct PositionScaleParams {
    float a = 0;
    uint32_t n = 1;
    uint32_t first = 0;  ///< the number of the first position
};
/// Source: OpenAI, "gpt-oss-120b & gpt-oss-20b Model Card" (2025), section 2.2; the limit is 7 there.
struct ClampedGluParams {
    float limit = 0;
};

struct SliceParams {
    uint32_t groups = 1;
    uint32_t first = 0;
    uint32_t count = 0;
};
struct ConcatParams {
    uint32_t groups = 1;
};

struct StateParams {
    uint32_t state = 0;  ///< index into MemorySpec::states
};
struct WkvParams {
    uint32_t state = 0;  ///< Wkv4: the first of three, numerator, denominator and exponent
    uint32_t numHeads = 0;
    uint32_t headSize = 0;
};

struct ShortConvParams {
    uint32_t state = 0;   ///< of ringRows() rows, see chunk_state.h
    uint32_t kernel = 0;  ///< rows that make one
};

/// Which key head a value head reads.
enum class HeadPairing : uint8_t {
    Consecutive,  ///< head j reads j / (numValueHeads / numKeyHeads)
    Tiled,        ///< head j reads j mod numKeyHeads
};
/// A state as chunk_state.h lays it out, of matrices [numValueHeads, keyDim, valueDim].
struct GatedDeltaParams {
    uint32_t state = 0;
    uint32_t numKeyHeads = 0;
    uint32_t numValueHeads = 0;
    uint32_t keyDim = 0;
    uint32_t valueDim = 0;
    HeadPairing pairing = HeadPairing::Consecutive;
};
/// A state as chunk_state.h lays it out, of matrices [numHeads, stateSize, headSize].
struct MambaScanParams {
    uint32_t state = 0;
    uint32_t numHeads = 0;
    uint32_t headSize = 0;
    uint32_t groups = 1;  ///< head h reads B and C of group h / (numHeads / groups)
    uint32_t stateSize = 0;
};

struct ClampParams {
    float low = 0;
    float high = 0;
};
/// A state of matrices [width of x, stateSize].
struct ChannelScanParams {
    uint32_t state = 0;
    uint32_t stateSize = 0;
};
/// A state of matrices [numHeads, keyDim, valueDim].
struct ChannelDeltaParams {
    uint32_t state = 0;
    uint32_t numHeads = 0;
    uint32_t keyDim = 0;
    uint32_t valueDim = 0;
    float lowest = 0;  ///< logarithm of the strongest decay; 0: there is none
};

using OpParams =
    std::variant<std::monostate, NormParams, LinearParams, RouteParams, RopeParams, CacheParams,
                 AttentionParams, HeadLinearParams, ActivationParams, ScaleParams, StateParams, WkvParams,
                 SliceParams, ConcatParams, ShortConvParams, GatedDeltaParams, MambaScanParams,
                 PositionScaleParams, ClampedGluParams, ClampParams, ChannelScanParams, ChannelDeltaParams,
                 InputRowsParams, PictureRowsParams, ElsewhereParams>;

/// Index into Plan::values.
using ValueId = uint32_t;

/// A value as an op reads or makes it: rows of `width` floats, which is what Plan::values says of it, too.
struct Operand {
    ValueId value = 0;
    uint32_t width = 0;
};

struct Op {
    OpCode code{};
    std::vector<Operand> inputs;
    std::vector<Operand> outputs;
    std::vector<uint32_t> weights;  ///< indices into Plan::weights
    OpParams params;
};

}  // namespace ingle::backend
