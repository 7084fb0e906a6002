/// The engine thread of the host: takes requests one after the other, steps generations in between, and alone
/// touches the engine (but for Engine::cancel).
#pragma once

#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>

#include "app/cli/host/beside_engine.h"
#include "app/cli/host/embeddings.h"
#include "app/cli/host/event_queue.h"
#include "app/cli/host/origin.h"
#include "app/protocol/messages.h"
#include "ingle/engine.h"
#include "ingle/recognition.h"

namespace ingle::cli {

/// How models are inspected and loaded: inspectModel and Engine::load, or stand-ins in tests.
struct EngineSource {
    /// Any thread.
    std::function<Result<ModelInfo>(const std::string& path, const LoadOptions& options)> inspect;
    std::function<Result<std::unique_ptr<Engine>>(const std::string& path, const LoadOptions& options,
                                                  const ProgressFn& progress)>
        load;
    /// As ingle/memory_room.h tells them.
    std::function<Result<uint64_t>(const std::string& path, const LoadOptions& options)> fullNeed;
    std::function<bool(uint64_t bytes)> hasRoomFor;
    std::function<Result<DeviceList>()> devices;
    std::function<Result<ComputerInfo>()> computer;
    /// Deletes what is kept on disk for any other conversation or document.
    std::function<void(const protocol::Retain& kept)> retain;
    /// Any thread.
    std::function<std::vector<Recognition>(const std::vector<std::string>& paths, const LoadOptions& options)>
        recognise;
    /// Writes another file, on a thread of its own.
    std::function<Result<protocol::Imported>(const protocol::Import& request, const ProgressFn& progress,
                                             const std::function<bool()>& isCancelled)>
        import;
    Embeddings::Load embedder;
    /// Decodes the file of a picture in a process of its own. Any thread; ends as StopScope says.
    std::function<Result<ingle::Picture>(const std::string& bytes)> decode;
};

class EngineWorker {
  public:
    /// `pace` is slept after every step (for tests that need slow answers).
    EngineWorker(EngineSource source, EventQueue& events, std::chrono::milliseconds pace);
    ~EngineWorker();

    /// Serves requests for ever; this is the engine thread.
    [[noreturn]] void run();

    /// Hands over a request for HostThread::Engine. Any thread; does not wait: when too many are waiting the
    /// request is answered by Failed.
    void enqueue(protocol::Request request);
    /// Ends what is under way in order, within one step, what waits and ends at once (WhenCancelled), and the
    /// rendering or tokenizing of a request that this thread is serving. Any thread.
    void cancel(protocol::RequestId target);

  private:
    class RequestSink;

    /// A generation, scoring or reading between enqueue and its last event.
    struct Pending {
        std::optional<GenerationId> submitted;
        bool cancelled = false;
    };
    enum class Wait { ForARequest, No };
    /// The model that was in use before, idle, to be used again at once. Both compute on the processor: what
    /// a second one leaves of a device's memory is not known. Its weights, which may be mapped, count as free
    /// memory though it is there for them, so it is kept only while there is room for those of both.
    struct Kept {
        std::unique_ptr<Engine> engine;
        Origin origin;
    };

    std::optional<protocol::Request> takeRequest(Wait wait);
    void stepGenerations();
    void endGenerations();
    bool anyCancelled();
    /// Runs the handler of `request`.
    void serve(protocol::Request& request);
    void forget(protocol::RequestId id);
    /// Returns the one before.
    std::unique_ptr<Engine> setEngine(std::unique_ptr<Engine> engine);
    /// Keeps the model in use, or frees it: another one comes, which needs so much.
    void setAside(const std::string& path, uint64_t needBytes);
    /// The kept model comes into use, and the other one is kept.
    void switchToKept();
    /// Frees the kept model when the one in use needs its memory.
    void releaseInTime();

    /// The handlers: a request for this thread without one does not compile.
    template <typename R>
    void serve(protocol::RequestId id, R& request) = delete;
    /// Hands a generation, scoring or reading to the engine.
    template <typename Work>
    void submit(protocol::RequestId id, Work work);
    void fail(protocol::RequestId id, Error error);

    const EngineSource m_source;
    EventQueue& m_events;
    const std::chrono::milliseconds m_pace;

    std::mutex m_mutex;  ///< guards the members up to the engine; only the engine thread changes m_engine
    std::condition_variable m_arrived;
    std::deque<protocol::Request> m_inbox;
    std::deque<protocol::Request> m_whenIdle;  ///< back to the inbox once nothing is under way
    std::map<protocol::RequestId, Pending> m_pending;
    std::optional<protocol::RequestId> m_serving;
    bool m_isServingCancelled = false;
    std::unique_ptr<Engine> m_engine;

    // The engine thread's.
    std::map<protocol::RequestId, std::unique_ptr<RequestSink>> m_sinks;
    std::optional<Origin> m_origin;                      ///< of the model in use
    std::optional<Kept> m_kept;                          ///< only beside one in use
    std::chrono::steady_clock::time_point m_nextLook{};  ///< at the memory that is free
    Embeddings m_embeddings;
    BesideEngine m_counts;    ///< of texts
    BesideEngine m_pictures;  ///< that are decoded
};

}  // namespace ingle::cli
