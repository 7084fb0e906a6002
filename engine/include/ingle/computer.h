/// The facts of this computer that decide which models fit. Implemented in engine/session.
#pragma once

#include <string>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Reads processor, cores and memory from the system. The speed of memory is measured, which takes a third of
/// a second at most, or is a measurement of the last day from `folder` (DriverTrials::folder). If there is
/// too little free memory to measure, it is the last measurement, however old, or 0. Errors: Io, Corrupt
/// (/proc/meminfo).
Result<ComputerInfo> describeComputer(const std::string& folder);

}  // namespace ingle
