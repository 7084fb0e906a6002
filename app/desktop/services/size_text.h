/// Sizes as the language of the window writes them.
#pragma once

#include <QString>

#include <cstdint>

namespace ingle::desktop {

/// "4.1 GB".
QString sizeText(uint64_t bytes);
/// "2.1 of 4.9 GB".
QString shareText(uint64_t part, uint64_t whole);

}  // namespace ingle::desktop
