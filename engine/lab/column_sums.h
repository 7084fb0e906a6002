/// What the columns of a model's matrices are multiplied with while it reads a text: what an importance
/// matrix is made of.
#pragma once

#include <string>
#include <string_view>

#include "engine/import/importance.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::lab {

/// Reads the text in windows (see TextWindows) and sums up, for each matrix of the layers, the squares of
/// what each column is multiplied with, of mixtures of experts by expert. Matrices outside of the layers (the
/// embedding, the output) and those of single heads (latent attention) are left out, as other engines leave
/// them. Errors: those of TextWindows.
Result<importer::ColumnSums> columnSums(const std::string& path, const LoadOptions& load,
                                        std::string_view text, uint32_t windowTokens,
                                        const ProgressFn& progress);

}  // namespace ingle::lab
