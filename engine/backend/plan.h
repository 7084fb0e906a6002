/// A compiled-down forward pass: flat op records over static buffer slots. `graph` produces it, a backend
/// compiles it.
#pragma once

#include <cstdint>
#include <vector>

#include "engine/backend/op.h"
#include "engine/tensor/tensor.h"

namespace ingle::backend {

/// How many rows a value has in a step.
enum class RowKind : uint8_t {
    Token,  ///< one per token fed
    Logit,  ///< one per token whose logits are wanted
};

enum class WeightUse : uint8_t {
    Matrix,  ///< [out, in], read by Linear or Embed in its stored format
    Vector,  ///< small: expanded to f32 at compile time
};
struct PlanWeight {
    const tensor::Tensor* tensor = nullptr;  ///< outlives the plan
    WeightUse use = WeightUse::Matrix;
};

struct PlanSlot {
    uint32_t width = 0;  ///< floats per row of the widest value it holds
    RowKind rows = RowKind::Token;
};

/// Ops run in order. A slot holds different values at different times; the planner made sure that none is
/// overwritten while it is still needed.
struct Plan {
    std::vector<PlanWeight> weights;
    std::vector<PlanSlot> slots;
    std::vector<Op> ops;
    Operand logits;          ///< [numLogitRows, vocab]
    uint32_t maxTokens = 0;  ///< most rows one step may feed
    uint32_t maxLogitRows = 0;
};

}  // namespace ingle::backend
