/// What a loaded model came from: the request that it answered, and its files as they were then.
#pragma once

#include <optional>
#include <string>

#include "app/library/library.h"
#include "app/protocol/messages.h"

namespace ingle::cli {

/// Equal ones give the same model, so that the second need not be loaded. Of a model in several files the one
/// that was named counts: the others, once mapped, stay what they were when somebody replaces them.
struct Origin {
    explicit Origin(const protocol::Load& request);

    bool operator==(const Origin&) const = default;

    std::string path;
    std::string request;  ///< path and all options, as they travel
    /// Nothing: they cannot be read, or there is no draft model.
    std::optional<library::Fingerprint> file, draft;
};

}  // namespace ingle::cli
