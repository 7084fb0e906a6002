/// Reads calls of tools by the forms of call_form.h.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/dialects/call_form.h"

namespace ingle::chat {

/// The tools that an answer may call, and the forms in which it may do so. Immutable: any thread.
class CallReading {
  public:
    /// No tools: nothing is a call.
    CallReading() = default;
    /// `tools`: see PromptForm; `source`: the chat template, which tells the forms by their signs. One that
    /// has none of them is told of tools in words (toldOfTools()), and so calls in the first of all forms.
    /// `inferred`: the form that it writes itself, where no row reads that; may be null.
    /// `thought`: the same for thoughts.
    CallReading(std::string_view tools, std::string_view source,
                std::shared_ptr<const InferredForm> inferred = nullptr,
                std::shared_ptr<const InferredThought> thought = nullptr);

    /// The forms of calls that may come.
    std::span<const CallForm* const> forms() const { return m_forms; }
    /// Whether the template has this text.
    bool writes(std::string_view mark) const { return m_source.find(mark) != m_source.npos; }
    /// Null: a row describes thoughts, if there are any.
    const InferredThought* thought() const { return m_thought.get(); }
    bool isTool(std::string_view name) const { return m_parameters.contains(name); }
    /// The longest name that `text` begins with; empty: none. `isOpen`: more text may make it one.
    std::string_view nameAt(std::string_view text, bool& isOpen) const;
    /// Null: not known.
    const nlohmann::ordered_json* schemaOf(std::string_view tool, std::string_view parameter) const;

  private:
    std::string m_source;
    std::vector<const CallForm*> m_forms;
    std::shared_ptr<const InferredForm> m_inferred;
    std::shared_ptr<const InferredThought> m_thought;
    std::shared_ptr<const CallForm> m_ownForm;                                ///< of m_inferred
    std::map<std::string, nlohmann::ordered_json, std::less<>> m_parameters;  ///< by tool: its schema
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
