/// The time templates may write into a prompt.
#pragma once

#include <ctime>

namespace ingle::chat {

inline std::tm localTime() {
    const std::time_t now = std::time(nullptr);
    std::tm local{};
    localtime_r(&now, &local);
    return local;
}

}  // namespace ingle::chat
