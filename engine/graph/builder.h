/// Writes a graph op by op, so that a forward pass reads like its paper. Formulas: engine/backend/op.h.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/graph/graph.h"

namespace ingle::graph {

/// A value under construction: rows of `width` floats, [numTokens, width].
struct Value {
    ValueId id = 0;
    uint32_t width = 0;
};

/// Weights are passed as tensors that outlive the graph; an optional one as null. Shapes are the family's
/// business: they were checked against its tensor list.
class Builder {
  public:
    using Weight = const tensor::Tensor*;

    /// Names of the values that follow start with "<scope>.".
    void setScope(std::string scope) { m_scope = std::move(scope); }

    Value embed(Weight table, std::string_view name);
    /// `groups` equal parts of a row (heads) are normalised by themselves and share the gain.
    Value rmsNorm(Value x, Weight gain, float eps, std::string_view name, uint32_t groups = 1);
    Value layerNorm(Value x, Weight gain, Weight bias, float eps, std::string_view name);
    Value groupNorm(Value x, Weight gain, Weight bias, uint32_t groups, float eps, std::string_view name);
    Value l2Norm(Value x, Weight gain, uint32_t groups, float eps, std::string_view name);
    Value linear(Value x, Weight matrix, Weight bias, std::string_view name);
    Value linear(Value x, Weight matrix, std::string_view name) { return linear(x, matrix, nullptr, name); }
    Value routeExperts(Value x, uint32_t numUsed, std::string_view name);
    /// `experts`: [in, out, numExperts]; the result has `numUsed` parts.
    Value expertLinear(Value x, Value routing, Weight experts, uint32_t numUsed, std::string_view name);
    Value expertSum(Value x, Value routing, uint32_t numUsed, std::string_view name);
    Value rope(Value x, const backend::RopeParams& params, std::string_view name);
    void kvAppend(Value keys, Value values, uint32_t layer);
    Value attention(Value queries, const backend::AttentionParams& params, std::string_view name);
    Value add(Value a, Value b, std::string_view name);
    Value multiply(Value a, Value b, std::string_view name);
    Value scale(Value x, float factor, std::string_view name);
    Value activation(Value x, backend::ActivationKind kind, std::string_view name);
    Value tokenShift(Value x, uint32_t state, std::string_view name);
    Value lerp(Value from, Value to, Weight mix, std::string_view name);
    Value lerp(Value from, Value to, Value mix, std::string_view name);
    /// Data-dependent: `mix` + `shift` of the way.
    Value lerp(Value from, Value to, Weight mix, Value shift, std::string_view name);
    Value wkv4(Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name);
    Value wkv5(Value r, Value k, Value v, Weight decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name);
    Value wkv6(Value r, Value k, Value v, Value decay, Weight bonus, const backend::WkvParams& params,
               std::string_view name);
    Value wkv7(Value r, Value decay, Value k, Value v, Value removed, Value rate,
               const backend::WkvParams& params, std::string_view name);
    Value wkvBonus(Value r, Value k, Value v, Weight bonus, const backend::WkvParams& params,
                   std::string_view name);
    /// The result: [numTokens, vocab].
    void logits(Value x) { m_graph.logits = x.id; }

    Graph take() { return std::move(m_graph); }

  private:
    uint32_t weight(Weight tensor, backend::WeightUse use);
    Value addNode(Node node, uint32_t width, std::string_view name);

    Graph m_graph;
    std::string m_scope;
};

}  // namespace ingle::graph
