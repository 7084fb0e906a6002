/// A load generator for servers of OpenAI's chat interface: as many people as are wanted, who come when they
/// come, ask long and short questions, and read the stream.
#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "ingle/result.h"

namespace ingle::serve::bench {

struct LoadOptions {
    std::string url;    ///< up to "/v1": "http://127.0.0.1:8080/v1"
    std::string model;  ///< empty: the first one that the server names
    std::string key;
    double requestsPerSecond = 0;  ///< mean of a Poisson process; 0: `clients` ask again and again instead
    unsigned clients = 8;          ///< with a rate: at most so many at once
    std::chrono::seconds duration{30};
    double promptWords = 100;   ///< means of geometric distributions, as lengths of questions and answers are
    double answerTokens = 100;  ///< spread: many short ones, few long ones
    unsigned sharedWords = 0;   ///< of each prompt's beginning, the same in all
    uint64_t seed = 1;
    double firstTokenLimit = 2;  ///< seconds: what counts as good
    double perTokenLimit = 0.2;  ///< seconds
};

/// How one request went, in seconds.
struct Sample {
    double firstToken = 0;     ///< from the request to the first words
    double total = 0;          ///< to the end
    uint32_t tokens = 0;       ///< of the answer, as the server counts them
    std::vector<double> gaps;  ///< between pieces of the stream
    std::string failure;       ///< why there is no answer; empty: there is one
};

struct LoadReport {
    std::vector<Sample> samples;
    double seconds = 0;     ///< from the first request to the last answer
    unsigned notBegun = 0;  ///< arrivals for which all clients were busy
};

/// Errors: Io, when the server does not answer at all.
Result<LoadReport> runLoad(const LoadOptions& options);

/// Counts, tokens a second, percentiles and goodput, a line each.
std::string reportText(const LoadReport& report, const LoadOptions& options);

/// The value below which `share` of `values` lie (nearest rank); 0 of none.
double percentile(std::vector<double> values, double share);

}  // namespace ingle::serve::bench
