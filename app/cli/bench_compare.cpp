#include "app/cli/bench_compare.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <optional>

#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"

namespace ingle::cli {
namespace {

constexpr std::array kFigures{"prefill_tok_s", "decode_tok_s"};
using Speeds = std::array<double, kFigures.size()>;

/// The words behind the program's name, without those of the comparison, and with --json.
std::vector<std::string> ownWords() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    std::string word;
    std::getline(file, word, '\0');
    while (std::getline(file, word, '\0')) {
        const bool isOurs = word.starts_with("--compare") || word.starts_with("--pairs");
        if (isOurs && word.find('=') == std::string::npos) std::getline(file, word, '\0');
        if (!isOurs && word != "--json") words.push_back(word);
    }
    words.emplace_back("--json");
    return words;
}

Result<std::string> outputOf(const std::string& program, const std::vector<std::string>& words) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::Io, "cannot start {}", program);
    const FileDescriptor readEnd(ends[0]);
    std::optional<FileDescriptor> writeEnd(ends[1]);
    pid_t child = 0;
    const int error = spawn({.program = program, .arguments = words, .output = writeEnd->get()}, child);
    writeEnd.reset();
    if (error != 0) return fail(ErrorCode::Io, "cannot start {}", program);
    std::string output;
    std::array<char, 4096> piece;
    for (ssize_t count = 0; (count = ::read(readEnd.get(), piece.data(), piece.size())) > 0;)
        output.append(piece.data(), static_cast<size_t>(count));
    int status = 0;
    ::waitpid(child, &status, 0);
    if (status != 0) return fail(ErrorCode::Io, "{} failed", program);
    return output;
}

Result<Speeds> speedsOf(const std::string& program, const std::vector<std::string>& words) {
    INGLE_TRY_ASSIGN(const std::string output, outputOf(program, words));
    const auto json = nlohmann::json::parse(output, nullptr, false);
    Speeds speeds{};
    for (size_t i = 0; i < kFigures.size(); ++i) {
        const auto figure = json.is_object() ? json.find(kFigures[i]) : json.end();
        if (!json.is_object() || figure == json.end() || !figure->is_number())
            return fail(ErrorCode::Io, "{} does not tell {}", program, kFigures[i]);
        speeds[i] = figure->get<double>();
    }
    return speeds;
}

Result<std::string> programIn(const std::string& folder) {
    for (const char* name : {"ingle", "bin/ingle"}) {
        const std::string path = (std::filesystem::path(folder) / name).string();
        if (::access(path.c_str(), X_OK) == 0 && std::filesystem::is_regular_file(path)) return path;
    }
    return fail(ErrorCode::InvalidArgument, "{}: there is no program `ingle` in this folder", folder);
}

}  // namespace

double median(std::vector<double> values) {
    std::ranges::sort(values);
    const size_t middle = values.size() / 2;
    return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

std::pair<double, double> intervalOfMedian(std::vector<double> values) {
    constexpr double kOutside = 0.025;  // at each end
    std::ranges::sort(values);
    const size_t n = values.size();
    double ways = 1;  // in which so many of n values lie below the median
    for (size_t i = 0; i < n; ++i) ways /= 2;
    double outside = ways;
    size_t k = 0;
    while (outside <= kOutside && k + 1 < n) {
        ++k;
        ways *= static_cast<double>(n - k + 1) / static_cast<double>(k);
        outside += ways;
    }
    k = std::max<size_t>(k, 1);
    return {values[k - 1], values[n - k]};
}

Status compareBuilds(const Comparison& comparison) {
    INGLE_TRY_ASSIGN(const std::string other, programIn(comparison.folder));
    const std::array<std::string, 2> programs{"/proc/self/exe", other};
    const std::vector<std::string> words = ownWords();
    std::array<std::array<std::vector<double>, 2>, kFigures.size()> speeds;
    for (uint32_t pair = 0; pair < comparison.pairs; ++pair) {
        // Each build begins half of the pairs: what the other one left in caches helps neither.
        for (const size_t turn : {pair % 2, 1 - pair % 2}) {
            INGLE_TRY_ASSIGN(const Speeds found, speedsOf(programs[turn], words));
            for (size_t i = 0; i < kFigures.size(); ++i) speeds[i][turn].push_back(found[i]);
        }
    }
    nlohmann::ordered_json json{{"pairs", comparison.pairs}};
    for (size_t i = 0; i < kFigures.size(); ++i) {
        const auto& [ours, theirs] = speeds[i];
        std::vector<double> ratios;
        for (size_t pair = 0; pair < ours.size(); ++pair) ratios.push_back(ours[pair] / theirs[pair]);
        const auto [low, high] = intervalOfMedian(ratios);
        json[kFigures[i]] = {{"this", median(ours)},
                             {"other", median(theirs)},
                             {"ratio", median(ratios)},
                             {"ratio_low", low},
                             {"ratio_high", high}};
        if (comparison.json) continue;
        const std::string_view name(kFigures[i]);
        fmt::print("  {:<9}{:>9.1f} tok/s, other build {:.1f}: {:.3f} times ({:.3f} to {:.3f})\n",
                   name.substr(0, name.find('_')), median(ours), median(theirs), median(ratios), low, high);
    }
    if (comparison.json)
        fmt::print("{}\n", json.dump(2));
    else
        fmt::print("  medians of {} pairs of runs, and the 95 % interval of the ratio's median\n",
                   comparison.pairs);
    return {};
}

}  // namespace ingle::cli
