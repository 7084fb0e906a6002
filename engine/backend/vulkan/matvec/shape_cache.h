/// The fastest matvec shapes that were found on a device, kept on disk so that the next start need not
/// measure.
///
/// File: JSON {"version": 1, "shapes": [[type, values of a row, invocations, input], …]}.
#pragma once

#include <map>
#include <string>
#include <utility>

#include "engine/backend/vulkan/matvec/matvec.h"

namespace ingle::backend::vulkan {

/// Type, and values of a row rounded up to a power of two: matrices of a kind have one fastest shape.
using MatrixKind = std::pair<std::string, uint32_t>;
using ShapeTable = std::map<MatrixKind, MatvecShape>;

/// The file's path; empty where `folder` is empty, which stands for no cache. Exact activations have a file
/// of their own.
std::string shapeCachePath(const std::string& folder, const DeviceInfo& device, ActivationType activations);

/// The shapes, or none where the file is missing, damaged, or about other kernels or candidates.
ShapeTable readShapeCache(const std::string& path, const DeviceInfo& device, ActivationType activations);

/// Errors: Io.
Status writeShapeCache(const std::string& path, const ShapeTable& shapes);

}  // namespace ingle::backend::vulkan
