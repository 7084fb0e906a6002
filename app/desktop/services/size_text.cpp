#include "app/desktop/services/size_text.h"

#include <QCoreApplication>
#include <QLocale>

#include <algorithm>

namespace ingle::desktop {
namespace {

struct Sizes {
    Q_DECLARE_TR_FUNCTIONS(Sizes)
};

enum class Unit { Kilobyte, Megabyte, Gigabyte };

Unit unitOf(uint64_t bytes) {
    return bytes >= 1'000'000'000 ? Unit::Gigabyte : bytes >= 1'000'000 ? Unit::Megabyte : Unit::Kilobyte;
}

/// In its unit: one decimal where it says something. What is not nothing is one at least.
QString number(uint64_t bytes) {
    const Unit unit = unitOf(bytes);
    const double scale = unit == Unit::Gigabyte ? 1e9 : unit == Unit::Megabyte ? 1e6 : 1e3;
    const double size = bytes > 0 ? std::max(static_cast<double>(bytes) / scale, 1.0) : 0;
    const bool isSmall = unit == Unit::Megabyte && size < 10;
    return QLocale().toString(size, 'f', unit == Unit::Gigabyte || isSmall ? 1 : 0);
}

}  // namespace

QString sizeText(uint64_t bytes) {
    switch (unitOf(bytes)) {
        case Unit::Kilobyte:
            return Sizes::tr("%1 KB").arg(number(bytes));
        case Unit::Megabyte:
            return Sizes::tr("%1 MB").arg(number(bytes));
        case Unit::Gigabyte:
            break;
    }
    return Sizes::tr("%1 GB").arg(number(bytes));
}

QString shareText(uint64_t part, uint64_t whole) {
    // The unit once where it is the same.
    const QString first = unitOf(part) == unitOf(whole) ? number(part) : sizeText(part);
    return Sizes::tr("%1 of %2").arg(first, sizeText(whole));
}

}  // namespace ingle::desktop
