/// The reply to a request for answers: whole at its end, or streamed as it is written.
#pragma once

#include <chrono>
#include <memory>
#include <span>
#include <string>

#include "app/serve/api/answer_form.h"
#include "app/serve/http/exchange.h"

namespace ingle::serve::api {

/// One thread.
class AnswerOutput {
  public:
    AnswerOutput(std::unique_ptr<AnswerForm> form, const std::string& model, bool isStreamed,
                 std::shared_ptr<http::Exchange> exchange);

    /// An answer is about to be written. `usage`: of its prompt.
    void begin(unsigned index, const Usage& usage);
    /// So much of its prompt has been read.
    void reading(double fraction);
    void tell(const Delta& delta);
    /// All of that answer was told.
    void end(const Choice& choice);

    /// In either case nothing follows.
    void complete(std::span<const Choice> choices, const Usage& usage);
    void fail(const ApiError& error);
    bool isComplete() const { return m_isComplete; }

  private:
    using Clock = std::chrono::steady_clock;

    void send(const std::string& bytes);

    std::unique_ptr<AnswerForm> m_form;
    const AnswerName m_name;
    const bool m_isStreamed;
    const std::shared_ptr<http::Exchange> m_exchange;
    bool m_hasBegun = false;  ///< the stream
    bool m_isComplete = false;
    Clock::time_point m_lastSent = Clock::now();
};

}  // namespace ingle::serve::api
