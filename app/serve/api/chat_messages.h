/// The messages of a chat, from the API's form to the engine's.
#pragma once

#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "app/serve/api/api_error.h"
#include "app/serve/api/fields.h"
#include "ingle/types.h"

namespace ingle::serve::api {

/// Puts the messages of a chat together, in their order.
class Conversation {
  public:
    void add(ChatMessage message) { m_messages.push_back(std::move(message)); }
    /// A part of the assistant's message that comes last, or of a new one.
    void addToAnswer(Part part);
    /// The call of a tool. `arguments`: the text that they came as.
    static Part call(const std::string& name, const std::string& arguments, const std::string& id);
    /// Remembers its calls, which results may speak of.
    void addAnswer(ChatMessage message);
    /// What a call came to: results that follow each other are one message. False: no call has that id.
    bool addResult(std::string text, const std::string& name, const std::string& id);

    bool isEmpty() const { return m_messages.empty(); }
    std::vector<ChatMessage> take() { return std::move(m_messages); }

  private:
    std::vector<ChatMessage> m_messages;
    std::set<std::string> m_idsOfCalls;
};

/// Most of one request.
inline constexpr size_t kMostMessages = 4096;

/// The field `name`: a text, or a list of parts of the given types: "image_url" and "input_image" are
/// pictures (see pictures.h), and all others texts. Nothing: it is not there.
std::optional<std::vector<Part>> readContent(Fields& fields, std::string_view name,
                                             std::initializer_list<std::string_view> types = {"text"});
/// Parts of text in one, a line each.
std::string joinedText(const std::vector<Part>& parts);

/// Roles system, developer (the same), user, assistant and tool; contents are texts or lists of parts that
/// are texts or, of a user, pictures. Errors: one that says which field of which message cannot be used
/// (sound among them).
Expected<std::vector<ChatMessage>> readMessages(const nlohmann::ordered_json& messages);

}  // namespace ingle::serve::api
