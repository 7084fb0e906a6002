#include <sys/socket.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <memory>
#include <nlohmann/json.hpp>

#include "app/brokers/brokers.h"
#include "app/cli/command.h"
#include "app/cli/driver_trials.h"
#include "app/library/catalog.h"
#include "app/library/guide.h"
#include "app/library/library.h"
#include "app/sandbox/cage.h"
#include "ingle/computer.h"
#include "ingle/devices.h"

namespace ingle::cli::doctor_command {
namespace {

namespace fs = std::filesystem;

/// What one look found out, and what a person can do about it.
struct Finding {
    enum State { Fine, Worse, Broken } state = Fine;
    std::string what;
    std::string remedy;  ///< empty when all is fine
};

constexpr double kGb = 1e9;
/// Less holds the smallest useful models only.
constexpr double kSmallMemory = 3.5e9;
/// What a history, snapshots and a conversion need to go on for a while.
constexpr double kLittleDisk = 1e9;

std::vector<Finding> memory() {
    const auto computer = describeComputer(driverTrials().folder);
    if (!computer)
        return {
            {Finding::Broken, computer.error().message, "Without /proc no model's memory can be reckoned."}};
    Finding found{
        Finding::Fine,
        fmt::format("memory: {:.1f} GB, {:.1f} free", static_cast<double>(computer->usableBytes) / kGb,
                    static_cast<double>(computer->availableBytes) / kGb),
        ""};
    if (computer->usableBytes < computer->installedBytes)
        found = {Finding::Worse,
                 found.what + fmt::format(", of {:.1f} that are installed",
                                          static_cast<double>(computer->installedBytes) / kGb),
                 "A container or a service limits this process; larger models need a higher limit."};
    else if (static_cast<double>(computer->usableBytes) < kSmallMemory)
        found = {Finding::Worse, found.what, "Choose models of 2 GB or less."};
    return {
        found,
        {Finding::Fine, fmt::format("processor: {}, {} cores", computer->processor, computer->threads), ""}};
}

std::vector<Finding> drivers() {
    const auto list = listDevices(driverTrials(), DriverAnswers::New);
    if (!list)
        return {{Finding::Broken, "graphics drivers: " + list.error().message, "Install Inglenook again."}};
    std::vector<Finding> found;
    for (const DeviceEntry& device :
         std::span(list->devices).subspan(std::min<size_t>(1, list->devices.size()))) {
        const bool isUsed = device.use != DeviceUse::Never;
        found.push_back(
            {isUsed ? Finding::Fine : Finding::Worse, fmt::format("graphics: {}", device.name),
             isUsed ? "" : device.refusal + ". The processor computes instead; a newer driver may help."});
    }
    if (found.empty())
        found.push_back({Finding::Worse, "graphics: no device",
                         (list->note.empty() ? std::string() : list->note + ". ") +
                             "The processor computes. For a graphics card install its Vulkan driver "
                             "(mesa-vulkan-drivers for AMD and Intel)."});
    return found;
}

/// Of code that may have been taken over.
Finding cage() {
    const sandbox::Enforced kernel = sandbox::enforceable();
    if (const std::string lacking = sandbox::lacking(kernel); !lacking.empty())
        return {Finding::Worse, "cage: " + lacking,
                "Everything works. A newer kernel, or one with Landlock, holds it."};
    return {Finding::Fine,
            fmt::format("cage: the kernel restricts the engine's files (Landlock {}) and system calls",
                        kernel.landlock),
            ""};
}

/// Of the window, which asks other programs of the session for things.
Finding windowCage() {
    if (const std::string lacking = brokers::lacking(); !lacking.empty())
        return {Finding::Worse, "window: it is not held: " + lacking,
                "Everything works. Install xdg-dbus-proxy where that is missing; a newer kernel holds it "
                "otherwise."};
    return {Finding::Fine, "window: the kernel restricts what it writes, starts and connects to", ""};
}

std::vector<Finding> network() {
    const int socket = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0 && errno == EACCES)
        return {{Finding::Fine, "network: the kernel refuses internet sockets", ""}, cage(), windowCage()};
    if (socket >= 0) ::close(socket);
    return {{Finding::Broken, "network: an internet socket could be opened",
             "The kernel's seccomp filter does not work here; please report this."}};
}

/// Whether a folder that Inglenook writes to can be written to.
Finding folder(const char* what, const std::string& path) {
    std::error_code error;
    fs::create_directories(path, error);
    if (error || ::access(path.c_str(), W_OK | X_OK) != 0)
        return {Finding::Broken, fmt::format("{}: {} cannot be written", what, path),
                fmt::format("Make it yours: chown -R $USER '{}'; or name another with --data-dir.", path)};
    struct statvfs disk {};
    const bool known = ::statvfs(path.c_str(), &disk) == 0;
    const double free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
    const std::string found = fmt::format("{}: {}, {:.1f} GB of disk free", what, path, free / kGb);
    if (known && free < kLittleDisk)
        return {Finding::Worse, found, "Free some disk space: answers stop when there is none."};
    return {Finding::Fine, found, ""};
}

std::vector<Finding> folders() {
    std::vector<Finding> found{folder("history", library::defaultDataDir()),
                               folder("cache", library::defaultCacheDir())};
    for (const auto& [what, path] : {std::pair{"the guide", library::guidePath()},
                                     std::pair{"the list of models", library::catalogPath()}}) {
        if (path.empty())
            found.push_back({Finding::Worse, fmt::format("{} is not installed", what),
                             "Install Inglenook again, or keep bin and share side by side."});
    }
    return found;
}

bool isAnyFontIn(const std::string& path) {
    std::error_code error;
    fs::recursive_directory_iterator files(path, fs::directory_options::skip_permission_denied, error);
    for (; !error && files != fs::recursive_directory_iterator(); files.increment(error)) {
        const fs::path extension = files->path().extension();
        if (extension == ".ttf" || extension == ".otf" || extension == ".ttc") return true;
    }
    return false;
}

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::vector<Finding> desktop() {
    std::vector<Finding> found;
    const bool isThere = !variable("DISPLAY").empty() || !variable("WAYLAND_DISPLAY").empty();
    if (!isThere)
        found.push_back(
            {Finding::Worse, "display: none", "The window needs one; `ingle chat` works in a terminal."});
    const std::string home = variable("HOME");
    if (!isAnyFontIn("/usr/share/fonts") && !isAnyFontIn("/usr/local/share/fonts") &&
        !isAnyFontIn(home + "/.local/share/fonts") && !isAnyFontIn(home + "/.fonts"))
        found.push_back(
            {Finding::Worse, "fonts: none found", "Install a font, e.g. the package fonts-noto-core."});
    else
        found.push_back({Finding::Fine, "fonts: found", ""});
    std::error_code error;
    const bool isBus = !variable("DBUS_SESSION_BUS_ADDRESS").empty() ||
                       fs::exists(variable("XDG_RUNTIME_DIR") + "/bus", error);
    bool isPortal = false;
    for (const char* services : {"/usr/share/dbus-1/services/", "/usr/local/share/dbus-1/services/"})
        isPortal |= fs::exists(std::string(services) + "org.freedesktop.portal.Desktop.service", error);
    if (isBus && isPortal)
        found.push_back({Finding::Fine, "desktop portal: installed", ""});
    else
        found.push_back({Finding::Worse,
                         isPortal ? "desktop portal: no session bus" : "desktop portal: not installed",
                         "Links are copied instead of opened, and there is no Browse button. Install "
                         "xdg-desktop-portal and the one for your desktop."});
    return found;
}

Status doctor(bool asJson) {
    constexpr const char* kStates[] = {"fine", "worse", "broken"};
    bool isBroken = false;
    nlohmann::ordered_json findings = nlohmann::ordered_json::array();
    for (const auto& look : {memory, drivers, network, folders, desktop}) {
        for (const Finding& finding : look()) {
            constexpr const char* kMarks[] = {"ok  ", "note", "BAD "};
            isBroken |= finding.state == Finding::Broken;
            if (asJson) {
                findings.push_back(
                    {{"state", kStates[finding.state]}, {"what", finding.what}, {"remedy", finding.remedy}});
                continue;
            }
            fmt::print("{}  {}\n", kMarks[finding.state], finding.what);
            if (!finding.remedy.empty()) fmt::print("      {}\n", finding.remedy);
        }
    }
    if (asJson) fmt::print("{}\n", findings.dump(2));
    if (!isBroken) return {};
    return fail(ErrorCode::Device, "what is marked BAD above keeps Inglenook from working");
}

Action define(CLI::App& app) {
    auto asJson = std::make_shared<bool>(false);
    app.add_flag("--json", *asJson, "as JSON");
    return [asJson] { return doctor(*asJson); };
}

}  // namespace

extern const Command command{"doctor", "check drivers, memory, folders and desktop, and say what to do",
                             define};

}  // namespace ingle::cli::doctor_command
