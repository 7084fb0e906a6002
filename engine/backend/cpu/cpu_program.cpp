#include "engine/backend/cpu/cpu_program.h"

#include <algorithm>
#include <chrono>

#include "engine/backend/buffer_plan.h"
#include "engine/backend/op_facts.h"
#include "engine/base/check.h"

namespace ingle::backend::cpu {

const CpuOp* findCpuOp(OpCode code) {
    const auto ops = allCpuOps();
    const auto found = std::ranges::find(ops, code, &CpuOp::code);
    return found == ops.end() ? nullptr : *found;
}

namespace {

BufferPlan buffersFor(const Plan& plan) {
    std::vector<BufferNeed> needs;
    for (ValueId id = 0; id < plan.values.size(); ++id) {
        const PlanValue& value = plan.values[id];
        const size_t numRows = plan.numRows(id, plan.maxTokens, plan.maxLogitRows);
        needs.push_back({sizeof(float) * value.width * numRows, value.firstOp, value.lastOp});
    }
    return planBuffers(needs);
}

size_t bytesOf(const PlanWeight& vector) {
    return sizeof(float) * vector.tensor->shape.numElems();
}

/// Ops read and write rows of an operand's width without asking the value for its own.
void checkOperand(const Operand& operand, const Plan& plan) {
    INGLE_CHECK(operand.value < plan.values.size(), "value {} of {}", operand.value, plan.values.size());
    const uint32_t width = plan.values[operand.value].width;
    INGLE_CHECK(operand.width == width, "{} floats of a row of {}", operand.width, width);
}

/// What the ops of a plan need at most, each thread's in whole cache lines: no two share one.
Scratch scratchFor(const Plan& plan) {
    Scratch most;
    for (const Op& op : plan.ops) {
        const CpuOp* cpuOp = findCpuOp(op.code);
        if (!cpuOp || !cpuOp->scratch) continue;
        const Scratch needed = cpuOp->scratch(op, plan);
        most.sharedBytes = std::max(most.sharedBytes, needed.sharedBytes);
        most.threadBytes = std::max(most.threadBytes, needed.threadBytes);
    }
    constexpr size_t kLine = base::Buffer::kAlignment;
    most.threadBytes = (most.threadBytes + kLine - 1) / kLine * kLine;
    return most;
}

}  // namespace

uint64_t programBytes(const Plan& plan, uint32_t threads) {
    const Scratch scratch = scratchFor(plan);
    uint64_t bytes = scratch.sharedBytes + scratch.threadBytes * threads + RopeTables(plan).bytes();
    for (const uint64_t size : buffersFor(plan).sizes) bytes += size;
    for (const PlanWeight& weight : plan.weights)
        if (weight.use == WeightUse::Vector) bytes += bytesOf(weight);
    return bytes;
}

Result<std::unique_ptr<Program>> CpuProgram::create(const Plan& plan, CpuMemoryPool& memory,
                                                    base::ThreadPool& threads, const CpuOptions& options) {
    INGLE_TRY(checkMemory(plan, memory.spec()));
    std::unique_ptr<CpuProgram> program(new CpuProgram(plan, memory, threads, options));
    INGLE_TRY(program->allocate());
    INGLE_TRY(program->prepareOps());
    INGLE_TRY(program->expandVectors());
    return program;
}

Status CpuProgram::allocate() {
    const BufferPlan buffers = buffersFor(m_plan);
    for (const uint64_t size : buffers.sizes) {
        INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(size));
        m_valueBuffers.push_back(std::move(buffer));
    }
    for (const uint32_t buffer : buffers.bufferOf) m_values.push_back(m_valueBuffers[buffer].floats().data());
    const Scratch most = scratchFor(m_plan);
    m_threadScratchBytes = most.threadBytes;
    INGLE_TRY_ASSIGN(m_sharedScratch, base::Buffer::allocate(most.sharedBytes));
    INGLE_TRY_ASSIGN(m_threadScratch, base::Buffer::allocate(m_threadScratchBytes * m_threads.numThreads()));
    m_runs.reserve(m_plan.maxTokens);
    return m_ropeTables.allocate();
}

Status CpuProgram::prepareOps() {
    for (const PlanWeight& weight : m_plan.weights) {
        if (weight.use == WeightUse::Vector) continue;
        const tensor::Tensor& matrix = *weight.tensor;
        INGLE_CHECK(matrix.data.size() == matrix.extent(), "{}: {} bytes of {}", matrix.name,
                    matrix.data.size(), matrix.extent());
    }
    const Preparation preparation{.plan = m_plan,
                                  .memory = m_memory,
                                  .ropeTables = m_ropeTables,
                                  .threads = m_threads,
                                  .isa = m_options.isa,
                                  .activations = m_options.activations};
    for (const Op& op : m_plan.ops) {
        const CpuOp* cpuOp = findCpuOp(op.code);
        if (!cpuOp) return fail(ErrorCode::Unsupported, "the CPU backend has no op {}", opName(op.code));
        for (const uint32_t weight : op.weights) {
            const auto& [tensor, use] = m_plan.weights[weight];
            if (use == WeightUse::Matrix && tensor->side && cpuOp->sideData == SideData::Refused)
                return fail(ErrorCode::Unsupported, "{}: the op {} takes no matrix with scales of its own",
                            tensor->name, opName(op.code));
        }
        for (const auto* operands : {&op.inputs, &op.outputs})
            for (const Operand& operand : *operands) checkOperand(operand, m_plan);
        INGLE_TRY_ASSIGN(auto prepared, cpuOp->prepare(op, preparation));
        m_ops.push_back(std::move(prepared));
    }
    return {};
}

Status CpuProgram::expandVectors() {
    m_vectors.resize(m_plan.weights.size());
    for (size_t i = 0; i < m_plan.weights.size(); ++i) {
        const PlanWeight& weight = m_plan.weights[i];
        if (weight.use != WeightUse::Vector) continue;
        const tensor::Tensor& tensor = *weight.tensor;
        INGLE_TRY_ASSIGN(base::Buffer buffer, base::Buffer::allocate(bytesOf(weight)));
        const size_t width = tensor.shape.rowElems();
        for (size_t row = 0; row < tensor.shape.numRows(); ++row)
            tensor.decodeRow(row, buffer.floats().subspan(row * width, width));
        m_vectors[i] = buffer.floats();
        m_vectorBuffers.push_back(std::move(buffer));
    }
    return {};
}

Status CpuProgram::run(const Step& step) {
    INGLE_TRY(m_limits.check(step));
    m_runs.clear();
    uint32_t row = 0;
    for (const SequenceRun& run : step.runs) {
        INGLE_TRY_ASSIGN(CpuSequence * sequence, ownSequence<CpuSequence>(run.sequence, m_memory));
        INGLE_TRY(sequence->reserve(sequence->length() + run.numRows));
        const uint32_t numCertain = run.numRows - run.numGuesses;
        sequence->forgetKeptStates();
        if (run.numGuesses > 0) INGLE_TRY(sequence->keepStates(sequence->length() + numCertain));
        m_runs.push_back({sequence, row, run.numRows, sequence->length(), run.prefixTokens, run.numGuesses,
                          run.isPicture});
        row += run.numRows;
    }
    m_ropeTables.fill(m_runs, step.coordinates, m_threads);
    m_numRows = row;
    m_numLogitRows = static_cast<uint32_t>(step.logitRows.size());
    m_part = step.part;
    const StepContext context{
        .plan = m_plan,
        .memory = m_memory,
        .threads = m_threads,
        .values = m_values,
        .vectors = m_vectors,
        .runs = m_runs,
        .ropeTables = m_ropeTables,
        .tokens = step.tokens,
        .logitRows = step.logitRows,
        .inputRows = step.inputRows,
        .sharedScratch = m_sharedScratch.data(),
        .threadScratch = m_threadScratch.data(),
        .threadScratchBytes = m_threadScratchBytes,
    };
    if (m_observer) {
        runObserved(context);
    } else {
        const auto [begin, end] = opsOf(m_part);
        for (size_t i = begin; i < end; ++i) {
            if (step.cancelled && step.cancelled()) return endCancelled(step, m_memory.spec());
            m_ops[i]->run(context);
        }
    }
    for (const RunRows& run : m_runs) run.sequence->advance(run.numRows);
    return {};
}

CpuProgram::OpRange CpuProgram::opsOf(uint32_t part) const {
    if (m_plan.parts.empty()) return {0, m_ops.size()};
    return {part == 0 ? 0 : m_plan.parts[part - 1].endOp, m_plan.parts[part].endOp};
}

void CpuProgram::runObserved(const StepContext& context) {
    const auto seen = [&](const std::vector<Operand>& operands) {
        std::vector<SeenValue> values;
        values.reserve(operands.size());
        for (const Operand& operand : operands)
            values.push_back({.name = m_plan.values[operand.value].name,
                              .width = operand.width,
                              .rows = {context.rows(operand), context.numRows(operand) * operand.width}});
        return values;
    };
    const auto [first, last] = opsOf(m_part);
    for (size_t i = first; i < last; ++i) {
        const Op& op = m_plan.ops[i];
        const auto begin = std::chrono::steady_clock::now();
        m_ops[i]->run(context);
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        // An op leaves what it reads as it was.
        m_observer->afterOp({op, m_plan.weights, elapsed.count(), seen(op.inputs), seen(op.outputs)});
    }
}

void CpuProgram::observe(OpObserver* observer) {
    m_observer = observer;
    if (m_plan.elsewhere) m_plan.elsewhere->observe(observer);
}

Result<std::span<const float>> CpuProgram::readOutput(uint32_t index) {
    if (index >= m_numLogitRows) {
        return fail(ErrorCode::InvalidArgument, "logits {} wanted of a step with {}", index, m_numLogitRows);
    }
    const std::span<const float> logits(m_values[m_plan.output.value] + size_t{index} * m_plan.output.width,
                                        m_plan.output.width);
    INGLE_TRY(
        checkFinite(logits, "the model computed a value that is not a number; the file may be damaged"));
    return logits;
}

std::span<const float> CpuProgram::hiddenRows() const {
    const std::optional<Operand> given = m_plan.parts.empty() ? m_plan.hidden : m_plan.parts[m_part].output;
    if (!given) return {};
    return {m_values[given->value], size_t{m_numRows} * given->width};
}

}  // namespace ingle::backend::cpu
