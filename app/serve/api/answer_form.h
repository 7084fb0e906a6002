/// Answers as an endpoint of the API shows them: whole, or chunk by chunk as server-sent events.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "app/serve/api/choice.h"

namespace ingle::serve::api {

struct Usage {
    uint32_t promptTokens = 0;
    uint32_t cachedTokens = 0;  ///< of the prompt's, those that need not be read again
    uint32_t newTokens = 0;
};

/// What all chunks of an answer say.
struct AnswerName {
    std::string id;
    std::string model;
    int64_t createdSeconds = 0;  ///< since 1970
};

/// JSON texts. Stateless: any thread.
class AnswerForm {
  public:
    virtual ~AnswerForm() = default;
    virtual std::string_view idPrefix() const = 0;
    virtual std::string whole(const AnswerName& name, std::span<const Choice> choices,
                              const Usage& usage) const = 0;
    /// Of a stream, before the first words. Empty: nothing.
    virtual std::string first(const AnswerName& name, unsigned index) const = 0;
    virtual std::string delta(const AnswerName& name, const Delta& delta) const = 0;
    virtual std::string last(const AnswerName& name, const Choice& choice) const = 0;
    virtual std::string usage(const AnswerName& name, const Usage& usage) const = 0;
};

const AnswerForm& chatForm();
const AnswerForm& completionForm();

}  // namespace ingle::serve::api
