/// `ingle bench` beside the same of another build of Inglenook.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "ingle/result.h"

namespace ingle::cli {

/// The median of at least one value.
double median(std::vector<double> values);

/// An interval in which the median of what the values are drawn from lies with at least 95 %: from the k-th
/// smallest value to the k-th largest, k as large as that allows (of 20 values the sixth; of fewer than six
/// the smallest, which is less certain). Source: order statistics, the binomial distribution of 1/2.
std::pair<double, double> intervalOfMedian(std::vector<double> values);

struct Comparison {
    std::string folder;   ///< holds the other program: `ingle` or `bin/ingle`
    uint32_t pairs = 20;  ///< of runs, each begun by one build and the other in turn
    bool json = false;
};

/// Runs this process' own command line, without --compare and --pairs, with both builds in turn, and prints
/// the medians of each figure of speed and of the pairs' ratios. Errors: InvalidArgument where the folder has
/// no program; Io when a run fails.
Status compareBuilds(const Comparison& comparison);

}  // namespace ingle::cli
