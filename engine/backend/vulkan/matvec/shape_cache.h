/// The fastest matvec shapes that were found on a device, kept on disk (kernel_file.h): type, values of a
/// row, rows of x, the shape's six numbers, bytes of weights that it reads a second.
#pragma once

#include <map>
#include <string>
#include <tuple>

#include "engine/backend/vulkan/matvec/matvec.h"

namespace ingle::backend::vulkan {

/// Rows of x that are measured, each for all numbers of rows down to the one before.
inline constexpr uint32_t kSurelyMatvec = kAlikeRows;  ///< the largest of which no product of many is faster
inline constexpr std::array<uint32_t, 3> kMeasuredRows{1, kSurelyMatvec, kMaxMatvecRows};

/// Type, values of a row rounded up to a power of two, and one of kMeasuredRows: matrices of a kind have one
/// fastest shape.
using MatrixKind = std::tuple<std::string, uint32_t, uint32_t>;
struct TimedShape {
    MatvecShape shape;
    uint64_t bytesPerSecond = 0;  ///< of weights

    bool operator==(const TimedShape&) const = default;
};
using ShapeTable = std::map<MatrixKind, TimedShape>;
/// Where a product of many rows is faster.
inline constexpr MatvecShape kNoMatvec{};

/// The file's path; empty where `folder` is empty, which stands for no cache. Exact activations have a file
/// of their own.
std::string shapeCachePath(const std::string& folder, const DeviceInfo& device, ActivationType activations);

/// The shapes, or none where the file is missing, damaged, or about other kernels or candidates.
ShapeTable readShapeCache(const std::string& path, const DeviceInfo& device, ActivationType activations);

/// Errors: Io.
Status writeShapeCache(const std::string& path, const ShapeTable& shapes);

}  // namespace ingle::backend::vulkan
