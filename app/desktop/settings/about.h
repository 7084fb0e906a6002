/// Which Inglenook this is, and how old: nobody asks a network whether there is a newer one.
#pragma once

#include <QDate>
#include <QString>

namespace ingle::desktop {

/// One or two sentences. `released`: invalid where that is not known.
QString aboutText(const QString& version, const QDate& released, const QDate& today);

}  // namespace ingle::desktop
