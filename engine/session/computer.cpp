#include "engine/session/computer.h"

#include <cstdlib>

#include "engine/base/cpu_features.h"
#include "ingle/computer.h"

namespace ingle {
namespace session {

Result<base::SystemMemory> systemMemory() {
    const char* root = std::getenv("INGLE_SYSTEM_ROOT");
    return base::readSystemMemory(root ? root : "");
}

}  // namespace session

Result<ComputerInfo> describeComputer() {
    INGLE_TRY_ASSIGN(const base::SystemMemory memory, session::systemMemory());
    return ComputerInfo{.processor = base::processorName(),
                        .threads = base::physicalCores(),
                        .installedBytes = memory.installedBytes,
                        .usableBytes = memory.usableBytes,
                        .availableBytes = memory.availableBytes};
}

}  // namespace ingle
