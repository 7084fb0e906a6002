/// Tables of what was measured on a device, kept on disk so that the next start need not measure.
///
/// File: JSON {"version": V, "rows": [[name, number, …], …]}.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/backend/vulkan/substrate/device_info.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// The file of a table that is about a device (driverIdentity()); empty where `folder` is empty, which stands
/// for no file. Exact activations have one of their own.
std::string kernelFilePath(const std::string& folder, std::string_view table, std::string_view identity,
                           ActivationType activations);

/// What there are tables of. A change of kernels that moves the balance counts the version up.
struct KernelTable {
    std::string_view name;
    int version;
    size_t numNumbers;  ///< of a row
};
/// See shape_cache.h and tiling_cache.h.
inline constexpr KernelTable kMatvecTable{"matvec", 4, 9}, kMatmulTable{"matmul", 1, 9};

/// Shows each row to `see`: a text and integers behind it. False: the file is missing, damaged,
/// of another version, or `see` did not like a row; what was seen is to be forgotten then.
bool readKernelFile(const std::string& path, const KernelTable& table,
                    const std::function<bool(const nlohmann::json& row)>& see);

/// Errors: Io.
Status writeKernelFile(const std::string& path, const KernelTable& table, const nlohmann::json& rows);

}  // namespace ingle::backend::vulkan
