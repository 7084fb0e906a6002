/// What is known of each op: how it is called, and what follows from that. A row of op_facts.cpp for each; an
/// op without one does not compile.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "engine/backend/memory.h"
#include "engine/backend/op.h"
#include "engine/tensor/tensor.h"

namespace ingle::backend {

struct Plan;

/// What the rows of an op's outputs depend on.
enum class RowScope : uint8_t {
    Own,   ///< row t on nothing but the inputs' rows t: such an op may run on fewer rows
    Step,  ///< on other rows, on what a sequence remembers, or on the step's tokens and positions, too
};

/// How many inputs or weights an op takes.
struct Arity {
    uint8_t least = 0;
    uint8_t most = 0;
};

/// An op and what it is given. Refers to it.
struct OpCall {
    struct Input {
        std::string_view name;
        uint32_t width = 0;
    };
    OpCode code{};
    std::string_view name;  ///< of what it makes, for errors; empty where it makes nothing
    std::span<const Input> inputs;
    std::span<const tensor::Tensor* const> weights;  ///< null: the weight is missing
    const OpParams& params;
};

using Widths = std::vector<uint32_t>;

struct OpFacts {
    using Takes = bool(const OpParams& params);
    using OutputWidths = Result<Widths>(const OpCall& call);
    using CheckMemory = Status(const OpCall& call, const MemorySpec& memory);

    /// The only way to make one, so that a row which lacks a fact, or a table which lacks a row, does not
    /// compile. References: none of the functions is missing.
    constexpr OpFacts(OpCode opCode, std::string_view opName, RowScope rowScope, Arity numInputs,
                      Arity numWeights, Takes& takesParams, OutputWidths& widthsOf, CheckMemory& memoryOf)
        : code(opCode),
          name(opName),
          scope(rowScope),
          inputs(numInputs),
          weights(numWeights),
          takes(takesParams),
          outputWidths(widthsOf),
          checkMemory(memoryOf) {}

    OpCode code;
    std::string_view name;  ///< for people, e.g. "rms_norm"
    RowScope scope;
    Arity inputs;
    Arity weights;
    Takes& takes;
    /// The outputs' widths, from as many inputs and weights as there may be, none of them missing or of no
    /// width, and params of the right type.
    OutputWidths& outputWidths;
    /// Whether what it keeps for a sequence has its place there.
    CheckMemory& checkMemory;
};

const OpFacts& factsOf(OpCode code);

/// Whether it reads or writes what a sequence remembers: such ops stay in order.
bool usesMemory(OpCode code);

inline std::string_view opName(OpCode code) {
    return factsOf(code).name;
}

/// Widths of the op's outputs. Errors: InvalidArgument, when it cannot be called so; the sentence names the
/// op, the value or weight that does not fit, and the widths.
Result<Widths> outputWidths(const OpCall& call);

/// Whether the ops of a plan find in `memory` what they read and write there. Errors: InvalidArgument.
Status checkMemory(const Plan& plan, const MemorySpec& memory);

}  // namespace ingle::backend
