/// Time that does not pass while others use the processor: limits of time in tests are limits of work.
#pragma once

#include <ctime>

namespace ingle::test {

/// Seconds that this thread has computed.
inline double processorSeconds() {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

}  // namespace ingle::test
