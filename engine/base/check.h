/// INGLE_CHECK: ends the process where only a mistake in this program can have led.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace ingle::base {

/// Writes "FILE:LINE: CONDITION does not hold: VALUES" to stderr and to the crash report, and aborts.
[[noreturn, gnu::cold]] void checkFailed(std::string_view file, int line, std::string_view condition,
                                         const std::string& values);

}  // namespace ingle::base

/// In every build: `INGLE_CHECK(slot < slots.size(), "slot {} of {}", slot, slots.size());` For indexes and
/// widths that one layer takes from another, where going on would overwrite memory. Never for what a file, a
/// user, a device or a full memory can bring about: that is a Result.
#define INGLE_CHECK(condition, ...)                                                                 \
    do {                                                                                            \
        if (!(condition)) [[unlikely]]                                                              \
            ::ingle::base::checkFailed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    } while (false)
