/// Writes a graph op by op, so that a forward pass reads like its paper. Formulas: engine/backend/op.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/backend/op_facts.h"
#include "engine/graph/graph.h"

namespace ingle::graph {

/// A value under construction: rows of `width` floats, [numTokens, width].
struct Value {
    ValueId id = 0;
    uint32_t width = 0;
};

/// Weights are passed as tensors that outlive the graph. Each call is checked by the op's facts
/// (engine/backend/op_facts.h). After the first that does not fit nothing is written any more, values are
/// empty, and take() tells.
class Builder {
  public:
    using Weight = const tensor::Tensor*;

    /// Names of the values that follow start with "<scope>.".
    void setScope(std::string scope) { m_scope = std::move(scope); }

    /// Rows of `table`: [vocab, width].
    Value embed(Weight table, std::string_view name) {
        return write({.code = OpCode::Embed, .matrices = {table}}, name);
    }

    /// What each step hands over beside its tokens: [numTokens, width].
    Value inputRows(uint32_t width, std::string_view name) {
        return write({.code = OpCode::InputRows, .params = backend::InputRowsParams{width}}, name);
    }

    /// x, and for the tokens of a picture what each step hands over.
    Value pictureRows(Value x, const backend::PictureRowsParams& params, std::string_view name) {
        return write({.code = OpCode::PictureRows, .inputs = {x}, .params = params}, name);
    }

    /// `groups` equal parts of a row (heads) are normalised by themselves. They share the gain, or it is as
    /// long as a row, or null.
    Value rmsNorm(Value x, Weight gain, float eps, std::string_view name, uint32_t groups = 1) {
        return write({.code = OpCode::RmsNorm,
                      .inputs = {x},
                      .vectors = gain ? std::vector{gain} : std::vector<Weight>{},
                      .params = backend::NormParams{.eps = eps, .groups = groups}},
                     name);
    }
    Value layerNorm(Value x, Weight gain, Weight bias, float eps, std::string_view name) {
        return write({.code = OpCode::LayerNorm,
                      .inputs = {x},
                      .vectors = {gain, bias},
                      .params = backend::NormParams{.eps = eps}},
                     name);
    }
    /// `bias` may be null.
    Value groupNorm(Value x, Weight gain, Weight bias, uint32_t groups, float eps, std::string_view name) {
        return write({.code = OpCode::GroupNorm,
                      .inputs = {x},
                      .vectors = bias ? std::vector{gain, bias} : std::vector{gain},
                      .params = backend::NormParams{.eps = eps, .groups = groups}},
                     name);
    }
    Value l2Norm(Value x, Weight gain, uint32_t groups, float eps, std::string_view name) {
        return write({.code = OpCode::L2Norm,
                      .inputs = {x},
                      .vectors = {gain},
                      .params = backend::NormParams{.eps = eps, .groups = groups}},
                     name);
    }

    /// `matrix`: [out, in]; `bias` may be null.
    Value linear(Value x, Weight matrix, Weight bias, std::string_view name) {
        return write(
            {.code = OpCode::Linear,
             .inputs = {x},
             .matrices = {matrix},
             .vectors = bias ? std::vector{bias} : std::vector<Weight>{},
             .params =
                 backend::LinearParams{{{.matrix = 0, .bias = bias ? std::optional(1u) : std::nullopt}}}},
            name);
    }
    Value linear(Value x, Weight matrix, std::string_view name) { return linear(x, matrix, nullptr, name); }

    /// Chosen experts and their shares: [numTokens, 2 * rule.numUsed]. `choiceBias` and `expertScale` may be
    /// null.
    Value routeExperts(Value x, const kernels::RouteRule& rule, Weight choiceBias, Weight expertScale,
                       std::string_view name);
    Value routeExperts(Value x, const kernels::RouteRule& rule, std::string_view name) {
        return routeExperts(x, rule, nullptr, nullptr, name);
    }
    /// `experts`: [numExperts, out, in]; `bias`: [numExperts, out], or null. The result has a part for each
    /// chosen expert.
    Value expertLinear(Value x, Value routing, Weight experts, Weight bias, std::string_view name) {
        return write({.code = OpCode::ExpertLinear,
                      .inputs = {x, routing},
                      .matrices = {experts},
                      .vectors = bias ? std::vector{bias} : std::vector<Weight>{}},
                     name);
    }
    Value expertLinear(Value x, Value routing, Weight experts, std::string_view name) {
        return expertLinear(x, routing, experts, nullptr, name);
    }
    Value expertSum(Value x, Value routing, std::string_view name) {
        return write({.code = OpCode::ExpertSum, .inputs = {x, routing}}, name);
    }

    Value rope(Value x, const backend::RopeParams& params, std::string_view name) {
        return write({.code = OpCode::Rope, .inputs = {x}, .params = params}, name);
    }
    void kvAppend(Value keys, Value values, uint32_t layer) {
        write({.code = OpCode::KvAppend, .inputs = {keys, values}, .params = backend::CacheParams{layer}},
              {});
    }
    /// Where values lie in the keys.
    void kvAppend(Value keys, uint32_t layer) {
        write({.code = OpCode::KvAppend, .inputs = {keys}, .params = backend::CacheParams{layer}}, {});
    }
    /// `sinks`: read when the parameters say that there are some.
    Value attention(Value queries, const backend::AttentionParams& params, std::string_view name,
                    Weight sinks = nullptr) {
        return write({.code = OpCode::Attention,
                      .inputs = {queries},
                      .vectors = params.hasSinks ? std::vector{sinks} : std::vector<Weight>{},
                      .params = params},
                     name);
    }

    /// `matrices`: [in, out, numHeads], or {in, numHeads * out}.
    Value headLinear(Value x, Weight matrices, const backend::HeadLinearParams& params,
                     std::string_view name) {
        return write({.code = OpCode::HeadLinear, .inputs = {x}, .matrices = {matrices}, .params = params},
                     name);
    }

    Value add(Value a, Value b, std::string_view name) {
        return write({.code = OpCode::Add, .inputs = {a, b}}, name);
    }
    Value multiply(Value a, Value b, std::string_view name) {
        return write({.code = OpCode::Multiply, .inputs = {a, b}}, name);
    }
    Value scale(Value x, float factor, std::string_view name) {
        return write({.code = OpCode::Scale, .inputs = {x}, .params = backend::ScaleParams{factor}}, name);
    }
    Value activation(Value x, backend::ActivationKind kind, std::string_view name) {
        return write({.code = OpCode::Activation, .inputs = {x}, .params = backend::ActivationParams{kind}},
                     name);
    }

    /// Of each of `params.groups` equal parts (heads) of a row the floats [first, first + count).
    Value slice(Value x, const backend::SliceParams& params, std::string_view name) {
        return write({.code = OpCode::Slice, .inputs = {x}, .params = params}, name);
    }
    /// For each of `groups` equal parts a's part, then b's.
    Value concat(Value a, Value b, uint32_t groups, std::string_view name) {
        return write({.code = OpCode::Concat, .inputs = {a, b}, .params = backend::ConcatParams{groups}},
                     name);
    }

    Value tokenShift(Value x, uint32_t state, std::string_view name) {
        return write({.code = OpCode::TokenShift, .inputs = {x}, .params = backend::StateParams{state}},
                     name);
    }
    Value lerp(Value from, Value to, Weight mix, std::string_view name) {
        return write({.code = OpCode::Lerp, .inputs = {from, to}, .vectors = {mix}}, name);
    }
    Value lerp(Value from, Value to, Value mix, std::string_view name) {
        return write({.code = OpCode::Lerp, .inputs = {from, to, mix}}, name);
    }
    /// Data-dependent: `mix` + `shift` of the way.
    Value lerp(Value from, Value to, Weight mix, Value shift, std::string_view name) {
        return write({.code = OpCode::Lerp, .inputs = {from, to, shift}, .vectors = {mix}}, name);
    }

    /// `weights`: [width, kernel]; `bias`: [width], or null.
    Value shortConv(Value x, Weight weights, Weight bias, const backend::ShortConvParams& params,
                    std::string_view name) {
        return write({.code = OpCode::ShortConv,
                      .inputs = {x},
                      .vectors = bias ? std::vector{weights, bias} : std::vector{weights},
                      .params = params},
                     name);
    }
    /// `rawStep`, `rate`: [numTokens, numValueHeads]; `decay`, `stepBias`: [numValueHeads].
    Value gatedDelta(Value q, Value k, Value v, Value rawStep, Value rate, Weight decay, Weight stepBias,
                     const backend::GatedDeltaParams& params, std::string_view name) {
        return write({.code = OpCode::GatedDelta,
                      .inputs = {q, k, v, rawStep, rate},
                      .vectors = {decay, stepBias},
                      .params = params},
                     name);
    }
    /// `keys`, `queries` (the paper's B, C): [numTokens, groups * stateSize]; `rawStep`: [numTokens,
    /// numHeads]; `decay`, `skip` (A, D), `stepBias`: [numHeads].
    Value mambaScan(Value x, Value keys, Value queries, Value rawStep, Weight decay, Weight skip,
                    Weight stepBias, const backend::MambaScanParams& params, std::string_view name) {
        return write({.code = OpCode::MambaScan,
                      .inputs = {x, keys, queries, rawStep},
                      .vectors = {decay, skip, stepBias},
                      .params = params},
                     name);
    }

    Value wkv4(Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name) {
        return write({.code = OpCode::Wkv4, .inputs = {k, v}, .vectors = {decay, bonus}, .params = params},
                     name);
    }
    Value wkv5(Value r, Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name) {
        return write({.code = OpCode::Wkv5, .inputs = {r, k, v}, .vectors = {bonus, decay}, .params = params},
                     name);
    }
    Value wkv6(Value r, Value k, Value v, Value decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name) {
        return write({.code = OpCode::Wkv5, .inputs = {r, k, v, decay}, .vectors = {bonus}, .params = params},
                     name);
    }
    Value wkv7(Value r, Value decay, Value k, Value v, Value removed, Value rate,
               const backend::WkvParams& params, std::string_view name) {
        return write({.code = OpCode::Wkv7, .inputs = {r, decay, k, v, removed, rate}, .params = params},
                     name);
    }
    Value wkvBonus(Value r, Value k, Value v, Weight bonus, const backend::WkvParams& params,
                   std::string_view name) {
        return write({.code = OpCode::WkvBonus, .inputs = {r, k, v}, .vectors = {bonus}, .params = params},
                     name);
    }

    /// Rows of `table`: [positions, width], by position.
    Value embedPosition(Weight table, std::string_view name) {
        return write({.code = OpCode::EmbedPosition, .matrices = {table}}, name);
    }
    Value positionScale(Value x, const backend::PositionScaleParams& params, std::string_view name) {
        return write({.code = OpCode::PositionScale, .inputs = {x}, .params = params}, name);
    }
    /// `factors`: [numExperts]; x has a part for each chosen expert.
    Value expertScale(Value x, Value routing, Weight factors, std::string_view name) {
        return write({.code = OpCode::ExpertScale, .inputs = {x, routing}, .vectors = {factors}}, name);
    }
    Value clampedGlu(Value a, Value b, float limit, std::string_view name) {
        return write(
            {.code = OpCode::ClampedGlu, .inputs = {a, b}, .params = backend::ClampedGluParams{limit}}, name);
    }

    Value clamp(Value x, const backend::ClampParams& params, std::string_view name) {
        return write({.code = OpCode::Clamp, .inputs = {x}, .params = params}, name);
    }
    /// `factors`: one for each of so many equal parts of x.
    Value scaleParts(Value x, Value factors, std::string_view name) {
        return write({.code = OpCode::ScaleParts, .inputs = {x, factors}}, name);
    }
    /// `keys`, `queries` (the paper's B, C): [numTokens, stateSize]; `rawStep`: as wide as x; `decay` (A):
    /// [width, stateSize]; `skip` (D), `stepBias`: [width].
    Value channelScan(Value x, Value keys, Value queries, Value rawStep, Weight decay, Weight skip,
                      Weight stepBias, const backend::ChannelScanParams& params, std::string_view name) {
        return write({.code = OpCode::ChannelScan,
                      .inputs = {x, keys, queries, rawStep},
                      .vectors = {decay, skip, stepBias},
                      .params = params},
                     name);
    }
    /// `rawStep`: as wide as k; `rate`: [numTokens, numHeads]; `decay`: [numHeads]; `stepBias`: as wide as k.
    Value channelDelta(Value q, Value k, Value v, Value rawStep, Value rate, Weight decay, Weight stepBias,
                       const backend::ChannelDeltaParams& params, std::string_view name) {
        return write({.code = OpCode::ChannelDelta,
                      .inputs = {q, k, v, rawStep, rate},
                      .vectors = {decay, stepBias},
                      .params = params},
                     name);
    }

    /// The layer that was written ends with `x`, which it hands to the next one.
    void endLayer(Value x) { m_graph.layerEnds.push_back(x.id); }

    /// The result: [numTokens, vocab] …
    void logits(Value x) { output(x, backend::OutputKind::Logits); }
    /// What the logits are made of, and a head that predicts further tokens reads.
    void hidden(Value x) { m_graph.hidden = x.id; }
    /// … or, of a model that writes nothing, rows of any width: [numTokens, width].
    void rows(Value x) { output(x, backend::OutputKind::Rows); }

    /// The graph; the builder is done with it. Errors: InvalidArgument, naming the op, the value or weight
    /// and the widths of the first call that did not fit; or when there is no result.
    Result<Graph> take();

  private:
    using OpCode = backend::OpCode;

    struct Call {
        OpCode code{};
        std::vector<Value> inputs = {};
        std::vector<Weight> matrices = {};
        std::vector<Weight> vectors = {};  ///< behind the matrices among the op's weights
        backend::OpParams params = {};
    };

    void output(Value x, backend::OutputKind kind);
    /// Its output, if it has one.
    Value write(const Call& call, std::string_view name);
    Result<Value> tryToWrite(const Call& call, const std::string& name);

    Graph m_graph;
    std::string m_scope;
    Status m_status;  ///< of all calls so far
    bool m_hasOutput = false;
};

}  // namespace ingle::graph
