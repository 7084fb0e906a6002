#include "engine/session/conversations/scheduler.h"

#include <algorithm>
#include <chrono>
#include <numeric>
#include <thread>

namespace ingle::session {
namespace {

/// A prompt is read in smaller pieces while answers are being written, so that these go on at a readable
/// pace.
constexpr size_t kSharedPrefillTokens = 16;
/// Reading fewer tokens than this again is quicker than fetching them from disk or waiting for them.
constexpr size_t kWorthFetching = 32;
/// A task that cannot begin yet (the model file's hash is being computed) is asked again after this.
constexpr std::chrono::milliseconds kUntilItCanBegin{10};

}  // namespace

Scheduler::Scheduler(Model& model, std::shared_ptr<SnapshotStore> snapshots)
    : m_model(model),
      // What a page of such a prompt holds depends on the whole prompt.
      m_snapshots(model, model.opened().bound.facts().readsPromptsWhole() ? nullptr : std::move(snapshots)),
      m_idle(model.opened().contextTokens) {}

GenerationId Scheduler::submit(GenerateRequest request, GenerateSink& sink) {
    const std::scoped_lock lock(m_mutex);
    m_waiting.push_back(std::make_unique<Generation>(m_nextId, std::move(request), sink));
    return m_nextId++;
}

GenerationId Scheduler::submit(ScoreRequest request, ScoreSink& sink) {
    const std::scoped_lock lock(m_mutex);
    m_tasks.push_back(std::make_unique<Scoring>(m_nextId, std::move(request), sink));
    return m_nextId++;
}

GenerationId Scheduler::submit(ReadRequest request, ReadSink& sink) {
    const std::scoped_lock lock(m_mutex);
    m_tasks.push_back(std::make_unique<Reading>(m_nextId, std::move(request), sink, m_snapshots));
    return m_nextId++;
}

void Scheduler::cancel(GenerationId id) {
    const std::scoped_lock lock(m_mutex);
    for (const auto& task : m_tasks) {
        if (task->id() == id) task->cancel();
    }
    for (const Generations* list : {&m_waiting, &m_running}) {
        for (const auto& generation : *list) {
            if (generation->id() == id) generation->cancel();
        }
    }
}

bool Scheduler::step() {
    if (hasWork()) m_model.placement().beginWork();
    if (answersWait()) suspendTasks();
    admit();
    const std::vector<Part> parts = compose();
    if (!parts.empty()) run(parts);
    stepTask(parts.empty() ? Idle::Yes : Idle::No);
    if (m_running.empty()) m_model.placement().endWork();
    return hasWork();
}

bool Scheduler::hasWork() {
    const std::scoped_lock lock(m_mutex);
    return !m_waiting.empty() || !m_running.empty() || !m_tasks.empty();
}

bool Scheduler::answersWait() {
    const std::scoped_lock lock(m_mutex);
    return !m_waiting.empty();
}

BackgroundTask* Scheduler::nextTask(Idle idle) {
    const std::scoped_lock lock(m_mutex);
    for (const auto& task : m_tasks) {
        if (task->cancelled()) return task.get();
    }
    if (idle == Idle::No || m_tasks.empty()) return nullptr;
    const auto shortOne = std::ranges::find(m_tasks, false, [](const auto& task) { return task->isLong(); });
    return (shortOne == m_tasks.end() ? m_tasks.front() : *shortOne).get();
}

void Scheduler::admit() {
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
        const auto current = next++;
        Generation& generation = **current;
        settle();  // the next step is not of one answer alone any more, and a beginning may be shared
        if (generation.ids().empty() && !generation.cancelled()) {
            const Status planned = generation.plan(m_model.opened());
            if (!planned && planned.error().code != ErrorCode::Cancelled) {
                generation.failWith(planned.error());
                drop(generation);
                continue;
            }
        }
        if (generation.checkLimits(m_model.opened()) == Generation::Outcome::Finished) {
            drop(generation);
            continue;
        }
        if (m_running.size() >= m_mostRunning) return;
        if (sharesWhatIsBeingRead(generation) || !begin(generation)) continue;
        const std::scoped_lock lock(m_mutex);
        m_running.splice(m_running.end(), m_waiting, current);
    }
}

bool Scheduler::begin(Generation& generation) {
    // Not in the middle of an answer, neither of this one nor of another.
    if (m_running.empty() &&
        std::ranges::none_of(m_waiting, [](const auto& waiting) { return waiting->started(); }))
        retryDevice(generation);
    auto sequence = sequenceFor(generation.text());
    if (!sequence && leaveDevice(sequence.error())) {
        generation.deviceChanged(m_model.placement().status());
        sequence = sequenceFor(generation.text());
    }
    if (!sequence) {
        const bool full = sequence.error().code == ErrorCode::OutOfMemory;
        if (full && !m_running.empty()) {
            m_mostRunning = m_running.size();
            return false;
        }
        failWith(generation, sequence.error());
        return false;
    }
    generation.begin(m_model, std::move(*sequence));
    return true;
}

bool Scheduler::leaveDevice(const Error& error) {
    const auto left = m_model.placement().leave(error);
    if (!left) return false;
    // What was idle is read again when somebody wants it.
    m_idle.clear();
    for (const auto& generation : m_running) {
        generation->suspend();
        generation->deviceChanged(m_model.placement().status());
    }
    const std::scoped_lock lock(m_mutex);
    m_waiting.splice(m_waiting.begin(), m_running);
    return true;
}

bool Scheduler::postponeLast() {
    if (m_running.size() < 2) return false;
    m_running.back()->suspend();
    m_mostRunning = m_running.size() - 1;
    const std::scoped_lock lock(m_mutex);
    m_waiting.splice(m_waiting.begin(), m_running, std::prev(m_running.end()));
    return true;
}

void Scheduler::retryDevice(Generation& next) {
    const auto left = m_model.placement().retry(next.conversation());
    if (!left) return;
    m_idle.moveTo(m_model.memory());
    next.deviceChanged(m_model.placement().status());
}

template <typename Attempt>
auto Scheduler::makingRoom(Attempt attempt) {
    for (;;) {
        auto result = attempt();
        const bool full = !result && result.error().code == ErrorCode::OutOfMemory;
        if (!full || !m_idle.dropOldest()) return result;
    }
}

bool Scheduler::sharesWhatIsBeingRead(const Generation& waiting) const {
    // States are past a common beginning by the time it has been read.
    if (m_model.memorySpec().hasStates()) return false;
    const size_t have = longestInMemory(waiting.text());
    return std::ranges::any_of(m_running, [&](const auto& running) {
        return running->reading() && commonBeginning(running->text(), waiting.text()) > have + kWorthFetching;
    });
}

size_t Scheduler::longestInMemory(const SequenceText& text) const {
    size_t longest = m_idle.longestPrefix(text, m_model.memorySpec());
    for (const auto& running : m_running)
        longest = std::max(longest, running->sequence().usablePrefix(text, m_model.memorySpec()));
    return longest;
}

Result<CachedSequence> Scheduler::sequenceFor(const SequenceText& text) {
    return makingRoom([&] { return findSequence(text); });
}

Result<CachedSequence> Scheduler::findSequence(const SequenceText& text) {
    const std::span<const TokenId> ids = text.ids;
    const size_t onDisk = std::min(m_snapshots.longestPrefix(restorable(ids)), ids.size() - 1);
    if (onDisk >= longestInMemory(text) + kWorthFetching) {
        INGLE_TRY_ASSIGN(CachedSequence sequence, fromDisk(ids));
        if (!sequence.ids.empty()) return sequence;
    }
    return fromMemory(text);
}

std::span<const TokenId> Scheduler::restorable(std::span<const TokenId> ids) const {
    const auto last = static_cast<uint32_t>(ids.size() - 1);
    const bool forgetsLast = m_model.memorySpec().statesReachBack(last + 1) <= last;
    return forgetsLast ? ids : ids.first(last);
}

Result<CachedSequence> Scheduler::fromDisk(std::span<const TokenId> ids) {
    CachedSequence sequence;
    INGLE_TRY_ASSIGN(sequence.memory, m_model.memory().createSequence());
    INGLE_TRY_ASSIGN(size_t restored, m_snapshots.restore(restorable(ids), *sequence.memory));
    restored = std::min(restored, ids.size() - 1);
    INGLE_TRY(sequence.memory->truncate(static_cast<uint32_t>(restored)));
    sequence.ids.assign(ids.begin(), ids.begin() + static_cast<std::ptrdiff_t>(restored));
    return sequence;
}

Result<CachedSequence> Scheduler::fromMemory(const SequenceText& text) {
    const backend::MemorySpec& spec = m_model.memorySpec();
    const size_t idle = m_idle.longestPrefix(text, spec);
    for (const auto& running : m_running) {
        const size_t prefix = running->sequence().usablePrefix(text, spec);
        if (prefix > idle && prefix == longestInMemory(text)) return running->sequence().fork(prefix);
    }
    INGLE_TRY_ASSIGN(CachedSequence sequence, m_idle.take(text, spec));
    if (sequence.memory) return sequence;
    sequence.prefixTokens = text.prefixTokens;
    INGLE_TRY_ASSIGN(sequence.memory, m_model.memory().createSequence());
    return sequence;
}

std::vector<Scheduler::Part> Scheduler::compose() {
    std::vector<Part> parts;
    for (auto next = m_running.begin(); next != m_running.end();) {
        Generation& generation = **next++;
        if (generation.checkLimits(m_model.opened()) == Generation::Outcome::Finished) {
            finish(generation);
        } else if (!generation.reading()) {
            parts.push_back({&generation, generation.next(1)});
        }
    }
    const size_t chunk = parts.empty() ? Model::kPrefillTokens : kSharedPrefillTokens;
    const auto reader =
        std::ranges::find_if(m_running, [](const auto& generation) { return generation->reading(); });
    if (reader == m_running.end()) return parts;
    // A prefix may be long, and has the step to itself: so a cancel ends it.
    if ((*reader)->beginsWithPrefix()) parts.clear();
    parts.push_back({reader->get(), (*reader)->next(chunk)});
    const std::scoped_lock lock(m_mutex);
    m_running.splice(m_running.end(), m_running, reader);  // another prompt's turn comes next
    return parts;
}

Status Scheduler::runProgram(std::span<const Part> parts) {
    std::vector<TokenId> tokens;
    std::vector<backend::SequenceRun> runs;
    std::vector<uint32_t> logitRows;
    for (const Part& part : parts) {
        tokens.insert(tokens.end(), part.tokens.begin(), part.tokens.end());
        const CachedSequence& sequence = part.generation->sequence();
        runs.push_back(
            {sequence.memory.get(), static_cast<uint32_t>(part.tokens.size()), sequence.prefixTokens});
        const size_t after = sequence.ids.size() + part.tokens.size();
        if (after == part.generation->ids().size())
            logitRows.push_back(static_cast<uint32_t>(tokens.size() - 1));
    }
    // Others would have to repeat their part of the step.
    std::function<bool()> cancelled;
    if (parts.size() == 1) cancelled = [&] { return parts[0].generation->cancelled(); };
    return makingRoom([&] { return m_model.program().run({tokens, runs, logitRows, cancelled}); });
}

void Scheduler::run(std::span<const Part> parts) {
    if (m_running.size() == 1 && runAhead(*parts[0].generation)) return;
    settle();
    if (const Status status = runProgram(parts); !status) {
        if (status.error().code == ErrorCode::Cancelled) return finishCancelled(*parts[0].generation);
        if (leaveDevice(status.error())) return;
        if (status.error().code == ErrorCode::OutOfMemory && postponeLast()) return;
        // One of them is the reason: alone, each of the others goes on.
        if (parts.size() == 1) return failWith(*parts[0].generation, status.error());
        for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].generation->begun()) run(parts.subspan(i, 1));  // else the device was left meanwhile
        }
        return;
    }
    uint32_t logitIndex = 0;
    for (const Part& part : parts) {
        Generation& generation = *part.generation;
        fed(generation, part.tokens.size());
        if (!generation.wantsLogits()) continue;
        const auto logits = m_model.program().readOutput(logitIndex++);
        if (logits)
            endIfFinished(generation, generation.take(m_model.opened(), *logits));
        else if (leaveDevice(logits.error()))
            return;
        else
            failWith(generation, logits.error());
    }
}

bool Scheduler::runAhead(Generation& generation) {
    if (generation.reading() || !generation.mayDecodeAhead()) return false;
    if (!m_ahead) {
        auto queue =
            makingRoom([&] { return m_model.program().decodeAhead(generation.order(m_model.opened())); });
        // What kept it from beginning keeps a single step from it, too, and is dealt with there.
        if (!queue || !*queue) return false;
        m_ahead = std::move(*queue);
    }
    const auto id = m_ahead->next();
    if (id) {
        fed(generation, 1);
        endIfFinished(generation, generation.take(m_model.opened(), *id));
        return true;
    }
    settle();
    if (!leaveDevice(id.error())) failWith(generation, id.error());
    return true;
}

void Scheduler::fed(Generation& generation, size_t count) {
    generation.fed(count);
    const bool pageFull = generation.sequence().ids.size() % backend::kPageTokens < count;
    if (generation.atMessageEnd())
        keep(generation, ModelSnapshots::Extent::Everything);
    else if (pageFull)
        keep(generation, ModelSnapshots::Extent::FullPages);
}

void Scheduler::endIfFinished(Generation& generation, Generation::Outcome outcome) {
    if (outcome == Generation::Outcome::Finished) finish(generation);
}

void Scheduler::keep(const Generation& generation, ModelSnapshots::Extent extent) {
    settle();
    const CachedSequence& sequence = generation.sequence();
    m_snapshots.save(sequence.ids, *sequence.memory, extent, generation.conversation());
}

void Scheduler::finish(Generation& generation) {
    keep(generation, ModelSnapshots::Extent::Everything);
    m_idle.put(generation.takeSequence());
    drop(generation);
}

void Scheduler::finishCancelled(Generation& generation) {
    static_cast<void>(generation.checkLimits(m_model.opened()));  // tells the sink
    if (generation.sequence().memory->length() == generation.sequence().ids.size()) return finish(generation);
    drop(generation);
}

void Scheduler::suspendTasks() {
    const std::scoped_lock lock(m_mutex);
    for (const auto& task : m_tasks) {
        if (task->begun()) m_idle.put(task->suspend());
    }
}

void Scheduler::stepTask(Idle idle) {
    BackgroundTask* task = nextTask(idle);
    if (task == nullptr) return;
    if (!task->cancelled() && !task->canBegin()) {
        std::this_thread::sleep_for(kUntilItCanBegin);
        return;
    }
    if (!task->begun()) suspendTasks();
    const Status status = stepTask(*task);
    if (status && !task->finished()) return;
    suspendTasks();
    if (status)
        task->tellResult();
    else
        task->failWith(withCodeId(status.error()));
    const std::scoped_lock lock(m_mutex);
    m_tasks.remove_if([task](const auto& each) { return each.get() == task; });
}

Status Scheduler::stepTask(BackgroundTask& task) {
    if (task.cancelled()) return fail(ErrorCode::Cancelled, "cancelled");
    if (!task.planned()) return task.plan(m_model.opened());
    if (!task.begun()) {
        INGLE_TRY_ASSIGN(CachedSequence sequence, sequenceFor(task.text()));
        task.begin(std::move(sequence));
    }
    settle();
    const BackgroundTask::Next next = task.next(Model::kPrefillTokens, Model::kStepLogits);
    const CachedSequence& sequence = task.sequence();
    const backend::SequenceRun run{sequence.memory.get(), static_cast<uint32_t>(next.tokens.size()),
                                   sequence.prefixTokens};
    std::vector<uint32_t> rows(next.tokens.size() - next.firstRow);
    std::iota(rows.begin(), rows.end(), next.firstRow);
    const auto feed = [&]() -> Status {
        INGLE_TRY(makingRoom([&] {
            return m_model.program().run(
                {next.tokens, {&run, 1}, rows, [&task] { return task.cancelled(); }});
        }));
        task.fed(next.tokens.size());
        for (uint32_t i = 0; i < rows.size(); ++i) {
            INGLE_TRY_ASSIGN(const std::span<const float> logits, m_model.program().readOutput(i));
            task.take(m_model.opened(), logits);
        }
        return {};
    };
    const Status status = feed();
    if (status) return status;
    // What is in the sequence now is not certain; on the processor nothing may be of another device.
    task.restart();
    return leaveDevice(status.error()) ? Status() : status;
}

void Scheduler::failWith(Generation& generation, const Error& error) {
    generation.failWith(error);
    drop(generation);
}

void Scheduler::drop(Generation& generation) {
    m_mostRunning = Model::kMaxDecoding;
    const std::scoped_lock lock(m_mutex);
    for (Generations* list : {&m_waiting, &m_running})
        list->remove_if([&](const auto& entry) { return entry.get() == &generation; });
}

}  // namespace ingle::session
