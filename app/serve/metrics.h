/// What the server counts, in Prometheus' text format.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

#include "ingle/types.h"

namespace ingle::serve {

/// Any thread.
class Metrics {
  public:
    void countRequest(std::string_view endpoint, int status);
    void countAnswer(const GenerateStats& stats, double seconds, double firstTokenSeconds);
    void countLoad() { ++m_loads; }
    void setAnswersUnderWay(unsigned answers) { m_answersUnderWay = answers; }
    /// 0 before the first.
    double meanAnswerSeconds() const;

    /// Text exposition format, version 0.0.4.
    std::string text() const;

  private:
    /// Upper bounds of the buckets of times, in seconds.
    static constexpr std::array kBounds{0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0, 60.0};

    std::atomic<unsigned> m_answersUnderWay{0};
    std::atomic<uint64_t> m_loads{0};

    mutable std::mutex m_mutex;                                  ///< guards everything below
    std::map<std::pair<std::string, int>, uint64_t> m_requests;  ///< by endpoint and status
    uint64_t m_answers = 0;
    double m_answerSeconds = 0;
    double m_firstTokenSeconds = 0;
    std::array<uint64_t, kBounds.size() + 1> m_firstTokens{};  ///< in each bucket, the last without a bound
    uint64_t m_promptTokens = 0;
    uint64_t m_cachedTokens = 0;
    uint64_t m_newTokens = 0;
};

}  // namespace ingle::serve
