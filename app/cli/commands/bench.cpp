#include "engine/lab/bench.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <nlohmann/json.hpp>
#include <optional>

#include "app/cli/bench_compare.h"
#include "app/cli/command.h"
#include "app/cli/model_options.h"
#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"

namespace ingle::cli::bench_command {
namespace {

struct Options {
    ModelOptions model;
    lab::BenchOptions bench;
    Comparison comparison;
    bool json = false;
};

/// Milliseconds from starting `ingle generate` on a prompt of 8 tokens to the first byte of its output.
Result<double> firstTokenMs(const std::string& path, const ModelOptions& options) {
    std::vector<std::string> words{"generate", path,    "--tokens", "1,2,3,4,5,6,7,8", "-n", "1",
                                   "--greedy", "--ctx", "256"};
    if (options.load.threads > 0) {
        words.insert(words.end(), {"--threads", std::to_string(options.load.threads)});
    }
    if (options.load.loadAnyway) words.emplace_back("--load-anyway");
    const Error failed{ErrorCode::Io, "cannot start `ingle generate` to time its first token"};
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return tl::unexpected(failed);
    const FileDescriptor readEnd(ends[0]);
    std::optional<FileDescriptor> writeEnd(ends[1]);
    const auto begin = std::chrono::steady_clock::now();
    pid_t child = 0;
    const int spawned =
        spawn({.program = "/proc/self/exe", .arguments = words, .output = writeEnd->get()}, child);
    writeEnd.reset();
    if (spawned != 0) return tl::unexpected(failed);
    char byte = 0;
    const bool answered = ::read(readEnd.get(), &byte, 1) == 1;
    const std::chrono::duration<double, std::milli> elapsed = std::chrono::steady_clock::now() - begin;
    ::waitpid(child, nullptr, 0);
    if (!answered) return tl::unexpected(failed);
    return elapsed.count();
}

void printProfile(const char* title, const lab::OpProfile& profile, double tokens) {
    double total = 0;
    for (uint32_t i = 0; i < backend::kNumOpCodes; ++i) total += profile.seconds(backend::OpCode(i));
    fmt::print("{}: {:.3f} ms a token\n", title, total / tokens * 1e3);
    for (uint32_t i = 0; i < backend::kNumOpCodes; ++i) {
        const double seconds = profile.seconds(backend::OpCode(i));
        if (seconds == 0) continue;
        fmt::print("  {:<14}{:>9.3f} ms {:>6.1f} %\n", backend::opName(backend::OpCode(i)),
                   seconds / tokens * 1e3, seconds / total * 100);
    }
}

std::string share(double speed, double peak) {
    return peak > 0 ? fmt::format(" ({:.0f} %)", speed / peak * 100) : std::string();
}

void printKernels(const lab::BenchResult& result) {
    const lab::KernelSpeeds& kernels = result.kernels;
    // The processor's are measured for every result.
    const bool isDevice = kernels.peaks.bytesPerSecond > 0;
    const double bytes = isDevice ? kernels.peaks.bytesPerSecond : result.readBytesPerSecond;
    const double products = isDevice ? kernels.peaks.productsPerSecond : result.peakProductsPerSecond;
    fmt::print("kernels: one row of x, and {} rows\n", lab::KernelSpeeds::kPromptRows);
    for (const lab::KernelSpeeds::Matrix& matrix : kernels.matrices)
        fmt::print("  {:<14}{:>9.1f} GB/s{} {:>11.1f} GMAC/s{}\n", matrix.format, matrix.bytesPerSecond / 1e9,
                   share(matrix.bytesPerSecond, bytes), matrix.productsPerSecond / 1e9,
                   share(matrix.productsPerSecond, products));
    fmt::print("  {:<14}{:>9.1f} GB/s {}, {:.1f} GMAC/s in registers\n", "100 %", bytes / 1e9,
               isDevice ? "copied" : "read", products / 1e9);
    fmt::print("  {:<14}{:>9.2f} us, when it waits for the one before\n", "an op",
               kernels.secondsPerOp * 1e6);
}

void printGuessing(const lab::GuessingResult& guessing) {
    fmt::print(
        "  guessing     {:>9.1f} tok/s  ({:.1f} without: {:.3f} times, {:.3f} to {:.3f}; {} of {} taken)\n",
        guessing.tokensPerSecond, guessing.bareTokensPerSecond, guessing.ratio, guessing.leastRatio,
        guessing.mostRatio, guessing.takenTokens, guessing.guessedTokens);
}

Status bench(const Options& options) {
    if (!options.comparison.folder.empty()) {
        Comparison comparison = options.comparison;
        comparison.json = options.json;
        return compareBuilds(comparison);
    }
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options.model));
    INGLE_TRY_ASSIGN(const lab::BenchResult result, lab::benchModel(path, load, options.bench));
    // After the model was used, so that the page cache is warm.
    INGLE_TRY_ASSIGN(const double firstToken, firstTokenMs(path, options.model));
    constexpr double kGiga = 1e9;
    constexpr double kMebi = 1 << 20;
    if (options.json) {
        nlohmann::ordered_json json{
            {"prefill_tok_s", result.prefillTokensPerSecond},
            {"decode_tok_s", result.decodeTokensPerSecond},
            {"first_token_ms", firstToken},
            {"decode_gb_s", result.decodeBytesPerSecond / kGiga},
            {"read_gb_s", result.readBytesPerSecond / kGiga},
            {"prefill_gmac_s", result.prefillProductsPerSecond / kGiga},
            {"peak_gmac_s", result.peakProductsPerSecond / kGiga},
            {"peak_rss_mb", result.peakResidentBytes / kMebi},
            {"peak_anon_mb", result.peakAnonymousBytes / kMebi},
        };
        if (const auto& guessing = result.guessing) {
            json["guessing_tok_s"] = guessing->tokensPerSecond;
            json["guessing_ratio"] = guessing->ratio;
        }
        fmt::print("{}\n", json.dump(2));
    } else {
        fmt::print("{}\n", result.device);
        fmt::print("  prefill      {:>9.1f} tok/s  ({} tokens)\n", result.prefillTokensPerSecond,
                   options.bench.promptTokens);
        fmt::print("  decode       {:>9.1f} tok/s  ({} tokens, {} sequences)\n", result.decodeTokensPerSecond,
                   options.bench.newTokens, options.bench.sequences);
        fmt::print("  weights      {:>9.1f} GB/s   ({:.0f} % of a plain read: {:.1f} GB/s)\n",
                   result.decodeBytesPerSecond / kGiga,
                   result.decodeBytesPerSecond / result.readBytesPerSecond * 100,
                   result.readBytesPerSecond / kGiga);
        if (result.peakProductsPerSecond > 0) {
            fmt::print("  products     {:>9.1f} GMAC/s ({:.0f} % of the integer peak: {:.1f} GMAC/s)\n",
                       result.prefillProductsPerSecond / kGiga,
                       result.prefillProductsPerSecond / result.peakProductsPerSecond * 100,
                       result.peakProductsPerSecond / kGiga);
        }
        fmt::print("  first token  {:>9.0f} ms     (from exec, 8-token prompt)\n", firstToken);
        fmt::print("  memory       {:>9.0f} MiB    ({:.0f} MiB beside the mapped file)\n",
                   result.peakResidentBytes / kMebi, result.peakAnonymousBytes / kMebi);
    }
    if (options.bench.profile) {
        printProfile("prefill", result.prefillProfile, options.bench.promptTokens);
        printProfile("decode", result.decodeProfile, options.bench.newTokens * options.bench.sequences);
    }
    if (result.guessing && !options.json) printGuessing(*result.guessing);
    if (options.bench.kernels) printKernels(result);
    return {};
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    addModelOptions(app, options->model);
    app.add_option("-p", options->bench.promptTokens, "tokens of the prompt")->check(CLI::Range(1, 1 << 20));
    app.add_option("-n", options->bench.newTokens, "tokens to decode")->check(CLI::Range(1, 1 << 20));
    app.add_option("--depth", options->bench.depth, "tokens that come before them")
        ->check(CLI::Range(0, 1 << 22));
    app.add_option("--sequences", options->bench.sequences, "sequences decoded together")
        ->check(CLI::Range(1, 64));
    app.add_option("--right-guesses", options->bench.rightGuesses,
                   "also answers with guesses of which this share is right, beside the same without")
        ->check(CLI::Range(0.0, 1.0));
    app.add_option("--compare", options->comparison.folder,
                   "folder of another build: the same with both in turn, and the ratio with its interval");
    app.add_option("--pairs", options->comparison.pairs, "runs of each build for --compare")
        ->check(CLI::Range(1, 1000));
    app.add_flag("--own-guesses", options->bench.ownGuesses,
                 "also answers with the guesses that the model has anyway, beside the same without");
    app.add_flag("--json", options->json, "as JSON");
    app.add_flag("--profile", options->bench.profile, "time per op");
    app.add_flag("--kernels", options->bench.kernels,
                 "speed of multiplying by matrices of each format, as a share of what is possible, and time "
                 "per op that waits for another");
    return [options] { return bench(*options); };
}

}  // namespace

extern const Command command{"bench", "measure speed and memory", define};

}  // namespace ingle::cli::bench_command
