/// What the window says when something happened to its files.
#pragma once

#include "app/desktop/services/notices.h"
#include "app/storage/storage.h"

namespace ingle::desktop {

Notices::Banner bannerOf(const storage::Notice& notice);

}  // namespace ingle::desktop
