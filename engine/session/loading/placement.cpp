#include "engine/session/loading/placement.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <numeric>
#include <utility>

#include "engine/backend/split/experts_backend.h"
#include "engine/base/cpu_features.h"
#include "engine/graph/lower.h"
#include "engine/session/devices/computer.h"
#include "engine/session/devices/hang_guard.h"
#include "engine/session/devices/speed_check.h"
#include "engine/session/loading/model.h"
#include "ingle/error_ids.h"

namespace ingle::session {
namespace {

/// How long a device may take until its first step is done. Its driver compiles shaders, once; the weights
/// come from a disk that may be slow.
std::chrono::seconds startLimit(uint64_t weightBytes) {
    constexpr uint64_t kBytesPerSecond = uint64_t{8} << 20;
    return std::chrono::seconds(180 + weightBytes / kBytesPerSecond);
}

/// What is reserved of a memory that cannot grow.
struct Reserve {
    uint32_t contexts;   ///< whose keys and values are kept
    uint32_t sequences;  ///< whose recurrent states are kept
    bool leavesOthers;   ///< with room for the tower that encodes pictures, and for a head that predicts
};
/// Each of the sequences of a step may fill the context, and as much again is kept for later.
constexpr Reserve kUsual{2, backend::kUsualSequences, true};
/// One may, and the others share what is there for later.
constexpr Reserve kSmall{1, backend::kUsualSequences, true};
constexpr Reserve kLeast{1, backend::kLeastSequences, false};

/// Tokens that memory which grows has room for at first: a usual conversation.
constexpr uint32_t kFirstTokens = 4096;

uint32_t firstTokens(const PlaceNeeds& needs) {
    return std::max(kFirstTokens, needs.tokens);
}

/// Tokens that are kept, with room for the longest step behind windows.
uint64_t reservedTokens(const Reserve& reserve, const backend::Backend& backend, const OpenedModel& model) {
    const uint32_t stepTokens = Model::kMaxDecoding + backend.promptRows();
    return uint64_t{reserve.contexts} * model.shape.memory.mostKept(model.contextTokens, stepTokens);
}

/// Adds the weights of what predicts further tokens to `plan`, the model's, and returns what else it takes.
uint64_t addHead(backend::Plan& plan, const backend::Backend& backend, const PredictionHead& head,
                 const LoadOptions& options) {
    const auto add = [&](const graph::Graph& graph, const backend::MemorySpec& memory,
                         const backend::MemoryNeed& need) {
        const backend::Plan part = lowerHead(graph, options);
        plan.weights.insert(plan.weights.end(), part.weights.begin(), part.weights.end());
        return backend.workBytes(part, memory, need);
    };
    uint64_t bytes = add(head.graph, head.bound.definition->memory(),
                         {options.kv, PredictionHead::kContext, backend::kUsualSequences});
    if (head.fusion) bytes += add(head.fusion->graph, {}, {});
    return bytes;
}

/// Whether so much fits beside the weights. Errors: OutOfMemory.
Status roomFor(const Reserve& reserve, const PlaceNeeds& needs, backend::Backend& backend,
               const backend::Plan& plan, const OpenedModel& model, const LoadOptions& options) {
    uint64_t tokens = reservedTokens(reserve, backend, model);
    if (needs.growth == Growth::AsNeeded) tokens = std::min<uint64_t>(tokens, firstTokens(needs));
    backend::MemoryNeed need{
        .kv = options.kv, .tokens = tokens, .sequences = reserve.sequences, .kvMemory = options.kvMemory};
    if (!reserve.leavesOthers) return backend.checkRoom(plan, model.shape.memory, need);
    if (model.sight) need.otherBytes = model.sight->fileBytes;
    backend::Plan withHead = plan;
    // The head of a split model is the processor's.
    if (model.head && backend.facts().hasHiddenRows && &backend.forOthers() == &backend)
        need.otherBytes += addHead(withHead, backend, *model.head, options);
    return backend.checkRoom(withHead, model.shape.memory, need);
}

std::string trialName(const OpenedModel& model) {
    return fmt::format("{} {}", model.info.path, model.info.fileBytes);
}

/// What decides which kernels compute a model, and with which numbers: its matrices, and what options say of
/// it.
std::string kernelsOf(const OpenedModel& model, const LoadOptions& options) {
    std::string text;
    for (const auto& [name, tensor] : model.file.tensors)
        text += fmt::format("{} {} {}\n", name, tensor.format->name, fmt::join(tensor.shape.dims, "x"));
    for (const auto& [key, value] : options.overrides) text += fmt::format("{}={}\n", key, value);
    return text;
}

/// Whether steps on `backend` may have the rows of pictures.
PictureSteps pictureStepsOn(const backend::Backend& backend, const OpenedModel& model) {
    const bool takesPictures = model.sight && backend.supports(backend::OpCode::PictureRows);
    return takesPictures ? PictureSteps::Yes : PictureSteps::No;
}

bool maySplit(const backend::Backend& device, const LoadOptions& options) {
    return device.facts().hasOwnMemory || options.deviceBytes > 0;
}

}  // namespace

backend::Plan lowerModel(const OpenedModel& model, const LoadOptions& options, uint32_t maxTokens,
                         uint32_t maxLogitRows, PictureSteps pictures, HiddenRows hidden) {
    const graph::Graph& graph = pictures == PictureSteps::Yes ? model.sight->graph : model.graph;
    return graph::lower(graph, {.maxTokens = maxTokens,
                                .maxLogitRows = maxLogitRows,
                                .fusion = options.fuse ? graph::Fusion::On : graph::Fusion::Off,
                                .keepHidden = hidden == HiddenRows::Kept});
}

backend::Plan lowerHead(const graph::Graph& graph, const LoadOptions& options) {
    return graph::lower(graph, {.maxTokens = PredictionHead::kStepTokens,
                                .fusion = options.fuse ? graph::Fusion::On : graph::Fusion::Off,
                                .keepHidden = true});
}

Result<std::unique_ptr<Place>> Place::create(std::shared_ptr<backend::Backend> backend,
                                             const OpenedModel& model, const LoadOptions& options,
                                             const PlaceNeeds& needs) {
    std::unique_ptr<Place> place(new Place(model, options));
    place->m_backend = std::move(backend);
    const backend::MemorySpec& memory = model.shape.memory;
    const backend::Plan plan = place->lowerStep();
    const auto fits = [&](const Reserve& reserve) {
        return roomFor(reserve, needs, *place->m_backend, plan, model, options);
    };
    Reserve reserve = kLeast;
    INGLE_TRY(fits(reserve));
    for (const Reserve& more : {kSmall, kUsual})
        if (fits(more)) reserve = more;
    const Reserve most =
        needs.growth == Growth::Foreseen ? reserve : Reserve{Model::kMostContexts, reserve.sequences};
    const auto tokensOf = [&](const Reserve& wanted) {
        return static_cast<uint32_t>(
            std::min<uint64_t>(reservedTokens(wanted, *place->m_backend, model), UINT32_MAX));
    };
    // The computer's memory holds no more than it has left.
    const uint32_t reserved = options.kvMemory == KvMemory::Main
                                  ? std::clamp(needs.limits.tokens, tokensOf(kLeast), tokensOf(most))
                                  : tokensOf(most);
    INGLE_TRY_ASSIGN(place->m_memory,
                     place->m_backend->createMemory(
                         memory, {.kv = options.kv,
                                  .maxTokens = needs.limits.tokens,
                                  .maxLength = model.contextTokens,
                                  .reservedTokens = reserved,
                                  .firstTokens = std::min(firstTokens(needs), tokensOf(reserve)),
                                  .reservedSequences = reserve.sequences,
                                  .maxSequences = needs.limits.sequences,
                                  .kvMemory = options.kvMemory,
                                  .kvMayOverflow = needs.kvMayOverflow}));
    INGLE_TRY_ASSIGN(place->m_program, place->m_backend->compile(plan, *place->m_memory));
    const backend::BackendFacts facts = place->m_backend->facts();
    place->m_takesGuesses = facts.takesGuesses && facts.onProcessor;
    return place;
}

uint32_t Place::promptTokens() const {
    return m_backend->promptRows();
}

backend::Plan Place::lowerStep() const {
    return lowerModel(
        m_model, m_options, Model::stepTokens(m_model.bound.facts(), m_model.contextTokens, promptTokens()),
        Model::kStepLogits, pictureStepsOn(*m_backend, m_model),
        m_model.head && m_backend->facts().hasHiddenRows ? HiddenRows::Kept : HiddenRows::Dropped);
}

Status Place::tryOut() {
    INGLE_TRY_ASSIGN(const auto sequence, m_memory->createSequence());
    const TokenId token = 0;
    const backend::SequenceRun run{sequence.get(), 1};
    const uint32_t row = 0;
    INGLE_TRY(m_program->run({{&token, 1}, {&run, 1}, {&row, 1}}));
    INGLE_TRY(m_program->readOutput(0));
    return {};
}

Status Place::tryGuesses(PassedTrials& passed, std::string_view trial) {
    const models::ModelFacts& model = m_model.bound.facts();
    if (!m_backend->facts().takesGuesses || model.pooling || model.readsPromptsWhole()) return {};
    m_takesGuesses = !trial.empty() && passed.has(trial);
    if (m_takesGuesses) return {};
    INGLE_TRY_ASSIGN(m_takesGuesses, areRowsAlike());
    if (m_takesGuesses && !trial.empty()) passed.add(trial);
    return {};
}

Result<bool> Place::areRowsAlike() {
    INGLE_TRY_ASSIGN(const auto sequence, m_memory->createSequence());
    std::vector<TokenId> tokens;
    for (uint32_t i = 0; i < Model::kMaxDecoding; ++i)
        tokens.push_back(static_cast<TokenId>((i * 7919 + 1) % m_model.bound.facts().vocabSize));
    std::vector<float> alone;
    for (uint32_t together = 1; together <= tokens.size(); together *= 2) {
        INGLE_TRY(sequence->truncate(0));
        std::vector<float> logits;
        for (size_t at = 0; at < tokens.size(); at += together) {
            const backend::SequenceRun run{sequence.get(), together};
            std::vector<uint32_t> rows(together);
            std::iota(rows.begin(), rows.end(), 0U);
            INGLE_TRY(m_program->run({std::span(tokens).subspan(at, together), {&run, 1}, rows}));
            for (const uint32_t row : rows) {
                INGLE_TRY_ASSIGN(const std::span<const float> values, m_program->readOutput(row));
                logits.insert(logits.end(), values.begin(), values.end());
            }
        }
        if (together == 1)
            alone = std::move(logits);
        else if (std::memcmp(logits.data(), alone.data(), alone.size() * sizeof(float)) != 0)
            return false;
    }
    return true;
}

Status Place::renewProgram() {
    m_program.reset();
    INGLE_TRY_ASSIGN(m_program, m_backend->compile(lowerStep(), *m_memory));
    return {};
}

Result<std::unique_ptr<backend::Program>> Place::compile(uint32_t maxTokens, uint32_t maxLogitRows) {
    return m_backend->compile(
        lowerModel(m_model, m_options, maxTokens, maxLogitRows, pictureStepsOn(*m_backend, m_model)),
        *m_memory);
}

bool Place::takesPictures() const {
    return pictureStepsOn(*m_backend, m_model) == PictureSteps::Yes;
}

Result<backend::Program*> Place::programFor(size_t rows) {
    if (rows <= Model::stepTokens(m_model.bound.facts(), m_model.contextTokens, promptTokens()))
        return m_program.get();
    if (rows > m_longRows) {
        m_longProgram.reset();
        m_longRows = 0;
        INGLE_TRY_ASSIGN(m_longProgram, compile(static_cast<uint32_t>(rows), Model::kStepLogits));
        m_longRows = rows;
    }
    return m_longProgram.get();
}

Result<std::unique_ptr<Placement>> Placement::create(OpenedModel& model, const LoadOptions& options,
                                                     DeviceFactory device, DeviceCheck check) {
    std::unique_ptr<Placement> placement(new Placement(model, options, std::move(device), std::move(check)));
    INGLE_TRY(placement->choose());
    return placement;
}

void Placement::beginWork() {
    if (m_state == State::OnDevice && m_marks && !m_work) m_work = m_marks->begin(DeviceMarks::Phase::Work);
}

void Placement::endWork() {
    if (!m_work) return;
    m_work.reset();
    m_marks->forgive();
}

Status Placement::choose() {
    const uint32_t context = m_model.contextTokens;
    auto device = createOnDevice();
    if (device && *device) {
        moveTo(std::move(*device), State::OnDevice, m_used->fullNote());
        return {};
    }
    m_used.reset();
    if (!device && m_options.backend != BackendChoice::Auto) return tl::unexpected(device.error());
    m_model.setContext(context);
    INGLE_TRY(checkFit(m_model.info.memory));
    INGLE_TRY_ASSIGN(auto processor, createOnProcessor());
    moveTo(std::move(processor), State::OnProcessor,
           device ? std::string()
                  : fmt::format("The graphics device is not used, so the processor computes: {}",
                                device.error().message));
    return {};
}

Status Placement::checkFit(const MemoryEstimate& memory) const {
    if (memory.fits() || m_options.loadAnyway) return {};
    return withId<ErrorId::TooLittleMemory>(
        fail(ErrorCode::OutOfMemory, "{}", refusalOf(memory, m_model.info.name)), m_model.info.name,
        memory.needBytes(), memory.availableBytes);
}

Status Placement::expandWeights() {
    // What is expanded lies in the computer's memory, whoever computes with it.
    if (m_model.file.expandedBytes() > 0) INGLE_TRY(checkFit(m_model.info.memory));
    return m_model.file.expand(m_options.threads ? m_options.threads : base::physicalCores());
}

void Placement::shortenContext(backend::Backend& device) {
    // Only its weights count.
    const backend::Plan plan = lowerModel(m_model, m_options, Model::kStepTokens, Model::kStepLogits);
    const auto shortenUntil = [&](const Reserve& reserve, uint32_t least) {
        while (m_model.contextTokens > least && !roomFor(reserve, {}, device, plan, m_model, m_options))
            m_model.setContext(shorterContext(m_model.contextTokens));
    };
    // What is more than usual is worth less than a second conversation.
    shortenUntil(kUsual, usualContext(m_model.shape));
    shortenUntil(kLeast, kLeastContext);
}

DeviceStatus Placement::status() const {
    DeviceStatus status{m_model.info.device, m_model.info.deviceNote};
    const std::string ofPictures = m_model.pictures ? m_model.pictures->note() : std::string();
    if (!status.note.empty() && !ofPictures.empty()) status.note += ' ';
    status.note += ofPictures;
    return status;
}

Result<std::unique_ptr<Place>> Placement::leave(const Error& error) {
    const bool isFull = error.code == ErrorCode::OutOfMemory;
    if (m_state != State::OnDevice || (error.code != ErrorCode::Device && !isFull))
        return tl::unexpected(error);
    auto processor = createOnProcessor();
    if (!processor) return tl::unexpected(error);
    std::string note = fmt::format("{} failed, so the processor goes on: {}", m_place->backend().deviceName(),
                                   error.message);
    if (!isFull || !maySplit(*m_used->backend, m_options)) m_used.reset();
    return moveTo(std::move(*processor), State::Left, std::move(note));
}

std::unique_ptr<Place> Placement::returnWithFewerLayers(uint32_t tokens) {
    if (m_state != State::Left || !m_used) return nullptr;
    const HangGuard guard(startLimit(m_model.info.weightBytes));
    auto place = createSplit(m_used->share ? *m_used->share + 1 : 0, tokens);
    if (!place) {
        m_used.reset();
        return nullptr;
    }
    return moveTo(std::move(*place), State::OnDevice, m_used->fullNote());
}

std::unique_ptr<Place> Placement::retry(const std::string& conversation) {
    if (m_state != State::Left || !m_retried.insert(conversation).second) return nullptr;
    auto device = createOnDevice();
    if (!device || !*device) {
        m_used.reset();
        return nullptr;
    }
    return moveTo(std::move(*device), State::OnDevice, m_used->fullNote());
}

Result<std::unique_ptr<Place>> Placement::createOnDevice() {
    const HangGuard guard(startLimit(m_model.info.weightBytes));
    INGLE_TRY_ASSIGN(ChosenDevice device, m_device(m_options));
    if (!device.backend) return nullptr;
    m_used = UsedDevice{device.backend, device.note};
    INGLE_TRY(expandWeights());
    const uint32_t context = m_model.contextTokens;
    const bool isChosen = !m_place && m_options.contextTokens == 0;
    if (isChosen) shortenContext(*device.backend);
    auto place = createWhole(device);
    if (!place && place.error().code == ErrorCode::OutOfMemory && maySplit(*device.backend, m_options)) {
        if (isChosen) m_model.setContext(context);
        // While its memory is empty: they look at layers that will stay with the processor, too.
        INGLE_TRY(checkParts(device));
        place = createSplit(0, 0);
    }
    if (!place) return place;
    m_marks = std::move(device.marks);
    return place;
}

Result<PlaceNeeds> Placement::needsOnDevice(const backend::Backend& device) const {
    const backend::MemorySpec& memory = m_model.shape.memory;
    const backend::Plan plan = lowerModel(m_model, m_options, Model::kStepTokens, Model::kStepLogits);
    PlaceNeeds needs{.kvMayOverflow = !maySplit(device, m_options) || !canBeShared(plan, memory)};
    ModelShape shape = m_model.shape;
    std::optional<base::SystemMemory> system;
    if (m_options.kvMemory == KvMemory::Main) {
        MemoryEstimate conversations = m_model.info.memory;
        conversations.weightBytes = shape.weightBytes = 0;
        INGLE_TRY(checkFit(conversations));
        system = knownSystemMemory();
    }
    needs.limits = poolLimits(shape, m_options.kv, m_model.contextTokens, Model::kMostContexts, system);
    return needs;
}

Result<std::unique_ptr<Place>> Placement::createWhole(const ChosenDevice& device) {
    INGLE_TRY_ASSIGN(const PlaceNeeds needs, needsOnDevice(*device.backend));
    INGLE_TRY_ASSIGN(auto place, Place::create(device.backend, m_model, m_options, needs));
    INGLE_TRY_ASSIGN(const bool simplified, checkKernels(*device.backend, device.note));
    if (simplified) INGLE_TRY(place->renewProgram());
    if (device.mustBeFaster)
        INGLE_TRY(checkSpeed(*device.backend, m_model.bound, trialName(m_model), m_options));
    if (device.use) INGLE_TRY(place->tryOut());
    PassedTrials alike(m_options.trials.folder, "alike.txt");
    INGLE_TRY(place->tryGuesses(alike, simplified ? std::string() : trialOf(*device.backend, device.note)));
    return place;
}

Status Placement::checkParts(const ChosenDevice& device) {
    const auto check = [&](backend::Backend& backend) -> Status {
        INGLE_TRY(checkKernels(backend, device.note));
        if (!device.mustBeFaster) return {};
        return checkSpeed(backend, m_model.bound, trialName(m_model), m_options, DeviceShare::Part);
    };
    const Status whole = check(*device.backend);
    // A layer of a large mixture may be more than the device has room for.
    if (!whole && whole.error().code != ErrorCode::OutOfMemory) return whole;
    if (backend::split::mixturesOf(lowerModel(m_model, m_options, 1, 1)).empty()) return whole;
    INGLE_TRY_ASSIGN(auto processor, createProcessor(m_options));
    const auto numLayers = static_cast<uint32_t>(m_model.graph.layerEnds.size());
    const auto rest =
        backend::split::createExpertsBackend(std::move(processor), device.backend, numLayers, numLayers);
    m_used->leavesExperts = check(*rest).has_value();
    return m_used->leavesExperts ? Status() : whole;
}

std::string Placement::trialOf(const backend::Backend& backend, const std::string& note) const {
    return fmt::format("{}\n{}\n{}\n{} {} {} {}\n{}", backend.deviceName(), note, trialName(m_model),
                       m_model.contextTokens, static_cast<int>(m_options.kv),
                       static_cast<int>(m_options.activations), m_options.fuse,
                       kernelsOf(m_model, m_options));
}

Result<bool> Placement::checkKernels(backend::Backend& backend, const std::string& note) const {
    PassedTrials right(m_options.trials.folder, "right.txt");
    const std::string trial = trialOf(backend, note);
    if (right.has(trial)) return false;
    const auto tried = [&] { return m_check(backend, m_model.bound, m_model.contextTokens, m_options); };
    Status status = tried();
    bool simplified = false;
    // Other kernels only help against wrong values, not against memory that is full, say.
    const auto isWrong = [&] { return !status && status.error().code == ErrorCode::Device; };
    for (; isWrong() && backend.simplify(); simplified = true) status = tried();
    INGLE_TRY(status);
    if (!simplified) right.add(trial);
    return simplified;
}

Result<std::unique_ptr<Place>> Placement::createSplit(uint32_t firstShare, uint32_t tokens) {
    const backend::Backend& device = *m_used->backend;
    INGLE_TRY_ASSIGN(const std::shared_ptr<backend::Backend> processor, createProcessor(m_options));
    // A share may read prompts in shorter steps than the device would.
    std::map<uint32_t, backend::Plan> plans;
    const auto planOn = [&](const backend::Backend& backend) -> const backend::Plan& {
        const uint32_t rows =
            Model::stepTokens(m_model.bound.facts(), m_model.contextTokens, backend.promptRows());
        auto known = plans.find(rows);
        if (known == plans.end())
            known = plans
                        .emplace(rows, lowerModel(m_model, m_options, rows, Model::kStepLogits,
                                                  pictureStepsOn(backend, m_model)))
                        .first;
        return known->second;
    };
    const ModelShares shares(planOn(device), m_model.shape.memory, processor, m_used->backend);
    if (!m_used->leavesExperts) firstShare = std::max(firstShare, shares.firstOfLayers());
    for (uint32_t index = firstShare; index < shares.count();) {
        const std::optional<ModelShare> share = shares.at(index);
        const PlaceNeeds needs{.growth = Growth::AsNeeded, .tokens = tokens};
        if (!share || !roomFor(kLeast, needs, *share->backend, planOn(*share->backend), m_model, m_options)) {
            ++index;
            continue;
        }
        auto place = createShared(*share, tokens);
        if (place) {
            m_used->share = index;
            m_used->shareNote = share->note;
        }
        if (place || place.error().code != ErrorCode::OutOfMemory) return place;
        index += shares.stepFrom(index);
    }
    return fail(ErrorCode::OutOfMemory, "{} has no room for a layer", device.deviceName());
}

Result<std::unique_ptr<Place>> Placement::createShared(const ModelShare& share, uint32_t tokens) const {
    MemoryEstimate left = m_model.info.memory;
    left.weightBytes = std::min(left.weightBytes, share.processorBytes);
    INGLE_TRY(checkFit(left));
    ModelShape shape = m_model.shape;
    shape.weightBytes = left.weightBytes;
    INGLE_TRY_ASSIGN(auto place,
                     Place::create(share.backend, m_model, m_options,
                                   {.limits = poolLimits(shape, m_options.kv, m_model.contextTokens,
                                                         Model::kMostContexts, knownSystemMemory()),
                                    .growth = Growth::AsNeeded,
                                    .tokens = tokens}));
    INGLE_TRY(place->tryOut());
    PassedTrials alike(m_options.trials.folder, "alike.txt");
    INGLE_TRY(place->tryGuesses(alike, trialOf(place->backend(), m_used->note)));
    return place;
}

Result<std::unique_ptr<Place>> Placement::createOnProcessor() {
    INGLE_TRY(expandWeights());
    INGLE_TRY_ASSIGN(auto backend, createProcessor(m_options));
    return Place::create(std::move(backend), m_model, m_options,
                         {.limits = poolLimits(m_model.shape, m_options.kv, m_model.contextTokens,
                                               Model::kMostContexts, knownSystemMemory())});
}

std::unique_ptr<Place> Placement::moveTo(std::unique_ptr<Place> place, State state, std::string note) {
    m_work.reset();
    m_state = state;
    m_model.info.backend = place->backend().name();
    m_model.info.onProcessor = place->backend().facts().onProcessor;
    m_model.info.device = place->backend().deviceName();
    m_model.info.deviceNote = std::move(note);
    return std::exchange(m_place, std::move(place));
}

}  // namespace ingle::session
