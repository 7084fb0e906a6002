/// Files that people and other programs name on the command line.
#pragma once

#include <QString>
#include <QUrl>

namespace ingle::desktop {

/// What `text` names: a path, also relative to `folder` (absolute), one that starts with ~/ or stands in
/// quotes, or a file:// address. A file that is really called so comes first. Addresses of anything else are
/// returned as they are; whether the file exists is not looked at otherwise.
QUrl fileOfArgument(const QString& text, const QString& folder);

}  // namespace ingle::desktop
