/// Models that another computer runs, as the bridge names them in the host protocol.
#pragma once

#include <string_view>

namespace ingle::protocol {

/// The prefix of the paths of such models. By itself it stands for all of them.
inline constexpr std::string_view kRemotePrefix = "bridge:";
/// The family, tokenizer, backend and kind of recognition of all such models.
inline constexpr std::string_view kRemote = "remote";

inline bool isRemote(std::string_view path) {
    return path.starts_with(kRemotePrefix);
}

}  // namespace ingle::protocol
