/// One answer that the far server writes, from the request to its last word.
#pragma once

#include <chrono>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>

#include "app/bridge/chat_stream.h"
#include "app/bridge/far_models.h"
#include "app/bridge/far_server.h"
#include "app/bridge/sampler_fields.h"
#include "app/protocol/messages.h"

namespace ingle::bridge {

/// What was learned of the far server while it answered.
struct FarKnowledge {
    /// Models of a kind that goes on with the text of an answer, and do not.
    std::set<std::string, std::less<>> endAsTheyBroke;
    /// Its /tokenize takes a text as "prompt" (vLLM) and not as "content" (llama.cpp, ingle-serve).
    bool tokenizesPrompts = false;
    FieldNames refused;  ///< fields of the sampler that it does not take
};

/// Where the connection breaks, the rest is asked for of a server that goes on with a text: twice at most,
/// and while it is not there until it is again, for kPatience at most. What was sent to the client stays, and
/// the rest follows it. Where the server refuses fields of the sampler, it is asked again without them, and
/// the plan says so. One thread.
class Answer {
  public:
    using Clock = std::chrono::steady_clock;
    static constexpr int kMostTries = 2;
    /// Before the rest is asked for: what broke a connection may last a moment.
    static constexpr std::chrono::milliseconds kPause{500};
    /// So long a server that was there may be gone.
    static constexpr std::chrono::seconds kPatience{30};

    struct Output {
        std::function<void(protocol::EventBody)> event;
        std::function<void(protocol::EventBody)> end;  ///< instead of `event`, once and last
        std::function<bool()> hasRoom;                 ///< false: resume() follows
    };

    /// `request` as chatRequest() makes it; `numMessages` of the request it was made of, and `begun` what the
    /// answer begins with already (GenerateRequest::resumeText).
    Answer(FarServer& far, FarKnowledge& knowledge, nlohmann::json request, size_t numMessages,
           std::string begun, FarModel model, Output output);
    ~Answer();  ///< without a word
    Answer(const Answer&) = delete;
    Answer& operator=(const Answer&) = delete;

    void begin();
    /// Ends it by Done.
    void cancel();
    void resume();
    bool isPausing() const { return m_goOnAt.has_value(); }
    /// Goes on once the pause is over.
    void tick();

  private:
    Taken take(std::string_view bytes);
    void ended(FarEnd end);
    /// Asks for the answer, behind what there is of it.
    void ask();
    void leaveOut(const FieldNames& fields);
    /// False where that is not why it refuses.
    bool askedWithout(const FarEnd& refusal);
    /// After a call that ended so. False where the rest cannot be had.
    bool goOn(const FarEnd& end);
    bool canGoOn() const;
    void send(std::vector<PartPiece> pieces);
    void sendPlan();
    void finish(StopReason reason);
    void finishAnswered();
    void fail(Error error) { m_output.end(protocol::Failed{std::move(error), {}}); }

    FarServer& m_far;
    FarKnowledge& m_knowledge;
    nlohmann::json m_request;
    FieldNames m_leftOut;  ///< of it
    const size_t m_numMessages;
    const FarModel m_model;
    const Output m_output;

    FarServer::CallId m_call = 0;  ///< 0: none
    ChatStream m_stream;
    std::optional<Error> m_failure;  ///< of the stream
    bool m_hasPlan = false;
    std::string m_text;  ///< of the answer, so far
    bool m_hasThought = false, m_hasCall = false;
    uint32_t m_tokensBefore = 0;      ///< of calls that broke, about
    uint32_t m_textTokensBefore = 0;  ///< those of them that are in m_text
    int m_tries = 0;
    std::optional<Clock::time_point> m_goneSince;  ///< the server; nothing: it was there the last time
    std::optional<Clock::time_point> m_goOnAt;
    Clock::time_point m_began;
    std::optional<Clock::time_point> m_firstToken;
};

}  // namespace ingle::bridge
