/// How a template that no row of call_form.h describes writes calls of tools.
#pragma once

#include <memory>
#include <string_view>

#include "engine/chat/dialects/call_form.h"
#include "engine/chat/jinja/template.h"
#include "engine/chat/message_values.h"

namespace ingle::chat {

/// Renders answers with marked calls and takes what is around the marks for the form. It is used only if it
/// reads what the template writes. Null: a row reads that already, or no form is found.
std::shared_ptr<const InferredForm> inferCallForm(const jinja::Template& chatTemplate,
                                                  std::string_view source, const MessageForm& messages);

/// The marks that a template writes around a thought; null where it writes none, or a row describes them.
std::shared_ptr<const InferredThought> inferThought(const jinja::Template& chatTemplate,
                                                    const MessageForm& messages);

}  // namespace ingle::chat
