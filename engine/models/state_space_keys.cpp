#include "engine/models/state_space_keys.h"

#include "engine/models/limits.h"

namespace ingle::models {

Result<StateSpaceSizes> readStateSpaceSizes(const Keys& keys) {
    StateSpaceSizes sizes;
    INGLE_TRY_ASSIGN(sizes.kernel, keys.u32("ssm.conv_kernel"));
    INGLE_TRY_ASSIGN(sizes.stateSize, keys.u32("ssm.state_size"));
    INGLE_TRY_ASSIGN(sizes.groups, keys.u32("ssm.group_count"));
    INGLE_TRY_ASSIGN(sizes.heads, keys.u32("ssm.time_step_rank"));
    INGLE_TRY_ASSIGN(sizes.inner, keys.u32("ssm.inner_size"));
    if (sizes.kernel < kLeastKernel || sizes.kernel > kMaxKernel)
        return keys.cannotBe("ssm.conv_kernel", sizes.kernel);
    if (sizes.groups == 0) return keys.cannotBe("ssm.group_count", sizes.groups);
    if (sizes.heads == 0 || sizes.heads % sizes.groups != 0)
        return keys.cannotBe("ssm.time_step_rank", sizes.heads);
    if (sizes.inner == 0 || sizes.inner > kMaxRowElems || sizes.inner % sizes.heads != 0)
        return keys.cannotBe("ssm.inner_size", sizes.inner);
    // The matrices of a state have inner * stateSize numbers.
    if (sizes.stateSize == 0 || uint64_t{sizes.stateSize} * sizes.groups > kMaxRowElems ||
        uint64_t{sizes.stateSize} * sizes.inner > INT32_MAX)
        return keys.cannotBe("ssm.state_size", sizes.stateSize);
    return sizes;
}

}  // namespace ingle::models
