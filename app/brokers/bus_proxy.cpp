#include "app/brokers/bus_proxy.h"

#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>

#include "ingle/spawn.h"

namespace ingle::brokers {
namespace {

namespace fs = std::filesystem;

constexpr int kStartMs = 5000;

/// What the window may ask of services on the session bus. Of the portal: the look of the desktop, dialogs
/// for files, pictures of the screen that the person takes, links, notifications; not what starts programs or
/// stays.
const char* const kSessionRules[] = {
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.Settings.*@/org/freedesktop/portal/desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.FileChooser.*@/org/freedesktop/portal/"
    "desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.OpenURI.OpenURI@/org/freedesktop/portal/"
    "desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.Screenshot.Screenshot@/org/freedesktop/"
    "portal/desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.Notification.*@/org/freedesktop/portal/"
    "desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.portal.Request.*@/org/freedesktop/portal/desktop/"
    "*",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.DBus.Properties.Get@/org/freedesktop/portal/"
    "desktop",
    "--call=org.freedesktop.portal.Desktop=org.freedesktop.DBus.Properties.GetAll@/org/freedesktop/portal/"
    "desktop",
    "--broadcast=org.freedesktop.portal.Desktop=*@/org/freedesktop/portal/desktop",
    "--broadcast=org.freedesktop.portal.Desktop=*@/org/freedesktop/portal/desktop/*",
    "--talk=org.a11y.Bus",
    // Input methods by their portals, which make contexts for input and nothing else.
    "--talk=org.freedesktop.portal.IBus",
    "--talk=org.freedesktop.portal.Fcitx",
};
/// On the accessibility bus: to show itself to readers of screens, which ask it.
const char* const kAccessibilityRules[] = {
    "--sloppy-names",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.Socket.Embed@/org/a11y/atspi/accessible/root",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.Socket.Unembed@/org/a11y/atspi/accessible/root",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.Registry.GetRegisteredEvents@/org/a11y/atspi/registry",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.DeviceEventController.GetKeystrokeListeners"
    "@/org/a11y/atspi/registry/deviceeventcontroller",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.DeviceEventController.GetDeviceEventListeners"
    "@/org/a11y/atspi/registry/deviceeventcontroller",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.DeviceEventController.NotifyListenersSync"
    "@/org/a11y/atspi/registry/deviceeventcontroller",
    "--call=org.a11y.atspi.Registry=org.a11y.atspi.DeviceEventController.NotifyListenersAsync"
    "@/org/a11y/atspi/registry/deviceeventcontroller",
};

/// A value of an address, in which %xx is a byte.
std::string unescaped(const std::string& text) {
    std::string plain;
    for (size_t i = 0; i < text.size(); ++i) {
        if (text[i] == '%' && i + 2 < text.size()) {
            plain += static_cast<char>(std::strtoul(text.substr(i + 1, 2).c_str(), nullptr, 16));
            i += 2;
        } else {
            plain += text[i];
        }
    }
    return plain;
}

std::vector<std::string> parts(const std::string& text, char separator) {
    std::vector<std::string> found;
    for (size_t at = 0; at < text.size();) {
        const size_t end = std::min(text.find(separator, at), text.size());
        found.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return found;
}

}  // namespace

std::string environment(const char* name) {
    const char* value = std::getenv(name);
    return value ? value : "";
}

std::string findBusProxy() {
    std::error_code unknown;
    const fs::path own = fs::read_symlink("/proc/self/exe", unknown).parent_path();
    for (const fs::path& folder : {own, fs::path("/usr/bin"), fs::path("/usr/local/bin"), fs::path("/bin"),
                                   fs::path("/run/current-system/sw/bin")})
        if (const fs::path program = folder / "xdg-dbus-proxy"; ::access(program.c_str(), X_OK) == 0)
            return program.string();
    return {};
}

std::string sessionBusAddress() {
    if (std::string address = environment("DBUS_SESSION_BUS_ADDRESS"); !address.empty()) return address;
    const std::string usual = environment("XDG_RUNTIME_DIR") + "/bus";
    std::error_code unknown;
    return fs::is_socket(usual, unknown) ? "unix:path=" + usual : std::string();
}

std::vector<std::string> socketsOf(const std::string& address) {
    constexpr std::string_view kUnix = "unix:", kPath = "path=", kAbstract = "abstract=";
    std::vector<std::string> sockets;
    for (const std::string& each : parts(address, ';')) {
        if (!each.starts_with(kUnix)) continue;
        for (const std::string& pair : parts(each.substr(kUnix.size()), ',')) {
            if (pair.starts_with(kPath)) sockets.push_back(unescaped(pair.substr(kPath.size())));
            if (pair.starts_with(kAbstract))
                sockets.push_back('\0' + unescaped(pair.substr(kAbstract.size())));
        }
    }
    return sockets;
}

BusProxy::BusProxy(Bus bus, const std::string& address, std::string socket) : m_socket(std::move(socket)) {
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return;
    m_ready = FileDescriptor(ends[0]);
    const FileDescriptor theirs(ends[1]);
    Start start{.program = findBusProxy(),
                .arguments = {"--fd=1", address, m_socket, "--filter"},
                .input = Start::kNothing,
                .output = theirs.get(),
                .errors = Start::kNothing};
    if (bus == Bus::Session)
        start.arguments.insert(start.arguments.end(), std::begin(kSessionRules), std::end(kSessionRules));
    else
        start.arguments.insert(start.arguments.end(), std::begin(kAccessibilityRules),
                               std::end(kAccessibilityRules));
    pid_t pid = 0;
    if (start.program.empty() || spawn(start, pid) != 0) m_ready = {};
}

BusProxy::~BusProxy() {
    ::unlink(m_socket.c_str());
}

bool BusProxy::isReady() {
    if (m_isReady || !m_ready.isOpen()) return m_isReady;
    pollfd ready{m_ready.get(), POLLIN, 0};
    char byte = 0;
    m_isReady = ::poll(&ready, 1, kStartMs) == 1 && ::read(m_ready.get(), &byte, 1) == 1;
    return m_isReady;
}

}  // namespace ingle::brokers
