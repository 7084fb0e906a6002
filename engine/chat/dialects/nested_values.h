/// Values of parameters that are written as parameters again.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace ingle::chat {

/// `parameter`: a pattern of call_form.h, "BEGIN{key}MIDDLE{nested}END". A value that begins like it is an
/// object of such parameters, or a list where all of them are called "item"; any other is as typedValue()
/// says, and one that may be a text is the text that was written. `schema` null: not known.
std::string nestedValue(std::string_view written, std::string_view parameter,
                        const nlohmann::ordered_json* schema);

}  // namespace ingle::chat
