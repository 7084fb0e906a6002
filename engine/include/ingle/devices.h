/// The devices of this computer. Implemented in engine/session.
#pragma once

#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

enum class DriverAnswers {
    Remembered,  ///< those of the last trial, while no driver has changed
    New,
};

/// Asks the drivers in a process of their own; takes 20 s at most, and as long again for each device whose
/// driver crashes or hangs. Errors: Io (it cannot be started), Unsupported (INGLE_ISA).
Result<DeviceList> listDevices(const DriverTrials& trials, DriverAnswers answers);

/// What the process of DriverTrials::command does: tries the drivers out, writes the results to standard
/// output and exits. `leftOut`: identities of devices that need not be tried.
[[noreturn]] void runDeviceProbe(const std::vector<std::string>& leftOut);

/// For handlers of the signals of a crash: whatever device is in use is to blame for it. Async-signal-safe.
void condemnDeviceUses();

/// For a process about to end in order while a device may be in use: nobody is to think that its driver ended
/// the process. Any thread, also while another waits for a driver.
void withdrawDeviceUses();

/// For handlers of SIGBUS, which a mapped model file raises that was cut short: returns when `address` is one
/// of such a file's, and no driver is blamed for what follows. Otherwise ends the process by that signal, as
/// if it had not been handled.
void endUnlessModelFile(const void* address);

}  // namespace ingle
