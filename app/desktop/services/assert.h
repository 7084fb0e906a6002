/// INGLE_ASSERT: ends the window where only a mistake in it can have led.
#pragma once

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>

#include "ingle/failed_check.h"

namespace ingle::desktop {

/// Writes "FILE:LINE: CONDITION does not hold: VALUES" to stderr and to the crash report, and aborts.
[[noreturn, gnu::cold]] inline void assertionFailed(std::string_view file, int line,
                                                    std::string_view condition, const std::string& values) {
    // The path inside the source tree; where that lay when it was compiled is nobody's business.
    if (const size_t tree = file.rfind("app/"); tree != std::string_view::npos) file.remove_prefix(tree);
    const std::string sentence = fmt::format("{}:{}: {} does not hold: {}", file, line, condition, values);
    failedCheck.set(sentence);
    fmt::print(stderr, "{}\n", sentence);
    std::abort();
}

}  // namespace ingle::desktop

/// In every build, for what must hold between the parts of one object: going on would show, or copy,
/// something else than the history has. Never for what a file, a person or a full memory can bring about.
#define INGLE_ASSERT(condition, ...)                                                                       \
    do {                                                                                                   \
        if (!(condition)) [[unlikely]]                                                                     \
            ::ingle::desktop::assertionFailed(__FILE__, __LINE__, #condition, ::fmt::format(__VA_ARGS__)); \
    } while (false)
