/// Whether another model may stay in memory beside the one in use. Implemented in engine/session.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Returns how many bytes of memory a model needs when the processor computes. The context is the one of
/// `options`, or else the one that would be chosen if all of the computer's memory were free. Errors: as
/// inspectModel().
Result<uint64_t> fullNeed(const std::string& path, const LoadOptions& options);

/// Returns whether `bytes` of memory are free beside the share that is left to other programs. The mapped
/// files of loaded models count as free memory: add their sizes to `bytes` if they have to stay in memory.
/// Returns false if the free memory is not known.
bool hasRoomFor(uint64_t bytes);

}  // namespace ingle
