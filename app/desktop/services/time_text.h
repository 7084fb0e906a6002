/// Lengths of time as people say them.
#pragma once

#include <QString>

namespace ingle::desktop {

/// "about 40 minutes", "less than a minute".
QString timeText(double seconds);

/// What has been measured: "12 s", "2 min 5 s".
QString durationText(double seconds);

}  // namespace ingle::desktop
