/// How models come into the library, and are found there again. For StorageThread::run().
#pragma once

#include "app/library/library.h"
#include "ingle/types.h"

namespace ingle::desktop {

struct CheckedModel {
    library::ModelEntry entry;
    library::FileState file = library::FileState::Same;
};

/// Errors: InvalidArgument (it was forgotten meanwhile).
Result<CheckedModel> checkModel(const library::Library& library, const std::string& id);

/// Adds a model, unless it is one whose file was moved. Errors: Io.
Result<CheckedModel> addModel(library::Library& library, const ModelInfo& info);

}  // namespace ingle::desktop
