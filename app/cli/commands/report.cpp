#include <sys/utsname.h>

#include <filesystem>
#include <fstream>

#include "app/cli/command.h"
#include "app/cli/driver_trials.h"
#include "app/cli/model_options.h"
#include "app/cli/report_text.h"
#include "engine/lab/bench.h"
#include "engine/lab/kernel_check.h"
#include "engine/lab/perplexity.h"
#include "ingle/computer.h"
#include "ingle/devices.h"
#include "ingle/version.h"

namespace ingle::cli::report_command {
namespace {

constexpr double kGb = 1e9;
/// The text has more tokens than this in any vocabulary; each window predicts half of them.
constexpr uint32_t kWindowTokens = 128;

/// "Debian GNU/Linux 12 (bookworm)"; empty where the system does not say. Source: os-release(5).
std::string distribution() {
    std::ifstream release("/etc/os-release");
    constexpr std::string_view kKey = "PRETTY_NAME=";
    for (std::string line; std::getline(release, line);) {
        if (!line.starts_with(kKey)) continue;
        std::string name = line.substr(kKey.size());
        std::erase(name, '"');
        return shown(name);
    }
    return "";
}

void printSystem() {
    utsname kernel{};
    ::uname(&kernel);
    fmt::print("system      {}, {} {}, {}\n", distribution(), kernel.sysname, kernel.release, kernel.machine);
    if (const auto computer = describeComputer(driverTrials().folder))
        fmt::print("processor   {}, {} cores, {:.1f} GB of memory, {:.1f} free\n", computer->processor,
                   computer->threads, static_cast<double>(computer->usableBytes) / kGb,
                   static_cast<double>(computer->availableBytes) / kGb);
    const auto list = listDevices(driverTrials(), DriverAnswers::New);
    if (!list) return fmt::print("devices     {}\n", list.error().message);
    for (const DeviceEntry& device : list->devices) {
        fmt::print("device      {}, {}, {}{}\n", device.name, device.kind, device.driver,
                   device.refusal.empty() ? "" : ": " + device.refusal);
    }
}

void printModel(const ModelInfo& info) {
    // Without a name of its own a model is called by its file, and people name files as they like.
    const bool isNamedByFile = info.name == shown(std::filesystem::path(info.path).stem().string());
    fmt::print("model       {} ({}, {}), {:.2f} billion parameters, {:.2f} GB\n",
               isNamedByFile ? "without a name" : info.name, info.family, info.format,
               static_cast<double>(info.numParameters) / 1e9, static_cast<double>(info.fileBytes) / kGb);
    for (const auto& [quant, bytes] : info.quantBytes)
        fmt::print("            {}: {:.2f} GB\n", quant, static_cast<double>(bytes) / kGb);
}

/// Prints what was measured, or that it could not be: the rest of a report is worth having all the same. A
/// reason may name the file, so only its kind is told here; the command ends with it.
template <typename T, typename Print>
Status printOr(const char* label, const Result<T>& measured, Print print) {
    if (measured) {
        print(*measured);
        return {};
    }
    fmt::print("{:<12}not measured ({})\n", label, errorCodeName(measured.error().code));
    return tl::unexpected(measured.error());
}

Status report(const ModelOptions& options) {
    INGLE_TRY_ASSIGN(const Recognition known, recogniseWith(options));
    const ModelInfo& info = known.info;
    INGLE_TRY_ASSIGN(const std::string path, resolveModel(options.model));
    INGLE_TRY_ASSIGN(const LoadOptions load, loadOptions(options));
    fmt::print("Inglenook {}. Nothing here is about you: no paths, no conversations.\n", version());
    printSystem();
    printModel(info);
    std::fflush(stdout);
    const Status check = lab::checkKernels(path, load);
    fmt::print("self-check  {}\n",
               check ? "fast and plain kernels agree" : errorCodeName(check.error().code));
    std::fflush(stdout);
    const Status speed = printOr("speed", lab::benchModel(path, load, {}), [](const lab::BenchResult& bench) {
        fmt::print(
            "speed       on {}\n            reads {:.1f} tokens a second, writes {:.1f} ({:.1f} GB/s of "
            "{:.1f})\n",
            bench.device, bench.prefillTokensPerSecond, bench.decodeTokensPerSecond,
            bench.decodeBytesPerSecond / kGb, bench.readBytesPerSecond / kGb);
    });
    std::fflush(stdout);
    const Status perplexity =
        printOr("perplexity", lab::perplexity(path, load, kReportText, kWindowTokens, nullptr),
                [](const lab::PerplexityResult& result) {
                    fmt::print("perplexity  {:.4f} ± {:.4f} over {} tokens of a fixed text\n",
                               result.perplexity, result.standardError, result.numTokens);
                });
    INGLE_TRY(check);
    INGLE_TRY(speed);
    return perplexity;
}

Action define(CLI::App& app) {
    auto options = std::make_shared<ModelOptions>();
    addModelOptions(app, *options);
    return [options] { return report(*options); };
}

}  // namespace

extern const Command command{
    "report", "describe machine, speed and correctness for a bug report; nothing personal", define};

}  // namespace ingle::cli::report_command
