/// How this program tries graphics drivers out: it starts itself once more.
#pragma once

#include "ingle/types.h"

namespace ingle::cli {

/// Makes the folder in the cache.
DriverTrials driverTrials();

}  // namespace ingle::cli
