/// A request's answers while they are written: what the engine says becomes the reply.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "app/serve/api/answer_form.h"
#include "app/serve/api/answer_request.h"
#include "app/serve/engine/engine_room.h"
#include "app/serve/http/exchange.h"

namespace ingle::serve::api {

/// Keeps itself alive until the last of its answers has ended.
class Answer : public std::enable_shared_from_this<Answer> {
  public:
    /// For begin(), which alone makes them.
    Answer(EngineRoom& room, const ServedModel& model, AnswerRequest request, const AnswerForm& form,
           std::shared_ptr<http::Exchange> exchange);

    /// Asks for the answers of a request that was read, or says why there are none. `room` and `form` must
    /// outlive them.
    static void begin(EngineRoom& room, Expected<AnswerRequest> request, const AnswerForm& form,
                      std::shared_ptr<http::Exchange> exchange);

  private:
    using Clock = std::chrono::steady_clock;
    enum class End { Ordinary, Gone, TooLate };

    void ask();
    /// The beginning that is written already is cut into tokens first.
    void askBehindWritten();
    void generate(unsigned index);
    void asked(protocol::RequestId id);

    // On the client's thread.
    void heard(Choice& choice, const protocol::Generate::Update& update);
    void finished(Choice& choice, const client::Outcome<protocol::Generate>& outcome);
    void planned(const Choice& choice, const PromptPlan& plan);
    void reading(double fraction);
    void take(Choice& choice, const std::vector<PartPiece>& pieces, std::vector<TokenChances> chances);
    void beginStream();
    void send(const std::string& json);
    void fail(const ApiError& error);
    /// Of what stop() has ended.
    void failStopped();
    void complete();
    void leave(unsigned answers);
    Usage usage() const;

    /// Ends what is still being written. Any thread.
    void stop(End why);
    End end();

    EngineRoom& m_room;
    const ServedModel& m_model;
    const AnswerForm& m_form;
    const std::shared_ptr<http::Exchange> m_exchange;
    const Clock::time_point m_begin = Clock::now();
    AnswerRequest m_request;
    AnswerName m_name;
    Deadlines::Id m_deadline = 0;

    // On the client's thread, once all is asked.
    std::vector<Choice> m_choices;
    std::optional<Clock::time_point> m_firstToken;
    Clock::time_point m_lastSent = m_begin;
    uint32_t m_promptTokens = 0;
    unsigned m_running = 0;
    bool m_isStreaming = false;
    bool m_isAnswered = false;

    std::mutex m_mutex;  ///< guards everything below
    std::vector<protocol::RequestId> m_asked;
    End m_end = End::Ordinary;
};

}  // namespace ingle::serve::api
