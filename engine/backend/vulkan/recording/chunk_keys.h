/// What ops with states in chunks have in common.
#pragma once

#include "engine/backend/chunk_state.h"
#include "engine/backend/vulkan/recording/vulkan_op.h"

namespace ingle::backend::vulkan {

/// Keeps `keys` of the chunk that each run ends in, see shaders/chunk_keys.comp. Errors: as
/// OpRecording::dispatch().
Status keepKeys(const ChunkLayout& layout, uint32_t state, ValueId keys, OpRecording& out);

}  // namespace ingle::backend::vulkan
