/// What `ingle-serve` can be told on its command line.
#pragma once

#include "app/serve/program.h"

namespace CLI {
class App;
}

namespace ingle::serve {

/// Manual page and completion are made from it, too. `options` must outlive `app`.
void declareArguments(CLI::App& app, Options& options);

}  // namespace ingle::serve
