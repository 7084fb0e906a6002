/// How far a test goes through the cases of its claim.
#pragma once

#include <cstdlib>

namespace ingle::test {

/// Whether to try every case, as `./dev soak` asks for, and not only those that stand for the others.
inline bool triesEveryCase() {
    return std::getenv("INGLE_EVERY_CASE") != nullptr;
}

}  // namespace ingle::test
