/// The same plan on the device and on the CPU, which is right by definition.
#pragma once

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/vulkan/program/opened_backend.h"
#include "engine/base/isa.h"
#include "tests/engine/backend/plan_runner.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {

/// Normalised mean squared error: sum((a-b)^2) / sum(b^2).
inline double nmse(std::span<const float> a, std::span<const float> b) {
    if (a.size() != b.size()) return INFINITY;
    double error = 0, total = 0;
    for (size_t i = 0; i < a.size(); ++i) {
        error += (double{a[i]} - b[i]) * (double{a[i]} - b[i]);
        total += double{b[i]} * b[i];
    }
    return total > 0 ? error / total : error;
}

/// A device with the validation layer's complaints as failures, and the CPU.
class TwoBackends : public VulkanTest {
  protected:
    void SetUp() override {
        VulkanTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        openVulkan();
        cpu = cpu::createCpuBackend(
            {.threads = 1, .isa = base::Isa::Scalar, .activations = ActivationType::F32});
    }

    void TearDown() override {
        if (vulkan) {
            EXPECT_THAT(vulkan->instance().validationMessages(), ::testing::IsEmpty());
        }
        vulkan.reset();
        VulkanTest::TearDown();
    }

    /// On the device as `info` describes it.
    void openVulkan(const std::string& cacheFolder = {}, ActivationType activations = ActivationType::F32) {
        auto created = Instance::create();
        ASSERT_TRUE(created);
        auto opened = OpenedBackend::open(std::move(*created), info, activations, cacheFolder);
        ASSERT_TRUE(opened) << opened.error().message;
        vulkan = std::move(*opened);
    }

    std::unique_ptr<OpenedBackend> vulkan;
    std::unique_ptr<Backend> cpu;
};

}  // namespace ingle::backend::vulkan
