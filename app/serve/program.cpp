#include "app/serve/program.h"

#include <fmt/format.h>
#include <malloc.h>

#include <algorithm>
#include <cctype>
#include <csignal>
#include <cstdio>
#include <filesystem>
#include <future>
#include <optional>
#include <thread>

#include "app/brokers/brokers.h"
#include "app/client/client.h"
#include "app/client/host_process.h"
#include "app/library/library.h"
#include "app/local/key_file.h"
#include "app/local/local_socket.h"
#include "app/sandbox/secrecy.h"
#include "app/serve/listeners.h"
#include "app/serve/router.h"

namespace ingle::serve {
namespace {

using namespace std::chrono_literals;

constexpr int kLongTextBytes = 1 << 20;

/// `ingle host` beside this program. What it keeps on the disk is the server's, not the window's.
client::HostCommand hostCommand(const Options& options) {
    if (!options.host.empty()) return {options.host.front(), {options.host.begin() + 1, options.host.end()}};
    std::error_code error;
    const auto self = std::filesystem::read_symlink("/proc/self/exe", error);
    return {(self.parent_path() / "ingle").string(), {"host", "--owner", "serve"}};
}

/// Signals that end the server, blocked in all threads and taken by this one.
class EndSignals {
  public:
    EndSignals() {
        ::sigemptyset(&m_set);
        ::sigaddset(&m_set, SIGINT);
        ::sigaddset(&m_set, SIGTERM);
        ::pthread_sigmask(SIG_BLOCK, &m_set, nullptr);
        std::signal(SIGPIPE, SIG_IGN);
    }
    void wait() const {
        int signal = 0;
        ::sigwait(&m_set, &signal);
    }
    bool came() const {
        const timespec none{};
        return ::sigtimedwait(&m_set, nullptr, &none) > 0;
    }

  private:
    sigset_t m_set{};
};

/// What a model that was named by its path is for; the first look at it, too.
Status findPurpose(client::Client& client, ServedModel& model, const EndSignals& signals) {
    const auto told = std::make_shared<std::promise<Result<library::ModelPurpose>>>();
    client.send(
        protocol::Inspect{model.path, {}},
        {.finished = [told](const client::Outcome<protocol::Inspect>& outcome) {
            if (!outcome) return told->set_value(tl::unexpected<Error>(outcome.error().error));
            if (outcome->info.tokenizer == "none")
                return told->set_value(fail(ErrorCode::Unsupported,
                                            "{}: without a tokenizer it can answer nobody",
                                            outcome->info.path));
            const bool writes =
                outcome->info.promptFormat != "none" && outcome->info.promptFormat != "scores";
            told->set_value(writes ? library::ModelPurpose::Chats : library::ModelPurpose::Embeddings);
        }});
    auto purpose = told->get_future();
    while (purpose.wait_for(100ms) != std::future_status::ready)
        if (signals.came()) return fail(ErrorCode::Cancelled, "It was ended before it served.");
    INGLE_TRY_ASSIGN(model.purpose, purpose.get());
    return {};
}

Result<std::unique_ptr<Models>> chooseModels(const Options& options, client::Client& client,
                                             const EndSignals& signals) {
    if (options.models.empty()) return Models::ofLibrary(library::defaultDataDir());
    INGLE_TRY_ASSIGN(ModelList models, namedModels(options.models, library::defaultDataDir()));
    for (ServedModel& model : models)
        if (!model.isInLibrary) INGLE_TRY(findPurpose(client, model, signals));
    return std::make_unique<Models>(std::move(models));
}

Result<AccessRules> rulesFor(const Options& options) {
    AccessRules rules{.key = {}, .isOnNetwork = false, .hosts = options.hosts, .origins = {}};
    for (std::string& host : rules.hosts) {
        if (hostName(host) != host)
            return fail(ErrorCode::InvalidArgument, "{}: --allow-host takes a name without a port", host);
        for (char& c : host) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
    for (const std::string& origin : options.origins)
        if (origin.ends_with('/'))
            return fail(ErrorCode::InvalidArgument, "{}: an origin ends without a slash", origin);
    rules.origins = options.origins;
    if (!options.keyFile.empty()) {
        sandbox::keepOutOfDumps();  // before the key is there
        INGLE_TRY_ASSIGN(rules.key, readKey(options.keyFile));
    }
    return rules;
}

/// A listening socket with its server.
struct Door {
    std::unique_ptr<Router> router;
    std::unique_ptr<http::Server> server;  ///< ends first: it asks the router
};

/// All that serves. It ends from the last to the first, each before what it uses: those who ask, then the
/// engine, which calls back, then what both count in.
struct House {
    Metrics metrics;
    std::optional<EngineRoom> room;
    std::vector<Door> doors;
};

Result<Door> openDoor(FileDescriptor listener, const Options& options, Service service, AccessRules rules) {
    Door door;
    door.router = std::make_unique<Router>(service, std::move(rules));
    INGLE_TRY_ASSIGN(door.server, http::Server::start(
                                      std::move(listener), options.limits,
                                      [router = door.router.get()](const http::Request& request) {
                                          return router->gate(request);
                                      },
                                      [router = door.router.get()](std::shared_ptr<http::Exchange> exchange) {
                                          router->handle(std::move(exchange));
                                      }));
    return door;
}

/// Answers under way come to their end and are sent, unless another signal comes or they take too long.
void finish(EngineRoom& room, const std::vector<Door>& doors, const EndSignals& signals,
            std::chrono::seconds grace) {
    const auto limit = std::chrono::steady_clock::now() + grace;
    const auto isDone = [&] {
        return room.close(100ms) &&
               std::ranges::all_of(doors, [](const Door& each) { return each.server->isIdle(); });
    };
    while (!isDone() && std::chrono::steady_clock::now() < limit && !signals.came())
        std::this_thread::sleep_for(10ms);
}

}  // namespace

Status serve(const Options& options) {
    const EndSignals signals;
    // Long texts have pages of their own, which go back to the system with them: without this, the allocator
    // moves the bound up with each of them.
    ::mallopt(M_MMAP_THRESHOLD, kLongTextBytes);
    INGLE_TRY_ASSIGN(AccessRules rules, rulesFor(options));
    std::string path = options.socket;
    if (path.empty()) {
        INGLE_TRY_ASSIGN(path, local::defaultSocketPath("serve.sock"));
    }
    INGLE_TRY_ASSIGN(local::LocalSocket socket, local::LocalSocket::listen(path));
    NetworkListener network;
    Address address;
    if (!options.listen.empty()) {
        INGLE_TRY_ASSIGN(address, readAddress(options.listen));
        if (!address.isLoopback && rules.key.empty())
            return fail(ErrorCode::InvalidArgument,
                        "{}: other computers can reach this address, so it needs --key-file", options.listen);
        INGLE_TRY_ASSIGN(network, listenOn(address));
    }
    // What follows starts threads. It listens already, and from now on it connects to nobody.
    const client::HostCommand engine = hostCommand(options);
    // Made where it is missing; later it can only be read.
    INGLE_TRY(library::Library::open(library::defaultDataDir()));
    INGLE_TRY(brokers::confineServer({engine.program, engine.arguments},
                                     {.readable = {library::defaultDataDir()},
                                      // Its socket is removed at the end.
                                      .writable = {std::filesystem::path(path).parent_path().string()}}));
    INGLE_TRY_ASSIGN(auto client, client::Client::create(client::startedBy(engine), {}));
    INGLE_TRY_ASSIGN(auto models, chooseModels(options, *client, signals));
    House house;
    EngineRoom& room = house.room.emplace(std::move(client), std::move(models), options.room, house.metrics);
    const Service service{room, house.metrics};
    INGLE_TRY_ASSIGN(Door first, openDoor(socket.takeDescriptor(), options, service, rules));
    house.doors.push_back(std::move(first));
    fmt::print("Listening on {}\n", path);
    if (network.socket.isOpen()) {
        rules.isOnNetwork = true;
        const bool isV6 = address.host.find(':') != address.host.npos;
        const std::string host = isV6 ? '[' + address.host + ']' : address.host;
        rules.hosts.push_back(host);
        INGLE_TRY_ASSIGN(Door second, openDoor(std::move(network.socket), options, service, rules));
        house.doors.push_back(std::move(second));
        fmt::print("Listening on http://{}:{}\n", host, network.port);
    }
    std::fflush(stdout);
    signals.wait();
    for (Door& door : house.doors) door.server->closeListener();
    finish(room, house.doors, signals, options.grace);
    return {};
}

Status runBench(const Options& options) {
    bench::LoadOptions load = options.bench;
    if (load.url.ends_with('/')) load.url.pop_back();
    if (!options.keyFile.empty()) {
        INGLE_TRY_ASSIGN(load.key, local::readKeyFile(options.keyFile));  // another server's: of any length
    }
    INGLE_TRY_ASSIGN(const bench::LoadReport report, bench::runLoad(load));
    fmt::print("{}", bench::reportText(report, load));
    const bool hasAnswer =
        std::ranges::any_of(report.samples, [](const auto& each) { return each.failure.empty(); });
    if (!hasAnswer && !report.samples.empty()) return fail(ErrorCode::Io, "{} answered nothing.", load.url);
    return {};
}

}  // namespace ingle::serve
