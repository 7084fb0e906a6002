#include "engine/sampling/dry.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

namespace ingle::sampling {
namespace {

/// Behind longer repetitions the penalty has long left what a float can hold.
constexpr size_t kLongestRepetition = 256;

/// For each place of `ids`, read from its end: how many tokens before and at that place agree with those at
/// the end (the Z function; Gusfield, "Algorithms on Strings, Trees, and Sequences", 1997, section 1.4).
std::vector<size_t> agreements(std::span<const TokenId> ids) {
    const size_t size = ids.size();
    const auto at = [&](size_t fromEnd) { return ids[size - 1 - fromEnd]; };
    std::vector<size_t> lengths(size);
    size_t begin = 0, end = 0;  // the agreement that reaches furthest
    for (size_t place = 1; place < size; ++place) {
        size_t length = place < end ? std::min(end - place, lengths[place - begin]) : 0;
        while (place + length < size && at(length) == at(place + length)) ++length;
        lengths[place] = length;
        if (place + length > end) begin = place, end = place + length;
    }
    return lengths;
}

}  // namespace

void penaliseRepetitions(std::span<float> logits, const SamplerParams& params,
                         std::span<const TokenId> history, size_t unbroken) {
    if (params.dryMultiplier <= 0) return;
    const auto ids = history.last(std::min<size_t>(params.dryLastN, history.size()));
    const size_t longest = std::min(unbroken, kLongestRepetition);
    if (longest < params.dryAllowed) return;
    const std::vector<size_t> lengths = agreements(ids);
    std::map<TokenId, size_t> repeated;  // the longest repetition that a token would go on with
    for (size_t place = 1; place < ids.size(); ++place) {
        const size_t length = std::min(lengths[place], longest);
        if (length == 0 || length < params.dryAllowed) continue;
        size_t& most = repeated[ids[ids.size() - place]];
        most = std::max(most, length);
    }
    for (const auto& [id, length] : repeated) {
        if (id < 0 || static_cast<size_t>(id) >= logits.size()) continue;
        const double penalty =
            params.dryMultiplier * std::pow(params.dryBase, static_cast<double>(length - params.dryAllowed));
        constexpr double kMost = 1e30;  // finite, as logits must be
        logits[static_cast<size_t>(id)] -= static_cast<float>(std::min(penalty, kMost));
    }
}

size_t tokensSinceBreak(std::span<const TokenId> history, const std::vector<std::string>& breakers,
                        const std::function<std::string(TokenId)>& bytesOf) {
    size_t longest = 0;
    for (const std::string& each : breakers) longest = std::max(longest, each.size());
    const size_t most = std::min(history.size(), kLongestRepetition);
    std::string text;            // of the last `count` tokens
    std::vector<size_t> begins;  // of each of them, from the end of the text
    for (size_t count = 1; count <= most; ++count) {
        const std::string bytes = bytesOf(history[history.size() - count]);
        text.insert(0, bytes);
        begins.push_back(text.size());
        const std::string_view looked = std::string_view(text).substr(0, bytes.size() + longest);
        size_t end = 0;
        for (const std::string& each : breakers) {
            const size_t found = each.empty() ? looked.npos : looked.rfind(each);
            if (found != looked.npos) end = std::max(end, found + each.size());
        }
        if (end == 0) continue;
        // Tokens that begin behind it.
        const auto behind = [&](size_t begin) { return text.size() - begin >= end; };
        return static_cast<size_t>(std::ranges::count_if(begins, behind));
    }
    return most;
}

}  // namespace ingle::sampling
