/// A compiled-down forward pass: flat op records over values. `graph` produces it, a backend
/// compiles it.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/backend/elsewhere.h"
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

/// Whether ops are computed together, so that what passes between them is never stored: by passes over the
/// graph, and by backends that have kernels for it. One switch for both.
enum class Fusion : uint8_t {
    On,
    Off,  ///< every op by itself, so that each value can be looked at
};

/// What a program hands over.
enum class OutputKind : uint8_t {
    Logits,  ///< over the vocabulary: a token can be chosen by them
    Rows,    ///< of numbers with another meaning: hidden states, scores of classes
};

/// What an op makes and others read. It lives from the op that makes it to the last that reads it.
struct PlanValue {
    std::string name;    ///< for traces, e.g. "blk.3.attn_norm"
    uint32_t width = 0;  ///< floats per row
    RowKind rows = RowKind::Token;
    uint32_t firstOp = 0;  ///< index into Plan::ops of the one that makes it
    uint32_t lastOp = 0;   ///< of the last that reads it, or firstOp; behind all ops: the output
    uint32_t numUses = 0;  ///< by ops, and one for being the output
};

/// Ops of a plan that are run by themselves (Step::part). They read Step::inputRows, and nothing of other
/// parts.
struct PlanPart {
    uint32_t endOp = 0;  ///< index of the first op behind it
    Operand output;      ///< [numTokens, width]: handed over by Program::hiddenRows()
};

/// Ops run in order. Each value is made by exactly one of them; where it lies is the backend's business (see
/// buffer_plan.h).
struct Plan {
    std::vector<PlanWeight> weights;
    std::vector<PlanValue> values;
    std::vector<Op> ops;
    std::vector<uint32_t> layerEnds;  ///< index of the first op behind each layer; empty: not known
    std::vector<PlanPart> parts;      ///< in order, all ops; empty: the plan is run as a whole
    std::shared_ptr<PartRunner> elsewhere = nullptr;  ///< of OpCode::Elsewhere
    Operand output;                                   ///< [numLogitRows, width]
    OutputKind outputKind = OutputKind::Logits;
    std::optional<Operand> hidden;  ///< [numTokens, width]: handed over, too (Program::hiddenRows())
    uint32_t maxTokens = 0;         ///< most rows one step may feed
    uint32_t maxLogitRows = 0;
    Fusion fusion = Fusion::On;

    /// Rows of a value in a step of so many.
    uint32_t numRows(ValueId value, uint32_t tokens, uint32_t logitRows) const {
        return values[value].rows == RowKind::Token ? tokens : logitRows;
    }
};

}  // namespace ingle::backend
