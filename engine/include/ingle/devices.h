/// The devices of this computer. Implemented in engine/session.
#pragma once

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

enum class DriverAnswers {
    Remembered,  ///< those of the last trial, while no driver has changed
    New,
};

/// Asks the drivers in a process of their own; takes 20 s at most. Errors: Io (it cannot be started),
/// Unsupported (INGLE_ISA).
Result<DeviceList> listDevices(const DriverTrials& trials, DriverAnswers answers);

/// What the process of DriverTrials::command does: tries the drivers out, writes the result to standard
/// output and exits.
[[noreturn]] void runDeviceProbe();

/// For a process about to end in order while a device may be in use: nobody is to think that its driver ended
/// the process. Any thread, also while another waits for a driver.
void withdrawDeviceUses();

}  // namespace ingle
