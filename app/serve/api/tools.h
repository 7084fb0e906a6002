/// Functions that an answer may call, and must call.
#pragma once

#include <string>

#include "app/serve/api/fields.h"
#include "ingle/types.h"

namespace ingle::serve::api {

struct Tools {
    std::string list;  ///< see PromptForm::tools; empty: none
    /// What the answer has to be where a call is demanded (a JSON object of "name" and "arguments"); empty:
    /// the model decides whether it calls.
    std::string schema;
    bool isSingle = false;  ///< of several calls only the first one counts
};

/// Reads tools, tool_choice ("none", "auto", "required", or one function by name) and parallel_tool_calls.
Tools readTools(Fields& fields);

}  // namespace ingle::serve::api
