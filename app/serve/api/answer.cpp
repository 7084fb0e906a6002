#include "app/serve/api/answer.h"

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

double secondsSince(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

void Answer::begin(EngineRoom& room, Expected<AnswerRequest> request, const AnswerForm& form,
                   std::shared_ptr<http::Exchange> exchange) {
    if (!request) return exchange->reply(toResponse(request.error()));
    const auto model = modelFor(room, request->model, library::ModelPurpose::Chats);
    if (!model) return exchange->reply(toResponse(model.error()));
    if (const auto entered = enter(room, request->answers); !entered)
        return exchange->reply(toResponse(entered.error()));
    const auto answer =
        std::make_shared<Answer>(room, **model, std::move(*request), form, std::move(exchange));
    answer->m_deadline = room.deadlines().set(room.answerLimit(), [weak = answer->weak_from_this()] {
        if (const auto self = weak.lock()) self->stop(End::TooLate);
    });
    answer->ask();
    answer->m_exchange->onGone([weak = answer->weak_from_this()] {
        if (const auto self = weak.lock()) self->stop(End::Gone);
    });
}

Answer::Answer(EngineRoom& room, const ServedModel& model, AnswerRequest request, const AnswerForm& form,
               std::shared_ptr<http::Exchange> exchange)
    : m_room(room),
      m_model(model),
      m_form(form),
      m_exchange(std::move(exchange)),
      m_request(std::move(request)),
      m_name{std::string(form.idPrefix()) + randomName(), model.name, nowSeconds()},
      m_running(m_request.answers) {
    for (unsigned index = 0; index < m_request.answers; ++index)
        m_choices.emplace_back(index, m_request.isCallDemanded);
}

void Answer::ask() {
    if (!m_request.written.empty()) return askBehindWritten();
    for (unsigned index = 0; index < m_request.answers; ++index) generate(index);
}

void Answer::askBehindWritten() {
    const auto counted = [self = shared_from_this()](const client::Outcome<protocol::Count>& outcome) {
        if (!outcome) {
            self->leave(self->m_request.answers);
            if (self->end() != End::Ordinary) return self->failStopped();
            return self->fail(fromEngine(outcome.error().error));
        }
        GenerateRequest& request = self->m_request.generate;
        request.resumeIds = outcome->ids;
        // The engine's limit is one of the whole answer.
        if (request.maxTokens > 0) request.maxTokens += outcome->tokens;
        for (unsigned index = 0; index < self->m_request.answers; ++index) self->generate(index);
    };
    asked(m_room.ask(m_model, protocol::Count{.text = m_request.written, .withIds = true},
                     {.finished = counted}));
}

void Answer::generate(unsigned index) {
    GenerateRequest request = m_request.generate;
    request.sampler.seed += index;
    client::Handlers<protocol::Generate> handlers;
    handlers.update = [self = shared_from_this(), index](const protocol::Generate::Update& update) {
        self->heard(self->m_choices[index], update);
    };
    handlers.finished = [self = shared_from_this(),
                         index](const client::Outcome<protocol::Generate>& outcome) {
        self->finished(self->m_choices[index], outcome);
    };
    asked(m_room.ask(m_model, protocol::Generate{std::move(request)}, std::move(handlers)));
}

void Answer::asked(protocol::RequestId id) {
    {
        const std::scoped_lock lock(m_mutex);
        m_asked.push_back(id);
        if (m_end == End::Ordinary) return;
    }
    m_room.cancel(id);
}

void Answer::stop(End why) {
    std::vector<protocol::RequestId> ids;
    {
        const std::scoped_lock lock(m_mutex);
        if (m_end != End::Ordinary) return;
        m_end = why;
        ids = m_asked;
    }
    for (const protocol::RequestId id : ids) m_room.cancel(id);
}

Answer::End Answer::end() {
    const std::scoped_lock lock(m_mutex);
    return m_end;
}

void Answer::heard(Choice& choice, const protocol::Generate::Update& update) {
    if (m_isAnswered) return;
    if (const auto* plan = std::get_if<protocol::Planned>(&update)) return planned(choice, plan->plan);
    if (const auto* progress = std::get_if<protocol::Progress>(&update)) return reading(progress->fraction);
    const auto& chunk = std::get<protocol::Tokens>(update).chunk;
    if (!m_firstToken) m_firstToken = Clock::now();
    take(choice, chunk.pieces, chunk.chances);
}

void Answer::planned(const Choice& choice, const PromptPlan& plan) {
    m_promptTokens = plan.promptTokens;
    if (!m_request.isStreamed) return;
    beginStream();
    if (const std::string first = m_form.first(m_name, choice.index()); !first.empty()) send(first);
}

void Answer::reading(double fraction) {
    if (!m_isStreaming || Clock::now() - m_lastSent < kSilence) return;
    m_exchange->write(fmt::format(": reading the prompt, {:.0f} %\n\n", 100 * fraction));
    m_lastSent = Clock::now();
}

void Answer::take(Choice& choice, const std::vector<PartPiece>& pieces, std::vector<TokenChances> chances) {
    if (m_request.withChances && m_request.top == 0)
        for (TokenChances& each : chances) each.top.clear();
    const Delta delta = choice.add(pieces, std::move(chances));
    if (m_isStreaming && !delta.isEmpty()) send(m_form.delta(m_name, delta));
}

void Answer::finished(Choice& choice, const client::Outcome<protocol::Generate>& outcome) {
    if (!outcome) {
        leave(1);
        return fail(fromEngine(outcome.error().error));
    }
    const GenerateResult& result = outcome->result;
    if (result.reason == StopReason::Cancelled) {
        leave(1);
        return failStopped();
    }
    const Delta delta = choice.finish(result);
    if (m_isStreaming && !m_isAnswered) {
        if (!delta.isEmpty()) send(m_form.delta(m_name, delta));
        send(m_form.last(m_name, choice));
    }
    const auto now = Clock::now();
    m_room.metrics().countAnswer(choice.stats(), secondsSince(m_begin, now),
                                 secondsSince(m_begin, m_firstToken.value_or(now)));
    // Whoever has the answer may ask the next one at once: the place is free by then.
    const bool isLast = m_running == 1;
    leave(1);
    if (isLast && !m_isAnswered) complete();
}

void Answer::leave(unsigned answers) {
    m_running -= answers;
    for (unsigned each = 0; each < answers; ++each) m_room.leave();
    if (m_running == 0) m_room.deadlines().callOff(m_deadline);
}

void Answer::beginStream() {
    if (std::exchange(m_isStreaming, true)) return;
    m_exchange->begin({.status = 200,
                       .body = {},
                       .headers = {{"Content-Type", "text/event-stream; charset=utf-8"},
                                   {"Cache-Control", "no-store"},
                                   {"X-Accel-Buffering", "no"}}});  // proxies are not to wait for more
}

void Answer::send(const std::string& json) {
    m_exchange->write("data: " + json + "\n\n");
    m_lastSent = Clock::now();
}

void Answer::failStopped() {
    if (end() == End::TooLate)
        return fail(
            {.status = 504,
             .message = fmt::format("The answer took longer than {} seconds.", m_room.answerLimit().count()),
             .code = "timeout"});
    fail({.status = 503, .message = "The answer was stopped.", .code = "cancelled"});
}

void Answer::fail(const ApiError& error) {
    if (std::exchange(m_isAnswered, true)) return;
    if (m_isStreaming) {
        send(errorObject(error));
        m_exchange->end();
    } else {
        m_exchange->reply(toResponse(error));
    }
    stop(End::Gone);  // nobody hears the others
}

void Answer::complete() {
    m_isAnswered = true;
    if (!m_isStreaming) {
        return m_exchange->reply({.status = 200,
                                  .body = m_form.whole(m_name, m_choices, usage()),
                                  .headers = {{"Content-Type", "application/json"}}});
    }
    if (m_request.withUsage) send(m_form.usage(m_name, usage()));
    m_exchange->write("data: [DONE]\n\n");
    m_exchange->end();
}

Usage Answer::usage() const {
    Usage usage{.promptTokens = m_promptTokens};
    usage.cachedTokens = m_choices.front().stats().cachedTokens;
    for (const Choice& choice : m_choices) usage.newTokens += choice.stats().newTokens;
    return usage;
}

}  // namespace ingle::serve::api
