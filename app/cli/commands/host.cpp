#include "app/cli/host/host.h"

#include <algorithm>
#include <filesystem>

#include "app/cli/command.h"
#include "app/cli/driver_trials.h"
#include "app/crash/crash_report.h"
#include "app/library/library.h"
#include "engine/import/import.h"
#include "ingle/computer.h"
#include "ingle/devices.h"
#include "ingle/embedder.h"
#include "ingle/memory_room.h"
#include "ingle/recognition.h"
#include "ingle/version.h"

namespace ingle::cli::host_command {
namespace {

struct Options {
    int paceMs = 0;
    bool probeDevices = false;
    std::vector<std::string> leftOut;
    SnapshotOptions snapshots;  ///< folder: empty for the one in the data folder
};

/// A name for a file: of what is no part of a name on some system, nothing.
std::string fileName(const std::string& name) {
    constexpr std::string_view kForbidden = "/\\:*?\"<>|";
    constexpr size_t kMostBytes = 120;
    std::string made;
    for (const char c : name.substr(0, kMostBytes))
        made += static_cast<unsigned char>(c) < 0x20 || kForbidden.find(c) != kForbidden.npos ? '-' : c;
    made.erase(0, std::min(made.find_first_not_of(". "), made.size()));
    return made.empty() ? "model" : made;
}

/// Names the new file after the model and what becomes of it; a number behind where there is one already.
Result<protocol::Imported> makeSmaller(const protocol::Import& request, const ProgressFn& progress,
                                       const std::function<bool()>& isCancelled) {
    namespace fs = std::filesystem;
    std::error_code error;
    const bool isMade = fs::create_directories(request.folder, error);
    if (error)
        return fail(ErrorCode::Io, "{}: the folder cannot be made: {}", request.folder, error.message());
    const std::string stem = fmt::format("{}/{}-{}", request.folder, fileName(request.name), request.quant);
    std::string target = stem + ".gguf";
    for (int number = 2; fs::exists(target, error); ++number)
        target = fmt::format("{}-{}.gguf", stem, number);
    const Status status =
        importer::importModel({.source = request.path,
                               .target = target,
                               .quant = request.quant,
                               .tensorTypes = {},
                               .importance = {}},
                              {.progress = progress, .notice = nullptr, .isCancelled = isCancelled});
    if (!status) {
        if (isMade) fs::remove(request.folder, error);  // only where it is empty
        return tl::unexpected(status.error());
    }
    return protocol::Imported{target, fs::file_size(target, error)};
}

Status host(const Options& options) {
    if (options.probeDevices) runDeviceProbe(options.leftOut);
    crash::keepReports(
        {library::defaultDataDir() + "/crashes", "ingle host", std::string(version()), condemnDeviceUses});
    Snapshots snapshots;
    if (options.snapshots.maxBytes > 0) {
        SnapshotOptions wanted = options.snapshots;
        if (wanted.folder.empty()) wanted.folder = library::defaultDataDir() + "/snapshots";
        auto opened = Snapshots::open(wanted);
        if (!opened && opened.error().code == ErrorCode::InvalidArgument)
            return tl::unexpected(opened.error());
        // Without it conversations are only read again, which takes longer.
        if (!opened)
            fmt::print(stderr, "{}\n", opened.error().message);
        else
            snapshots = std::move(*opened);
    }
    return runHost({std::chrono::milliseconds(options.paceMs)},
                   {.inspect =
                        [](const std::string& path, LoadOptions load) {
                            load.trials = driverTrials();
                            return inspectModel(path, load);
                        },
                    .load =
                        [snapshots](const std::string& path, LoadOptions load, const ProgressFn& progress) {
                            load.trials = driverTrials();
                            auto engine = Engine::load(path, load, progress, snapshots);
                            if (engine) crash::noteDevice((*engine)->info().device);
                            return engine;
                        },
                    .fullNeed =
                        [](const std::string& path, LoadOptions load) {
                            load.trials = driverTrials();
                            return fullNeed(path, load);
                        },
                    .hasRoomFor = hasRoomFor,
                    .devices = [] { return listDevices(driverTrials(), DriverAnswers::Remembered); },
                    .computer = [] { return describeComputer(driverTrials().folder); },
                    .retain =
                        [snapshots](const protocol::Retain& kept) {
                            snapshots.retain(kept.conversations, kept.documents);
                        },
                    .recognise =
                        [](const std::vector<std::string>& paths, LoadOptions load) {
                            load.trials = driverTrials();
                            return recognise(paths, load);
                        },
                    .import = makeSmaller,
                    .embedder =
                        [](const std::string& path) {
                            // Small as such models are, a graphics device is left to the one that writes.
                            LoadOptions load;
                            load.backend = BackendChoice::Cpu;
                            return Embedder::load(path, load, nullptr);
                        }});
}

Action define(CLI::App& app) {
    auto options = std::make_shared<Options>();
    app.add_option("--pace-ms", options->paceMs, "wait after every step (for tests)")
        ->check(CLI::Range(0, 60'000));
    app.add_flag("--probe-devices", options->probeDevices, "only try graphics drivers out (for this program)")
        ->group("");
    app.add_option("--left-out", options->leftOut, "a device that --probe-devices is not to try")->group("");
    app.add_option("--snapshots", options->snapshots.folder,
                   "folder for what lets conversations go on at once (default: in the data folder)");
    app.add_option_function<uint64_t>(
           "--snapshot-mb", [options](uint64_t mib) { options->snapshots.maxBytes = mib << 20; },
           "most space for it in MiB; 0 keeps nothing (default: 4096)")
        ->check(CLI::Range(0, 1 << 20));
    app.add_option("--owner", options->snapshots.program,
                   "program whose conversations these are, beside the window's in the same folder");
    return [options] { return host(*options); };
}

}  // namespace

extern const Command command{"host", "serve the window over standard input and output", define};

}  // namespace ingle::cli::host_command
