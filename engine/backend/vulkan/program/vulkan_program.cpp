#include "engine/backend/vulkan/program/vulkan_program.h"

#include <chrono>
#include <cstring>

#include "engine/backend/op_facts.h"
#include "engine/backend/vulkan/memory/picture_buffer.h"
#include "engine/sampling/sampler.h"

namespace ingle::backend::vulkan {
namespace {

/// Rows a recording is made for: few sizes, little waste.
uint32_t recordedRows(uint32_t rows) {
    if (rows == 0) return 0;
    return rows <= kMaxMatvecRows ? std::bit_ceil(rows) : (rows + 15) / 16 * 16;
}

StepCapacity capacityOf(const Plan& plan) {
    return {recordedRows(plan.maxTokens), std::max(recordedRows(plan.maxLogitRows), 1U)};
}

/// Multiply-adds of the run's matrices.
uint64_t workOf(const OpRun& run, const Plan& plan, const RowCounts& rows) {
    uint64_t work = 0;
    for (size_t i = 0; i < run.size(); ++i) {
        if (run.outputs(i).empty()) continue;
        const uint32_t numRows = run.rows(run.output(i)) == RowKind::Token ? rows.tokens : rows.logits;
        for (const uint32_t weight : run.op(i).weights) {
            if (plan.weights[weight].use == WeightUse::Matrix)
                work += numRows * plan.weights[weight].tensor->shape.numElems();
        }
    }
    return work;
}

std::span<const std::byte> hostBytes(const BufferRange& range) {
    return {range.host, range.bytes};
}

/// A run that only computes rows whose logits nobody wants is left out.
bool isIdle(const OpRun& run, const RowCounts& rows) {
    const auto outputs = run.outputs(run.size() - 1);
    return rows.logits == 0 && !outputs.empty() && run.rows(outputs[0].value) == RowKind::Logit;
}

}  // namespace

VulkanProgram::VulkanProgram(const Plan& plan, VulkanMemoryPool& memory, std::shared_ptr<WeightStore> weights)
    : m_plan(plan),
      m_limits(m_plan),
      m_memory(memory),
      m_weights(std::move(weights)),
      m_capacity(capacityOf(plan)),
      m_deviceMemory(memory.context().device, MemoryUse::Device),
      m_writeMemory(memory.context().device, MemoryUse::HostWrite),
      m_readMemory(memory.context().device, MemoryUse::HostRead),
      m_budget(memory.context().device.info().kind == DeviceKind::Discrete ? SubmissionBudget::kFirstOfCard
                                                                           : SubmissionBudget::kFirst) {}

Result<std::unique_ptr<VulkanProgram>> VulkanProgram::create(const Plan& plan, VulkanMemoryPool& memory,
                                                             std::shared_ptr<WeightStore> weights,
                                                             Fusion fusion) {
    INGLE_TRY(checkMemory(plan, memory.spec()));
    std::unique_ptr<VulkanProgram> program(new VulkanProgram(plan, memory, std::move(weights)));
    INGLE_TRY(program->allocate());
    INGLE_TRY_ASSIGN(program->m_fused, program->layOut(fusion));
    INGLE_TRY(program->compileKernels());
    INGLE_TRY(program->commandsFor({1, 1}));
    if (!plan.elsewhere) INGLE_TRY(program->recordDecode(1));
    return program;
}

uint64_t VulkanProgram::bufferBytes(const Plan& plan, Fusion fusion, const DeviceContext& context) {
    const auto runs = scheduleOps(plan, fusion);
    if (!runs || runs->empty()) return 0;
    const StepCapacity capacity = capacityOf(plan);
    uint64_t bytes = 0;
    for (const uint64_t size : planValues(plan, *runs, {capacity.rows, capacity.logitRows}).sizes)
        bytes += alignUp(size);
    ProgramRanges ranges;
    const DeviceInfo& info = context.device.info();
    for (const WantedRange& wanted : wantedRanges(ranges, plan, capacity, context))
        if (heapOf(info, wanted.use) == heapOf(info, MemoryUse::Device)) bytes += alignUp(wanted.bytes);
    return bytes;
}

Status VulkanProgram::allocate() {
    const DeviceContext& context = m_memory.context();
    const std::vector<WantedRange> wanted = wantedRanges(m_ranges, m_plan, m_capacity, context);
    for (Allocator* memory : {&m_deviceMemory, &m_writeMemory, &m_readMemory}) {
        std::vector<BufferRange*> ranges;
        std::vector<uint64_t> sizes;
        for (const WantedRange& each : wanted) {
            if (each.use != memory->use()) continue;
            ranges.push_back(each.range);
            sizes.push_back(each.bytes);
        }
        INGLE_TRY_ASSIGN(const auto made, memory->allocate(sizes));
        for (size_t i = 0; i < ranges.size(); ++i) *ranges[i] = made[i];
    }
    INGLE_TRY_ASSIGN(m_decode.sampler, TokenSampler::create(context, kNumTurns, mostQueuedRows(m_capacity)));
    m_decode.hiddenWidth = m_plan.hidden ? m_plan.hidden->width : 0;
    m_decode.hidden = m_ranges.turnsHidden;
    Recorder begin(context.device, context.pipelines);
    INGLE_TRY(copyStep(begin));
    INGLE_TRY_ASSIGN(m_decode.begin, begin.finish());
    if (m_ranges.arrivals.bytes == 0) return {};
    Recorder zero(context.device, context.pipelines);
    INGLE_TRY(zero.fill(m_ranges.arrivals, 0));
    return m_memory.run(zero);
}

Status VulkanProgram::copyHidden(Recorder& recorder, uint32_t numRows, const BufferRange& to) const {
    if (!m_plan.hidden) return {};
    const uint64_t bytes = std::min(numRows * paddedWidth(m_plan.hidden->width) * sizeof(float), to.bytes);
    return recorder.copy(m_fused.values[m_plan.hidden->value].part(0, bytes), to.part(0, bytes));
}

void VulkanProgram::takeHidden(uint32_t numRows) {
    if (!m_plan.hidden) return;
    const size_t width = m_plan.hidden->width;
    m_hiddenRows.resize(numRows * width);
    for (uint32_t row = 0; row < numRows; ++row)
        std::memcpy(m_hiddenRows.data() + row * width,
                    m_ranges.hostHidden.host + row * paddedWidth(m_plan.hidden->width) * sizeof(float),
                    width * sizeof(float));
}

Status VulkanProgram::write(const Step& step) {
    writeStep(step, hostStep());
    if (m_ranges.pictures.bytes == 0) return {};
    writePictures(step, {reinterpret_cast<PictureEntry*>(m_ranges.hostPictures.host), m_capacity.rows});
    if (m_limits.inputWidth > 0) writeInput(step);
    if (m_limits.pictureWidth == 0 || step.inputRows.empty()) return {};
    const auto bytes = std::as_bytes(step.inputRows);
    return m_memory.context().transfer.upload(m_ranges.pictureRows.part(0, bytes.size()), bytes);
}

uint64_t VulkanProgram::inputBytes(size_t rows) const {
    return rows * paddedWidth(m_limits.inputWidth) * sizeof(float);
}

void VulkanProgram::writeInput(const Step& step) {
    const size_t width = m_limits.inputWidth, numRows = step.tokens.size();
    // Rows that only fill a recording up are computed with, too.
    std::memset(m_ranges.hostInput.host, 0, inputBytes(recordedRows(static_cast<uint32_t>(numRows))));
    for (size_t row = 0; row < numRows; ++row)
        std::memcpy(m_ranges.hostInput.host + inputBytes(row), step.inputRows.data() + row * width,
                    width * sizeof(float));
}

Status VulkanProgram::copyStep(Recorder& recorder) const {
    INGLE_TRY(recorder.copy(m_ranges.hostStep, m_ranges.step));
    if (m_ranges.pictures.bytes > 0) INGLE_TRY(recorder.copy(m_ranges.hostPictures, m_ranges.pictures));
    return {};
}

Result<VulkanProgram::Layout> VulkanProgram::layOut(Fusion fusion) const {
    Layout layout;
    INGLE_TRY_ASSIGN(layout.runs, scheduleOps(m_plan, fusion));
    const ValueBuffers buffers = planValues(m_plan, layout.runs, {m_capacity.rows, m_capacity.logitRows});
    layout.memory = std::make_unique<Allocator>(m_memory.context().device, MemoryUse::Device);
    INGLE_TRY_ASSIGN(const auto ranges, layout.memory->allocate(buffers.sizes));
    for (const auto& buffer : buffers.bufferOf)
        layout.values.push_back(buffer ? ranges[*buffer] : BufferRange{});
    return layout;
}

ProgramBuffers VulkanProgram::buffersOf(const Layout& layout) const {
    return {.values = layout.values,
            .step = m_ranges.step,
            .scratch = m_ranges.scratch,
            .arrivals = m_ranges.arrivals,
            .unused = m_ranges.unused,
            .rowForms = m_ranges.rowForms,
            .expertPlan = m_ranges.expertPlan,
            .pictures = m_ranges.pictures,
            .pictureRows = m_ranges.pictureRows,
            .inputRows = m_ranges.hostInput,
            .partInputs = m_ranges.partInputs,
            .partOutput = m_ranges.partOutput};
}

OpRecording VulkanProgram::opRecording(const ProgramBuffers& buffers, const RowCounts& rows, RowForms& forms,
                                       DispatchTarget target) {
    return {m_plan, buffers, m_memory, *m_weights, rows, forms, target};
}

/// Those of every number of rows, so that none is left to fail, or to wait for, in the middle of an answer.
Status VulkanProgram::compileKernels() {
    // Uploads the weights on the way, which tells the kinds of matrices there are.
    INGLE_TRY_ASSIGN(auto kernels, kernelsOfAllRows());
    const DeviceContext& context = m_memory.context();
    const auto matrices = m_weights->matrices();
    INGLE_TRY(context.matmulKernels.measure(matrices, m_capacity.rows, m_ranges.scratch.bytes, context.device,
                                            context.pipelines));
    INGLE_TRY(context.matvecShapes.measure(matrices, context.matmulKernels));
    INGLE_TRY_ASSIGN(kernels, kernelsOfAllRows());
    INGLE_TRY(context.pipelines.compile(kernels));
    return {};
}

Result<std::vector<PipelineSpec>> VulkanProgram::kernelsOfAllRows() {
    std::vector<PipelineSpec> kernels;
    const ProgramBuffers buffers = buffersOf(m_fused);
    for (uint32_t power = 1; power < 2 * m_capacity.rows; power *= 2) {
        const uint32_t tokens = std::min(power, m_capacity.rows);
        const RowCounts rows{tokens, std::min({tokens, kMaxMatvecRows, m_capacity.logitRows})};
        RowForms forms;
        for (const ScheduledRun& scheduled : m_fused.runs) {
            OpRecording out = opRecording(buffers, rows, forms, &kernels);
            INGLE_TRY(scheduled.kernel->record(scheduled.run, out));
        }
    }
    return kernels;
}

Result<const StepCommands*> VulkanProgram::commandsFor(const RowCounts& rows) {
    forgetMoved();
    StepCommands& commands = m_recorded[rows];
    if (!commands.empty() && commands.fits(m_budget)) return &commands;
    const auto begin = [&](Recorder& recorder) { return copyStep(recorder); };
    const auto end = [&](Recorder& recorder) -> Status {
        INGLE_TRY(copyHidden(recorder, rows.tokens, m_ranges.hostHidden));
        if (rows.logits == 0) return {};
        const uint64_t bytes = rows.logits * paddedWidth(m_plan.output.width) * sizeof(float);
        return recorder.copy(logits().part(0, bytes), m_ranges.hostLogits.part(0, bytes));
    };
    INGLE_TRY_ASSIGN(commands, record(rows, begin, end));
    return &commands;
}

void VulkanProgram::forgetMoved() {
    if (std::exchange(m_recordedMoves, m_memory.numMoves()) == m_memory.numMoves()) return;
    m_recorded.clear();
    m_decode.turns.clear();
}

Result<const DecodeTurns*> VulkanProgram::recordDecode(uint32_t numRows) {
    forgetMoved();
    DecodeTurns& turns = m_decode.turns[numRows];
    if (!turns[0].empty() && turns[0].fits(m_budget)) return &turns;
    for (uint32_t turn = 0; turn < kNumTurns; ++turn) {
        const TokenSampler::Buffers buffers{logits(), m_ranges.step, m_ranges.scratch};
        const auto begin = [](Recorder&) -> Status { return {}; };
        const auto end = [&](Recorder& recorder) -> Status {
            INGLE_TRY(copyHidden(recorder, numRows, m_decode.hidden[turn]));
            return m_decode.sampler->record(turn, numRows, m_plan.output.width, buffers, recorder);
        };
        INGLE_TRY_ASSIGN(turns[turn], record({numRows, numRows}, begin, end));
    }
    return &turns;
}

Result<StepCommands> VulkanProgram::record(const RowCounts& rows, const RecordFunction& begin,
                                           const RecordFunction& end) {
    const DeviceContext& context = m_memory.context();
    const ProgramBuffers buffers = buffersOf(m_fused);
    StepRecorder step(context.device, context.pipelines, m_budget);
    INGLE_TRY(begin(step.recorder()));
    RowForms forms;
    for (const ScheduledRun& scheduled : m_fused.runs) {
        if (isIdle(scheduled.run, rows)) continue;
        INGLE_TRY(step.beginPiece(workOf(scheduled.run, m_plan, rows)));
        OpRecording out = opRecording(buffers, rows, forms, &step.recorder());
        INGLE_TRY(scheduled.kernel->record(scheduled.run, out));
        if (out.leftPart()) INGLE_TRY(step.leave(*out.leftPart()));
    }
    INGLE_TRY(end(step.recorder()));
    return step.finish();
}

Status VulkanProgram::run(const Step& step) {
    INGLE_TRY(m_limits.check(step));
    std::vector<VulkanSequence*> sequences;
    for (const SequenceRun& run : step.runs) {
        INGLE_TRY_ASSIGN(VulkanSequence * sequence, ownSequence<VulkanSequence>(run.sequence, m_memory));
        INGLE_TRY(sequence->reserve(sequence->length() + run.numRows));
        sequence->forgetKeptStates();
        if (run.numGuesses > 0)
            INGLE_TRY(sequence->keepStates(sequence->length() + run.numRows - run.numGuesses));
        sequences.push_back(sequence);
    }
    const RowCounts rows{recordedRows(static_cast<uint32_t>(step.tokens.size())),
                         recordedRows(static_cast<uint32_t>(step.logitRows.size()))};
    INGLE_TRY(write(step));
    INGLE_TRY(m_observer ? runObserved(rows, step) : runRecorded(rows, step));
    m_numLogitRows = static_cast<uint32_t>(step.logitRows.size());
    for (size_t i = 0; i < sequences.size(); ++i) sequences[i]->advance(step.runs[i].numRows);
    return {};
}

Status VulkanProgram::runRecorded(const RowCounts& rows, const Step& step) {
    INGLE_TRY_ASSIGN(const StepCommands* commands, commandsFor(rows));
    Device& device = m_memory.context().device;
    const auto begin = device.api().now();
    const Status status = commands->run(device, m_patience.limit(rows.tokens), m_budget, step.cancelled,
                                        [&](const LeftPart& part) { compute(part, step); });
    if (!status && status.error().code == ErrorCode::Cancelled) return endCancelled(step, m_memory.spec());
    INGLE_TRY(status);
    m_patience.took(rows.tokens, device.api().now() - begin);
    takeHidden(static_cast<uint32_t>(step.tokens.size()));
    return {};
}

void VulkanProgram::compute(const LeftPart& part, const Step& step) const {
    const size_t numRows = part.rows == RowKind::Token ? step.tokens.size() : step.logitRows.size();
    part.compute(*m_plan.elsewhere, static_cast<uint32_t>(numRows));
}

Result<std::unique_ptr<DecodeQueue>> VulkanProgram::decodeAhead(const DecodeOrder& order) {
    const auto isDevices = [](const DecodeRow& row) {
        return sampling::needsOnlyBest(row.sampler, TokenSampler::kMaxCandidates);
    };
    if (m_observer || m_plan.outputKind != OutputKind::Logits || m_plan.elsewhere ||
        order.rows.size() > m_decode.sampler->maxRows() || !std::ranges::all_of(order.rows, isDevices))
        return nullptr;
    std::vector<TokenId> tokens;
    std::vector<SequenceRun> runs;
    std::vector<uint32_t> logitRows;
    for (const DecodeRow& row : order.rows) {
        logitRows.push_back(static_cast<uint32_t>(tokens.size()));
        tokens.push_back(row.token);
        runs.push_back({row.sequence, 1, row.prefixTokens});
    }
    const Step step{tokens, runs, logitRows};
    INGLE_TRY(m_limits.check(step));
    INGLE_TRY_ASSIGN(auto queue, VulkanDecodeQueue::create(order, m_memory, m_decode, m_decodePatience));
    INGLE_TRY_ASSIGN(const DecodeTurns* turns,
                     recordDecode(recordedRows(static_cast<uint32_t>(tokens.size()))));
    INGLE_TRY(write(step));
    for (const uint32_t row : logitRows)
        setStateSlots(queue->slotAfter(row, 1), queue->slotAfter(row, 2), hostStep().entries[row].run);
    INGLE_TRY(queue->start(*turns));
    m_numLogitRows = 0;
    return queue;
}

void VulkanProgram::observe(OpObserver* observer) {
    m_observer = observer;
    if (m_plan.elsewhere) m_plan.elsewhere->observe(observer);
}

Status VulkanProgram::runObserved(const RowCounts& rows, const Step& step) {
    if (!m_plain) {
        INGLE_TRY_ASSIGN(Layout plain, layOut(Fusion::Off));
        m_plain = std::make_unique<Layout>(std::move(plain));
    }
    const DeviceContext& context = m_memory.context();
    const ProgramBuffers buffers = buffersOf(*m_plain);
    for (size_t i = 0; i < m_plain->runs.size(); ++i) {
        const ScheduledRun& scheduled = m_plain->runs[i];
        if (isIdle(scheduled.run, rows)) continue;
        Recorder recorder(context.device, context.pipelines);
        if (i == 0) INGLE_TRY(copyStep(recorder));
        RowForms forms;
        OpRecording out = opRecording(buffers, rows, forms, &recorder);
        INGLE_TRY(scheduled.kernel->record(scheduled.run, out));
        INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
        const auto begin = context.device.api().now();
        INGLE_TRY(commands->run(StepPatience::kAtFirst));
        if (out.leftPart()) {
            compute(*out.leftPart(), step);
            INGLE_TRY(context.transfer.upload(out.leftPart()->copied, hostBytes(out.leftPart()->y)));
        }
        const std::chrono::duration<double> elapsed = context.device.api().now() - begin;
        INGLE_TRY(show(scheduled.run, elapsed.count(), step));
    }
    if (m_plan.hidden) {
        INGLE_TRY_ASSIGN(m_hiddenRows, rowsOf(*m_plan.hidden, step));
    }
    if (rows.logits == 0) return {};
    const BufferRange& logits = m_plain->values[m_plan.output.value];
    const uint64_t bytes = rows.logits * paddedWidth(m_plan.output.width) * sizeof(float);
    return context.transfer.download(logits.part(0, bytes), {m_ranges.hostLogits.host, bytes});
}

Result<std::vector<float>> VulkanProgram::rowsOf(const Operand& operand, const Step& step) const {
    const auto [value, width] = operand;
    const bool ofTokens = m_plan.values[value].rows == RowKind::Token;
    const size_t numRows = ofTokens ? step.tokens.size() : step.logitRows.size();
    std::vector<float> padded(numRows * paddedWidth(width));
    const auto bytes = std::as_writable_bytes(std::span(padded));
    if (!bytes.empty())
        INGLE_TRY(m_memory.context().transfer.download(m_plain->values[value].part(0, bytes.size()), bytes));
    std::vector<float> rows(numRows * width);
    for (size_t row = 0; row < numRows; ++row)
        std::copy_n(padded.data() + row * paddedWidth(width), width, rows.data() + row * width);
    return rows;
}

Status VulkanProgram::show(const OpRun& run, double seconds, const Step& step) {
    std::vector<std::vector<float>> rows;
    const auto seen = [&](std::span<const Operand> operands) -> Result<std::vector<SeenValue>> {
        std::vector<SeenValue> values;
        for (const Operand& operand : operands) {
            INGLE_TRY_ASSIGN(auto brought, rowsOf(operand, step));
            rows.push_back(std::move(brought));
            values.push_back({m_plan.values[operand.value].name, operand.width, rows.back()});
        }
        return values;
    };
    std::vector<SeenValue> inputs;
    if (m_observer->wantsInputs()) {
        INGLE_TRY_ASSIGN(inputs, seen(run.inputs(0)));
    }
    INGLE_TRY_ASSIGN(const std::vector<SeenValue> outputs, seen(run.outputs(0)));
    m_observer->afterOp({run.op(0), m_plan.weights, seconds, inputs, outputs});
    return {};
}

Result<std::span<const float>> VulkanProgram::readOutput(uint32_t index) {
    if (index >= m_numLogitRows) {
        return fail(ErrorCode::InvalidArgument, "logits {} wanted of a step with {}", index, m_numLogitRows);
    }
    const uint32_t width = m_plan.output.width;
    const std::span<const float> logits(
        reinterpret_cast<const float*>(m_ranges.hostLogits.host) + size_t{index} * paddedWidth(width), width);
    INGLE_TRY(checkFinite(logits, kNotFiniteMessage));
    return logits;
}

Result<uint32_t> VulkanProgram::numDispatches(const RowCounts& rows) {
    INGLE_TRY_ASSIGN(const StepCommands* commands, commandsFor(rows));
    return commands->numDispatches();
}

Result<uint64_t> VulkanProgram::weightBytes(const RowCounts& rows) {
    const ProgramBuffers buffers = buffersOf(m_fused);
    std::vector<PipelineSpec> kernels;
    RowForms forms;
    uint64_t bytes = 0;
    for (const ScheduledRun& scheduled : m_fused.runs) {
        if (isIdle(scheduled.run, rows) || scheduled.run.op(0).code == OpCode::Embed) continue;
        OpRecording out = opRecording(buffers, rows, forms, &kernels);
        INGLE_TRY(scheduled.kernel->record(scheduled.run, out));
        bytes += out.weightBytes();
    }
    return bytes;
}

}  // namespace ingle::backend::vulkan
