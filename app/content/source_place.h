/// Where what is read stands in what was written.
#pragma once

#include <optional>
#include <string_view>

#include "app/content/block.h"

namespace ingle::content {

/// The byte of `source`, the text of the block's part, where the word begins that has the bytes [begin, end)
/// of plainText(block). None where it is not found there as it is read: it was made from something else.
std::optional<size_t> sourcePlace(const Block& block, std::string_view source, size_t begin, size_t end);

}  // namespace ingle::content
