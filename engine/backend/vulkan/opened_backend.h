/// The backend on a device that has been chosen.
#pragma once

#include "engine/backend/backend.h"
#include "engine/backend/vulkan/vulkan_program.h"

namespace ingle::backend::vulkan {

/// Pools and programs it made must end before it.
class OpenedBackend final : public Backend {
  public:
    /// Errors: as Device::create() and Pipelines::create().
    static Result<std::unique_ptr<OpenedBackend>> open(std::unique_ptr<Instance> instance,
                                                       const DeviceInfo& info,
                                                       const std::string& cacheFolder);

    std::string_view name() const override { return "vulkan"; }
    std::string deviceName() const override;
    bool supports(OpCode code) const override;
    Result<std::unique_ptr<MemoryPool>> createMemory(const MemorySpec& spec,
                                                     const MemoryOptions& options) override;
    Result<std::unique_ptr<Program>> compile(const Plan& plan, MemoryPool& memory) override;

    const Instance& instance() const { return *m_instance; }
    Device& device() { return *m_device; }

  private:
    OpenedBackend() = default;

    std::unique_ptr<Instance> m_instance;
    std::unique_ptr<Device> m_device;
    std::unique_ptr<Pipelines> m_pipelines;
    std::unique_ptr<Transfer> m_transfer;
    std::weak_ptr<WeightStore> m_weights;  ///< shared by the programs
};

}  // namespace ingle::backend::vulkan
