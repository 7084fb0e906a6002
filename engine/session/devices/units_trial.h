/// Tries what drivers get wrong most, or crash at: units for matrices. In a process of its own, see
/// backend::vulkan::probeDevices().
#pragma once

#include <functional>
#include <string>

#include "ingle/result.h"

namespace ingle::session {

/// A layer of random weights reads a prompt in one step and in pieces that end inside of every tile, then
/// answers, on the device of that identity with all that it has; the processor says what is right. `goesOn`
/// is called after each step. Errors: of the device; Device (wrong values), in one sentence.
Status tryUnits(const std::string& identity, const std::function<void()>& goesOn);

}  // namespace ingle::session
