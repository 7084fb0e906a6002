/// A thread that paints must not wait for a disk. Tests mark theirs, and what touches files refuses to work
/// there.
#pragma once

#include <cstdio>
#include <cstdlib>

namespace ingle {

inline thread_local bool t_paints = false;

/// By programs that are tested, on the thread that paints.
inline void markPaintThread() {
    t_paints = true;
}

/// Ends the process when the thread is marked. `what` touches files.
inline void mustNotPaint(const char* what) {
    if (!t_paints) return;
    std::fprintf(stderr, "%s: used on the thread that paints.\n", what);
    std::abort();
}

}  // namespace ingle
