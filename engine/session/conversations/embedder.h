/// An embedder of a model that is loaded already.
#pragma once

#include <memory>

#include "engine/session/loading/model.h"
#include "ingle/embedder.h"

namespace ingle::session {

/// Errors: Unsupported for a model that writes.
Result<std::unique_ptr<Embedder>> createEmbedder(std::unique_ptr<Model> model);

}  // namespace ingle::session
