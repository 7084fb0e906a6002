/// Ctrl+C and SIGTERM for commands that clean up behind themselves.
#pragma once

namespace ingle::cli {

/// From now on these signals only say so.
void endByInterruption();
/// Whether one has come.
bool isInterrupted();

}  // namespace ingle::cli
