/// How commands that compute are caged.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "app/cli/broker.h"
#include "app/sandbox/cage.h"
#include "app/sandbox/roles.h"

namespace ingle::cli {

/// What a command needs beside code, graphics drivers, and what this computer's graphics cache holds.
struct Needs {
    BrokerTask broker;
    sandbox::Given files;
};

struct Confined {
    Broker* broker = nullptr;  ///< to the end of the process
    sandbox::Enforced enforced;
};

/// Makes this process an engine of app/sandbox/roles.h with a broker beside it. Before there is a second
/// thread. Errors: Io, Device.
Result<Confined> confine(Needs needs);
/// The same for a command that needs these models, and no more of what the broker does.
Status confineTo(std::vector<std::string> models, sandbox::Given files = {});
/// A process that tries graphics drivers.
Status confineTrial();
/// A process that writes what it makes of models as another file in `folder`.
Status confineImport(const std::vector<std::string>& sources, const std::string& folder);

}  // namespace ingle::cli
