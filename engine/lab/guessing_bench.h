/// What guesses are worth that are right as often as is wanted.
#pragma once

#include "engine/lab/bench.h"
#include "engine/session/loading/model.h"

namespace ingle::lab {

/// Answers of `newTokens`, in turn with guesses and without any: with guesses of which a share of `right` is
/// right, or with those that answers of this model have anyway.
/// Errors: those of a generation; Corrupt when the answers differ.
Result<GuessingResult> benchGuessing(session::Model& model, uint32_t newTokens, std::optional<double> right);

}  // namespace ingle::lab
