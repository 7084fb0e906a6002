/// Operations on text that filters and methods share. Every piece keeps its origin, and each operation pays
/// for the characters that it looks at.
#pragma once

#include <span>
#include <vector>

#include "engine/chat/jinja/interpreter.h"

namespace ingle::chat::jinja {

/// Work of looking up what a character is, beside its bytes.
inline constexpr size_t kLookUpCost = 8;

enum class Case { Upper, Lower, Title, Capitalized, Swapped };
Result<Text> withCase(Interpreter& in, const Text& text, Case wanted);

/// & < > ' " as HTML entities; Markup stays as it is.
Result<Text> escapeHtml(Interpreter& in, const Text& text);

/// Without space, or without any of the characters in `characters` (null: space), at the sides.
Result<Text> strip(Interpreter& in, const Text& text, Side side, const Text* characters);

/// At most `limit` times (negative: everywhere).
Result<Text> replace(Interpreter& in, const Text& text, const Text& from, const Text& to, int64_t limit);

Result<Text> join(Interpreter& in, const Text& separator, std::span<const Value> items);

/// Cut at `separator` (null: at runs of space), at most `limit` times (negative: everywhere), from the left
/// or from the right. Errors: InvalidArgument for an empty separator.
Result<Value> split(Interpreter& in, const Text& text, const Text* separator, int64_t limit, Side from);

/// The lines of a text without their ends.
Result<std::vector<Range>> lines(Interpreter& in, std::string_view text);

Result<Text> indent(Interpreter& in, const Text& text, const Text& indentation, bool first, bool blank);

/// Filled up to `width` characters; `side` is where the text stands.
Result<Text> pad(Interpreter& in, const Text& text, int64_t width, std::string_view fill, Side side);

}  // namespace ingle::chat::jinja
