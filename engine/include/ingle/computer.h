/// This computer, as far as it decides which models fit. Implemented in engine/session.
#pragma once

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Reads what the system tells; takes no measurements. Errors: Io, Corrupt (/proc/meminfo).
Result<ComputerInfo> describeComputer();

}  // namespace ingle
