#include "app/desktop/settings/about.h"

#include <QCoreApplication>

namespace ingle::desktop {
namespace {

/// Whole months from one day to another.
int monthsBetween(const QDate& from, const QDate& to) {
    const int months = (to.year() - from.year()) * 12 + to.month() - from.month();
    return from.addMonths(months) > to ? months - 1 : months;
}

}  // namespace

QString aboutText(const QString& version, const QDate& released, const QDate& today) {
    QString text = QCoreApplication::translate("About", "Inglenook %1.").arg(version);
    const int months = released.isValid() ? monthsBetween(released, today) : 0;
    if (months == 1)
        text += ' ' + QCoreApplication::translate("About", "This version is a month old.");
    else if (months > 1)
        text += ' ' + QCoreApplication::translate("About", "This version is %n months old.", nullptr, months);
    return text;
}

}  // namespace ingle::desktop
