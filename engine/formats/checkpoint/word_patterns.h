/// The patterns by which files of Hugging Face cut text into words, and the names that GGUF has for them.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace ingle::formats {

/// The pattern that matches just this text.
std::string literalPattern(std::string_view text);

/// tokenizer.ggml.pre of the patterns, applied one after the other; "" where it has no name for them.
std::string nameOfPatterns(std::span<const std::string> patterns, bool takesWholeWords);

}  // namespace ingle::formats
