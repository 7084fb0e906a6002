/// Lengths of time as people say them.
#pragma once

#include <QDateTime>
#include <QString>

namespace ingle::desktop {

/// "about 40 minutes", "less than a minute".
QString timeText(double seconds);

/// What has been measured: "12 s", "2 min 5 s".
QString durationText(double seconds);
/// "14:05" today, "3 Nov, 14:05" before, and with the year before this one.
QString whenText(const QDateTime& then, const QDateTime& now);

}  // namespace ingle::desktop
