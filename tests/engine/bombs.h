/// Bombs: input that is small and wants to take for ever. INGLE_BOMBS sets how many of each kind are tried.
#pragma once

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingle/stop_scope.h"
#include "tests/processor_time.h"

namespace ingle::test {

/// How many bombs of a kind a test tries.
inline size_t numBombs() {
    const char* given = std::getenv("INGLE_BOMBS");
    return given ? std::strtoull(given, nullptr, 10) : 500;
}

/// Instrumented code is several times slower.
#if defined(__SANITIZE_ADDRESS__)
constexpr double kSlowness = 8;
#else
constexpr double kSlowness = 1;
#endif

/// A cancel must be seen within this time, in seconds.
constexpr double kMostUntilAsked = 0.1;

/// Measures how long this thread works without asking whether to stop (StopScope), while it exists.
class StopWatch {
  public:
    StopWatch()
        : m_asked(processorSeconds()), m_scope([this] {
              note();
              return false;
          }) {}

    /// The longest time without a question until now, in seconds of the processor.
    double longest() {
        note();
        return m_longest;
    }

  private:
    void note() {
        const double now = processorSeconds();
        m_longest = std::max(m_longest, now - std::exchange(m_asked, now));
    }

    double m_asked;
    double m_longest = 0;
    const StopScope m_scope;
};

/// What a bomb is made of. The same seed gives the same bomb.
class BombParts {
  public:
    explicit BombParts(uint64_t seed) : m_random(seed * 0x9E3779B97F4A7C15u + 1) {}

    size_t below(size_t limit) { return static_cast<size_t>(m_random() % limit); }
    bool chance(size_t oneIn) { return below(oneIn) == 0; }
    template <typename T>
    const T& oneOf(const std::vector<T>& list) {
        return list[below(list.size())];
    }

    /// Texts in which everything looks like everything else.
    std::string dullText(size_t bytes) {
        static const std::vector<std::string> kUnits{
            "a",       "ab",    " ",  "\n", "9",   "A",  ".", "\u4e00", "\u4e00a",    "'",    "\u0301",
            "a\u0301", "\t \n", "{}", "%s", "<b>", "0.", "-", "\u00df", "\U0001F600", "\xff", "aB1 "};
        const std::string& unit = oneOf(kUnits);
        std::string text;
        while (text.size() < bytes) text += unit;
        if (chance(3)) text += oneOf(kUnits);
        return text;
    }

  private:
    std::mt19937_64 m_random;
};

}  // namespace ingle::test
