/// How fast this processor reads weights: measured, and remembered from day to day.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>

#include "ingle/types.h"

namespace ingle::session {

/// Names of block formats.
using FormatNames = std::set<std::string, std::less<>>;

/// With all threads.
struct ReadSpeeds {
    double memoryBytesPerSecond = 0;  ///< summing up what no cache holds
    /// Multiplying matrices that caches hold, by block format: what decoding the blocks allows at most.
    std::map<std::string, double, std::less<>> formatBytesPerSecond;
    double secondsPerOp = 0;  ///< until all threads have begun and ended one

    bool operator==(const ReadSpeeds&) const = default;
};

/// Takes about 50 ms (300 ms where the last cache is very large), and less than 2 ms more for each format.
/// Nothing where little memory is free.
std::optional<ReadSpeeds> measureReadSpeeds(const FormatNames& formats, const LoadOptions& options);

/// As measureReadSpeeds(), but what was measured for this processor, used in the same way, in the last day is
/// taken from `options.trials.folder` (empty: nothing is kept), and the best of a day is kept there. Older
/// figures serve where nothing can be measured. Any thread, any process.
std::optional<ReadSpeeds> readSpeeds(const FormatNames& formats, const LoadOptions& options);

/// What readSpeeds() kept last; nothing where there is none.
std::optional<ReadSpeeds> rememberedSpeeds(const LoadOptions& options);

}  // namespace ingle::session
