#include "ingle/memory_room.h"

#include "engine/session/devices/computer.h"
#include "engine/session/loading/model.h"

namespace ingle {

Result<uint64_t> fullNeed(const std::string& path, const LoadOptions& options) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(const auto model, session::openModel(source, options));
    return session::fullNeed(model->shape, options, session::knownSystemMemory());
}

bool hasRoomFor(uint64_t bytes) {
    const auto system = session::knownSystemMemory();
    return system && session::leavesShare(bytes, *system);
}

}  // namespace ingle
