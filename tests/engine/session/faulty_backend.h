/// A device that fails when it is told to: the CPU's backend behind a wall that counts calls.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <set>
#include <thread>
#include <utility>
#include <vector>

#include "engine/session/devices/backends.h"
#include "engine/session/devices/self_check.h"

namespace ingle::test {

/// Calls of one kind, numbered from 0, and which of them fail.
struct FaultyCall {
    std::set<int> failing;
    ErrorCode code = ErrorCode::Device;
    int calls = 0;

    Status pass() {
        if (!failing.contains(calls++)) return {};
        return fail(code, "call {} failed", calls - 1);
    }
};

/// What goes wrong, on all devices that are made of it, one after the other.
struct Faults {
    FaultyCall create, checkRoom, createMemory, compile, createSequence, reserve, restore, run, readOutput;
    bool hasOwnMemory = false, hasHiddenRows = false;
    uint64_t room = UINT64_MAX;         ///< bytes that are free for sequences
    backend::MemoryOptions memoryMade;  ///< of the last device
    /// How much longer a step takes of a plan some of which is computed elsewhere.
    std::chrono::milliseconds delayOfParts{0};
    /// Called while a step runs.
    std::function<void()> duringRun;
    /// What a device saves are values that are no numbers.
    bool poisonsWhatItSaves = false;
};

/// One device. Once it is lost, it is lost: every call ends in an error.
struct FaultyDevice {
    explicit FaultyDevice(Faults& allFaults) : faults(allFaults) {}

    Status pass(FaultyCall& call) {
        if (lost) return fail(ErrorCode::Device, "the device was lost before");
        const Status status = call.pass();
        // Memory that is full, or a result that is no number, does not end a device.
        lost = !status && status.error().code == ErrorCode::Device && &call != &faults.readOutput;
        return status;
    }
    Status alive() const {
        if (lost) return fail(ErrorCode::Device, "the device was lost before");
        return {};
    }

    Faults& faults;
    bool lost = false;
    int numSequences = 0;
};

class FaultySequence final : public backend::SequenceMemory {
  public:
    FaultySequence(std::shared_ptr<FaultyDevice> device, std::unique_ptr<backend::SequenceMemory> inner)
        : m_device(std::move(device)), m_inner(std::move(inner)) {
        ++m_device->numSequences;
    }
    ~FaultySequence() override { --m_device->numSequences; }

    uint32_t length() const override { return m_inner->length(); }
    uint32_t firstKept() const override { return m_inner->firstKept(); }
    Status truncate(uint32_t tokens) override {
        INGLE_TRY(m_device->alive());
        return m_inner->truncate(tokens);
    }
    Status reserve(uint32_t tokens) override {
        INGLE_TRY(m_device->pass(m_device->faults.reserve));
        return m_inner->reserve(tokens);
    }
    Result<backend::SavedState> save(backend::TokenRange range, backend::SavedParts parts) const override {
        INGLE_TRY(m_device->alive());
        INGLE_TRY_ASSIGN(backend::SavedState state, m_inner->save(range, parts));
        if (m_device->faults.poisonsWhatItSaves) std::ranges::fill(state.bytes, std::byte{0xff});
        return state;
    }
    Status restore(const backend::SavedState& state) override {
        INGLE_TRY(m_device->pass(m_device->faults.restore));
        return m_inner->restore(state);
    }
    Result<std::unique_ptr<backend::SequenceMemory>> fork(uint32_t tokens) const override {
        INGLE_TRY(m_device->alive());
        INGLE_TRY_ASSIGN(auto inner, m_inner->fork(tokens));
        return std::make_unique<FaultySequence>(m_device, std::move(inner));
    }

    backend::SequenceMemory* inner() { return m_inner.get(); }

  private:
    std::shared_ptr<FaultyDevice> m_device;
    std::unique_ptr<backend::SequenceMemory> m_inner;
};

class FaultyPool final : public backend::MemoryPool {
  public:
    FaultyPool(std::shared_ptr<FaultyDevice> device, std::unique_ptr<backend::MemoryPool> inner)
        : m_device(std::move(device)), m_inner(std::move(inner)) {}
    ~FaultyPool() override { EXPECT_EQ(m_device->numSequences, 0) << "a sequence outlives its pool"; }

    Result<std::unique_ptr<backend::SequenceMemory>> createSequence() override {
        INGLE_TRY(m_device->pass(m_device->faults.createSequence));
        INGLE_TRY_ASSIGN(auto inner, m_inner->createSequence());
        return std::make_unique<FaultySequence>(m_device, std::move(inner));
    }
    uint64_t reservedBytes() const override { return m_inner->reservedBytes(); }

    backend::MemoryPool& inner() { return *m_inner; }

  private:
    std::shared_ptr<FaultyDevice> m_device;
    std::unique_ptr<backend::MemoryPool> m_inner;
};

class FaultyProgram final : public backend::Program {
  public:
    FaultyProgram(std::shared_ptr<FaultyDevice> device, std::unique_ptr<backend::Program> inner,
                  bool hasParts)
        : m_device(std::move(device)), m_inner(std::move(inner)), m_hasParts(hasParts) {}

    Status run(const backend::Step& step) override {
        std::vector<backend::SequenceRun> runs(step.runs.begin(), step.runs.end());
        for (backend::SequenceRun& run : runs)
            run.sequence = static_cast<FaultySequence*>(run.sequence)->inner();
        const Status status = m_device->pass(m_device->faults.run);
        // A device that is lost may have done anything to its memory; one that is full has done nothing.
        if (!status && status.error().code != ErrorCode::Device) return status;
        if (m_device->faults.duringRun) m_device->faults.duringRun();
        if (m_hasParts) std::this_thread::sleep_for(m_device->faults.delayOfParts);
        backend::Step ours = step;
        ours.runs = runs;
        const Status inner = m_inner->run(ours);
        return status ? inner : status;
    }
    Result<std::span<const float>> readOutput(uint32_t index) override {
        INGLE_TRY(m_device->pass(m_device->faults.readOutput));
        return m_inner->readOutput(index);
    }
    void observe(backend::OpObserver* observer) override { m_inner->observe(observer); }

  private:
    std::shared_ptr<FaultyDevice> m_device;
    std::unique_ptr<backend::Program> m_inner;
    bool m_hasParts;
};

class FaultyBackend final : public backend::Backend {
  public:
    FaultyBackend(Faults& faults, std::shared_ptr<backend::Backend> inner)
        : m_device(std::make_shared<FaultyDevice>(faults)), m_inner(std::move(inner)) {}

    std::string_view name() const override { return "faulty"; }
    std::string deviceName() const override { return "The tested GPU"; }
    backend::BackendFacts facts() const override {
        return {.hasHiddenRows = m_device->faults.hasHiddenRows,
                .hasOwnMemory = m_device->faults.hasOwnMemory};
    }
    bool supports(backend::OpCode code) const override { return m_inner->supports(code); }
    bool roundsActivations() const override { return m_inner->roundsActivations(); }
    uint64_t workBytes(const backend::Plan&, const backend::MemorySpec& memory,
                       const backend::MemoryNeed& need) const override {
        return backend::neededBytes(memory, need);
    }
    Status checkRoom(const backend::Plan&, const backend::MemorySpec& memory,
                     const backend::MemoryNeed& need) const override {
        if (backend::neededBytes(memory, need) > m_device->faults.room)
            return fail(ErrorCode::OutOfMemory, "there is no room");
        return m_device->pass(m_device->faults.checkRoom);
    }
    Result<std::unique_ptr<backend::MemoryPool>> createMemory(
        const backend::MemorySpec& spec, const backend::MemoryOptions& options) override {
        INGLE_TRY(m_device->pass(m_device->faults.createMemory));
        m_device->faults.memoryMade = options;
        INGLE_TRY_ASSIGN(auto inner, m_inner->createMemory(spec, options));
        return std::make_unique<FaultyPool>(m_device, std::move(inner));
    }
    Result<std::unique_ptr<backend::Program>> compile(const backend::Plan& plan,
                                                      backend::MemoryPool& memory) override {
        INGLE_TRY(m_device->pass(m_device->faults.compile));
        INGLE_TRY_ASSIGN(auto inner, m_inner->compile(plan, static_cast<FaultyPool&>(memory).inner()));
        return std::make_unique<FaultyProgram>(m_device, std::move(inner), plan.elsewhere != nullptr);
    }

  private:
    std::shared_ptr<FaultyDevice> m_device;
    std::shared_ptr<backend::Backend> m_inner;
};

/// `faults` must outlive what is made.
inline session::DeviceFactory faultyDevices(Faults& faults) {
    return [&faults](const LoadOptions& options) -> Result<session::ChosenDevice> {
        INGLE_TRY(faults.create.pass());
        INGLE_TRY_ASSIGN(auto inner, session::createProcessor(options));
        return session::ChosenDevice{.backend = std::make_unique<FaultyBackend>(faults, std::move(inner))};
    };
}

/// Spares the check at load, so that the calls that are counted are those of answers.
inline Status unchecked(backend::Backend&, const models::BoundModel&, uint32_t, const LoadOptions&) {
    return {};
}

}  // namespace ingle::test
