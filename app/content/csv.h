/// Tables for programs that calculate.
#pragma once

#include <span>
#include <string>

#include "app/content/block.h"

namespace ingle::content {

/// The rows of a table, or of all pieces of one, as comma-separated values; lines end with CR LF, and cells
/// with commas, quotation marks or line ends stand between quotation marks. Source: RFC 4180, section 2.
std::string tableAsCsv(std::span<const Block> pieces);

}  // namespace ingle::content
