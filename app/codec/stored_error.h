/// Errors as files have them. An error has no object of its own there: its message, id and arguments are
/// fields of what failed. Its code is not kept, because nothing depends on it later.
#pragma once

#include <optional>
#include <utility>

#include "ingle/result.h"

namespace ingle::codec {

/// What the fields of `error` hold; without an error all of them are empty.
inline Error storedError(const std::optional<Error>& error) {
    return error.value_or(Error{ErrorCode::Io, {}});
}

/// The error that fields hold.
inline std::optional<Error> errorFrom(Error stored) {
    if (stored.message.empty() && stored.id.empty() && stored.arguments.empty()) return std::nullopt;
    return stored;
}

}  // namespace ingle::codec
