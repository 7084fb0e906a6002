/// The files and folders the window works with.
#pragma once

#include <QString>

#include <chrono>
#include <string>

#include "app/library/found_models.h"

namespace ingle::desktop {

struct AppFiles {
    std::string dataDir;
    std::string guide;    ///< the model that ships with Inglenook; empty: none
    std::string catalog;  ///< the list of models worth getting; empty: none
    QString downloads;    ///< where a browser puts files; empty: nowhere
    /// Longer than a browser pauses while it writes.
    std::chrono::milliseconds downloadSettles{1500};
    std::string cacheDir;         ///< what is made again when it is missing; empty: nowhere
    library::ModelPlaces places;  ///< where other programs keep models
    std::string bridge = {};      ///< socket of the bridge to other computers; empty: there is none
};

}  // namespace ingle::desktop
