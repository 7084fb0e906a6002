/// What the cards of models say; empty where there is nothing to say.
#pragma once

#include <QString>

#include "app/library/library.h"
#include "ingle/types.h"

namespace ingle::desktop {

/// "about 9 words a second", as it was foretold.
QString speedText(double tokensPerSecond);
QString measuredText(double tokensPerSecond);
/// That it does not fit.
QString fitText(const MemoryEstimate& memory);
/// That it is missing or another one.
QString fileText(library::FileState file);

}  // namespace ingle::desktop
