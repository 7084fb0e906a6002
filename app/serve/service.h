/// What the endpoints work with.
#pragma once

#include <string>

#include "app/serve/engine/engine_room.h"
#include "app/serve/metrics.h"

namespace ingle::serve {

struct Service {
    EngineRoom& room;
    Metrics& metrics;
};

}  // namespace ingle::serve
