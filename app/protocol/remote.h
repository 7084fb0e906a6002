/// Models that another computer runs, as the bridge names them in the host protocol.
#pragma once

#include <string_view>

namespace ingle::protocol {

/// What paths of such models begin with; alone it stands for all of them.
inline constexpr std::string_view kRemotePrefix = "bridge:";
/// Family, tokenizer and backend of all of them, and what they are recognised as.
inline constexpr std::string_view kRemote = "remote";

inline bool isRemote(std::string_view path) {
    return path.starts_with(kRemotePrefix);
}

}  // namespace ingle::protocol
