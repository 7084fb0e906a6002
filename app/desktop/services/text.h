/// Text between the engine's UTF-8 and Qt.
#pragma once

#include <QString>
#include <string>

namespace ingle::desktop {

inline QString toQString(const std::string& text) {
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(text.size()));
}

}  // namespace ingle::desktop
