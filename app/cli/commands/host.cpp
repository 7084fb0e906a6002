#include "app/cli/host/host.h"

#include <sys/stat.h>

#include <filesystem>

#include "app/cli/caged_import.h"
#include "app/cli/command.h"
#include "app/cli/confinement.h"
#include "app/cli/driver_trials.h"
#include "app/cli/picture_decoding.h"
#include "app/crash/crash_report.h"
#include "app/library/library.h"
#include "ingle/computer.h"
#include "ingle/devices.h"
#include "ingle/embedder.h"
#include "ingle/memory_room.h"
#include "ingle/recognition.h"
#include "ingle/stop_scope.h"
#include "ingle/version.h"

namespace ingle::cli::host_command {
namespace {

/// --owner of ingle-serve, whose front talks to a network.
constexpr std::string_view kServer = "serve";

struct Options {
    int paceMs = 0;
    bool probeDevices = false;
    std::vector<std::string> leftOut;
    SnapshotOptions snapshots;  ///< folder: empty for the program's own in the data folder
};

/// Whether it is one of our own that others may open: a folder of this user's that holds nothing but what
/// this program writes.
bool isOpenFolderOfOurs(const std::filesystem::path& folder) {
    struct stat found {};
    if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
    const bool isOpen = (found.st_mode & (S_IRWXG | S_IRWXO)) != 0 && (found.st_mode & S_ISVTX) == 0;
    if (!isOpen || found.st_uid != ::geteuid()) return false;
    std::error_code ignored;
    return std::filesystem::is_empty(folder, ignored) || std::filesystem::exists(folder / "lock", ignored) ||
           std::filesystem::exists(folder / "conversations", ignored);
}

/// A folder of this program's, which only its owner may open. Failing is told by whoever writes to it.
void makeOwnFolder(const std::string& path) {
    const std::filesystem::path folder(path);
    std::error_code ignored;
    std::filesystem::create_directories(folder.parent_path(), ignored);
    if (::mkdir(path.c_str(), S_IRWXU) != 0 && errno == EEXIST && isOpenFolderOfOurs(folder))
        std::filesystem::permissions(folder, std::filesystem::perms::owner_all, ignored);
}

/// In the data folder, of a program (SnapshotOptions::program).
std::string snapshotsFolder(const std::string& program) {
    return library::defaultDataDir() + (program.empty() ? "/snapshots" : "/snapshots-" + program);
}

Status host(const Options& options) {
    if (options.probeDevices) {
        INGLE_TRY(confineTrial());
        runDeviceProbe(options.leftOut);
    }
    INGLE_TRY_ASSIGN(const HostEnds ends, takeStandardEnds());
    SnapshotOptions wanted = options.snapshots;
    // Each program has its own: an engine that serves a network may not write what the window's reads.
    if (wanted.folder.empty()) wanted.folder = snapshotsFolder(wanted.program);
    const std::string crashes = library::defaultDataDir() + "/crashes";
    for (const std::string& folder : {crashes, wanted.maxBytes > 0 ? wanted.folder : crashes})
        makeOwnFolder(folder);
    // A server imports nothing.
    const auto import = options.snapshots.program == kServer ? nullptr : importInCage;
    INGLE_TRY_ASSIGN(
        const Confined confined,
        confine({.broker = {.models = {}, .requests = ends.input, .import = import, .decode = decodeOutside},
                 .files = {.readable = {}, .writable = {crashes, wanted.folder}}}));
    Broker& broker = *confined.broker;
    const FileDescriptor requests = broker.takeRequests();
    crash::keepReports({crashes, "ingle host", std::string(version()), condemnDeviceUses});
    Snapshots snapshots;
    if (wanted.maxBytes > 0) {
        auto opened = Snapshots::open(wanted);
        if (!opened && opened.error().code == ErrorCode::InvalidArgument)
            return tl::unexpected(opened.error());
        // Without it conversations are only read again, which takes longer.
        if (!opened)
            fmt::print(stderr, "{}\n", opened.error().message);
        else
            snapshots = std::move(*opened);
    }
    serveHost(requests.get(), ends.output, {std::chrono::milliseconds(options.paceMs)},
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
               .import = [&broker](const protocol::Import& request, const ProgressFn& progress,
                                   const std::function<bool()>& isCancelled) -> Result<protocol::Imported> {
                   INGLE_TRY_ASSIGN(const FileDescriptor events, broker.import(request));
                   return followImport(events.get(), progress, isCancelled);
               },
               .embedder =
                   [](const std::string& path) {
                       // Small as such models are, a graphics device is left to the one that writes.
                       LoadOptions load;
                       load.backend = BackendChoice::Cpu;
                       return Embedder::load(path, load, nullptr);
                   },
               .decode = [&broker](const std::string& bytes) -> Result<Picture> {
                   INGLE_TRY_ASSIGN(const FileDescriptor socket, broker.decode());
                   return decodeBy(socket, bytes, [] { return StopScope::isStopWanted(); });
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
