/// The compute devices of this computer. Implemented in engine/session.
#pragma once

#include <string>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Whether listDevices() tries the graphics drivers again.
enum class DriverAnswers {
    Remembered,  ///< uses the results of the last trial while no driver has changed
    New,         ///< tries the drivers now
    Forgiven,    ///< as well, and what crashed when it was used may be used again
};

/// Lists the processor and the graphics devices, whose drivers run in a process of their own. A driver that
/// says nothing for 20 s counts as hung; after each one that hangs or crashes, another process tries the
/// rest. Errors: Io (the process cannot be started), InvalidArgument and Unsupported (the value of
/// INGLE_ISA).
Result<DeviceList> listDevices(const DriverTrials& trials, DriverAnswers answers);

/// Tries the drivers, writes the results to standard output and exits. The program that DriverTrials::command
/// names calls it. `leftOut`: identities of devices that are not tried.
[[noreturn]] void runDeviceProbe(const std::vector<std::string>& leftOut);

/// Blames every device in use for the crash of this process. For signal handlers; async-signal-safe.
void condemnDeviceUses();

/// Makes sure that no driver is blamed for the end of this process. For a process that ends in order while a
/// device may be in use. Any thread may call it, also while another one waits for a driver.
void withdrawDeviceUses();

/// Decides what a SIGBUS means; for its signal handler. If `address` lies in a mapped model file, the file
/// was cut short: the function returns, and no driver is blamed for what follows. Otherwise it blames the
/// devices in use and ends the process by SIGBUS, as if the signal had no handler.
void endUnlessModelFile(const void* address);

}  // namespace ingle
