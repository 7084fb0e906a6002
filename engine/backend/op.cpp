#include "engine/backend/op.h"

#include <array>

namespace ingle::backend {

std::string_view opName(OpCode code) {
    constexpr std::array<std::string_view, kNumOpCodes> kNames{
        "embed",         "rms_norm",      "layer_norm", "group_norm", "l2_norm",   "linear",
        "route_experts", "expert_linear", "expert_sum", "rope",       "kv_append", "attention",
        "add",           "multiply",      "scale",      "activation", "gated",     "token_shift",
        "lerp",          "wkv4",          "wkv5",       "wkv7",       "wkv_bonus", "select_rows"};
    return kNames[static_cast<size_t>(code)];
}

}  // namespace ingle::backend
