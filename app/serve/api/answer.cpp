#include "app/serve/api/answer.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/serve/api/endpoint.h"

namespace ingle::serve::api {
namespace {

double secondsSince(std::chrono::steady_clock::time_point begin, std::chrono::steady_clock::time_point end) {
    return std::chrono::duration<double>(end - begin).count();
}

}  // namespace

void Answer::begin(EngineRoom& room, Expected<AnswerRequest> request, std::unique_ptr<AnswerForm> form,
                   std::shared_ptr<http::Exchange> exchange) {
    const auto refuse = [&](const ApiError& error) { exchange->reply(toResponse(error, form->errors())); };
    if (!request) return refuse(request.error());
    auto model = modelFor(room, request->model, library::ModelPurpose::Chats);
    if (!model) return refuse(model.error());
    if (const auto entered = enter(room, request->numChoices()); !entered) return refuse(entered.error());
    AnswerOutput output(std::move(form), (*model)->name, request->isStreamed, exchange);
    const auto answer =
        std::make_shared<Answer>(room, std::move(*model), std::move(*request), std::move(output));
    answer->m_deadline = room.deadlines().set(room.answerLimit(), [weak = answer->weak_from_this()] {
        if (const auto self = weak.lock()) self->stop(End::TooLate);
    });
    answer->ask();
    exchange->onGone([weak = answer->weak_from_this()] {
        if (const auto self = weak.lock()) self->stop(End::Gone);
    });
}

Answer::Answer(EngineRoom& room, std::shared_ptr<const ServedModel> model, AnswerRequest request,
               AnswerOutput output)
    : m_room(room),
      m_model(std::move(model)),
      m_request(std::move(request)),
      m_output(std::move(output)),
      m_promptTokens(std::max<size_t>(1, m_request.prompts.size())),
      m_running(m_request.numChoices()) {
    for (unsigned index = 0; index < m_request.numChoices(); ++index)
        m_choices.emplace_back(index, m_request.calls);
}

void Answer::ask() {
    m_request.pictures = namePictures(m_request.generate.messages);
    if (m_request.pictures.empty())
        generateAll();
    else
        sendPicture();
}

void Answer::generateAll() {
    for (unsigned index = 0; index < m_request.numChoices(); ++index) generate(index);
}

void Answer::sendPicture() {
    SentPicture& picture = m_request.pictures[m_numSent++];
    asked(m_room.ask(
        *m_model, protocol::Picture{picture.hash, std::move(picture.bytes)},
        {.finished = [self = shared_from_this()](const auto& outcome) { self->pictureTaken(outcome); }}));
}

void Answer::pictureTaken(const client::Outcome<protocol::Picture>& outcome) {
    if (!outcome || end() != End::Ordinary) {
        const ApiError error =
            end() == End::Ordinary ? fromEngine(outcome.error().error, *m_model) : stopped();
        leave(m_running);
        return fail(error);
    }
    if (m_numSent < m_request.pictures.size()) return sendPicture();
    generateAll();
}

void Answer::generate(unsigned index) {
    GenerateRequest request = m_request.generate;
    request.sampler.seed += index % m_request.answers;
    if (!m_request.prompts.empty()) {
        const RawPrompt& prompt = m_request.prompts[index / m_request.answers];
        request.rawPrompt = prompt.text;
        request.rawTokens = prompt.ids;
        request.idsAreText = !prompt.ids.empty();
    }
    client::Handlers<protocol::Generate> handlers;
    handlers.update = [self = shared_from_this(), index](const protocol::Generate::Update& update) {
        self->heard(self->m_choices[index], update);
    };
    handlers.finished = [self = shared_from_this(),
                         index](const client::Outcome<protocol::Generate>& outcome) {
        self->finished(self->m_choices[index], outcome);
    };
    asked(m_room.ask(*m_model, protocol::Generate{std::move(request)}, std::move(handlers)));
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
    if (const auto* planned = std::get_if<protocol::Planned>(&update)) {
        m_promptTokens[choice.index() / m_request.answers] = planned->plan.promptTokens;
        m_output.begin(choice.index(), {.promptTokens = planned->plan.promptTokens});
    } else if (const auto* progress = std::get_if<protocol::Progress>(&update)) {
        m_output.reading(progress->fraction);
    } else {
        if (!m_firstToken) m_firstToken = Clock::now();
        m_output.tell(take(choice, std::get<protocol::Tokens>(update).chunk));
    }
}

Delta Answer::take(Choice& choice, const TokenChunk& chunk) {
    std::vector<TokenChances> chances = chunk.chances;
    if (m_request.withChances && m_request.top == 0)
        for (TokenChances& each : chances) each.top.clear();
    return choice.add(chunk.pieces, std::move(chances), static_cast<uint32_t>(chunk.ids.size()));
}

void Answer::finished(Choice& choice, const client::Outcome<protocol::Generate>& outcome) {
    if (!outcome || outcome->result.reason == StopReason::Cancelled) {
        leave(1);
        return fail(outcome ? stopped() : fromEngine(outcome.error().error, *m_model));
    }
    m_output.tell(choice.finish(outcome->result));
    m_output.end(choice);
    const auto now = Clock::now();
    m_room.metrics().countAnswer(choice.stats(), secondsSince(m_begin, now),
                                 secondsSince(m_begin, m_firstToken.value_or(now)));
    // Whoever has the answer may ask the next one at once: the place is free by then.
    const bool isLast = m_running == 1;
    leave(1);
    if (isLast) m_output.complete(m_choices, usage());
}

void Answer::leave(unsigned answers) {
    m_running -= answers;
    for (unsigned each = 0; each < answers; ++each) m_room.leave();
    if (m_running == 0) m_room.deadlines().callOff(m_deadline);
}

ApiError Answer::stopped() {
    if (end() == End::TooLate) return tooLate(m_room.answerLimit());
    return {.status = 503, .message = "The answer was stopped.", .code = "cancelled"};
}

void Answer::fail(const ApiError& error) {
    m_output.fail(error);
    stop(End::Gone);  // nobody hears the others
}

Usage Answer::usage() const {
    Usage usage;
    for (const uint32_t tokens : m_promptTokens) usage.promptTokens += tokens;
    for (const Choice& choice : m_choices) {
        // Each prompt counts once.
        if (choice.index() % m_request.answers == 0) usage.cachedTokens += choice.stats().cachedTokens;
        usage.newTokens += choice.stats().newTokens;
        usage.thoughtTokens += choice.thoughtTokens();
    }
    return usage;
}

}  // namespace ingle::serve::api
