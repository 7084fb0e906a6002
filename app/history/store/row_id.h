/// The ids of what the history holds.
#pragma once

#include <cstdint>

namespace ingle::history {

using RowId = int64_t;

/// Ids of what is in memory only begin here. A double holds them exactly, and half of one more: Qt adds that
/// where it makes a whole number of it again.
inline constexpr RowId kFirstPrivateId = RowId{1} << 50;
constexpr bool isPrivate(RowId id) {
    return id >= kFirstPrivateId;
}

}  // namespace ingle::history
