/// Models that make no text, or not word by word, by what their files call them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "ingle/result.h"

namespace ingle::formats {

/// `architecture`: general.architecture of a GGUF file, or the class that config.json names. Nothing: no such
/// model is known.
std::optional<Error> otherPurposeOf(const std::string& path, std::string_view architecture);

}  // namespace ingle::formats
