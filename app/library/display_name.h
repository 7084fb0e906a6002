/// What people call a model.
#pragma once

#include <string>
#include <string_view>

namespace ingle::library {

/// "Qwen3-4B-Instruct-2507-Q4_K_M" → "Qwen3 4B Instruct 2507": without how it is stored, and with spaces
/// where a file name has none.
std::string displayName(std::string_view name);

}  // namespace ingle::library
