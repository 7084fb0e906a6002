/// What went wrong at the far server or on the way there, in one sentence for a person.
#pragma once

#include <string>
#include <string_view>

#include "app/bridge/far_server.h"
#include "ingle/result.h"

namespace ingle::bridge {

/// Of a call that ended otherwise than with a status of 2xx. `what` is a model, or empty.
Error farError(const FarServer& far, const FarEnd& end, std::string_view what = {});
/// What a server says of itself in the body of an error, or in a stream ({"error": {"message": …}}); cut and
/// escaped. "" where it says nothing.
std::string farMessage(std::string_view body);
/// Of an answer that ended before its end and cannot be gone on with.
Error brokenAnswer(const FarServer& far);
/// Of one that has begun, where the server only begins another.
Error cannotGoOn(const FarServer& far);
/// Of an answer that is otherwise than agreed: `what` says how.
Error strangeAnswer(const FarServer& far, std::string_view what);

}  // namespace ingle::bridge
