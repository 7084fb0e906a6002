/// Blocks one below the other in lines of text, with what their containers put before each line.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "app/content/block.h"

namespace ingle::content {

struct LineForm {
    /// A block without the marks of its containers.
    std::string (*block)(const Block& block);
    /// Before each line of a quotation.
    std::string_view quoteMark;
};

std::string inLines(std::span<const Block> blocks, const LineForm& form);

}  // namespace ingle::content
