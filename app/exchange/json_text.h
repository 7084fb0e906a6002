/// JSON of strangers, in memory that does not grow with the number of its elements.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::exchange {

/// What stands deeper is left out.
inline constexpr int kDeepest = 100;

/// Errors: Corrupt.
Result<nlohmann::json> parsed(std::string_view text);

/// Takes the elements of the array that the text is (`key` is empty), or the members of the object: of one
/// that is an array each element, else its value. Errors: Corrupt; those of `take`, which end it.
using TakeElement = std::function<Status(std::string_view key, nlohmann::json value)>;
Status forEachElement(std::string_view text, const TakeElement& take);

// Members as one would wish them; what is missing or of another kind is empty, 0, null.
const nlohmann::json& memberOf(const nlohmann::json& object, std::string_view key);
std::string textMember(const nlohmann::json& object, std::string_view key);
double numberMember(const nlohmann::json& object, std::string_view key);
bool flagMember(const nlohmann::json& object, std::string_view key);

/// Unix time in milliseconds from a number of seconds or milliseconds, whichever it must be; 0: none.
int64_t millisecondsOf(double time);
/// From "2025-07-26T12:34:56.789+02:00", also with a space in place of the T; 0: it is none.
int64_t millisecondsOf(std::string_view time);
/// Whichever of the two forms it has.
int64_t timeMember(const nlohmann::json& object, std::string_view key);

}  // namespace ingle::exchange
