/// Chat templates on their own: what text they make of messages.
#pragma once

#include <string>
#include <string_view>

#include "engine/chat/jinja/template.h"

namespace ingle::lab {

class PromptTemplate {
  public:
    /// `path` is a template (*.jinja) or a model file, whose template is taken. Errors: Io; Corrupt, with the
    /// line of the template; Unsupported when the model file has none.
    static Result<PromptTemplate> open(const std::string& path);

    /// `json` is an object whose members are the template's variables: messages, tools, documents (both None
    /// when absent), add_generation_prompt, bos_token and eos_token (the model's when absent), and any
    /// others; `now`
    /// ("2025-07-26T12:34:56") is the time, if not this moment. Errors: InvalidArgument, also when the
    /// template refuses.
    Result<std::string> render(std::string_view json) const;

  private:
    explicit PromptTemplate(chat::jinja::Template parsed) : m_template(std::move(parsed)) {}

    chat::jinja::Template m_template;
    std::optional<chat::jinja::Template> m_toolTemplate;  ///< for conversations with tools
    std::string m_bos, m_eos;
};

}  // namespace ingle::lab
