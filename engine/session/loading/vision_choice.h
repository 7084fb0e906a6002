/// Which vision file goes with a model.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "engine/formats/model_file.h"
#include "engine/models/family.h"
#include "ingle/types.h"

namespace ingle::session {

struct VisionChoice {
    std::string path;    ///< empty: none; the model's own where a folder holds the part that sees
    uint64_t bytes = 0;  ///< of a file beside the model's
    /// All in the model's folder whose rows the model can take, the likeliest first.
    std::vector<std::string> fitting;
    /// Why a vision file there cannot be used: a sentence; empty: all can be read, or there is none.
    std::string trouble;
};

/// The one that the options name, or the model's own part that sees, or the likeliest in the model's folder:
/// its rows have the width that the model takes, and it goes with the model's architecture, has its name, or
/// marks pictures by tokens of its vocabulary. Errors: of the one that the options name, VisionFileUnfit
/// where it belongs to another model, and those of reading it.
Result<VisionChoice> chooseVisionFile(const formats::ModelFile& model,
                                      const models::ModelDefinition& definition, const LoadOptions& options);

/// Options of a model as they are meant for its vision file: of the values that are overridden, those whose
/// keys begin with "clip.".
LoadOptions visionOptions(const LoadOptions& options);

}  // namespace ingle::session
