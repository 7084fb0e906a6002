#include "app/serve/bench/load.h"

#include <curl/curl.h>
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "app/sse/sse.h"

namespace ingle::serve::bench {
namespace {

using json = nlohmann::json;
using Clock = std::chrono::steady_clock;

constexpr std::array kWords{"river",  "lamp",  "stone", "garden", "letter",
                            "winter", "bread", "road",  "field",  "song"};
constexpr long kConnectSeconds = 10;

double secondsBetween(Clock::time_point begin, Clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

struct CurlDeleter {
    void operator()(CURL* handle) const { curl_easy_cleanup(handle); }
    void operator()(curl_slist* list) const { curl_slist_free_all(list); }
};
using Handle = std::unique_ptr<CURL, CurlDeleter>;
using HeaderList = std::unique_ptr<curl_slist, CurlDeleter>;

HeaderList headersFor(const LoadOptions& options) {
    HeaderList headers(curl_slist_append(nullptr, "Content-Type: application/json"));
    if (!options.key.empty()) {
        const std::string line = "Authorization: Bearer " + options.key;
        headers.reset(curl_slist_append(headers.release(), line.c_str()));
    }
    return headers;
}

/// Null where there is no such member. Servers of many makes are asked, and nothing of what they send is
/// relied on.
const json& memberAt(const json& from, const char* name) {
    static const json kNone;
    const auto found = from.find(name);  // the end of whatever is no object
    return found == from.end() ? kNone : *found;
}

std::string textAt(const json& from, const char* name) {
    const json& found = memberAt(from, name);
    return found.is_string() ? found.get<std::string>() : "";
}

/// The events of one answer as they come.
class Listener {
  public:
    explicit Listener(Clock::time_point begin) : m_begin(begin) {}

    static size_t hear(char* bytes, size_t size, size_t count, void* listener) {
        const bool isTaken = static_cast<Listener*>(listener)->add({bytes, size * count});
        return isTaken ? size * count : 0;
    }

    Sample sample() {
        m_sample.total = secondsBetween(m_begin, Clock::now());
        if (m_sample.failure.empty() && !m_isDone) m_sample.failure = "the stream broke off";
        if (m_sample.firstToken == 0) {
            if (m_sample.failure.empty() && !m_hasEnded) m_sample.failure = "an answer without words";
            m_sample.firstToken = m_sample.total;  // its limit was a blank: that is seen at its end
        }
        return std::move(m_sample);
    }

  private:
    /// False where it is no stream of events.
    bool add(std::string_view bytes) {
        std::vector<std::string> events;
        const Status taken = m_stream.push(bytes, events);
        if (!taken) m_sample.failure = taken.error().message;
        for (const std::string& event : events) take(event);
        return taken.has_value();
    }

    void take(const std::string& event) {
        m_isDone = m_isDone || event == "[DONE]";
        const json chunk = json::parse(event, nullptr, /*allow_exceptions=*/false);
        if (const json& error = memberAt(chunk, "error"); !error.is_null()) {
            const std::string told = error.is_string() ? error.get<std::string>() : textAt(error, "message");
            m_sample.failure = told.empty() ? "an error" : told;
        }
        const json& tokens = memberAt(memberAt(chunk, "usage"), "completion_tokens");
        if (tokens.is_number_unsigned()) m_sample.tokens = tokens.get<uint32_t>();
        const json& choices = memberAt(chunk, "choices");
        if (!choices.is_array() || choices.empty()) return;
        m_hasEnded = m_hasEnded || memberAt(choices.front(), "finish_reason").is_string();
        const json& delta = memberAt(choices.front(), "delta");
        if (textAt(delta, "content").empty() && textAt(delta, "reasoning_content").empty()) return;
        const auto now = Clock::now();
        if (m_sample.firstToken == 0)
            m_sample.firstToken = secondsBetween(m_begin, now);
        else
            m_sample.gaps.push_back(secondsBetween(m_last, now));
        m_last = now;
    }

    const Clock::time_point m_begin;
    Clock::time_point m_last;
    SseParser m_stream;
    bool m_isDone = false;    ///< the stream
    bool m_hasEnded = false;  ///< the answer
    Sample m_sample;
};

/// Draws what is asked; the same for the same seed.
class Questions {
  public:
    explicit Questions(const LoadOptions& options) : m_options(options), m_random(options.seed) {}

    std::string body() {
        std::string prompt = words(m_options.sharedWords, m_shared);
        prompt += words(length(m_options.promptWords), m_random);
        return json{{"model", m_options.model},
                    {"messages", {{{"role", "user"}, {"content", prompt}}}},
                    {"max_tokens", length(m_options.answerTokens)},
                    {"stream", true},
                    {"stream_options", {{"include_usage", true}}},
                    {"seed", m_random() >> 1}}
            .dump();
    }
    double gap() { return std::exponential_distribution<double>(m_options.requestsPerSecond)(m_random); }

  private:
    unsigned length(double mean) {
        return 1 + std::geometric_distribution<unsigned>(1 / std::max(mean, 1.0))(m_random);
    }
    static std::string words(unsigned count, std::mt19937_64& random) {
        std::string text;
        for (unsigned each = 0; each < count; ++each)
            text += std::string(kWords[random() % kWords.size()]) + ' ';
        return text;
    }
    static std::string words(unsigned count, uint64_t seed) {
        std::mt19937_64 random(seed);
        return words(count, random);
    }

    const LoadOptions& m_options;
    const uint64_t m_shared = 0;
    std::mt19937_64 m_random;
};

Sample ask(CURL* handle, const LoadOptions& options, const std::string& body) {
    const std::string url = options.url + "/chat/completions";
    const HeaderList headers = headersFor(options);
    Listener listener(Clock::now());
    curl_easy_setopt(handle, CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle, CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle, CURLOPT_POSTFIELDS, body.c_str());
    curl_easy_setopt(handle, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(handle, CURLOPT_NOSIGNAL, 1L);
    curl_easy_setopt(handle, CURLOPT_WRITEFUNCTION, &Listener::hear);
    curl_easy_setopt(handle, CURLOPT_WRITEDATA, &listener);
    const CURLcode code = curl_easy_perform(handle);
    long status = 0;
    curl_easy_getinfo(handle, CURLINFO_RESPONSE_CODE, &status);
    Sample sample = listener.sample();
    if (code != CURLE_OK && code != CURLE_WRITE_ERROR)  // of which the listener knows more
        sample.failure = curl_easy_strerror(code);
    else if (status != 200)
        sample.failure = fmt::format("status {}", status);
    return sample;
}

size_t append(char* bytes, size_t size, size_t count, void* text) {
    static_cast<std::string*>(text)->append(bytes, size * count);
    return size * count;
}

Result<std::string> firstModel(const LoadOptions& options) {
    const Handle handle(curl_easy_init());
    const HeaderList headers = headersFor(options);
    const std::string url = options.url + "/models";
    std::string body;
    curl_easy_setopt(handle.get(), CURLOPT_URL, url.c_str());
    curl_easy_setopt(handle.get(), CURLOPT_HTTPHEADER, headers.get());
    curl_easy_setopt(handle.get(), CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEFUNCTION, &append);
    curl_easy_setopt(handle.get(), CURLOPT_WRITEDATA, &body);
    const CURLcode code = curl_easy_perform(handle.get());
    if (code != CURLE_OK) return fail(ErrorCode::Io, "{}: {}", url, curl_easy_strerror(code));
    const json list = json::parse(body, nullptr, /*allow_exceptions=*/false);
    for (const json& model : memberAt(list, "data")) {
        // Other servers do not say what a model is for.
        const std::string id = textAt(model, "id"), purpose = textAt(model, "type");
        if (!id.empty() && (purpose.empty() || purpose == "llm")) return id;
    }
    return fail(ErrorCode::Io, "{}: the server names no model that writes", url);
}

class Run {
  public:
    explicit Run(const LoadOptions& options) : m_options(options), m_questions(options) {}

    LoadReport take() {
        const auto begin = Clock::now();
        const auto end = begin + m_options.duration;
        if (m_options.requestsPerSecond > 0)
            arrive(end);
        else
            for (unsigned client = 0; client < m_options.clients; ++client)
                m_threads.emplace_back([this, end] { askUntil(end); });
        for (std::thread& thread : m_threads) thread.join();
        m_report.seconds = secondsBetween(begin, Clock::now());
        return std::move(m_report);
    }

  private:
    void askUntil(Clock::time_point end) {
        const Handle handle(curl_easy_init());
        while (Clock::now() < end) note(ask(handle.get(), m_options, nextBody()));
    }

    /// Who comes asks at once, however many are there.
    void arrive(Clock::time_point end) {
        auto next = Clock::now();
        for (;;) {
            next +=
                std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(m_questions.gap()));
            if (next >= end) return;
            std::this_thread::sleep_until(next);
            {
                const std::scoped_lock lock(m_mutex);
                if (m_underWay >= m_options.clients) {
                    ++m_report.notBegun;
                    continue;
                }
                ++m_underWay;
            }
            m_threads.emplace_back([this, body = nextBody()] {
                const Handle handle(curl_easy_init());
                note(ask(handle.get(), m_options, body));
                const std::scoped_lock lock(m_mutex);
                --m_underWay;
            });
        }
    }

    std::string nextBody() {
        const std::scoped_lock lock(m_mutex);
        return m_questions.body();
    }

    void note(Sample sample) {
        const std::scoped_lock lock(m_mutex);
        m_report.samples.push_back(std::move(sample));
    }

    const LoadOptions& m_options;
    std::vector<std::thread> m_threads;
    std::mutex m_mutex;  ///< guards everything below
    Questions m_questions;
    LoadReport m_report;
    unsigned m_underWay = 0;
};

void line(std::string& out, std::string_view name, const std::vector<double>& values) {
    fmt::format_to(std::back_inserter(out), "{:<22} p50 {:8.1f}   p90 {:8.1f}   p99 {:8.1f} ms\n", name,
                   1000 * percentile(values, 0.5), 1000 * percentile(values, 0.9),
                   1000 * percentile(values, 0.99));
}

}  // namespace

double percentile(std::vector<double> values, double share) {
    if (values.empty()) return 0;
    const auto rank = static_cast<size_t>(std::ceil(share * static_cast<double>(values.size())));
    const auto at = values.begin() + static_cast<ptrdiff_t>(std::clamp<size_t>(rank, 1, values.size()) - 1);
    std::ranges::nth_element(values, at);
    return *at;
}

Result<LoadReport> runLoad(const LoadOptions& options) {
    curl_global_init(CURL_GLOBAL_DEFAULT);
    LoadOptions whole = options;
    if (whole.model.empty()) {
        INGLE_TRY_ASSIGN(whole.model, firstModel(whole));
    }
    return Run(whole).take();
}

std::string reportText(const LoadReport& report, const LoadOptions& options) {
    std::vector<double> firsts, perTokens, gaps;
    uint64_t tokens = 0;
    unsigned numFailed = 0, numGood = 0;
    std::string failure;
    for (const Sample& sample : report.samples) {
        if (!sample.failure.empty()) {
            ++numFailed;
            failure = sample.failure;
            continue;
        }
        tokens += sample.tokens;
        const double perToken =
            sample.tokens > 1 ? (sample.total - sample.firstToken) / (sample.tokens - 1) : 0;
        firsts.push_back(sample.firstToken);
        if (sample.tokens > 1) perTokens.push_back(perToken);
        gaps.insert(gaps.end(), sample.gaps.begin(), sample.gaps.end());
        if (sample.firstToken <= options.firstTokenLimit && perToken <= options.perTokenLimit) ++numGood;
    }
    std::string out;
    fmt::format_to(std::back_inserter(out),
                   "{} answers in {:.1f} s: {:.2f} a second, {:.1f} tokens a second\n", firsts.size(),
                   report.seconds, static_cast<double>(firsts.size()) / report.seconds,
                   static_cast<double>(tokens) / report.seconds);
    line(out, "to the first words", firsts);
    line(out, "between pieces", gaps);
    line(out, "per token of an answer", perTokens);
    fmt::format_to(std::back_inserter(out),
                   "good (first words ≤ {} s, {} s per token): {} of {}, {:.2f} a second\n",
                   options.firstTokenLimit, options.perTokenLimit, numGood, report.samples.size(),
                   numGood / report.seconds);
    if (numFailed > 0)
        fmt::format_to(std::back_inserter(out), "failed: {} ({})\n", numFailed, shown(failure));
    if (report.notBegun > 0)
        fmt::format_to(std::back_inserter(out), "did not begin, as all clients were busy: {}\n",
                       report.notBegun);
    return out;
}

}  // namespace ingle::serve::bench
