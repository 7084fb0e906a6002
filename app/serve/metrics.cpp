#include "app/serve/metrics.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace ingle::serve {
namespace {

void head(std::string& out, std::string_view name, std::string_view type, std::string_view help) {
    fmt::format_to(std::back_inserter(out), "# HELP {} {}\n# TYPE {} {}\n", name, help, name, type);
}

template <typename T>
void value(std::string& out, std::string_view name, std::string_view type, std::string_view help, T number) {
    head(out, name, type, help);
    fmt::format_to(std::back_inserter(out), "{} {}\n", name, number);
}

}  // namespace

void Metrics::countRequest(std::string_view endpoint, int status) {
    const std::scoped_lock lock(m_mutex);
    ++m_requests[{std::string(endpoint), status}];
}

void Metrics::countAnswer(const GenerateStats& stats, double seconds, double firstTokenSeconds) {
    const std::scoped_lock lock(m_mutex);
    ++m_answers;
    m_answerSeconds += seconds;
    m_firstTokenSeconds += firstTokenSeconds;
    const auto bound = std::ranges::lower_bound(kBounds, firstTokenSeconds);
    ++m_firstTokens[static_cast<size_t>(bound - kBounds.begin())];
    m_promptTokens += stats.promptTokens;
    m_cachedTokens += stats.cachedTokens;
    m_newTokens += stats.newTokens;
}

double Metrics::meanAnswerSeconds() const {
    const std::scoped_lock lock(m_mutex);
    return m_answers == 0 ? 0 : m_answerSeconds / static_cast<double>(m_answers);
}

std::string Metrics::text() const {
    const std::scoped_lock lock(m_mutex);
    std::string out;
    head(out, "ingle_requests_total", "counter", "Requests by endpoint and status.");
    for (const auto& [key, count] : m_requests)
        fmt::format_to(std::back_inserter(out), "ingle_requests_total{{endpoint=\"{}\",status=\"{}\"}} {}\n",
                       key.first, key.second, count);
    value(out, "ingle_answers_under_way", "gauge", "Answers that are written or wait.",
          m_answersUnderWay.load());
    value(out, "ingle_model_loads_total", "counter", "Times a model was asked for in place of another.",
          m_loads.load());
    value(out, "ingle_answers_total", "counter", "Answers that came to their end.", m_answers);
    value(out, "ingle_prompt_tokens_total", "counter", "Tokens of their prompts.", m_promptTokens);
    value(out, "ingle_cached_prompt_tokens_total", "counter", "Of those, tokens that need not be read again.",
          m_cachedTokens);
    value(out, "ingle_generated_tokens_total", "counter", "Tokens of their answers.", m_newTokens);
    head(out, "ingle_time_to_first_token_seconds", "histogram",
         "From the request to the answer's first token.");
    uint64_t sum = 0;
    for (size_t index = 0; index < kBounds.size(); ++index) {
        sum += m_firstTokens[index];
        fmt::format_to(std::back_inserter(out), "ingle_time_to_first_token_seconds_bucket{{le=\"{}\"}} {}\n",
                       kBounds[index], sum);
    }
    fmt::format_to(std::back_inserter(out),
                   "ingle_time_to_first_token_seconds_bucket{{le=\"+Inf\"}} {}\n"
                   "ingle_time_to_first_token_seconds_sum {}\ningle_time_to_first_token_seconds_count {}\n",
                   m_answers, m_firstTokenSeconds, m_answers);
    return out;
}

}  // namespace ingle::serve
