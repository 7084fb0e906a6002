#include "engine/backend/cpu/cpu_backend.h"

#include "engine/backend/cpu/cpu_op.h"
#include "engine/backend/cpu/cpu_program.h"
#include "engine/base/cpu_features.h"
#include "engine/base/thread_pool.h"

namespace ingle::backend::cpu {
namespace {

class CpuBackend final : public Backend {
  public:
    explicit CpuBackend(const CpuOptions& options)
        : m_options(options), m_threads(options.threads ? options.threads : base::physicalCores()) {}

    std::string_view name() const override { return "cpu"; }

    std::string deviceName() const override {
        const uint32_t threads = m_threads.numThreads();
        return fmt::format("{}, {} {}, {}", base::processorName(), threads,
                           threads == 1 ? "thread" : "threads", base::isaName(m_options.isa));
    }

    bool supports(OpCode code) const override { return findCpuOp(code) != nullptr; }

    BackendFacts facts() const override {
        return {.onProcessor = true, .takesGuesses = true, .hasHiddenRows = true};
    }

    bool roundsActivations() const override { return m_options.activations == ActivationType::Auto; }

    Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                     const MemoryOptions& options) override {
        return CpuMemoryPool::create(spec, options);
    }

    Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) override {
        INGLE_TRY_ASSIGN(CpuMemoryPool * pool, ownPool<CpuMemoryPool>(memory));
        return CpuProgram::create(plan, *pool, m_threads, m_options);
    }

  private:
    CpuOptions m_options;
    base::ThreadPool m_threads;
};

}  // namespace

std::unique_ptr<Backend> createCpuBackend(const CpuOptions& options) {
    return std::make_unique<CpuBackend>(options);
}

}  // namespace ingle::backend::cpu
