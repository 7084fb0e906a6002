/// What a search hit shows of its text. Private to app/history and its tests.
#pragma once

#include <string>
#include <string_view>

namespace ingle::history {

/// One line around the place where most was found: begins at most a few words in front of it, so that a
/// narrow list shows it, and is about 160 columns wide (CJK characters take two). `marked`: a folded text
/// with U+0001 … U+0002 around each match, as FTS5's highlight() gives it; so has the snippet.
std::string snippetAround(std::string_view marked);

}  // namespace ingle::history
