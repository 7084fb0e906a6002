/// A device to test on, with the validation layer's complaints as failures.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <mutex>
#include <string_view>
#include <type_traits>

#include "engine/backend/vulkan/substrate/transfer.h"

namespace ingle::backend::vulkan {

inline constexpr std::chrono::seconds kTestLimit{60};

/// Opens the first device this backend can use; skips where there is none. Debian's mesa-vulkan-drivers
/// brings one that needs no hardware.
class VulkanTest : public ::testing::Test {
  protected:
    void SetUp() override {
        auto created = Instance::create();
        if (!created && created.error().code == ErrorCode::Unsupported)
            GTEST_SKIP() << created.error().message;
        ASSERT_TRUE(created.has_value()) << created.error().message;
        instance = std::move(*created);
        const auto devices = instance->devices();
        ASSERT_TRUE(devices.has_value()) << devices.error().message;
        const auto usable = std::ranges::find_if(
            *devices, [](const DeviceInfo& candidate) { return refusalOf(candidate).empty(); });
        if (usable == devices->end()) GTEST_SKIP() << "no Vulkan device that this backend can use";
        info = *usable;
        device = openDevice();
        ASSERT_TRUE(device);
        auto made = Pipelines::create(*device, {});
        ASSERT_TRUE(made.has_value()) << made.error().message;
        pipelines = std::move(*made);
    }

    void TearDown() override {
        pipelines.reset();
        device.reset();
        if (!instance) return;
        if (complaintsAreExpected) {
            EXPECT_THAT(instance->validationMessages(), ::testing::Not(::testing::IsEmpty()));
        } else {
            EXPECT_THAT(instance->validationMessages(), ::testing::IsEmpty());
        }
    }

    std::unique_ptr<Device> openDevice() {
        auto opened = Device::create(*instance, info);
        EXPECT_TRUE(opened.has_value()) << opened.error().message;
        return opened ? std::move(*opened) : nullptr;
    }

    const Pipeline* pipeline(const PipelineSpec& spec) {
        const auto compiled = pipelines->compile(spec);
        EXPECT_TRUE(compiled.has_value()) << compiled.error().message;
        return compiled ? *compiled : nullptr;
    }

    std::unique_ptr<Instance> instance;
    DeviceInfo info;
    std::unique_ptr<Device> device;
    std::unique_ptr<Pipelines> pipelines;
    bool complaintsAreExpected = false;
};

/// The push constants of binary.comp.
struct BinaryPush {
    uint32_t count;
};

inline std::span<float> floatsOf(const BufferRange& range) {
    return {reinterpret_cast<float*>(range.host), range.bytes / sizeof(float)};
}

/// Replaces an entry by one that calls the real one, but fails once.
template <typename Function>
struct Fault;
template <typename... Args>
struct Fault<VkResult (*)(Args...)> {
    static inline VkResult (*real)(Args...) = nullptr;
    static inline std::mutex mutex;  // pipelines are compiled by several threads
    static inline uint32_t callsLeft = 0;
    static inline VkResult error = VK_SUCCESS;

    static bool failsNow() {
        const std::lock_guard lock(mutex);
        return callsLeft > 0 && --callsLeft == 0;
    }
    static VkResult call(Args... args) {
        if (!failsNow()) return real(args...);
        // Who is told that waiting failed may destroy what was waited for, so that must be over.
        if constexpr (std::is_same_v<VkResult (*)(Args...), PFN_vkWaitSemaphores>) real(args...);
        return error;
    }
};

/// Makes the nth call from now of the entry fail (1: the next one).
template <typename Function>
void failCall(Function& entry, uint32_t nth, VkResult error) {
    using F = Fault<Function>;
    if (entry != F::call) F::real = entry;
    F::callsLeft = nth;
    F::error = error;
    entry = F::call;
}

/// Whether the fault has happened.
template <typename Function>
bool hasFailed(Function&) {
    return Fault<Function>::callsLeft == 0;
}

}  // namespace ingle::backend::vulkan
