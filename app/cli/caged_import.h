/// Imports for a client of the host, each in a process that can read the model and write one folder only.
#pragma once

#include <functional>

#include "app/protocol/messages.h"
#include "ingle/engine.h"
#include "ingle/result.h"

namespace ingle::cli {

/// In a copy of the broker: makes the copy that is caged, and a folder for the file where there is none.
/// Tells `events` in lines of the protocol. When the other end stops writing, the import was cancelled.
void importInCage(const protocol::Import& request, int events);

/// Passes on what such a process tells.
Result<protocol::Imported> followImport(int events, const ProgressFn& progress,
                                        const std::function<bool()>& isCancelled);

}  // namespace ingle::cli
