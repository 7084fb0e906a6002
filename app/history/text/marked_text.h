/// The answers of schema version 1: one text, in which fixed marks told thoughts and calls of tools from what
/// was said. Nothing else knows these marks. Private to app/history and its tests.
#pragma once

#include <string_view>
#include <vector>

#include "ingle/part.h"

namespace ingle::history {

/// A mark counts where it begins a line outside of a block of code. What is open at the end, because the
/// answer broke off there, is a part like any other; empty parts are left out.
std::vector<Part> partsOfMarkedText(std::string_view text);

}  // namespace ingle::history
