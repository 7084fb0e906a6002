/// The version of Inglenook. All programs share it; CMakeLists.txt sets it (see docs/releasing.md).
#pragma once

#include <string_view>

namespace ingle {

/// Returns the version, such as "1.2.3".
std::string_view version();
/// Returns the day on which it was released, such as "2026-11-22", or "" if CHANGELOG.md has no day for it.
std::string_view releaseDate();

}  // namespace ingle
