// What the engine asks of the Vulkan backend, for programs that are built without it: there is no device.
#include <cstdlib>

#include "engine/backend/vulkan/program/measured_kernels.h"
#include "engine/backend/vulkan/program/vulkan_backend.h"
#include "engine/backend/vulkan/trial/probe_process.h"

namespace ingle::backend::vulkan {

constexpr const char* kAbsent = "this program was built without Vulkan";

Result<std::unique_ptr<Backend>> createVulkanBackend(const VulkanOptions& /*options*/) {
    return fail(ErrorCode::Unsupported, "{}", kAbsent);
}

std::vector<std::string> measuredKernels(const std::string& /*folder*/, std::string_view /*identity*/) {
    return {};
}

Result<ProbeVerdict> probeInChild(const ProbeRequest& /*request*/) {
    return ProbeVerdict{.devices = {}, .refusal = kAbsent};
}

void runProbeChild(const std::vector<std::string>& /*leftOut*/, const TryFeature& /*tryFeature*/) {
    std::exit(EXIT_SUCCESS);
}

std::string_view kindName(DeviceKind /*kind*/) {
    return {};  // there is no device to name
}

std::string_view featureName(DeviceFeature /*feature*/) {
    return {};
}

const ProbedDevice* ProbeVerdict::find(const DeviceInfo& /*device*/) const {
    return nullptr;
}

}  // namespace ingle::backend::vulkan
