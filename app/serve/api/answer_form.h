/// Answers as an endpoint of the API shows them: whole, or bit by bit as they are written.
#pragma once

#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "app/serve/api/api_error.h"
#include "app/serve/api/choice.h"

namespace ingle::serve::api {

struct Usage {
    uint32_t promptTokens = 0;
    uint32_t cachedTokens = 0;  ///< of the prompt's, those that need not be read again
    uint32_t newTokens = 0;
    uint32_t thoughtTokens = 0;  ///< of the new ones
};

/// What all that is told of an answer says.
struct AnswerName {
    std::string id;
    std::string model;
    int64_t createdSeconds = 0;  ///< since 1970
};

/// A member beside the reason why an answer ended: what it does not keep of its schema, which is only seen at
/// the end. Absent: it keeps all of it.
inline constexpr const char* kViolation = "schema_violation";

/// Of one request. What it tells of a stream is sent as it is; empty: nothing. One thread.
class AnswerForm {
  public:
    virtual ~AnswerForm() = default;
    virtual std::string_view idPrefix() const = 0;
    virtual ErrorShape errors() const { return ErrorShape::OpenAi; }
    /// The type of a stream's content.
    virtual std::string_view streamType() const { return "text/event-stream; charset=utf-8"; }

    /// All of the answers, as JSON.
    virtual std::string whole(const AnswerName& name, std::span<const Choice> choices,
                              const Usage& usage) = 0;
    /// Of a stream: an answer is about to be written. `usage`: of its prompt.
    virtual std::string first(const AnswerName& name, unsigned index, const Usage& usage) = 0;
    virtual std::string delta(const AnswerName& name, const Delta& delta) = 0;
    virtual std::string last(const AnswerName& name, const Choice& choice) = 0;
    /// Behind the last answer.
    virtual std::string end(const AnswerName& name, std::span<const Choice> choices, const Usage& usage) = 0;
    /// In place of what would have followed.
    virtual std::string failed(const AnswerName& name, const ApiError& error);
    /// So much of the prompt has been read.
    virtual std::string reading(double fraction);
};

/// An event of a stream (HTML's server-sent events), with a name or without.
std::string eventOf(std::string_view json, std::string_view name = {});

/// The id of a call of an answer: the model's own, or nine letters and digits, as the templates of Mistral
/// want them; others take any.
std::string idOfCall(const AnswerName& name, unsigned choice, size_t index, const ToolCall& call);

/// Of POST /v1/chat/completions. `withUsage`: a stream tells its numbers last.
std::unique_ptr<AnswerForm> chatForm(bool withUsage = false);
/// Of POST /v1/completions.
std::unique_ptr<AnswerForm> completionForm(bool withUsage = false);

}  // namespace ingle::serve::api
