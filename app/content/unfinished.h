/// Text that is still being written, or that is cut because it is long: where emphasis, code, links and
/// formulas are open.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ingle::content {

/// The text with what is open at its end closed, and without marks there of which nobody can tell yet what
/// they will be, so that the reader never sees a bare `**`. Marks that have been open for long are taken for
/// plain characters.
std::string closed(std::string_view text);

/// Where a long text is cut best: behind a line end, a sentence or a word, in this order, where nothing is
/// open, and in its later half. Depends on the text alone.
size_t cutPosition(std::string_view text);

}  // namespace ingle::content
