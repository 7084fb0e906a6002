/// Sizes of files and memory as text.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace ingle {

/// Returns a size in decimal units, as file managers show it: "4.1 GB", or "410 MB" and "41 kB" below one.
inline std::string sizeText(uint64_t bytes) {
    constexpr double kGiga = 1e9, kMega = 1e6, kKilo = 1e3;
    const auto size = static_cast<double>(bytes);
    if (size < kMega) return fmt::format("{:.0f} kB", size / kKilo);
    if (size < kGiga) return fmt::format("{:.0f} MB", size / kMega);
    return fmt::format("{:.1f} GB", size / kGiga);
}

}  // namespace ingle
