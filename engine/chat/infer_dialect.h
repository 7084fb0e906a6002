/// How a template that no row describes writes thoughts, answers and calls of tools.
#pragma once

#include <memory>
#include <string_view>

#include "engine/chat/dialects/call_form.h"
#include "engine/chat/jinja/template.h"
#include "engine/chat/message_values.h"

namespace ingle::chat {

/// Renders answers with marked texts, thoughts and calls, and takes what is around the marks for the dialect,
/// as far as it reads what the template writes. Null: rows read all of that, or nothing is found.
std::shared_ptr<const InferredDialect> inferDialect(const jinja::Template& chatTemplate,
                                                    std::string_view source, const MessageForm& messages);

}  // namespace ingle::chat
