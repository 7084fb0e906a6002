/// The life of a request's answers: they are asked for, may be stopped, and what the engine says of them
/// becomes the reply.
#pragma once

#include <chrono>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "app/serve/api/answer_output.h"
#include "app/serve/api/answer_request.h"
#include "app/serve/engine/engine_room.h"
#include "app/serve/http/exchange.h"

namespace ingle::serve::api {

/// Keeps itself alive until the last of its answers has ended.
class Answer : public std::enable_shared_from_this<Answer> {
  public:
    /// For begin(), which alone makes them.
    Answer(EngineRoom& room, std::shared_ptr<const ServedModel> model, AnswerRequest request,
           AnswerOutput output);

    /// Asks for the answers of a request that was read, or says why there are none. `room` must outlive them.
    static void begin(EngineRoom& room, Expected<AnswerRequest> request, std::unique_ptr<AnswerForm> form,
                      std::shared_ptr<http::Exchange> exchange);

  private:
    using Clock = std::chrono::steady_clock;
    enum class End { Ordinary, Gone, TooLate };

    /// Sends the pictures, one after the other, and then asks.
    void ask();
    void sendPicture();
    void pictureTaken(const client::Outcome<protocol::Picture>& outcome);
    void generateAll();
    void generate(unsigned index);
    void asked(protocol::RequestId id);

    // On the client's thread.
    void heard(Choice& choice, const protocol::Generate::Update& update);
    void finished(Choice& choice, const client::Outcome<protocol::Generate>& outcome);
    Delta take(Choice& choice, const TokenChunk& chunk);
    void fail(const ApiError& error);
    /// Of what stop() has ended.
    ApiError stopped();
    void leave(unsigned answers);
    Usage usage() const;

    /// Ends what is still being written. Any thread.
    void stop(End why);
    End end();

    EngineRoom& m_room;
    const std::shared_ptr<const ServedModel> m_model;
    const Clock::time_point m_begin = Clock::now();
    AnswerRequest m_request;
    Deadlines::Id m_deadline = 0;

    // On the client's thread, once all is asked.
    AnswerOutput m_output;
    std::vector<Choice> m_choices;
    std::optional<Clock::time_point> m_firstToken;
    std::vector<uint32_t> m_promptTokens;  ///< of each prompt
    unsigned m_running = 0;
    size_t m_numSent = 0;  ///< pictures

    std::mutex m_mutex;  ///< guards everything below
    std::vector<protocol::RequestId> m_asked;
    End m_end = End::Ordinary;
};

}  // namespace ingle::serve::api
