/// Checks that the thread that paints the window never waits for a disk. The window marks that thread, and
/// functions that touch files end the process when they are called on it.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ingle {

inline thread_local bool t_paints = false;

/// Marks the calling thread as the one that paints.
inline void markPaintThread() {
    t_paints = true;
}

/// Ends the process if the calling thread is marked. `what` names the part that touches files.
inline void mustNotPaint(const char* what) {
    if (!t_paints) return;
    std::fprintf(stderr, "%s: used on the thread that paints.\n", what);
    std::abort();
}

}  // namespace ingle
