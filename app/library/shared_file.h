/// Files that are installed with Inglenook.
#pragma once

#include <string>
#include <string_view>

namespace ingle::library {

/// The path of share/inglenook/`name` beside the folder of this program, or of what the environment variable
/// `override` names; empty when there is no such file.
std::string sharedFile(std::string_view name, const char* override);

}  // namespace ingle::library
