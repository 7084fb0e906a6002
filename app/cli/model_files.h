/// Which files belong to a model that a person names.
#pragma once

#include <string>
#include <vector>

namespace ingle::cli {

/// The real paths of all files that the model at `path` may consist of: a folder with what its links lead to;
/// the parts of a GGUF file; of any other file also those beside it that may hold more weights, a vocabulary
/// or settings. A path that is not there has none.
std::vector<std::string> filesOfModel(const std::string& path);

}  // namespace ingle::cli
