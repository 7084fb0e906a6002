// Every call that can fail fails once, at every place: the outcome is a Result, and nothing is left behind
// (the validation layer would complain).
#include "tests/engine/backend_vulkan/vulkan_test.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

/// Uploads, computes, downloads: 1 + 1 in every element.
Status useEverything(Device& device, const std::string& cacheFolder) {
    constexpr uint32_t kElems = 1000;
    INGLE_TRY_ASSIGN(const auto pipelines, Pipelines::create(device, cacheFolder));
    const PipelineSpec specs[] = {{"add", {64}}, {"rms_norm", {64}}};
    INGLE_TRY_ASSIGN(const auto compiled, pipelines->compile(specs));
    Allocator memory(device, MemoryUse::Device);
    const uint64_t sizes[] = {kElems * sizeof(float), kElems * sizeof(float)};
    INGLE_TRY_ASSIGN(const auto ranges, memory.allocate(sizes));
    INGLE_TRY_ASSIGN(const auto transfer, Transfer::create(device, *pipelines));
    std::vector<float> values(kElems, 1.0f);
    INGLE_TRY(transfer->upload(ranges[0], std::as_bytes(std::span(values))));
    Recorder recorder(device, *pipelines);
    INGLE_TRY(recorder.dispatch({.pipeline = compiled[0],
                                 .bindings = {reads(ranges[0]), reads(ranges[0]), writes(ranges[1])},
                                 .push = BinaryPush{kElems},
                                 .groups = {groupsFor(kElems, 64), 1, 1}}));
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    INGLE_TRY(commands->run(kTestLimit));
    INGLE_TRY(commands->run(kTestLimit));
    INGLE_TRY(transfer->download(ranges[1], std::as_writable_bytes(std::span(values))));
    if (values.front() != 2 || values.back() != 2)
        return fail(ErrorCode::InvalidArgument, "1 + 1 = {}", values.front());
    return pipelines->saveCache();
}

template <typename Function>
constexpr bool kCanFail = false;
template <typename... Args>
constexpr bool kCanFail<VkResult (*)(Args...)> = true;

class FaultTest : public VulkanTest {
  protected:
    /// One run of useEverything() in which the nth call of the entry fails. False: there is no such call.
    template <typename Function>
    bool failsAt(Function Api::*entry, uint32_t nth, VkResult error) {
        const auto opened = openDevice();
        if (!opened) return false;
        failCall(opened->api().*entry, nth, error);
        const Status used = useEverything(*opened, folder.path().string());
        const bool failed = hasFailed(opened->api().*entry);
        EXPECT_EQ(used.has_value(), !failed) << used.error().message;
        if (used) return false;
        const bool lost = error == VK_ERROR_DEVICE_LOST;
        EXPECT_EQ(used.error().code, lost ? ErrorCode::Device : ErrorCode::OutOfMemory);
        EXPECT_EQ(opened->lost(), lost);
        return failed;
    }

    template <typename Function>
    void failEverywhere(Function Api::*entry, std::string_view name) {
        if constexpr (kCanFail<Function>) {
            for (const VkResult error : {VK_ERROR_OUT_OF_DEVICE_MEMORY, VK_ERROR_DEVICE_LOST}) {
                uint32_t nth = 1;
                for (;; ++nth) {
                    SCOPED_TRACE(fmt::format("call {} of vk{}: {}", nth, name, resultName(error)));
                    if (!failsAt(entry, nth, error)) break;
                    ASSERT_LT(nth, 100u);
                }
                EXPECT_GT(nth, 1u) << "vk" << name << " was not called";
            }
        }
    }

    const test::TemporaryFolder folder;
};

TEST_F(FaultTest, everyFailingCallIsAResult) {
    ASSERT_TRUE(useEverything(*device, folder.path().string()).has_value());
    std::string_view skipped = "CreateSemaphore";  // a device makes one when it is opened: see below
#define INGLE_VK_FAIL(name) \
    if (skipped != #name) failEverywhere(&Api::name, #name);
    INGLE_VK_DEVICE_FUNCTIONS(INGLE_VK_FAIL)
#undef INGLE_VK_FAIL
}

TEST_F(FaultTest, aDeviceThatCannotBeFinishedIsClosedAgain) {
    static PFN_vkGetDeviceProcAddr real = nullptr;
    real = instance->api().GetDeviceProcAddr;
    const auto open = [&](PFN_vkGetDeviceProcAddr lookup) {
        instance->api().GetDeviceProcAddr = lookup;
        return Device::create(*instance, info);
    };
    // The semaphore is refused.
    const auto refused = open([](VkDevice handle, const char* name) -> PFN_vkVoidFunction {
        if (std::string_view(name) != "vkCreateSemaphore") return real(handle, name);
        const PFN_vkCreateSemaphore refuse = [](VkDevice, const VkSemaphoreCreateInfo*,
                                                const VkAllocationCallbacks*,
                                                VkSemaphore*) { return VK_ERROR_OUT_OF_HOST_MEMORY; };
        return reinterpret_cast<PFN_vkVoidFunction>(refuse);
    });
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    // The driver lacks a function.
    const auto lacking = open([](VkDevice handle, const char* name) -> PFN_vkVoidFunction {
        return std::string_view(name) == "vkCmdDispatch" ? nullptr : real(handle, name);
    });
    ASSERT_FALSE(lacking.has_value());
    EXPECT_THAT(lacking.error().message, ::testing::HasSubstr("vkCmdDispatch"));
}

}  // namespace
}  // namespace ingle::backend::vulkan
