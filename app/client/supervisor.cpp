#include "app/client/supervisor.h"
#include "ingle/error_ids.h"

#include <algorithm>
#include <csignal>
#include <set>
#include <utility>

namespace ingle::client {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxRestarts = 2;
constexpr int kModelFileChangedExit = 3;
constexpr auto kGreetingLimit = 15s;
constexpr auto kEndLimit = 1s;       // between the end of its output and its own
constexpr auto kCancelLimit = 15s;   // one step of a large model on a slow machine
constexpr auto kInspectLimit = 60s;  // the drivers may have to be tried out, too

const char* const kVersionMismatch =
    "Inglenook was updated while it was open; please close this window and open it again.";

/// Whether the host ended by a mistake of its own, or of a driver; not because somebody ended it.
bool isCrash(HostEnd end) {
    if (end.how == HostEnd::How::Exit) return end.code != 0 && end.code != kModelFileChangedExit;
    return end.code == SIGSEGV || end.code == SIGBUS || end.code == SIGILL || end.code == SIGFPE ||
           end.code == SIGABRT || end.code == SIGTRAP || end.code == SIGSYS;
}

using protocol::factsOf;
using protocol::ModelUse;
using protocol::WhenCancelled;

ModelUse modelUse(const protocol::RequestBody& body) {
    return factsOf(body).modelUse;
}

/// The text of requests that are answered one after another; empty: it waits for no other.
std::string inTurnWith(const protocol::RequestBody& body) {
    return std::visit(
        [](const auto& request) -> std::string {
            if constexpr (requires { request.inTurnWith(); }) return request.inTurnWith();
            return {};
        },
        body);
}

/// The file that it waits for; empty: none.
std::string fileOf(const protocol::RequestBody& body) {
    return std::visit(
        [](const auto& request) -> std::string {
            if constexpr (requires { request.file(); }) return request.file();
            return {};
        },
        body);
}

bool mayLoadModel(const protocol::RequestBody& body) {
    return std::visit(
        [](const auto& request) {
            if constexpr (requires { request.mayLoadModel(); }) return request.mayLoadModel();
            return true;
        },
        body);
}

protocol::EventBody cancelled(const protocol::RequestBody& body) {
    return std::visit(
        [](const auto& request) -> protocol::EventBody {
            if constexpr (requires { request.cancelled(); }) return request.cancelled();
            return protocol::Failed{withCodeId({ErrorCode::Cancelled, "It was cancelled."}), {}};
        },
        body);
}

Error bridgeLost() {
    return withId<ErrorId::BridgeLost>(
        Error{ErrorCode::Io, "The bridge to other computers ended in the middle of this."});
}

Error leadsElsewhere(const std::string& before, const std::string& now) {
    return withId<ErrorId::FarUnreachable>(
        Error{ErrorCode::Io, fmt::format("The bridge leads to {} now and no longer to {}; please choose the "
                                         "model again.",
                                         now, before)},
        before);
}

Error outdated(HostKind host) {
    if (host == HostKind::Own)
        return withId<ErrorId::HostOutdated>(Error{ErrorCode::Unsupported, kVersionMismatch});
    return withId<ErrorId::BridgeOutdated>(
        Error{ErrorCode::Unsupported,
              "The bridge to other computers is of another version of Inglenook; please start it again."});
}

bool isDue(const std::optional<TimePoint>& deadline, TimePoint now) {
    return deadline && *deadline <= now;
}

}  // namespace

Supervisor::Supervisor(HostLink& link, Options options)
    : m_link(link), m_options([&] {
          if (!options.now) options.now = [] { return std::chrono::steady_clock::now(); };
          if (!options.execute) options.execute = [](const std::function<void()>& run) { run(); };
          return std::move(options);
      }()) {}

void Supervisor::add(Call call) {
    m_calls.push_back({.call = std::move(call)});
    advance();
}

void Supervisor::cancel(protocol::RequestId id) {
    const auto entry = std::ranges::find_if(m_calls, [id](const Entry& each) { return each.call.id == id; });
    if (entry == m_calls.end() || entry->cancelling) return;
    if (!entry->sent) {
        finish(entry, cancelled(entry->call.body));  // a reload under way goes on, for the next request
        return advance();
    }
    const WhenCancelled then = factsOf(entry->call.body).whenCancelled;
    if (then == WhenCancelled::GoesOn) return;
    send(newId(), protocol::Cancel{id});
    if (then == WhenCancelled::EndsAtOnce) {
        finish(entry, cancelled(entry->call.body));
        return advance();
    }
    entry->cancelling = true;
    entry->cancelDeadline = m_options.now() + kCancelLimit;
}

void Supervisor::retain(protocol::Retain kept) {
    m_retain = std::move(kept);
    if (m_host == Host::Ready) tellConversations();
}

void Supervisor::protect() {
    if (std::exchange(m_isProtected, true)) return;
    if (m_host == Host::Ready) send(newId(), protocol::Protect{});
}

void Supervisor::restAfter(std::optional<std::chrono::milliseconds> idle) {
    m_restAfter = idle;
}

std::optional<TimePoint> Supervisor::restAt() const {
    if (!m_restAfter || m_host != Host::Ready || !(m_hostHasModel || m_hostHasOthers)) return std::nullopt;
    if (std::ranges::any_of(m_calls, [](const Entry& each) { return factsOf(each.call.body).usesMemory(); }))
        return std::nullopt;
    return m_lastUse + *m_restAfter;
}

void Supervisor::tellConversations() {
    if (m_retain) send(newId(), *m_retain);
}

void Supervisor::advance() {
    if (m_calls.empty()) return;
    if (m_host == Host::None) return startHost();
    if (m_host != Host::Ready) return;

    if (anySuspect()) {
        // Nobody else is asked meanwhile, so what runs beside it has got on since the last death.
        const auto onTrial = [](const Entry& each) { return each.sent && each.restarts == kMaxRestarts; };
        if (std::ranges::any_of(m_calls, onTrial)) return;
        const size_t numCalls = m_calls.size();
        dispatch(std::ranges::find(m_calls, kMaxRestarts, &Entry::restarts));
        return m_calls.size() == numCalls ? void() : advance();  // it may have failed at once
    }
    bool modelUsed = m_reloadId != 0;
    bool modelChanges = false;
    std::set<std::string> turns;
    for (auto each = m_calls.begin(); each != m_calls.end();) {
        const auto entry = each++;
        const ModelUse use = modelUse(entry->call.body);
        bool mayGo = !entry->sent;
        if (use == ModelUse::Changes) {
            mayGo = mayGo && !modelUsed && !modelChanges;
            modelChanges = true;
        } else if (use == ModelUse::Uses) {
            const std::string turn = inTurnWith(entry->call.body);
            const bool isNext = turn.empty() || turns.insert(turn).second;
            mayGo = mayGo && !modelChanges && isNext;
            modelUsed = true;
        }
        if (mayGo) dispatch(entry);
    }
}

bool Supervisor::anySuspect() const {
    return std::ranges::any_of(m_calls, [](const Entry& each) { return each.restarts == kMaxRestarts; });
}

void Supervisor::dispatch(Calls::iterator entry) {
    const protocol::RequestBody& body = entry->call.body;
    if (const auto* load = std::get_if<protocol::Load>(&body)) {
        m_model = *load;
        if (entry->restarts == 0) {
            m_degraded = false;
            m_crashedProcess = 0;
        }
        m_hostHasModel = false;
        sendCall(entry, protocol::Load{load->path, loadOptions()});
    } else if (std::holds_alternative<protocol::Unload>(body)) {
        m_model.reset();
        m_hostHasModel = false;
        sendCall(entry, body);
    } else if (modelUse(body) == ModelUse::None || m_hostHasModel) {
        sendCall(entry, body);
    } else if (m_model && (m_reloadId != 0 || mayLoadModel(body))) {
        if (m_reloadId == 0) reloadModel();
    } else {
        fail(entry, withId<ErrorId::NoModel>(Error{ErrorCode::InvalidArgument, "No model is loaded."}));
    }
}

void Supervisor::reloadModel() {
    m_reloadId = newId();
    send(m_reloadId, protocol::Load{m_model->path, loadOptions()});
}

void Supervisor::startHost() {
    const auto pid = m_link.start();
    if (!pid) return failAll(pid.error());
    m_messages = {};
    m_lastWords.message.clear();
    m_hostHasModel = false;
    m_hostHasOthers = false;
    m_host = Host::Greeting;
    m_hostPid = *pid;
    notify(m_options.notices.hostPidChanged, m_hostPid);
    m_hostDeadline = m_options.now() + kGreetingLimit;
    m_helloId = newId();
    send(m_helloId, protocol::Hello{});
}

void Supervisor::dropHost() {
    m_host = Host::None;
    m_hostDeadline.reset();
    m_messages = {};
    notify(m_options.notices.hostPidChanged, 0);
    tellAlsoLoaded({});
}

void Supervisor::abandonHost(const std::string& reason) {
    m_link.abandon();
    m_crashedProcess = 0;
    recover(reason);
}

void Supervisor::send(protocol::RequestId id, protocol::RequestBody body) {
    // Too long can only be what somebody asked for (sendCall), or a list of conversations that no host can
    // take.
    if (auto bytes = protocol::frame(protocol::encode(protocol::Request{id, std::move(body)})))
        m_link.send(std::move(*bytes));
}

void Supervisor::sendCall(Calls::iterator entry, protocol::RequestBody body) {
    auto bytes = protocol::frame(protocol::encode(protocol::Request{entry->call.id, std::move(body)}));
    if (!bytes) return fail(entry, std::move(bytes).error());
    entry->sent = true;
    entry->numTokensBefore = entry->numTokens;
    m_hostHasOthers = m_hostHasOthers || factsOf(entry->call.body).usesMemory();
    if (!fileOf(entry->call.body).empty()) entry->answerDeadline = m_options.now() + kInspectLimit;
    m_link.send(std::move(*bytes));
}

void Supervisor::received(std::string_view bytes) {
    m_messages.append(bytes);
    while (auto message = m_messages.next()) {
        auto event = *message ? protocol::decodeEvent(**message)
                              : Result<protocol::Event>(tl::unexpected(message->error()));
        if (!event) return abandonHost(event.error().message);
        handle(*event);
    }
}

void Supervisor::closed() {
    m_hostDeadline = m_options.now() + kEndLimit;
}

void Supervisor::ended(HostEnd end) {
    m_crashedProcess = isCrash(end) ? static_cast<uint32_t>(m_hostPid) : 0;
    const bool fileChanged = end.how == HostEnd::How::Exit && end.code == kModelFileChangedExit;
    if (fileChanged && !m_lastWords.message.empty()) return failUnderWay(m_lastWords);
    recover(m_lastWords.message);
}

void Supervisor::failUnderWay(const Error& error) {
    const bool greeting = m_host == Host::Greeting;
    const bool reloaded = std::exchange(m_reloadId, 0) != 0;
    dropHost();
    for (auto each = m_calls.begin(); each != m_calls.end();) {
        const auto entry = each++;
        const bool waitedForModel = reloaded && modelUse(entry->call.body) == ModelUse::Uses;
        if (!greeting && !entry->sent && !waitedForModel) continue;
        if (entry->cancelling)
            finish(entry, cancelled(entry->call.body));
        else
            fail(entry, error);
    }
    advance();
}

void Supervisor::recover(const std::string& reason) {
    // What it wrote so far stays with whoever asked, who may ask it to go on.
    if (m_options.hostKind == HostKind::Bridge) return failUnderWay(bridgeLost());
    const bool greeting = m_host == Host::Greeting;
    const bool reloaded = std::exchange(m_reloadId, 0) != 0;
    dropHost();
    if (m_calls.empty()) return;
    m_failedStarts = greeting ? m_failedStarts + 1 : 0;

    bool wasBusy = false;
    bool foundCulprit = false;
    bool modelChanges = false;
    for (auto each = m_calls.begin(); each != m_calls.end();) {
        const auto entry = each++;
        const ModelUse use = modelUse(entry->call.body);
        modelChanges = modelChanges || use == ModelUse::Changes;
        const bool waitedForModel = reloaded && use == ModelUse::Uses && !modelChanges;
        if (!greeting && !entry->sent && !waitedForModel) continue;
        wasBusy = true;
        flush(*entry);
        entry->sent = false;
        entry->answerDeadline.reset();
        if (entry->cancelling) {
            finish(entry, cancelled(entry->call.body));
            continue;
        }
        // Who greets nobody says nothing about what it would have been asked.
        if (!greeting) ++entry->restarts;
        if (std::max(entry->restarts, m_failedStarts) > kMaxRestarts) {
            blame(entry, reason);
            foundCulprit = true;
        }
    }
    // The others were in bad company.
    if (foundCulprit)
        for (Entry& each : m_calls) each.restarts = 0;
    if (m_calls.empty()) {
        m_failedStarts = 0;
        return;
    }
    if (wasBusy) {
        const auto needsPlainKernels = [](const Entry& each) {
            return each.restarts == kMaxRestarts && modelUse(each.call.body) != ModelUse::None;
        };
        m_degraded = m_failedStarts == kMaxRestarts || std::ranges::any_of(m_calls, needsPlainKernels);
        notify(m_options.notices.restarted, m_degraded ? Recovery::ReferenceKernels : Recovery::SameWay);
    }
    advance();
}

void Supervisor::blame(Calls::iterator entry, const std::string& reason) {
    const std::string sentence = fmt::format("The engine stopped {} times while {} and was not started again",
                                             kMaxRestarts + 1, factsOf(entry->call.body).doing);
    const std::string_view request = std::visit(
        [](const auto& body) { return std::remove_cvref_t<decltype(body)>::kName; }, entry->call.body);
    fail(entry,
         withId<ErrorId::HostDied>(
             Error{ErrorCode::Device, reason.empty() ? sentence + "." : sentence + ": " + reason}, request));
}

void Supervisor::tick() {
    const TimePoint now = m_options.now();
    const auto givesUp = [now](const Entry& each) { return isDue(each.cancelDeadline, now); };
    if (isDue(m_hostDeadline, now)) {
        abandonHost(m_host == Host::Greeting ? "It does not answer." : "It closed its output.");
    } else if (std::ranges::any_of(m_calls, givesUp)) {
        abandonHost("It does not stop.");
    }
    bool anyEnded = false;
    for (auto each = m_calls.begin(); each != m_calls.end();) {
        const auto entry = each++;
        if (isDue(entry->flushAt, now)) flush(*entry);
        if (!isDue(entry->answerDeadline, now)) continue;
        stopWaiting(entry);
        anyEnded = true;
    }
    if (anyEnded) advance();  // it may have been on trial
    if (isDue(restAt(), now)) {
        // Which model it was stays known.
        m_hostHasModel = false;
        m_hostHasOthers = false;
        send(newId(), protocol::Unload{});
        tellAlsoLoaded({});
    }
}

void Supervisor::stopWaiting(Calls::iterator entry) {
    // The host goes on: what hangs is the disk.
    send(newId(), protocol::Cancel{entry->call.id});
    const std::string path = fileOf(entry->call.body);
    fail(entry, withId<ErrorId::FileUnreadable>(
                    Error{ErrorCode::Io, fmt::format("Nothing could be read for {} seconds: {}.",
                                                     std::chrono::seconds(kInspectLimit).count(), path)},
                    path));
}

std::optional<TimePoint> Supervisor::nextDeadline() const {
    std::optional<TimePoint> next = m_hostDeadline;
    const auto consider = [&next](const std::optional<TimePoint>& deadline) {
        if (deadline && (!next || *deadline < *next)) next = deadline;
    };
    for (const Entry& each : m_calls) {
        consider(each.cancelDeadline);
        consider(each.answerDeadline);
        consider(each.flushAt);
    }
    consider(restAt());
    return next;
}

void Supervisor::handle(const protocol::Event& event) {
    if (event.id == 0) {
        if (const auto* words = std::get_if<protocol::Failed>(&event.body)) m_lastWords = words->error;
        if (std::holds_alternative<protocol::Released>(event.body)) tellAlsoLoaded({});
        return;
    }
    if (event.id == m_helloId) return greeted(event.body);
    if (event.id == m_reloadId) return reloading(event.body);
    const auto entry = std::ranges::find_if(
        m_calls, [&event](const Entry& each) { return each.sent && each.call.id == event.id; });
    // Nobody waits for what is said about conversations that were told.
    if (entry != m_calls.end()) answered(entry, event.body);
}

void Supervisor::greeted(const protocol::EventBody& event) {
    m_helloId = 0;
    const auto* hello = std::get_if<protocol::HelloOk>(&event);
    if (hello == nullptr || hello->version != protocol::kVersion) {
        m_link.abandon();
        dropHost();
        return failAll(outdated(m_options.hostKind));
    }
    m_hostDeadline.reset();
    m_failedStarts = 0;
    m_host = Host::Ready;
    if (m_isProtected) send(newId(), protocol::Protect{});
    tellConversations();
    advance();
}

void Supervisor::reloading(const protocol::EventBody& event) {
    if (const auto* progress = std::get_if<protocol::Progress>(&event)) {
        return notify(m_options.notices.loadingAgain, *progress);
    }
    m_reloadId = 0;
    notify(m_options.notices.loadingAgain, protocol::Progress{.fraction = 1});
    const auto* loaded = std::get_if<protocol::Loaded>(&event);
    const auto* failed = std::get_if<protocol::Failed>(&event);
    if (loaded == nullptr && failed == nullptr)
        return abandonHost("It answered something else than it was asked.");
    // What is meant for one computer goes to no other.
    const bool isElsewhere =
        loaded != nullptr && m_options.hostKind == HostKind::Bridge && loaded->info.device != m_device.device;
    if (loaded != nullptr && !isElsewhere) {
        m_hostHasModel = true;
        m_lastUse = m_options.now();
        tellDevice({loaded->info.device, loaded->info.deviceNote});
        return advance();
    }
    const Error error = isElsewhere ? leadsElsewhere(m_device.device, loaded->info.device) : failed->error;
    for (auto each = m_calls.begin(); each != m_calls.end();) {
        const auto entry = each++;
        const ModelUse use = modelUse(entry->call.body);
        if (use == ModelUse::Changes) break;  // later ones wait for another model
        if (use == ModelUse::Uses) fail(entry, error);
    }
    advance();
}

void Supervisor::answered(Calls::iterator entry, const protocol::EventBody& event) {
    switch (entry->call.placeOf(event)) {
        case Place::Foreign:
            return abandonHost("It answered something else than it was asked.");
        case Place::Last:
            if (const auto* loaded = std::get_if<protocol::Loaded>(&event)) {
                m_hostHasModel = true;
                m_device = {loaded->info.device, loaded->info.deviceNote};
                tellAlsoLoaded(loaded->alsoLoaded);
            } else if (modelUse(entry->call.body) == ModelUse::Changes) {
                tellAlsoLoaded({});
            }
            finish(entry, wholly(event, *entry));
            return advance();
        case Place::Update:
            if (const auto* tokens = std::get_if<protocol::Tokens>(&event))
                return tokensCame(*entry, tokens->chunk);
            if (const auto* progress = std::get_if<protocol::Progress>(&event);
                progress != nullptr && !progress->moved.device.empty()) {
                tellDevice(progress->moved);
            }
            return deliver(*entry, event);
    }
}

/// The end of an answer, for all of it: a host counts what it has written itself.
protocol::EventBody Supervisor::wholly(protocol::EventBody last, const Entry& entry) {
    if (auto* done = std::get_if<protocol::Done>(&last))
        done->result.stats.newTokens += entry.numTokensBefore;
    return last;
}

void Supervisor::tokensCame(Entry& entry, const TokenChunk& chunk) {
    // After a crash the same request goes out again and continues behind these.
    auto& ids = std::get<protocol::Generate>(entry.call.body).request.resumeIds;
    ids.insert(ids.end(), chunk.ids.begin(), chunk.ids.end());
    entry.numTokens += static_cast<uint32_t>(chunk.ids.size());
    append(entry.unsent, chunk);
    if (m_options.tokenInterval.count() == 0) {
        flush(entry);
    } else if (!entry.flushAt) {
        entry.flushAt = m_options.now() + m_options.tokenInterval;
    }
    // It gets on, so others may run beside it again.
    if (std::exchange(entry.restarts, 0) == kMaxRestarts) advance();
}

void Supervisor::flush(Entry& entry) {
    entry.flushAt.reset();
    if (entry.unsent.ids.empty() && entry.unsent.pieces.empty()) return;
    deliver(entry, protocol::Tokens{std::exchange(entry.unsent, {})});
}

LoadOptions Supervisor::loadOptions() const {
    LoadOptions options = m_model->options;
    options.crashedProcess = m_crashedProcess;
    if (m_degraded) {
        options.backend = BackendChoice::Cpu;
        options.referenceKernels = true;
    }
    return options;
}

void Supervisor::tellDevice(const DeviceStatus& status) {
    if (status != std::exchange(m_device, status)) notify(m_options.notices.deviceChanged, status);
}

void Supervisor::tellAlsoLoaded(const std::string& path) {
    if (path != std::exchange(m_alsoLoaded, path)) notify(m_options.notices.alsoLoadedChanged, path);
}

void Supervisor::finish(Calls::iterator entry, protocol::EventBody last) {
    flush(*entry);
    if (factsOf(entry->call.body).usesMemory()) m_lastUse = m_options.now();
    deliver(*entry, std::move(last));
    m_calls.erase(entry);
}

void Supervisor::fail(Calls::iterator entry, Error error) {
    finish(entry, protocol::Failed{std::move(error), {}});
}

void Supervisor::failAll(const Error& error) {
    while (!m_calls.empty()) fail(m_calls.begin(), error);
}

void Supervisor::deliver(const Entry& entry, protocol::EventBody event) {
    m_options.execute([deliver = entry.call.deliver, event = std::move(event)] { deliver(event); });
}

template <typename... Args>
void Supervisor::notify(const std::function<void(Args...)>& notice,
                        const std::type_identity_t<Args>&... args) {
    if (notice) m_options.execute([notice, args...] { notice(args...); });
}

}  // namespace ingle::client
