/// Where nothing may be written for a process that may have been taken over: programs keep there what they
/// start.
#pragma once

#include <filesystem>

namespace ingle::sandbox {

/// Whether a name in `path`, which is absolute, or in what its links lead to, is hidden; or it lies in a
/// folder of settings, data, caches or sockets, or where a hidden link of the home folder or a link in one of
/// these folders leads.
bool isHiddenPlace(const std::filesystem::path& path);

}  // namespace ingle::sandbox
