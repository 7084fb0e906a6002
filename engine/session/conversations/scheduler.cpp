#include "engine/session/conversations/scheduler.h"

#include <algorithm>
#include <numeric>

namespace ingle::session {
namespace {

using namespace std::chrono_literals;

/// A prompt is read in pieces of this share while answers are being written, so that these go on at a
/// readable pace.
constexpr size_t kSharedPrefillShare = 4;
/// Most prompts are made within a millisecond, and begin with the next step. The others would hold up every
/// answer and a cancel; they are made meanwhile.
constexpr std::chrono::milliseconds kUntilShortIsMade{50};

bool hasPictures(std::span<const ChatMessage> messages) {
    return std::ranges::any_of(messages, [](const ChatMessage& message) {
        return std::ranges::find(message.parts, PartKind::Image, &Part::kind) != message.parts.end();
    });
}

}  // namespace

Scheduler::Scheduler(Model& model, std::shared_ptr<SnapshotStore> snapshots, DraftModel* draft)
    : m_model(model),
      m_draft(draft),
      m_head(HeadPredictor::create(model)),
      // What a page of such a prompt holds depends on the whole prompt.
      m_snapshots(model, model.opened().bound.facts().readsPromptsWhole() ? nullptr : std::move(snapshots)),
      m_idle(model.opened().contextTokens) {}

GenerationId Scheduler::submit(GenerateRequest request, GenerateSink& sink) {
    std::unique_ptr<GuessSource> source;
    const bool isText = !hasPictures(request.messages);                  // heads and drafts read nothing else
    const bool isHeads = request.guesses == Guesses::Draft && !m_draft;  // one that was given as a draft
    if ((request.guesses == Guesses::LookUp || isHeads) && m_head && isText)
        source = m_head->guesses(request.sampler);
    else if (request.guesses == Guesses::LookUp)
        source = std::make_unique<LookUp>();
    if (request.guesses == Guesses::Draft && m_draft && isText) source = m_draft->guesses(request.sampler);
    auto speculation = source ? std::make_unique<Speculation>(std::move(source)) : nullptr;
    return submit(std::move(request), sink, std::move(speculation));
}

GenerationId Scheduler::submit(GenerateRequest request, GenerateSink& sink,
                               std::unique_ptr<Speculation> speculation) {
    const std::scoped_lock lock(m_mutex);
    m_waiting.push_back(std::make_shared<Generation>(m_nextId, std::move(request), sink));
    m_waiting.back()->speculate(std::move(speculation));
    m_changed.notify_one();
    return m_nextId++;
}

GenerationId Scheduler::submit(ScoreRequest request, ScoreSink& sink) {
    const std::scoped_lock lock(m_mutex);
    m_tasks.add(std::make_shared<Scoring>(m_nextId, std::move(request), sink));
    m_changed.notify_one();
    return m_nextId++;
}

GenerationId Scheduler::submit(ReadRequest request, ReadSink& sink) {
    const std::scoped_lock lock(m_mutex);
    m_tasks.add(std::make_shared<Reading>(m_nextId, std::move(request), sink, m_snapshots));
    m_changed.notify_one();
    return m_nextId++;
}

void Scheduler::cancel(GenerationId id) {
    const std::scoped_lock lock(m_mutex);
    m_tasks.cancel(id);
    m_changed.notify_one();
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
    stepTask(parts.empty() && m_running.empty() ? Idle::Yes : Idle::No);
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

void Scheduler::dropCancelled() {
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
        Generation& generation = **next++;
        if (!generation.cancelled()) continue;
        settle();
        generation.checkLimits();
        drop(generation);
    }
}

void Scheduler::admit() {
    dropCancelled();
    for (auto next = m_waiting.begin(); next != m_waiting.end();) {
        const auto current = next++;
        Generation& generation = **current;
        if (generation.ids().empty() && !generation.cancelled()) {
            const std::optional<Status> planned = plan(*current);
            if (!planned) continue;
            if (!*planned && planned->error().code != ErrorCode::Cancelled) {
                failWith(generation, planned->error());
                continue;
            }
        }
        if (generation.checkLimits() == Generation::Outcome::Finished) {
            drop(generation);
            continue;
        }
        if (m_running.size() >= m_mostRunning) return;
        if (sharesWhatIsBeingRead(generation)) continue;
        settle();  // a prompt is read next, whose beginning may be shared
        if (!begin(generation)) continue;
        const std::scoped_lock lock(m_mutex);
        m_running.splice(m_running.end(), m_waiting, current);
    }
}

std::optional<Status> Scheduler::plan(const std::shared_ptr<Generation>& generation) {
    const OpenedModel& model = m_model.opened();
    const auto take = [&](Result<Generation::Prepared> prompt) -> Status {
        if (!prompt) return tl::unexpected<Error>(std::move(prompt).error());
        return generation->plan(model, *std::move(prompt));
    };
    const auto isMade = [](const Planning& planning, std::chrono::milliseconds patience) {
        return planning.prompt.wait_for(patience) == std::future_status::ready;
    };
    std::erase_if(m_plannings,
                  [&](const Planning& each) { return each.generation->cancelled() && isMade(each, 0ms); });
    auto planning = std::ranges::find(m_plannings, generation, &Planning::generation);
    std::chrono::milliseconds patience = m_running.empty() ? kUntilItCanBegin : 0ms;
    if (planning == m_plannings.end()) {
        const bool isLong = generation->isLong();
        if (m_plannings.size() >= kMostPlannings) return std::nullopt;
        if (isLong && std::ranges::find(m_plannings, true, &Planning::isLong) != m_plannings.end())
            return std::nullopt;
        m_plannings.push_back({generation, isLong, std::async(std::launch::async, [generation, &model] {
                                   return generation->prepare(model);
                               })});
        planning = std::prev(m_plannings.end());
        if (!isLong) patience = kUntilShortIsMade;
    }
    if (!isMade(*planning, patience)) {
        generation->tellPictures();
        return std::nullopt;
    }
    Result<Generation::Prepared> prompt = planning->prompt.get();
    m_plannings.erase(planning);
    return take(std::move(prompt));
}

bool Scheduler::begin(Generation& generation) {
    // Not in the middle of an answer, neither of this one nor of another.
    if (!generation.pictures().empty() && !m_model.placement().place().takesPictures()) {
        failWith(generation, {ErrorCode::Unsupported,
                              "pictures are read by models that the processor computes, and this one is on "
                              "another device"});
        return false;
    }
    if (m_running.empty() &&
        std::ranges::none_of(m_waiting, [](const auto& waiting) { return waiting->started(); }))
        retryDevice(generation);
    auto sequence = m_finder.find(generation.text(), runningSequences());
    // Where memory is full of what others read, one waits; that says nothing of the device.
    const auto mayWait = [&] {
        return sequence.error().code == ErrorCode::OutOfMemory && !m_running.empty();
    };
    if (!sequence && !mayWait() && leaveDevice(sequence.error())) {
        generation.deviceChanged(m_model.placement().status());
        sequence = m_finder.find(generation.text(), runningSequences());
    }
    if (!sequence) {
        if (mayWait()) {
            m_mostRunning = m_running.size();
            return false;
        }
        failWith(generation, sequence.error());
        return false;
    }
    tellOfPictures(generation);
    generation.begin(m_model, std::move(*sequence));
    return true;
}

bool Scheduler::leaveDevice(const Error& error) {
    auto left = m_model.placement().leave(error);
    if (!left) return false;
    // What was idle is read again when somebody wants it.
    m_idle.clear();
    for (const auto& generation : m_running) generation->suspend();
    if (m_head) m_head->move();
    left->reset();
    const auto processor = m_model.placement().returnWithFewerLayers(2 * longestText());
    if (processor && m_head) m_head->move();
    for (const auto& generation : m_running) generation->deviceChanged(m_model.placement().status());
    const std::scoped_lock lock(m_mutex);
    m_waiting.splice(m_waiting.begin(), m_running);
    return true;
}

uint32_t Scheduler::longestText() {
    const std::scoped_lock lock(m_mutex);
    size_t longest = m_tasks.longestText();
    for (const Generations* list : {&m_waiting, &m_running})
        for (const auto& generation : *list) longest = std::max(longest, generation->ids().size());
    return static_cast<uint32_t>(longest);
}

bool Scheduler::postponeLast() {
    if (m_running.size() < 2) return false;
    m_running.back()->suspend();
    m_mostRunning = m_running.size() - 1;
    const std::scoped_lock lock(m_mutex);
    m_waiting.splice(m_waiting.begin(), m_running, std::prev(m_running.end()));
    return true;
}

void Scheduler::tellOfPictures(Generation& next) {
    const auto& pictures = m_model.opened().pictures;
    std::string note = pictures ? pictures->note() : std::string();
    if (note != std::exchange(m_toldOfPictures, note)) next.deviceChanged(m_model.placement().status());
}

void Scheduler::retryDevice(Generation& next) {
    const auto left = m_model.placement().retry(next.conversation());
    if (!left) return;
    m_idle.moveTo(m_model.memory());
    if (m_head) m_head->move();
    next.deviceChanged(m_model.placement().status());
}

bool Scheduler::sharesWhatIsBeingRead(const Generation& waiting) const {
    // States are past a common beginning by the time it has been read.
    if (m_model.memorySpec().hasStates()) return false;
    const size_t have = m_finder.longestInMemory(waiting.text(), runningSequences());
    return std::ranges::any_of(m_running, [&](const auto& running) {
        return running->reading() && commonBeginning(running->text(), waiting.text()) > have + kWorthFetching;
    });
}

std::vector<const CachedSequence*> Scheduler::runningSequences() const {
    std::vector<const CachedSequence*> sequences;
    for (const auto& running : m_running) sequences.push_back(&running->sequence());
    return sequences;
}

std::vector<Scheduler::Part> Scheduler::compose() {
    std::vector<Part> parts;
    for (auto next = m_running.begin(); next != m_running.end();) {
        Generation& generation = **next++;
        if (generation.checkLimits() == Generation::Outcome::Finished) {
            finish(generation);
        } else if (!generation.reading()) {
            parts.push_back({&generation, {generation.next(Model::kMaxDecoding)}});
        }
    }
    const size_t alone = m_model.placement().place().promptTokens();
    const size_t chunk = parts.empty() ? alone : alone / kSharedPrefillShare;
    const auto reader = std::ranges::find_if(m_running, [&](const auto& generation) {
        return generation->reading() && generation->mayRead(parts.empty() ? kUntilItCanBegin : 0ms);
    });
    if (reader == m_running.end()) {
        addGuesses(parts);
        return parts;
    }
    // It may be long, and has the step to itself: so a cancel ends it.
    if ((*reader)->mustReadWhole()) parts.clear();
    parts.push_back({reader->get(), {(*reader)->next(chunk)}});
    const std::scoped_lock lock(m_mutex);
    m_running.splice(m_running.end(), m_running, reader);  // another prompt's turn comes next
    return parts;
}

bool Scheduler::endsForGuesses(std::span<const Part> parts) {
    const size_t free = Model::kMaxDecoding - parts.size();
    const Speculation::Outlook outlook{.mostGuesses = (free + parts.size() - 1) / parts.size(),
                                       .answers = parts.size()};
    const bool isWanted = std::ranges::any_of(parts, [&](const Part& part) {
        return part.generation->wantsToGuess(m_model.opened(), outlook, m_costs);
    });
    if (isWanted) m_ahead->stopQueueing();
    return !m_ahead->hasNext();
}

void Scheduler::addGuesses(std::span<Part> parts) {
    if (parts.empty() || !m_model.placement().place().takesGuesses() ||
        m_model.opened().bound.facts().readsPromptsWhole())
        return;
    if (m_ahead) {
        if (!endsForGuesses(parts)) return;
        settle();
    }
    m_stepBegin = Clock::now();
    const size_t certainRows = numRows(parts);
    size_t rows = certainRows;
    size_t left = parts.size();
    for (Part& part : parts) {
        const size_t free = rows < Model::kMaxDecoding ? Model::kMaxDecoding - rows : 0;
        part.feed = part.generation->nextWithGuesses(m_model.opened(),
                                                     {.mostGuesses = (free + left - 1) / left,
                                                      .answers = parts.size(),
                                                      .extraRows = rows - parts.size()},
                                                     m_costs);
        rows += part.feed.numGuesses;
        --left;
    }
    // A draft that reads what it has to know is no part of what a step takes.
    if (rows == certainRows) m_stepBegin = Clock::now();
}

Status Scheduler::runProgram(std::span<const Part> parts) {
    StepRows rows(m_model.opened(), m_model.placement().place().takesPictures());
    std::vector<uint32_t> logitRows;
    for (const Part& part : parts) {
        const Generation::Feed& feed = part.feed;
        const CachedSequence& sequence = part.generation->sequence();
        INGLE_TRY(rows.add({.sequence = sequence.memory.get(),
                            .prefixTokens = sequence.prefixTokens,
                            .numGuesses = static_cast<uint32_t>(feed.numGuesses)},
                           feed.tokens, part.generation->pictures()));
        const size_t after = sequence.ids.size() + feed.certain().size();
        if (after < part.generation->ids().size()) continue;
        const size_t numRows = rows.tokens().size();
        for (size_t row = numRows - 1 - feed.numGuesses; row < numRows; ++row)
            logitRows.push_back(static_cast<uint32_t>(row));
    }
    // Others would have to repeat their part of the step.
    std::function<bool()> cancelled;
    if (parts.size() == 1) cancelled = [&] { return parts[0].generation->cancelled(); };
    const auto feed = [&] { return runStep(rows, logitRows, cancelled); };
    // What is kept for later is worth more than guesses.
    return hasGuesses(parts) ? feed() : m_finder.makingRoom(feed);
}

Status Scheduler::runStep(const StepRows& rows, std::span<const uint32_t> logitRows,
                          std::function<bool()> cancelled) {
    INGLE_TRY_ASSIGN(m_ran, m_model.placement().place().programFor(rows.tokens().size()));
    return m_ran->run(rows.step(logitRows, std::move(cancelled)));
}

bool Scheduler::hasGuesses(std::span<const Part> parts) {
    return std::ranges::any_of(parts, [](const Part& part) { return part.feed.numGuesses > 0; });
}

size_t Scheduler::numRows(std::span<const Part> parts) {
    return std::accumulate(parts.begin(), parts.end(), size_t{0},
                           [](size_t rows, const Part& part) { return rows + part.feed.tokens.size(); });
}

void Scheduler::run(std::span<const Part> parts) {
    const auto begin = std::exchange(m_stepBegin, std::nullopt);
    if (parts.size() == m_running.size() && !hasGuesses(parts) && runAhead(parts)) return;
    settle();
    if (const Status status = runProgram(parts); !status) {
        if (status.error().code == ErrorCode::Cancelled) return finishCancelled(*parts[0].generation);
        if (hasGuesses(parts)) {
            // No answer ends because a guess finds no room.
            std::vector<Part> certain(parts.begin(), parts.end());
            for (Part& part : certain) part.feed = {part.feed.certain()};
            return run(certain);
        }
        if (status.error().code == ErrorCode::OutOfMemory && postponeLast()) return;
        if (leaveDevice(status.error())) return;
        // One of them is the reason: alone, each of the others goes on.
        if (parts.size() == 1) return failWith(*parts[0].generation, status.error());
        for (size_t i = 0; i < parts.size(); ++i) {
            if (parts[i].generation->begun()) run(parts.subspan(i, 1));  // else the device was left meanwhile
        }
        return;
    }
    if (begin)
        m_costs.note(parts.size(), numRows(parts) - parts.size(),
                     std::chrono::duration<double>(Clock::now() - *begin).count());
    Rows rows;
    for (const Part& part : parts) {
        // It may be gone afterwards.
        const size_t after = part.generation->sequence().ids.size() + part.feed.certain().size();
        const bool wanted = after == part.generation->ids().size();
        if (!take(part, rows)) return;
        rows.first += part.feed.tokens.size();
        if (wanted) rows.firstLogits += static_cast<uint32_t>(1 + part.feed.numGuesses);
    }
}

void Scheduler::show(Generation& generation, size_t firstRow, size_t firstToken, size_t count) {
    if (!m_head) return;
    const size_t width = m_head->rowWidth();
    const std::span<const float> hidden = m_ran->hiddenRows();
    if (hidden.empty()) return;
    generation.see(firstToken, hidden.subspan(firstRow * width, count * width), width);
}

bool Scheduler::take(const Part& part, const Rows& rows) {
    Generation& generation = *part.generation;
    const size_t firstToken = generation.sequence().ids.size();
    const size_t numCertain = part.feed.certain().size();
    fed(generation, numCertain);
    if (!generation.wantsLogits()) {
        show(generation, rows.first, firstToken, numCertain);
        return true;
    }
    const std::span<const TokenId> guesses = part.feed.guesses();
    for (uint32_t taken = 0;; ++taken) {
        const auto logits = m_ran->readOutput(rows.firstLogits + taken);
        if (!logits) {
            if (leaveDevice(logits.error())) return false;
            failWith(generation, logits.error());
            return true;
        }
        const Generation::Outcome outcome = generation.take(m_model.opened(), *logits);
        const bool goesOn = outcome == Generation::Outcome::Running && taken < guesses.size() &&
                            generation.ids().back() == guesses[taken] && !generation.atLimit();
        if (goesOn) {
            generation.noteTaken();
            continue;
        }
        show(generation, rows.first, firstToken, numCertain + taken);
        const Status back = guesses.empty() ? Status() : endGuesses(generation, guesses.size(), taken);
        if (!back) return loseSequence(generation, outcome, back.error());
        endIfFinished(generation, outcome);
        return true;
    }
}

bool Scheduler::loseSequence(Generation& generation, Generation::Outcome outcome, const Error& error) {
    const bool goesOn = outcome == Generation::Outcome::Running;
    if (!goesOn) drop(generation);
    if (leaveDevice(error)) return false;
    if (goesOn) failWith(generation, error);
    return true;
}

Status Scheduler::endGuesses(Generation& generation, size_t guessed, size_t taken) {
    generation.noteGuesses(guessed, taken);
    backend::SequenceMemory& memory = *generation.sequence().memory;
    const auto certain = static_cast<uint32_t>(generation.sequence().ids.size());
    const auto wanted = certain + static_cast<uint32_t>(taken);
    // What a state cannot be had of is fed again, beside the next guesses.
    const bool reaches = m_model.memorySpec().statesReachBack(memory.length()) <= wanted;
    INGLE_TRY(memory.truncate(reaches ? wanted : certain));
    if (reaches && taken > 0) fed(generation, taken);
    return {};
}

backend::DecodeOrder Scheduler::orderAhead(std::span<const Part> parts) const {
    backend::DecodeOrder order{.rows = {}, .maxSteps = UINT32_MAX};
    for (const Part& part : parts) {
        order.rows.push_back(part.generation->decodeRow(m_model.opened()));
        order.maxSteps = std::min(order.maxSteps, part.generation->stepsAhead());
    }
    return order;
}

bool Scheduler::runAhead(std::span<const Part> parts) {
    const bool mayAll = std::ranges::all_of(parts, [](const Part& part) {
        return !part.generation->reading() && part.generation->mayDecodeAhead();
    });
    if (!mayAll) return false;
    if (m_ahead && !m_ahead->hasNext()) settle();
    if (!m_ahead) {
        auto queue = m_finder.makingRoom([&] { return m_model.program().decodeAhead(orderAhead(parts)); });
        // What kept it from beginning keeps a single step from it, too, and is dealt with there.
        if (!queue || !*queue) return false;
        m_ahead = std::move(*queue);
    }
    const auto ids = m_ahead->next();
    if (!ids) {
        settle();
        if (leaveDevice(ids.error())) return true;
        for (const Part& part : parts) failWith(*part.generation, ids.error());
        return true;
    }
    const auto now = Clock::now();
    if (const auto last = std::exchange(m_lastAhead, now))
        m_costs.note(parts.size(), 0, std::chrono::duration<double>(now - *last).count());
    // The queue ends where one of the answers does.
    const std::vector<TokenId> chosen(ids->begin(), ids->end());
    for (uint32_t i = 0; i < parts.size(); ++i) {
        Generation& generation = *parts[i].generation;
        const auto hidden = m_head ? m_ahead->hiddenRow(i) : std::span<const float>();
        if (!hidden.empty()) generation.see(generation.sequence().ids.size(), hidden, m_head->rowWidth());
    }
    for (size_t i = 0; i < parts.size(); ++i) {
        Generation& generation = *parts[i].generation;
        fed(generation, 1);
        endIfFinished(generation, generation.take(m_model.opened(), chosen[i]));
    }
    return true;
}

void Scheduler::fed(Generation& generation, size_t count) {
    const size_t before = generation.sequence().ids.size();
    generation.fed(count);
    const size_t now = generation.sequence().ids.size();
    const std::span<const size_t> ends = generation.messageEndsSince(before);
    for (const size_t end : ends) {
        keep(generation, ModelSnapshots::Extent::Everything, end);
        copyEnd(generation, end);
    }
    const bool pageFull = now % backend::kPageTokens < count;
    if (pageFull && (ends.empty() || ends.back() < now))
        keep(generation, ModelSnapshots::Extent::FullPages, now);
}

void Scheduler::endIfFinished(Generation& generation, Generation::Outcome outcome) {
    if (outcome == Generation::Outcome::Finished) finish(generation);
}

void Scheduler::keep(const Generation& generation, ModelSnapshots::Extent extent, size_t tokens) {
    settle();
    const CachedSequence& sequence = generation.sequence();
    m_snapshots.save(std::span(sequence.ids).first(tokens), *sequence.memory, extent,
                     generation.conversation());
}

void Scheduler::copyEnd(const Generation& generation, size_t end) {
    if (!m_model.memorySpec().hasStates() || !generation.isWorthACopy(end)) return;
    auto copy = generation.sequence().fork(end);
    if (!copy && m_idle.dropOldest()) copy = generation.sequence().fork(end);
    if (copy) m_idle.put(std::move(*copy));
}

void Scheduler::finish(Generation& generation) {
    keep(generation, ModelSnapshots::Extent::Everything, generation.sequence().ids.size());
    m_idle.put(generation.takeSequence());
    drop(generation);
}

void Scheduler::finishCancelled(Generation& generation) {
    static_cast<void>(generation.checkLimits());  // tells the sink
    if (generation.sequence().memory->length() == generation.sequence().ids.size()) return finish(generation);
    drop(generation);
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
