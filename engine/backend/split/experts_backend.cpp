#include "engine/backend/split/experts_backend.h"

#include <algorithm>

#include "engine/backend/split/experts_cut.h"
#include "engine/base/check.h"

namespace ingle::backend::split {
namespace {

/// The processor gains nothing by more rows, and its buffers grow.
constexpr uint32_t kMostExpertRows = 512;

/// Runs a plan of experts.
class ExpertsRunner final : public PartRunner {
  public:
    static Result<std::shared_ptr<PartRunner>> create(Backend& processor, const Plan& experts) {
        auto runner = std::make_shared<ExpertsRunner>();
        INGLE_TRY_ASSIGN(runner->m_memory, processor.createMemory({}, {.maxTokens = experts.maxTokens}));
        INGLE_TRY_ASSIGN(runner->m_sequence, runner->m_memory->createSequence());
        INGLE_TRY_ASSIGN(runner->m_program, processor.compile(experts, *runner->m_memory));
        runner->m_width = std::get<InputRowsParams>(experts.ops.front().params).width;
        return runner;
    }

    void run(uint32_t part, uint32_t numRows, std::span<const RowsView> inputs, float* y,
             size_t stride) override {
        m_rows.resize(size_t{numRows} * m_width);
        m_tokens.resize(numRows);
        for (uint32_t row = 0; row < numRows; ++row) {
            float* to = m_rows.data() + size_t{row} * m_width;
            for (const RowsView& input : inputs)
                to = std::copy_n(input.data + row * input.stride, input.width, to);
        }
        INGLE_CHECK(m_sequence->truncate(0), "experts remember something");
        const SequenceRun one{m_sequence.get(), numRows};
        const Status status = m_program->run(
            {.tokens = m_tokens, .runs = {&one, 1}, .logitRows = {}, .inputRows = m_rows, .part = part});
        INGLE_CHECK(status, "experts of {} rows: {}", numRows, status.error().message);
        const std::span<const float> given = m_program->hiddenRows();
        const size_t width = given.size() / numRows;
        for (uint32_t row = 0; row < numRows; ++row)
            std::copy_n(given.data() + row * width, width, y + row * stride);
    }
    void observe(OpObserver* observer) override { m_program->observe(observer); }

  private:
    std::unique_ptr<MemoryPool> m_memory;
    std::unique_ptr<SequenceMemory> m_sequence;  // of no memory: what a step needs
    std::unique_ptr<Program> m_program;
    uint32_t m_width = 0;
    std::vector<float> m_rows;      // what a part reads, padded to the widest
    std::vector<TokenId> m_tokens;  // that nothing reads
};

class ExpertsBackend final : public Backend {
  public:
    ExpertsBackend(std::shared_ptr<Backend> processor, std::shared_ptr<Backend> device, uint32_t layers,
                   uint32_t numLayers)
        : m_processor(std::move(processor)),
          m_device(std::move(device)),
          m_layers(layers),
          m_numLayers(numLayers) {}

    std::string_view name() const override { return "split"; }
    std::string deviceName() const override {
        return fmt::format("{} (without the experts of {} of {} layers: {})", m_device->deviceName(),
                           m_layers, m_numLayers, m_processor->deviceName());
    }
    BackendFacts facts() const override {
        const BackendFacts device = m_device->facts();
        return {.takesGuesses = device.takesGuesses && m_processor->facts().takesGuesses,
                .hasHiddenRows = device.hasHiddenRows,
                .hasOwnMemory = device.hasOwnMemory};
    }
    bool supports(OpCode code) const override { return m_device->supports(code); }
    bool roundsActivations() const override {
        return m_device->roundsActivations() || m_processor->roundsActivations();
    }
    uint32_t promptRows() const override { return std::min(m_device->promptRows(), kMostExpertRows); }
    bool simplify() override { return m_device->simplify(); }
    /// The device is full.
    Backend& forOthers() override { return m_processor->forOthers(); }

    Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                     const MemoryOptions& options) override {
        return m_device->createMemory(spec, options);
    }

    Status checkRoom(const Plan& plan, const MemorySpec& memory, const MemoryNeed& need) const override {
        return m_device->checkRoom(cut(plan).rest, memory, need);
    }

    Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) override {
        ExpertsCut parts = cut(plan);
        if (!parts.experts.parts.empty()) {
            INGLE_TRY_ASSIGN(parts.rest.elsewhere, ExpertsRunner::create(*m_processor, parts.experts));
        }
        return m_device->compile(parts.rest, memory);
    }

  private:
    ExpertsCut cut(const Plan& plan) const {
        const std::vector<Mixture> mixtures = mixturesOf(plan);
        return cutExperts(plan, std::span(mixtures).first(std::min<size_t>(m_layers, mixtures.size())));
    }

    std::shared_ptr<Backend> m_processor, m_device;
    uint32_t m_layers, m_numLayers;
};

}  // namespace

std::unique_ptr<Backend> createExpertsBackend(std::shared_ptr<Backend> processor,
                                              std::shared_ptr<Backend> device, uint32_t layers,
                                              uint32_t numLayers) {
    return std::make_unique<ExpertsBackend>(std::move(processor), std::move(device), layers, numLayers);
}

}  // namespace ingle::backend::split
