/// Norms of heads, rotation of queries and keys and the append to the cache, see shaders/rope_cache.comp.
#pragma once

#include <optional>

#include "engine/backend/vulkan/vulkan_op.h"

namespace ingle::backend::vulkan {

/// What one dispatch does; any part may be missing.
struct RopeCache {
    /// Which ops of the run.
    struct HeadNorms {
        size_t ofQueries, ofKeys;
    };
    struct Rotation {
        ValueId x, y;
    };
    struct Append {
        ValueId keys;
        std::optional<ValueId> values;  ///< nothing: they lie in the keys
        uint32_t layer;
    };
    std::optional<HeadNorms> norms;    ///< before the rotation; their eps is the same
    const RopeParams* rope = nullptr;  ///< of queries and keys; null: nothing is rotated
    std::optional<Rotation> query;
    std::optional<Append> append;
    bool rotateKeys = false;
};

/// Errors: as VulkanOp::record.
Status recordRopeCache(const OpRun& run, const RopeCache& work, OpRecording& out);

/// Whether one set of frequencies serves both.
bool sameRotation(const RopeParams& a, const RopeParams& b);

}  // namespace ingle::backend::vulkan
