#include "engine/backend/vulkan/substrate/device.h"

#include <thread>

#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

using ::testing::HasSubstr;

class DeviceTest : public VulkanTest {
  protected:
    /// Commands that do next to nothing.
    std::unique_ptr<Commands> someCommands(Allocator& memory) {
        const auto range = memory.allocate(256);
        EXPECT_TRUE(range.has_value()) << range.error().message;
        Recorder recorder(*device, *pipelines);
        EXPECT_TRUE(recorder.fill(*range, 1).has_value());
        auto commands = recorder.finish();
        EXPECT_TRUE(commands.has_value()) << commands.error().message;
        return std::move(*commands);
    }
};

TEST_F(DeviceTest, theTimelineCountsSubmissions) {
    Allocator memory(*device, MemoryUse::Device);
    const auto first = someCommands(memory), second = someCommands(memory);
    EXPECT_EQ(device->completed().value(), 0u);
    EXPECT_EQ(first->submit().value(), 1u);
    EXPECT_EQ(second->submit().value(), 2u);
    ASSERT_TRUE(device->wait(2, kTestLimit).has_value());
    EXPECT_EQ(device->completed().value(), 2u);
}

TEST_F(DeviceTest, waitingForWhatWasNotQueuedIsRefused) {
    const Status waited = device->wait(1, kTestLimit);
    ASSERT_FALSE(waited.has_value());
    EXPECT_EQ(waited.error().code, ErrorCode::InvalidArgument);
    EXPECT_FALSE(device->lost());
}

TEST_F(DeviceTest, refusedDevicesAreNotOpened) {
    DeviceInfo poor = info;
    poor.features.storage8 = false;
    const auto opened = Device::create(*instance, poor);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, ErrorCode::Unsupported);
}

TEST_F(DeviceTest, aRefusalToOpenIsAResult) {
    failCall(instance->api().CreateDevice, 1, VK_ERROR_INITIALIZATION_FAILED);
    const auto opened = Device::create(*instance, info);
    ASSERT_FALSE(opened.has_value());
    EXPECT_EQ(opened.error().code, ErrorCode::Device);
    EXPECT_THAT(opened.error().message, HasSubstr("vkCreateDevice"));
}

TEST_F(DeviceTest, aLostDeviceStaysLost) {
    Allocator memory(*device, MemoryUse::Device);
    const auto commands = someCommands(memory);
    failCall(device->api().QueueSubmit, 1, VK_ERROR_DEVICE_LOST);
    const auto submitted = commands->submit();
    ASSERT_FALSE(submitted.has_value());
    EXPECT_EQ(submitted.error().code, ErrorCode::Device);
    EXPECT_TRUE(device->lost());
    EXPECT_FALSE(commands->submit().has_value());
    EXPECT_FALSE(device->wait(0, kTestLimit).has_value());
    EXPECT_FALSE(device->completed().has_value());
}

TEST_F(DeviceTest, workThatTakesTooLongLosesTheDevice) {
    Allocator memory(*device, MemoryUse::Device);
    const auto commands = someCommands(memory);
    failCall(device->api().WaitSemaphores, 1, VK_TIMEOUT);
    const Status ran = commands->run(std::chrono::milliseconds(70));
    ASSERT_FALSE(ran.has_value());
    EXPECT_EQ(ran.error().code, ErrorCode::Device);
    EXPECT_THAT(ran.error().message, HasSubstr("70 ms"));
    EXPECT_TRUE(device->lost());
    EXPECT_TRUE(device->settle());
}

TEST_F(DeviceTest, whatHangingWorkMayUseIsLeftAlone) {
    std::unique_ptr<Device> hanging = openDevice();
    const VkDevice handle = hanging->handle();
    const Api real = hanging->api();
    {
        const auto made = Pipelines::create(*hanging, {});
        ASSERT_TRUE(made.has_value());
        Allocator memory(*hanging, MemoryUse::Device);
        const auto range = memory.allocate(256);
        ASSERT_TRUE(range.has_value());
        Recorder recorder(*hanging, **made);
        ASSERT_TRUE(recorder.fill(*range, 1).has_value());
        const auto commands = recorder.finish();
        ASSERT_TRUE(commands.has_value());
        const auto value = (*commands)->submit();
        ASSERT_TRUE(value.has_value());
        while (hanging->completed().value() < *value) std::this_thread::yield();  // it only seems to hang
        hanging->api().WaitSemaphores = [](VkDevice, const VkSemaphoreWaitInfo*, uint64_t) {
            return VK_TIMEOUT;
        };
        EXPECT_FALSE(hanging->settle());
        hanging->api().DestroyBuffer = nullptr;  // a call would crash
        hanging->api().FreeMemory = nullptr;
        hanging->api().DestroyCommandPool = nullptr;
        hanging->api().DestroyPipelineLayout = nullptr;
        hanging->api().DestroyDevice = nullptr;
    }
    hanging.reset();
    real.DestroyDevice(handle, nullptr);
    // The validation layer misses the objects that were left.
    complaintsAreExpected = instance->validation() == Validation::On;
}

}  // namespace
}  // namespace ingle::backend::vulkan
