/// Finding a text in another one, in time that grows with the sum of their sizes whatever they hold:
/// std::string_view::find() takes their product where they are alike.
#pragma once

#include <cstddef>
#include <string_view>

namespace ingle::base {

/// The first place at or after `from` where `part` stands in `text`; npos when there is none.
size_t findText(std::string_view text, std::string_view part, size_t from = 0);

/// The last place where `part` stands in `text`; npos when there is none.
size_t findLastText(std::string_view text, std::string_view part);

}  // namespace ingle::base
