/// `ingle-bridge`: serves the host protocol on a local socket and has models of a server far away answer it.
/// Exit codes: 0 ended by a signal, 1 failed (one line on stderr), 2 wrong usage.
#include <fmt/format.h>
#include <sys/signalfd.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <filesystem>

#include "app/bridge/arguments.h"
#include "app/bridge/bridge.h"
#include "app/bridge/far_address.h"
#include "app/bridge/settings.h"
#include "app/local/key_file.h"
#include "app/sandbox/roles.h"
#include "app/sandbox/secrecy.h"
#include "ingle/file_descriptor.h"

namespace {

namespace bridge = ingle::bridge;

/// It listens already. It looks names up, checks certificates, and removes its socket at the end.
ingle::sandbox::Cage cageAt(const std::string& socket, std::vector<uint16_t> ports) {
    ingle::sandbox::Given files{
        .readable = {"/etc/resolv.conf", "/run/systemd/resolve", "/run/resolvconf", "/etc/hosts",
                     "/etc/host.conf", "/etc/nsswitch.conf", "/etc/gai.conf", "/etc/services", "/etc/ssl",
                     "/etc/pki", "/etc/ca-certificates", "/etc/crypto-policies"},
        .writable = {std::filesystem::path(socket).parent_path().string()}};
    for (const char* variable : {"SSL_CERT_FILE", "SSL_CERT_DIR"})
        if (const char* path = std::getenv(variable)) files.readable.emplace_back(path);
    constexpr uint16_t kNames = 53;  // long answers about names come by TCP
    auto cage = ingle::sandbox::cageFor(ingle::sandbox::Role::Bridge, std::move(files));
    cage.ports = std::move(ports);
    cage.ports.push_back(kNames);
    return cage;
}

/// SIGTERM and SIGINT as something to wait for.
ingle::FileDescriptor endSignals() {
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    sigprocmask(SIG_BLOCK, &signals, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    return ingle::FileDescriptor(::signalfd(-1, &signals, SFD_CLOEXEC | SFD_NONBLOCK));
}

ingle::Status serve(CLI::App& app, bridge::Arguments& given) {
    // Whoever names another server does not mean to send it the key that is for the one in the file.
    if (given.url.empty()) INGLE_TRY(bridge::readSettings(app, given, bridge::settingsPath()));
    bridge::BridgeOptions options;
    INGLE_TRY_ASSIGN(options.address,
                     bridge::farAddress(given.url, given.isInsecure ? bridge::Plain::Anywhere
                                                                    : bridge::Plain::OnlyLoopback));
    if (!given.keyFile.empty()) {
        ingle::sandbox::keepOutOfDumps();  // before the key is there
        INGLE_TRY_ASSIGN(options.key, ingle::local::readKeyFile(given.keyFile));
    }
    options.named = given.models;
    options.socket = given.socket;
    if (given.socket.empty()) {
        INGLE_TRY_ASSIGN(options.socket, ingle::local::defaultSocketPath(ingle::local::kBridgeSocket));
    }
    const ingle::FileDescriptor stop = endSignals();
    INGLE_TRY_ASSIGN(const auto opened, bridge::Bridge::open(options));
    fmt::print(stderr, "ingle-bridge: {} is reached at {}\n", options.address.host, options.socket);
    INGLE_TRY(ingle::sandbox::enter(cageAt(options.socket, bridge::portsTo(options.address))));
    opened->run(stop.get());
    return {};
}

}  // namespace

int main(int argc, char** argv) {
    bridge::Arguments options;
    CLI::App app;
    bridge::declareArguments(app, options);
    try {
        app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
        return app.exit(error) == 0 ? 0 : 2;
    }
    const ingle::Status status = serve(app, options);
    if (status) return 0;
    std::string line = status.error().message;
    std::ranges::replace(line, '\n', ' ');
    fmt::print(stderr, "ingle-bridge: {}\n", line);
    return 1;
}
