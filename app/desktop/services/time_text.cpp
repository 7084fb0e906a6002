#include "app/desktop/services/time_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>
#include <cmath>

namespace ingle::desktop {
namespace {

struct TimeText {
    Q_DECLARE_TR_FUNCTIONS(TimeText)
};

constexpr double kMinute = 60;
constexpr double kHour = 60 * kMinute;

}  // namespace

QString timeText(double seconds) {
    if (seconds < kMinute) return TimeText::tr("less than a minute");
    if (seconds < 1.5 * kMinute) return TimeText::tr("about a minute");
    // Finer than the guess is would only flicker.
    if (seconds < 10 * kMinute) return TimeText::tr("about %1 minutes").arg(std::lround(seconds / kMinute));
    if (seconds < 1.5 * kHour)
        return TimeText::tr("about %1 minutes").arg(5 * std::lround(seconds / (5 * kMinute)));
    return TimeText::tr("about %1 hours").arg(std::lround(seconds / kHour));
}

QString durationText(double seconds) {
    const long whole = std::max(1L, std::lround(seconds));
    const auto perMinute = static_cast<long>(kMinute);
    if (whole < perMinute) return TimeText::tr("%1 s").arg(whole);
    return TimeText::tr("%1 min %2 s").arg(whole / perMinute).arg(whole % perMinute);
}

QString whenText(const QDateTime& then, const QDateTime& now) {
    const QLocale locale;
    const QString time = locale.toString(then.time(), QLocale::ShortFormat);
    if (then.date() == now.date()) return time;
    const bool isThisYear = then.date().year() == now.date().year();
    return TimeText::tr("%1, %2").arg(locale.toString(then.date(), isThisYear ? "d MMM" : "d MMM yyyy"),
                                      time);
}

}  // namespace ingle::desktop
