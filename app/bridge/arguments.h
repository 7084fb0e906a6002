/// What `ingle-bridge` can be told on its command line.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace ingle::bridge {

struct Arguments {
    std::string url, keyFile, socket;
    std::vector<std::string> models;
    bool isInsecure = false;
};

/// Manual page and completion are made from it, too. `arguments` must outlive `app`.
void declareArguments(CLI::App& app, Arguments& arguments);

}  // namespace ingle::bridge
