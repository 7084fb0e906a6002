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

AnswerOutput::AnswerOutput(std::unique_ptr<AnswerForm> form, const std::string& model, bool isStreamed,
                           std::shared_ptr<http::Exchange> exchange)
    : m_form(std::move(form)),
      m_name{std::string(m_form->idPrefix()) + randomName(), model, nowSeconds()},
      m_isStreamed(isStreamed),
      m_exchange(std::move(exchange)) {}

void AnswerOutput::begin(unsigned index, const Usage& usage) {
    if (!m_isStreamed || m_isComplete) return;
    if (!std::exchange(m_hasBegun, true))
        m_exchange->begin({.status = 200,
                           .body = {},
                           .headers = {{"Content-Type", std::string(m_form->streamType())},
                                       {"Cache-Control", "no-store"},
                                       {"X-Accel-Buffering", "no"}}});  // proxies are not to wait for more
    send(m_form->first(m_name, index, usage));
}

void AnswerOutput::reading(double fraction) {
    if (!m_hasBegun || m_isComplete || Clock::now() - m_lastSent < kSilence) return;
    send(m_form->reading(fraction));
}

void AnswerOutput::tell(const Delta& delta) {
    if (m_hasBegun && !m_isComplete && !delta.isEmpty()) send(m_form->delta(m_name, delta));
}

void AnswerOutput::end(const Choice& choice) {
    if (m_hasBegun && !m_isComplete) send(m_form->last(m_name, choice));
}

void AnswerOutput::complete(std::span<const Choice> choices, const Usage& usage) {
    if (std::exchange(m_isComplete, true)) return;
    if (!m_hasBegun) return m_exchange->reply(jsonResponse(m_form->whole(m_name, choices, usage)));
    send(m_form->end(m_name, choices, usage));
    m_exchange->end();
}

void AnswerOutput::fail(const ApiError& error) {
    if (std::exchange(m_isComplete, true)) return;
    if (!m_hasBegun) return m_exchange->reply(toResponse(error, m_form->errors()));
    send(m_form->failed(m_name, error));
    m_exchange->end();
}

void AnswerOutput::send(const std::string& bytes) {
    if (bytes.empty()) return;
    m_exchange->write(bytes);
    m_lastSent = Clock::now();
}

}  // namespace ingle::serve::api
