/// Other words for what can be done, by which people look for it.
#pragma once

#include <QString>

namespace ingle::desktop {

/// Those for an action, in the language of the window, parted by spaces; empty: none.
QString synonymsOf(const QString& action);

}  // namespace ingle::desktop
