/// The backend on a device that has been chosen.
#pragma once

#include <utility>

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/matvec/device_peaks.h"
#include "engine/backend/vulkan/program/vulkan_program.h"

namespace ingle::backend::vulkan {

/// Pools and programs it made must end before it.
class OpenedBackend final : public Backend {
  public:
    /// Errors: as Device::create() and Pipelines::create().
    static Result<std::unique_ptr<OpenedBackend>> open(std::unique_ptr<Instance> instance,
                                                       const DeviceInfo& info, ActivationType activations,
                                                       const std::string& cacheFolder,
                                                       MatvecInput untimed = MatvecInput::Floats);

    /// Leaves Vulkan as it is where the device hangs: what may still be in use must not be taken away.
    ~OpenedBackend() override;

    std::string_view name() const override { return "vulkan"; }
    std::string deviceName() const override;
    bool supports(OpCode code) const override;
    Result<BackendPeaks> measurePeaks() override { return measureDevicePeaks(*m_device, *m_pipelines); }
    Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                     const MemoryOptions& options) override;
    BackendFacts facts() const override {
        return {.takesGuesses = true,
                .hasHiddenRows = true,
                .hasOwnMemory = m_device->info().kind == DeviceKind::Discrete};
    }
    uint64_t workBytes(const Plan& plan, const MemorySpec& memory, const MemoryNeed& need) const override {
        return workOf(plan, memory, need).device;
    }
    Status checkRoom(const Plan& plan, const MemorySpec& memory, const MemoryNeed& need) const override;
    Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) override;
    bool roundsActivations() const override {
        return m_matvecShapes->haveBytes() || m_matmulKernels->haveHalves() ||
               m_attentionKernels->haveHalves();
    }
    /// Cards, and units for matrices, want many rows at once.
    uint32_t promptRows() const override {
        const bool isCard = m_device->info().kind == DeviceKind::Discrete;
        if (m_matmulKernels->haveHalves()) return isCard ? 1024 : 512;
        return isCard ? 256 : kPromptRows;
    }
    /// First without what is known of matrices in registers, then without units for matrices, then without
    /// integer products, then without fusion.
    bool simplify() override {
        return m_attentionKernels->stageScores() || dropHalves() || m_matvecShapes->dropBytes() ||
               std::exchange(m_fusion, Fusion::Off) == Fusion::On;
    }

    const Instance& instance() const { return *m_instance; }
    Device& device() { return *m_device; }

  private:
    OpenedBackend() = default;
    /// Of the device's heap, and of the computer's where that is another one.
    struct HeapBytes {
        uint64_t device = 0, main = 0;
    };
    HeapBytes workOf(const Plan& plan, const MemorySpec& memory, const MemoryNeed& need) const;
    DeviceContext context() const {
        return {*m_device, *m_pipelines, *m_transfer, *m_matvecShapes, *m_matmulKernels, *m_attentionKernels};
    }
    bool dropHalves() {
        const bool dropped = m_matmulKernels->dropHalves();
        return m_attentionKernels->dropHalves() || dropped;
    }

    std::unique_ptr<Instance> m_instance;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<Pipelines> m_pipelines;
    std::unique_ptr<Transfer> m_transfer;
    std::unique_ptr<MatvecShapes> m_matvecShapes;
    std::unique_ptr<MatmulKernels> m_matmulKernels;
    std::unique_ptr<AttentionKernels> m_attentionKernels;
    std::weak_ptr<WeightStore> m_weights;  ///< shared by the programs
    Fusion m_fusion = Fusion::On;          ///< of plans that want it
};

}  // namespace ingle::backend::vulkan
