/// The schema (GenerateRequest::jsonSchema) of an answer that has to be a call of a tool.
#pragma once

#include <string_view>

namespace ingle {

/// The "$comment" of a schema for {"name", "arguments"}, whose names are constants that PromptForm::tools
/// has. An answer is then a call in the form in which the model's template writes calls, where it is known
/// and has a place for what the schema asks for, and else that object of JSON.
inline constexpr std::string_view kDemandedCall = "a call of a tool";

}  // namespace ingle
