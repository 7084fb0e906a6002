#include "engine/backend/vulkan/recording/chunk_keys.h"

namespace ingle::backend::vulkan {

Status keepKeys(const ChunkLayout& layout, uint32_t state, ValueId keys, OpRecording& out) {
    const struct {
        uint32_t stateElems, keysAt, rowElems, width;
    } push{out.memory().stateStride(state), static_cast<uint32_t>(layout.rowsAt() + layout.keysAt()),
           static_cast<uint32_t>(layout.rowElems()), static_cast<uint32_t>(layout.keyElems())};
    return out.dispatch("chunk_keys", {kElementGroup},
                        {reads(out.step()), updates(out.memory().state(state)), reads(out.rows(keys))}, push,
                        {groupsFor(push.width, kElementGroup), out.numTokens(), 1});
}

}  // namespace ingle::backend::vulkan
