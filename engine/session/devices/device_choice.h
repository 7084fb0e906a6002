/// Which graphics device a model is to compute on: what the drivers said when they were tried out in a
/// process of their own, and how earlier uses of them ended.
#pragma once

#include <optional>

#include "engine/backend/vulkan/trial/device_rule.h"
#include "engine/backend/vulkan/trial/probe_process.h"
#include "engine/session/devices/device_marks.h"
#include "ingle/types.h"

namespace ingle::session {

/// Whether somebody wants graphics, or a certain device, whatever speaks against it.
bool isAskedFor(const LoadOptions& options);

using DeviceChoice = backend::vulkan::PickedDevice<backend::vulkan::ProbedDevice>;

/// No device: the processor, which nobody will wonder about. A device that was asked for is asked again when
/// it was refused before, and earlier deaths do not count. Errors, with a reason for people: Unsupported,
/// Device (a device was asked for or is there, but cannot be used), Io (options.trials.command cannot be
/// started).
Result<DeviceChoice> chooseDevice(const LoadOptions& options);

/// Why a device that was blamed is not used, in one sentence.
std::string blameFor(const backend::vulkan::ProbedDevice& device);

/// The marks of a device and its driver; nothing where no folder is kept.
std::optional<DeviceMarks> marksOf(const backend::vulkan::ProbedDevice& device, const DriverTrials& trials);

/// What the drivers say, or said the last time, and what their use has shown of features. Errors:
/// Io.
Result<backend::vulkan::ProbeVerdict> askDrivers(const DriverTrials& trials,
                                                 backend::vulkan::ProbeCache cache);

}  // namespace ingle::session
