/// The grammar of a call that is demanded: as the model's template writes calls, with arguments by the schema
/// of the tool.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/call_layout.h"
#include "engine/chat/dialects/call_reader.h"
#include "engine/grammar/grammar.h"

namespace ingle::session {

/// The tools that a schema demands a call of (see kDemandedCall). None: it does not.
std::vector<std::string> demandedTools(std::string_view jsonSchema);

/// One call of one of `names`, which are tools of `tools` (see PromptForm), as `reading` reads it. Errors:
/// InvalidArgument where the layout has no place for what a schema asks for, which JSON may have.
Result<grammar::Rules> callRules(const chat::CallLayout& layout, std::string_view tools,
                                 std::span<const std::string> names, const chat::CallReading& reading);

}  // namespace ingle::session
