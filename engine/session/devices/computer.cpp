#include "engine/session/devices/computer.h"

#include <cstdlib>

#include "engine/base/cpu_features.h"
#include "engine/session/devices/read_speeds.h"
#include "ingle/computer.h"

namespace ingle {
namespace session {

Result<base::SystemMemory> systemMemory() {
    const char* root = std::getenv("INGLE_SYSTEM_ROOT");
    return base::readSystemMemory(root ? root : "");
}

std::optional<base::SystemMemory> knownSystemMemory() {
    const auto memory = systemMemory();
    return memory ? std::optional(*memory) : std::nullopt;
}

}  // namespace session

Result<ComputerInfo> describeComputer(const std::string& folder) {
    INGLE_TRY_ASSIGN(const base::SystemMemory memory, session::systemMemory());
    LoadOptions asUsual;
    asUsual.trials.folder = folder;
    const auto speeds = session::readSpeeds({}, asUsual);
    return ComputerInfo{
        .processor = base::processorName(),
        .threads = base::physicalCores(),
        .installedBytes = memory.installedBytes,
        .usableBytes = memory.usableBytes,
        .availableBytes = memory.availableBytes,
        .readBytesPerSecond = static_cast<uint64_t>(speeds ? speeds->memoryBytesPerSecond : 0)};
}

}  // namespace ingle
