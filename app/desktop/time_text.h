/// Lengths of time as people say them.
#pragma once

#include <QString>

namespace ingle::desktop {

/// "about 40 minutes", "less than a minute".
QString timeText(double seconds);

}  // namespace ingle::desktop
