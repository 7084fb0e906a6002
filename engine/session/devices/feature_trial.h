/// Tries what drivers get wrong most, or crash at. In a process of its own, see
/// backend::vulkan::probeDevices().
#pragma once

#include <functional>
#include <string>

#include "engine/backend/vulkan/trial/probe.h"
#include "ingle/result.h"

namespace ingle::session {

/// A layer of random weights reads a prompt in one step and in pieces that end inside of every tile, then
/// answers, on the device of that identity with one of its features and no other; the processor says what is
/// right. `goesOn` is called after each step. Errors: of the device; Device (wrong values), in one sentence.
Status tryFeature(const std::string& identity, backend::vulkan::DeviceFeature feature,
                  const std::function<void()>& goesOn);

}  // namespace ingle::session
