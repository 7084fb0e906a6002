/// Sizes as people read them.
#pragma once

#include <fmt/format.h>

#include <cstdint>
#include <string>

namespace ingle {

/// "4.1 GB", and below one "410 MB", "41 kB". Decimal, as file managers show sizes.
inline std::string sizeText(uint64_t bytes) {
    constexpr double kGiga = 1e9, kMega = 1e6, kKilo = 1e3;
    const auto size = static_cast<double>(bytes);
    if (size < kMega) return fmt::format("{:.0f} kB", size / kKilo);
    if (size < kGiga) return fmt::format("{:.0f} MB", size / kMega);
    return fmt::format("{:.1f} GB", size / kGiga);
}

}  // namespace ingle
