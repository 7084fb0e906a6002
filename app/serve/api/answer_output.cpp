#include "app/serve/api/answer_output.h"

#include <fmt/format.h>

#include <random>
#include <utility>

#include "app/serve/api/endpoint.h"

namespace ingle::serve::api {
namespace {

constexpr std::chrono::seconds kSilence{5};  // after which a stream says that it is still there

std::string randomName() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}{:08x}", device(), device(), device());
}

int64_t nowSeconds() {
    return std::chrono::duration_cast<std::chrono::seconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
}

}  // namespace

AnswerOutput::AnswerOutput(const AnswerForm& form, const std::string& model, const AnswerRequest& request,
                           std::shared_ptr<http::Exchange> exchange)
    : m_form(form),
      m_name{std::string(form.idPrefix()) + randomName(), model, nowSeconds()},
      m_isStreamed(request.isStreamed),
      m_withUsage(request.withUsage),
      m_exchange(std::move(exchange)) {}

void AnswerOutput::begin(unsigned index) {
    if (!m_isStreamed || m_isComplete) return;
    if (!std::exchange(m_hasBegun, true))
        m_exchange->begin({.status = 200,
                           .body = {},
                           .headers = {{"Content-Type", "text/event-stream; charset=utf-8"},
                                       {"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"}}});  // proxies are not to wait for more
    if (const std::string first = m_form.first(m_name, index); !first.empty()) send(first);
}

void AnswerOutput::reading(double fraction) {
    if (!m_hasBegun || m_isComplete || Clock::now() - m_lastSent < kSilence) return;
    m_exchange->write(fmt::format(": reading the prompt, {:.0f} %\n\n", 100 * fraction));
    m_lastSent = Clock::now();
}

void AnswerOutput::tell(const Delta& delta) {
    if (m_hasBegun && !m_isComplete && !delta.isEmpty()) send(m_form.delta(m_name, delta));
}

void AnswerOutput::end(const Choice& choice) {
    if (m_hasBegun && !m_isComplete) send(m_form.last(m_name, choice));
}

void AnswerOutput::complete(std::span<const Choice> choices, const Usage& usage) {
    if (std::exchange(m_isComplete, true)) return;
    if (!m_hasBegun) return m_exchange->reply(jsonResponse(m_form.whole(m_name, choices, usage)));
    if (m_withUsage) send(m_form.usage(m_name, usage));
    m_exchange->write("data: [DONE]\n\n");
    m_exchange->end();
}

void AnswerOutput::fail(const ApiError& error) {
    if (std::exchange(m_isComplete, true)) return;
    if (!m_hasBegun) return m_exchange->reply(toResponse(error));
    send(errorObject(error));
    m_exchange->end();
}

void AnswerOutput::send(const std::string& json) {
    m_exchange->write("data: " + json + "\n\n");
    m_lastSent = Clock::now();
}

}  // namespace ingle::serve::api
