/// Every named value of a forward pass: to look at, to keep, and to compare with another run.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::lab {

struct TracedValue {
    std::string name;  ///< e.g. "blk.3.attn_norm"
    uint32_t width = 0;
    std::vector<float> rows;  ///< [numTokens, width]
};
using Trace = std::vector<TracedValue>;

/// Feeds `tokens` in one step and returns what each op gave, in order. With fusion on, values inside a fused
/// op do not appear. Errors: those of loading; InvalidArgument (no tokens, one outside the vocabulary).
Result<Trace> traceModel(const std::string& path, const LoadOptions& load, std::span<const TokenId> tokens);

/// Writes each value as raw float32, "<number>-<name>.f32", and an index "trace.txt": one line "name width"
/// each, in order. The folder is made when missing. Errors: Io.
Status writeTrace(const Trace& trace, const std::string& folder);
/// Errors: Io, Corrupt (a file whose size is not whole rows).
Result<Trace> readTrace(const std::string& folder);

struct TraceDifference {
    std::string name;
    double maxAbsDifference = 0;
    double nmse = 0;  ///< sum((a - b)²) / sum(b²)
};
/// The values both have under the same name and size, in the order of `a`.
std::vector<TraceDifference> compareTraces(const Trace& a, const Trace& b);

}  // namespace ingle::lab
