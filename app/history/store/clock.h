/// The time stored in the history.
#pragma once

#include <chrono>
#include <cstdint>

namespace ingle::history {

/// Unix time in milliseconds.
inline int64_t nowMs() {
    using namespace std::chrono;
    return duration_cast<milliseconds>(system_clock::now().time_since_epoch()).count();
}

}  // namespace ingle::history
