/// What is said to the host and when, and what follows when it dies: no thread, no process and no clock of
/// its own, so that every case can be tried. One thread calls everything but newId().
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <list>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/client/call.h"
#include "app/client/host.h"
#include "app/protocol/framing.h"
#include "app/protocol/messages.h"
#include "ingle/result.h"

namespace ingle::client {

using TimePoint = std::chrono::steady_clock::time_point;

/// What was done after the host died in the middle of its work.
enum class Recovery {
    SameWay,           ///< started again with the same options
    ReferenceKernels,  ///< started again on the CPU with the scalar reference kernels
};

/// Whose the host is.
enum class HostKind {
    Own,     ///< started by this program, and again when it dies
    Bridge,  ///< the person starts it: when it is gone, what was under way fails, and a later request looks
             ///< for it again
};

/// What belongs to no request.
struct Notices {
    std::function<void(Recovery)> restarted = {};
    /// Another device computes from here on; told once.
    std::function<void(const DeviceStatus&)> deviceChanged = {};
    /// Of a model that is loaded again, by a new host or after a rest; ends with all of it, or with none.
    std::function<void(const protocol::Progress&)> loadingAgain = {};
    /// 0: no host runs.
    std::function<void(int64_t)> hostPidChanged = {};
    /// Path of the model that is in memory beside the one in use: it would be loaded at once. Empty: none.
    std::function<void(const std::string&)> alsoLoadedChanged = {};
};

struct Options {
    Notices notices = {};
    /// Tokens of an answer are handed over at most this often and merged in between; 0: as they come.
    std::chrono::milliseconds tokenInterval{0};
    /// Runs handlers and notices, in the order it is given them; empty: at once, on the client's thread.
    std::function<void(std::function<void()>)> execute = {};
    /// The time; empty: the system's.
    std::function<TimePoint()> now = {};
    HostKind hostKind = HostKind::Own;
    /// Gives requests their names: clients that share it have none twice.
    std::shared_ptr<std::atomic<protocol::RequestId>> lastId =
        std::make_shared<std::atomic<protocol::RequestId>>(0);
};

/// The host as the supervisor sees it.
class HostLink {
  public:
    virtual ~HostLink() = default;
    /// Starts a host, or finds one; returns its process id.
    virtual Result<int64_t> start() = 0;
    virtual void send(std::string bytes) = 0;
    /// Kills the host, or leaves it, and forgets it: nothing is heard of it any more.
    virtual void abandon() = 0;
};

/// Requests of the same model run beside each other, answers of one conversation one after another; what
/// changes the model waits for all that came before it, and what came after it waits. A host that dies is
/// started again (when it is needed), loads the model again, and everything that was under way is asked
/// again, answers behind the tokens they have. Each request bears two restarts without a new token: the first
/// in the same way, the second on the CPU with the reference kernels. After that second death nobody knows
/// which request is to blame, so those that were under way are tried one after another: the next when the one
/// before has got on (a token, or its end). One that brings the host down when it is its turn fails in one
/// sentence, the others go on.
class Supervisor {
  public:
    Supervisor(HostLink& link, Options options);

    /// For requests. Any thread.
    protocol::RequestId newId() { return ++*m_options.lastId; }

    void add(Call call);
    /// A generation ends with what it has; an import, a count, a look at files and what the host has not got
    /// yet, as cancelled.
    void cancel(protocol::RequestId id);
    /// Tells this host, and every later one, which conversations and documents there are.
    void retain(protocol::Retain kept);
    /// This host, and every later one before anything else, keeps its memory out of dumps.
    void protect();
    /// A model that nothing has used for so long gives its memory back; what uses it next has it loaded
    /// again. None: it stays.
    void restAfter(std::optional<std::chrono::milliseconds> idle);

    void received(std::string_view bytes);
    /// The host closed its end; it should be gone soon.
    void closed();
    /// The process has ended; all it said was received before.
    void ended(HostEnd end);

    /// What is due by now; nextDeadline() says when to call again.
    void tick();
    std::optional<TimePoint> nextDeadline() const;

  private:
    struct Entry {
        Call call;
        int restarts = 0;  ///< since the last sign of progress
        bool sent = false;
        bool cancelling = false;
        std::optional<TimePoint> cancelDeadline;
        std::optional<TimePoint> answerDeadline;  ///< of what waits for a disk
        TokenChunk unsent;                        ///< tokens to be handed over
        uint32_t numTokens = 0;                   ///< that came
        uint32_t numTokensBefore = 0;             ///< of them, from hosts that are gone
        std::optional<TimePoint> flushAt;
    };
    using Calls = std::list<Entry>;
    enum class Host { None, Greeting, Ready };

    void advance();
    void dispatch(Calls::iterator entry);
    void startHost();
    void dropHost();
    void abandonHost(const std::string& reason);
    void recover(const std::string& reason);
    /// What was with the host, and what waited for a model that it was loading.
    void failUnderWay(const Error& error);
    void blame(Calls::iterator entry, const std::string& reason);
    bool anySuspect() const;
    void stopWaiting(Calls::iterator entry);

    void send(protocol::RequestId id, protocol::RequestBody body);
    void sendCall(Calls::iterator entry, protocol::RequestBody body);
    void reloadModel();
    void handle(const protocol::Event& event);
    void greeted(const protocol::EventBody& event);
    void reloading(const protocol::EventBody& event);
    void answered(Calls::iterator entry, const protocol::EventBody& event);
    void tokensCame(Entry& entry, const TokenChunk& chunk);
    static protocol::EventBody wholly(protocol::EventBody last, const Entry& entry);

    LoadOptions loadOptions() const;
    void tellDevice(const DeviceStatus& status);
    void tellAlsoLoaded(const std::string& path);
    void tellConversations();
    /// When the model is to rest, as far as is known now.
    std::optional<TimePoint> restAt() const;
    void flush(Entry& entry);
    void finish(Calls::iterator entry, protocol::EventBody last);
    void fail(Calls::iterator entry, Error error);
    void failAll(const Error& error);
    void deliver(const Entry& entry, protocol::EventBody event);
    template <typename... Args>
    void notify(const std::function<void(Args...)>& notice, const std::type_identity_t<Args>&... args);

    HostLink& m_link;
    const Options m_options;
    Host m_host = Host::None;
    int64_t m_hostPid = 0;  ///< of the host that was started last
    protocol::MessageReader m_messages;
    protocol::RequestId m_helloId = 0;
    protocol::RequestId m_reloadId = 0;       ///< 0: no model is being loaded again
    std::optional<TimePoint> m_hostDeadline;  ///< for its greeting, or for its end
    int m_failedStarts = 0;                   ///< hosts that ended before they greeted
    Error m_lastWords{ErrorCode::Io, {}};     ///< what the host said about its own end

    Calls m_calls;                             ///< in the order they came
    std::optional<protocol::Load> m_model;     ///< what generations run on
    std::optional<protocol::Retain> m_retain;  ///< what every host is told
    bool m_isProtected = false;                ///< so is every host
    bool m_hostHasModel = false;
    bool m_hostHasOthers = false;  ///< the host may hold models beside it: an embedding model, a kept one
    std::optional<std::chrono::milliseconds> m_restAfter;
    TimePoint m_lastUse;  ///< of the model
    bool m_degraded = false;
    uint32_t m_crashedProcess = 0;  ///< the last host, if nobody ended it
    DeviceStatus m_device;          ///< what was told last
    std::string m_alsoLoaded;       ///< so was this
};

}  // namespace ingle::client
