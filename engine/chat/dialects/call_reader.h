/// Reads calls of tools by the forms of call_form.h.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/control_tokens.h"
#include "engine/chat/dialects/call_form.h"

namespace ingle::chat {

/// How an answer is read: its marks, the tools that it may call, and the forms in which it may do so.
/// Immutable: any thread.
class CallReading {
  public:
    CallReading() : CallReading({}, {}) {}
    /// `tools`: see PromptForm; none: nothing is a call. `source`: the chat template, which tells forms and
    /// marks by their signs. One that has none of them is told of tools in words (toldOfTools()), and so
    /// calls in the first of all forms. `inferred`: what no row describes; may be null. `tokens`: of the
    /// model; null: there is only text, in which marks are what reads like them.
    CallReading(std::string_view tools, std::string_view source,
                std::shared_ptr<const InferredDialect> inferred = nullptr,
                std::shared_ptr<const ControlTokens> tokens = nullptr);

    // As ControlTokens::spelled().
    /// The forms of calls that may come.
    std::span<const CallForm> forms() const { return m_spelled->forms; }
    /// The marks of thoughts and answers.
    std::span<const Markup> markups() const { return m_spelled->markups; }
    /// Any other mark.
    std::string spelled(std::string_view mark) const {
        return m_tokens ? m_tokens->spelled(mark) : std::string(mark);
    }

    /// Of the control token that `text` begins with, where it is no part of a mark; 0: there is none.
    size_t sizeOfStranger(std::string_view text) const;

    bool isTool(std::string_view name) const { return m_parameters.contains(name); }
    /// The longest name that `text` begins with; empty: none. `isOpen`: more text may make it one.
    std::string_view nameAt(std::string_view text, bool& isOpen) const;
    /// Null: not known.
    const nlohmann::ordered_json* schemaOf(std::string_view tool, std::string_view parameter) const;

  private:
    struct Spelled {
        std::deque<std::string> texts;  ///< that the others refer to
        std::vector<CallForm> forms;
        std::vector<Markup> markups;
    };

    std::shared_ptr<const ControlTokens> m_tokens;
    std::shared_ptr<const Spelled> m_spelled;
    void resolveParameters();

    std::map<std::string, nlohmann::ordered_json, std::less<>> m_parameters;  ///< by tool: its schema
    /// By tool and parameter: a schema of which a part refers to another place.
    std::map<std::pair<std::string, std::string>, nlohmann::ordered_json> m_resolved;
};

struct ReadCall {
    std::string name;
    std::string id;         ///< the model's own; empty: it gave none
    std::string arguments;  ///< JSON: an object, with the digits of numbers as they were written
    bool isWhole = true;    ///< else `arguments` is what was written of them

    /// {"name": …, "arguments": …}; arguments that are not whole are a text.
    std::string json() const;
};

struct ReadCalls {
    enum class Outcome {
        Calls,      ///< from the beginning of the text: `size` bytes of it
        Undecided,  ///< more text may make them calls
        Text,       ///< whatever comes, these are none: `size` bytes were looked at
    };
    Outcome outcome = Outcome::Text;
    std::vector<ReadCall> calls;
    size_t size = 0;
};

/// `text` begins with the form's first mark. `isEnd`: nothing follows it. A call that is not whole then is
/// one of calls if its name was written.
ReadCalls readCalls(const CallForm& form, std::string_view text, const CallReading& reading, bool isEnd);

}  // namespace ingle::chat
