/// What a driver made of our shaders, kept on disk so that the next start need not compile them again.
///
/// File: u64 magic and version, u64 XXH3 of the rest, then the data of vkGetPipelineCacheData. Drivers trust
/// their data blindly, so anything that is not exactly what was written, by this very driver, is ignored.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/vulkan/substrate/device_info.h"

namespace ingle::backend::vulkan {

/// The file's path; empty where `folder` is empty, which stands for no cache.
std::string pipelineCachePath(const std::string& folder, const DeviceInfo& device);

/// The data, or nothing where the file is missing, damaged or another driver's.
std::vector<std::byte> readPipelineCache(const std::string& path, const DeviceInfo& device);

/// Errors: Io.
Status writePipelineCache(const std::string& path, std::span<const std::byte> data);

}  // namespace ingle::backend::vulkan
