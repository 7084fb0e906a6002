/// Which Inglenook this is: one version for both programs, set in CMakeLists.txt (see docs/releasing.md).
#pragma once

#include <string_view>

namespace ingle {

/// "1.2.3".
std::string_view version();
/// The day it was released, as CHANGELOG.md says: "2026-11-22". Empty when it says nothing about this
/// version.
std::string_view releaseDate();

}  // namespace ingle
