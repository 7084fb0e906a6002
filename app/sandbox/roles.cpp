#include "app/sandbox/roles.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>

namespace ingle::sandbox {
namespace {

namespace fs = std::filesystem;

/// What programs need to run: their code, and what the C library and its kind read. Nothing of a person.
constexpr const char* kSystem[] = {
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/nix/store",
    "/gnu/store",
    "/app",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/gnutls",
    "/etc/ssl/openssl.cnf",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
    "/proc/sys/kernel",
    "/sys/devices",
    "/sys/fs/cgroup",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
};
/// What graphics drivers read.
constexpr const char* kGraphics[] = {
    "/etc/vulkan",        "/etc/glvnd",     "/etc/drirc",          "/etc/nvidia",   "/opt",
    "/run/opengl-driver", "/sys/class/drm", "/sys/bus/pci",        "/sys/dev/char", "/sys/module",
    "/sys/class/kfd",     "/proc/devices",  "/proc/driver/nvidia", "/proc/modules", "/run/udev/data",
};
constexpr const char* kGraphicsDevices[] = {
    "/dev/dri",         "/dev/kfd",
    "/dev/nvidiactl",   "/dev/nvidia-modeset",
    "/dev/nvidia-uvm",  "/dev/nvidia-uvm-tools",
    "/dev/nvidia-caps", "/dev/dxg",
};
constexpr int kMostNvidiaDevices = 16;
/// Where people add drivers, as lists of files and folders.
constexpr const char* kGraphicsVariables[] = {
    "VK_DRIVER_FILES",   "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES", "VK_LAYER_PATH",
    "VK_ADD_LAYER_PATH", "LD_LIBRARY_PATH",  "LIBGL_DRIVERS_PATH",  "INGLE_SYSTEM_ROOT",
};

std::string variable(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

void addListed(std::vector<std::string>& paths, const std::string& list) {
    for (size_t at = 0; at < list.size();) {
        const size_t end = std::min(list.find(':', at), list.size());
        if (end > at) paths.push_back(list.substr(at, end - at));
        at = end + 1;
    }
}

/// A driver that somebody built lies where its manifest says: {"ICD": {"library_path": PATH}}, by itself or
/// in a folder of manifests.
void addDriversOf(Cage& cage, const fs::path& place) {
    std::error_code unknown;
    std::vector<fs::path> manifests{place};
    if (fs::is_directory(place, unknown))
        for (fs::directory_iterator entry(place, unknown), end; !unknown && entry != end;
             entry.increment(unknown))
            manifests.push_back(entry->path());
    for (const fs::path& manifest : manifests) {
        std::ifstream file(manifest);
        const auto json = nlohmann::json::parse(file, nullptr, /*allow_exceptions=*/false);
        const auto library =
            json.is_object() ? json.value(nlohmann::json::json_pointer("/ICD/library_path"), "") : "";
        // Only a name is looked up among the system's libraries.
        if (library.find('/') != library.npos)
            cage.readable.push_back((manifest.parent_path() / library).parent_path());
    }
}

void addGraphics(Cage& cage) {
    cage.readable.insert(cage.readable.end(), std::begin(kGraphics), std::end(kGraphics));
    cage.devices.assign(std::begin(kGraphicsDevices), std::end(kGraphicsDevices));
    for (int i = 0; i < kMostNvidiaDevices; ++i) cage.devices.push_back("/dev/nvidia" + std::to_string(i));
    for (const char* name : kGraphicsVariables) addListed(cage.readable, variable(name));
    for (const char* name : {"VK_DRIVER_FILES", "VK_ICD_FILENAMES", "VK_ADD_DRIVER_FILES"}) {
        std::vector<std::string> places;
        addListed(places, variable(name));
        for (const std::string& place : places) addDriversOf(cage, place);
    }
    const std::string home = variable("HOME");
    const auto orStandard = [&](const char* name, const char* standard) {
        const std::string chosen = variable(name);
        return chosen.empty() ? home + standard : chosen;
    };
    for (const std::string& base :
         {orStandard("XDG_CONFIG_HOME", "/.config"), orStandard("XDG_DATA_HOME", "/.local/share")}) {
        cage.readable.push_back(base + "/vulkan");
        addDriversOf(cage, base + "/vulkan/icd.d");
    }
    cage.readable.push_back(home + "/.drirc");
    for (const char* name : {"XDG_CONFIG_DIRS", "XDG_DATA_DIRS"}) {
        std::vector<std::string> bases;
        addListed(bases, variable(name));
        for (const std::string& base : bases) cage.readable.push_back(base + "/vulkan");
    }
}

/// The folder that this program was installed to, where it is not the system's: a portable one has its own
/// libraries and data beside it.
void addOwn(Cage& cage) {
    std::error_code unknown;
    const fs::path program = fs::read_symlink("/proc/self/exe", unknown);
    if (program.empty()) return;
    cage.readable.push_back(program.parent_path());
    for (const char* beside : {"share", "lib"})
        cage.readable.push_back(program.parent_path().parent_path() / beside);
}

void addAllFiles(Cage& cage) {
    std::error_code unknown;
    for (fs::directory_iterator entry("/", unknown), end; !unknown && entry != end;
         entry.increment(unknown)) {
        const std::string name = entry->path().filename().string();
        if (name != "proc" && name != "dev" && name != "sys") cage.readable.push_back(entry->path());
    }
}

}  // namespace

const Rule& ruleOf(Role role) {
    return *std::ranges::find(kRules, role, &Rule::role);
}

Cage cageFor(Role role, Given given) {
    const Rule& rule = ruleOf(role);
    Cage cage{.restrictsFiles = rule.files != Files::All,
              .readable = std::move(given.readable),
              .writable = std::move(given.writable),
              .sockets = rule.sockets,
              .programs = rule.programs,
              .calls = rule.calls,
              .isDumpable = rule.isDumpable};
    cage.readable.insert(cage.readable.end(), std::begin(kSystem), std::end(kSystem));
    addOwn(cage);
    if (rule.files == Files::Read) addAllFiles(cage);
    if (rule.usesGraphics) addGraphics(cage);
    cage.devices.push_back("/dev/null");
    return cage;
}

}  // namespace ingle::sandbox
