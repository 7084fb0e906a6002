/// Compute pipelines: a shader with its constants, compiled by the driver.
#pragma once

#include <compare>
#include <cstdint>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "engine/backend/vulkan/substrate/device.h"

namespace ingle::backend::vulkan {

/// Bytes of push constants that every shader may declare.
inline constexpr uint32_t kMaxPushBytes = 64;

/// What to compile.
struct PipelineSpec {
    std::string shader;  ///< see shaders.h
    /// Specialization constants 0, 1, 2 …, the bits of 32-bit values. By convention constant 0 is the number
    /// of invocations of a workgroup (`layout(local_size_x_id = 0) in`).
    std::vector<uint32_t> constants;
    uint32_t subgroupSize = 0;  ///< demanded, see DeviceLimits; 0: as the driver likes

    auto operator<=>(const PipelineSpec&) const = default;
};

/// Valid as long as the Pipelines it came from.
struct Pipeline {
    VkPipeline handle = VK_NULL_HANDLE;
    std::string_view shader;
};

/// All pipelines of a device. They share one layout: kMaxBindings storage buffers, of which a shader uses
/// bindings 0 to n - 1, and kMaxPushBytes of push constants.
class Pipelines {
  public:
    /// cacheFolder: an existing folder where the driver's results are kept; empty: none. Errors: Device,
    /// OutOfMemory.
    static Result<std::unique_ptr<Pipelines>> create(Device& device, const std::string& cacheFolder);
    ~Pipelines();
    Pipelines(const Pipelines&) = delete;
    Pipelines& operator=(const Pipelines&) = delete;

    /// Compiles those that are not there yet, on all cores; returns one per spec, in order. Errors:
    /// InvalidArgument (an unknown shader, a workgroup or subgroup size this device has not), Device,
    /// OutOfMemory.
    Result<std::vector<const Pipeline*>> compile(std::span<const PipelineSpec> specs);
    /// As that, where each may fail by itself.
    std::vector<Result<const Pipeline*>> compileEach(std::span<const PipelineSpec> specs);
    /// A single one.
    Result<const Pipeline*> compile(const PipelineSpec& spec);

    /// Writes what the driver wants to remember. Errors: Io, Device.
    Status saveCache();

    VkPipelineLayout layout() const { return m_layout; }
    VkDescriptorSetLayout setLayout() const { return m_setLayout; }

  private:
    explicit Pipelines(Device& device) : m_device(device) {}
    Status open(const std::string& cacheFolder);
    Status checkSpec(const PipelineSpec& spec) const;
    Result<VkPipeline> build(const PipelineSpec& spec) const;

    Device& m_device;
    std::string m_cachePath;
    VkPipelineCache m_cache = VK_NULL_HANDLE;
    VkDescriptorSetLayout m_setLayout = VK_NULL_HANDLE;
    VkPipelineLayout m_layout = VK_NULL_HANDLE;
    std::map<PipelineSpec, Pipeline> m_pipelines;  // a map: pointers into it stay valid
};

}  // namespace ingle::backend::vulkan
