/// Whole numbers as they lie in files that keep their scales elsewhere: nothing by themselves, and no block
/// formats. A tensor of one has tensor::SideData.
#pragma once

#include "engine/quant/format.h"

namespace ingle::quant {

/// All of them. They are not among allFormats(), and findFormat() does not find them.
std::span<const QuantFormat> integerFormats();

/// Null when it is none of them.
const QuantFormat* findInteger(Quant id);
const QuantFormat* findInteger(std::string_view name);

}  // namespace ingle::quant
