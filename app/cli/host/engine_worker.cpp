#include "app/cli/host/engine_worker.h"

#include <algorithm>
#include <optional>
#include <thread>
#include <utility>

#include "app/cli/host/bus_error.h"
#include "app/cli/host/throttle.h"
#include "ingle/error_ids.h"
#include "ingle/stop_scope.h"
#include "ingle/version.h"

namespace ingle::cli {
namespace {

using protocol::WhenCancelled;

constexpr size_t kMaxWaitingRequests = 256;
constexpr size_t kMostCounts = 1;  // they compute, as the steps do
constexpr size_t kMostPictures = 1;
constexpr std::chrono::seconds kLookAtMemory{1};

WhenCancelled whenCancelled(const protocol::Request& request) {
    return factsOf(request.body).whenCancelled;
}

Error noModel() {
    return withId<ErrorId::NoModel>(Error{ErrorCode::InvalidArgument, "No model is loaded."});
}

protocol::EventBody textOf(const Vocabulary& vocabulary, std::span<const TokenId> ids) {
    auto text = vocabulary.detokenize(ids);
    if (!text) return protocol::Failed{withCodeId(std::move(text).error()), {}};
    return protocol::Counted{.tokens = static_cast<uint32_t>(ids.size()), .text = *std::move(text)};
}

uint64_t draftBytes(const Origin& origin) {
    return origin.draft ? origin.draft->bytes : 0;
}

uint64_t weightBytes(const Engine& engine, const Origin& origin) {
    return engine.info().memory.weightBytes + draftBytes(origin);
}

}  // namespace

/// Turns what happens to one generation, scoring or reading into events.
class EngineWorker::RequestSink final : public GenerateSink, public ScoreSink, public ReadSink {
  public:
    RequestSink(protocol::RequestId id, EventQueue& events, const Engine& engine)
        : m_id(id), m_events(events), m_engine(engine) {}

    void onPictures(double fraction) override {
        if (m_throttle.passes(fraction))
            m_events.push({m_id, protocol::Progress{fraction, "looking at pictures", {}}});
    }
    void onPlan(const PromptPlan& plan) override { m_events.push({m_id, protocol::Planned{plan}}); }
    void onProgress(uint32_t promptDone, uint32_t promptTotal) override {
        const double fraction = promptTotal > 0 ? double{1} * promptDone / promptTotal : 1;
        if (m_throttle.passes(fraction)) pushProgress(fraction);
    }
    void onDevice(const DeviceStatus& status) override {
        m_moved = status;
        pushProgress(0);
    }
    void onTokens(const TokenChunk& chunk) override { m_events.push({m_id, protocol::Tokens{chunk}}); }
    void onDone(const GenerateResult& result) override { m_last = {m_id, protocol::Done{result, receipt()}}; }
    void onScored(Scores scores) override { m_last = {m_id, protocol::Scored{std::move(scores), receipt()}}; }
    void onCost(const ReadCost& cost) override { m_events.push({m_id, protocol::ReadPlanned{cost}}); }
    void onRead(const ReadCost& cost) override { m_last = {m_id, protocol::ReadDone{cost}}; }
    void onError(const Error& error) override { m_last = {m_id, protocol::Failed{error}}; }

    bool finished() const { return m_last.has_value(); }
    /// The last event. It is kept back until the request is forgotten: who has read it may use the id again.
    protocol::Event takeLast() { return std::move(*m_last); }

  private:
    Receipt receipt() const {
        Receipt receipt = m_engine.receipt();
        receipt.program = version();
        return receipt;
    }
    void pushProgress(double fraction) {
        m_events.push({m_id, protocol::Progress{fraction, "reading the prompt", m_moved}});
    }

    const protocol::RequestId m_id;
    EventQueue& m_events;
    const Engine& m_engine;
    Throttle m_throttle;
    DeviceStatus m_moved;
    std::optional<protocol::Event> m_last;
};

EngineWorker::EngineWorker(EngineSource source, EventQueue& events, std::chrono::milliseconds pace)
    : m_source(std::move(source)),
      m_events(events),
      m_pace(pace),
      m_embeddings(m_source.embedder),
      m_counts(events, kMostCounts),
      m_pictures(events, kMostPictures) {}

EngineWorker::~EngineWorker() = default;

void EngineWorker::enqueue(protocol::Request request) {
    const protocol::RequestId id = request.id;
    {
        const std::scoped_lock lock(m_mutex);
        const bool taken = m_pending.contains(id);
        if (!taken && m_inbox.size() < kMaxWaitingRequests) {
            if (whenCancelled(request) == WhenCancelled::EndsInOrder) m_pending.emplace(id, Pending{});
            m_inbox.push_back(std::move(request));
            m_arrived.notify_one();
            return;
        }
    }
    fail(id, {ErrorCode::InvalidArgument,
              fmt::format("Request {} cannot be taken: its id is in use, or {} requests are waiting.", id,
                          kMaxWaitingRequests)});
}

void EngineWorker::cancel(protocol::RequestId target) {
    m_counts.cancel(target);
    m_pictures.cancel(target);
    const auto isIt = [target](const protocol::Request& each) {
        return each.id == target && whenCancelled(each) == WhenCancelled::EndsAtOnce;
    };
    size_t numWaiting = 0;
    {
        const std::scoped_lock lock(m_mutex);
        if (const auto pending = m_pending.find(target); pending != m_pending.end()) {
            pending->second.cancelled = true;
            if (pending->second.submitted) m_engine->cancel(*pending->second.submitted);
        }
        m_isServingCancelled = m_isServingCancelled || m_serving == target;
        numWaiting = std::erase_if(m_inbox, isIt) + std::erase_if(m_whenIdle, isIt);
    }
    if (numWaiting > 0) fail(target, withCodeId({ErrorCode::Cancelled, "It was cancelled."}));
}

std::optional<protocol::Request> EngineWorker::takeRequest(Wait wait) {
    std::unique_lock lock(m_mutex);
    if (wait == Wait::ForARequest && m_inbox.empty()) m_inbox.swap(m_whenIdle);
    if (wait == Wait::ForARequest) m_arrived.wait(lock, [&] { return !m_inbox.empty(); });
    if (m_inbox.empty()) return std::nullopt;
    protocol::Request request = std::move(m_inbox.front());
    m_inbox.pop_front();
    m_serving = request.id;
    m_isServingCancelled = false;
    return request;
}

void EngineWorker::stepGenerations() {
    const bool more = m_engine->step();
    std::erase_if(m_sinks, [&](const auto& entry) {
        const auto& [id, sink] = entry;
        if (!sink->finished() && !more) {
            sink->onError({ErrorCode::Device, "The engine stopped without finishing the answer."});
        }
        if (!sink->finished()) return false;
        forget(id);
        m_events.push(sink->takeLast());
        return true;
    });
    if (m_pace.count() > 0) std::this_thread::sleep_for(m_pace);
}

void EngineWorker::endGenerations() {
    m_counts.end();
    m_pictures.end();
    for (const auto& entry : m_sinks) cancel(entry.first);
    while (!m_sinks.empty()) stepGenerations();
}

bool EngineWorker::anyCancelled() {
    const std::scoped_lock lock(m_mutex);
    return std::ranges::any_of(m_pending, [](const auto& entry) {
        return entry.second.cancelled && entry.second.submitted.has_value();
    });
}

void EngineWorker::forget(protocol::RequestId id) {
    const std::scoped_lock lock(m_mutex);
    m_pending.erase(id);
}

std::unique_ptr<Engine> EngineWorker::setEngine(std::unique_ptr<Engine> engine) {
    const std::scoped_lock lock(m_mutex);
    return std::exchange(m_engine, std::move(engine));
}

void EngineWorker::setAside(const std::string& path, uint64_t needBytes) {
    m_kept.reset();
    auto before = setEngine(nullptr);
    const bool stays = path != m_origin->path && before->info().onProcessor &&
                       m_source.hasRoomFor(needBytes + weightBytes(*before, *m_origin));
    if (stays) m_kept = Kept{std::move(before), *m_origin};
}

void EngineWorker::switchToKept() {
    nameFileForBusErrors(m_kept->origin.path);
    m_kept->engine = setEngine(std::move(m_kept->engine));
    std::swap(m_kept->origin, *m_origin);
}

void EngineWorker::releaseInTime() {
    const auto now = std::chrono::steady_clock::now();
    if (!m_kept || now < m_nextLook) return;
    m_nextLook = now + kLookAtMemory;
    if (m_source.hasRoomFor(weightBytes(*m_engine, *m_origin) + weightBytes(*m_kept->engine, m_kept->origin)))
        return;
    m_kept.reset();
    m_events.push({0, protocol::Released{}});
}

void EngineWorker::fail(protocol::RequestId id, Error error) {
    m_events.push({id, protocol::Failed{withCodeId(std::move(error))}});
}

template <typename Work>
void EngineWorker::submit(protocol::RequestId id, Work work) {
    Error refusal = noModel();
    if (m_engine) {
        auto sink = std::make_unique<RequestSink>(id, m_events, *m_engine);
        auto submitted = m_engine->submit(std::move(work), *sink);
        if (submitted) {
            m_sinks.emplace(id, std::move(sink));
            const std::scoped_lock lock(m_mutex);
            Pending& pending = m_pending.at(id);
            pending.submitted = *submitted;
            if (pending.cancelled) m_engine->cancel(*submitted);
            return;
        }
        refusal = std::move(submitted).error();
    }
    forget(id);
    fail(id, std::move(refusal));
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Load& request) {
    Origin origin(request);
    if (m_kept && m_kept->origin == origin) {
        endGenerations();
        switchToKept();
        m_events.push({id, protocol::Loaded{m_engine->info(), m_kept->origin.path}});
        return;
    }
    if (m_engine) {
        // The model in use makes room first, but not for a file that cannot be loaded.
        auto need = [&] {
            const BusErrorAnswer answer(id, request.path);
            return m_source.fullNeed(request.path, request.options);
        }();
        if (!need) return fail(id, std::move(need).error());
        endGenerations();
        setAside(request.path, *need + draftBytes(origin));
    }
    nameFileForBusErrors(request.path);
    const auto load = [&] {
        Throttle throttle;
        return m_source.load(request.path, request.options, [&](double fraction, const char* phase) {
            if (throttle.passes(fraction)) m_events.push({id, protocol::Progress{fraction, phase}});
        });
    };
    auto engine = load();
    if (!engine && engine.error().code == ErrorCode::OutOfMemory && m_kept) {
        m_kept.reset();
        engine = load();
    }
    if (!engine) {
        m_kept.reset();
        protocol::Failed failed{std::move(engine).error()};
        if (failed.error.code == ErrorCode::OutOfMemory) {
            const BusErrorAnswer answer(id, request.path);
            if (auto info = m_source.inspect(request.path, request.options); info && !info->memory.fits())
                failed.memory = std::move(info->memory);
        }
        m_events.push({id, std::move(failed)});
        return;
    }
    setEngine(std::move(*engine));
    m_origin = std::move(origin);
    if (!m_engine->info().onProcessor) m_kept.reset();
    m_events.push({id, protocol::Loaded{m_engine->info(), m_kept ? m_kept->origin.path : std::string()}});
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Unload&) {
    endGenerations();
    m_kept.reset();
    setEngine(nullptr);
    m_embeddings.unload();
    m_events.push({id, protocol::Unloaded{}});
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Count& request) {
    if (!m_engine) return fail(id, noModel());
    if (!request.messages.empty()) {
        m_counts.enqueue(id, m_origin->path,
                         [engine = m_engine.get(), messages = request.messages]() -> protocol::EventBody {
                             auto size = engine->measure(messages);
                             if (!size) return protocol::Failed{withCodeId(std::move(size).error()), {}};
                             return protocol::Counted{size->tokens, size->room};
                         });
        return;
    }
    m_counts.enqueue(id, m_origin->path,
                     [vocabulary = m_engine->vocabulary(), request]() -> protocol::EventBody {
                         if (!request.ids.empty()) return textOf(*vocabulary, request.ids);
                         auto tokens = vocabulary->tokenize(request.text, {.addSpecial = request.addSpecial});
                         if (!tokens) return protocol::Failed{withCodeId(std::move(tokens).error()), {}};
                         protocol::Counted counted{.tokens = static_cast<uint32_t>(tokens->size())};
                         if (request.withIds) counted.ids = std::move(*tokens);
                         return counted;
                     });
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Preview& request) {
    if (!m_engine) return fail(id, noModel());
    m_counts.enqueue(
        id, m_origin->path,
        [engine = m_engine.get(), request = std::move(request.request)]() -> protocol::EventBody {
            auto preview = engine->preview(request);
            if (!preview) return protocol::Failed{withCodeId(std::move(preview).error()), {}};
            return protocol::Previewed{std::move(*preview)};
        });
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Generate& request) {
    submit(id, std::move(request.request));
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Score& request) {
    submit(id, std::move(request.score));
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Read& request) {
    submit(id, std::move(request.reading));
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Picture& request) {
    if (!m_engine) return fail(id, noModel());
    auto facts = [this, engine = m_engine.get(), request = std::move(request)]() -> Result<PictureFacts> {
        auto found = engine->findPicture(request.hash);
        // Also what was refused before: nobody has compared the hash with the bytes.
        const bool isNeeded = !found && found.error().id.starts_with("picture");
        if (!isNeeded || request.bytes.empty()) return found;
        const auto picture = m_source.decode(request.bytes);
        auto taken = picture ? engine->takePicture(request.hash, *picture)
                             : Result<PictureFacts>(tl::unexpected(picture.error()));
        if (!taken) engine->refusePicture(request.hash, taken.error());
        return taken;
    };
    m_pictures.enqueue(id, m_origin->path, [facts = std::move(facts)]() -> protocol::EventBody {
        auto taken = facts();
        if (!taken) return protocol::Failed{withCodeId(std::move(taken).error()), {}};
        return protocol::PictureTaken{std::move(*taken)};
    });
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Embed& request) {
    if (request.whenIdle && !m_sinks.empty()) {
        const std::scoped_lock lock(m_mutex);
        m_whenIdle.push_back({id, std::move(request)});
        return;
    }
    const BusErrorAnswer answer(id, request.model);
    auto rows = m_embeddings.of(request);
    if (!rows) return fail(id, std::move(rows).error());
    m_events.push({id, std::move(*rows)});
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Retain& request) {
    // What a cancelled generation still keeps must be there to be deleted.
    while (anyCancelled()) stepGenerations();
    m_source.retain(request);
    m_events.push({id, protocol::Retained{}});
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Devices&) {
    auto devices = m_source.devices();
    if (!devices) return fail(id, std::move(devices).error());
    m_events.push({id, protocol::DevicesListed{std::move(*devices)}});
}

template <>
void EngineWorker::serve(protocol::RequestId id, protocol::Computer&) {
    auto computer = m_source.computer();
    if (!computer) return fail(id, std::move(computer).error());
    m_events.push({id, protocol::ComputerDescribed{std::move(*computer)}});
}

void EngineWorker::serve(protocol::Request& request) {
    const StopScope scope([this] {
        const std::scoped_lock lock(m_mutex);
        return m_isServingCancelled;
    });
    std::visit(
        [&]<typename R>(R& body) {
            if constexpr (R::kFacts.thread == protocol::HostThread::Engine) serve(request.id, body);
        },
        request.body);
    const std::scoped_lock lock(m_mutex);
    m_serving.reset();
}

void EngineWorker::run() {
    for (;;) {
        const Wait wait = m_sinks.empty() ? Wait::ForARequest : Wait::No;
        if (auto request = takeRequest(wait)) {
            serve(*request);
        } else {
            releaseInTime();
            stepGenerations();
        }
    }
}

}  // namespace ingle::cli
