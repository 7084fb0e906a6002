/// Whether another model may stay in memory beside the one in use. Implemented in engine/session.
#pragma once

#include <cstdint>
#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// What a model takes of memory where the processor computes, with a context as long as it would be if all of
/// the computer's memory were free. Errors: as inspectModel().
Result<uint64_t> fullNeed(const std::string& path, const LoadOptions& options);

/// Whether so much of memory is free, beside the share that models leave to others. The files of loaded
/// models count as free: who wants them to stay adds them to `bytes`. False where it is not known.
bool hasRoomFor(uint64_t bytes);

}  // namespace ingle
