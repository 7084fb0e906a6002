/// What is tried with units for matrices, before a model is loaded: a device that computes right passes.
#include "engine/session/devices/units_trial.h"

#include "tests/engine/session/vulkan_devices.h"

namespace ingle::session {
namespace {

TEST(UnitsTrial, aRealDevicePasses) {
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    const auto instance = backend::vulkan::Instance::create().value();
    const auto infos = instance->devices().value();
    const auto info = std::ranges::find(infos, devices.name(), &backend::vulkan::DeviceInfo::name);
    ASSERT_NE(info, infos.end());
    int calls = 0;
    const Status tried = tryUnits(backend::vulkan::driverIdentity(*info), [&] { ++calls; });
    EXPECT_GT(calls, 8);
    EXPECT_TRUE(tried) << tried.error().message;
}

TEST(UnitsTrial, aDeviceThatIsGoneIsAnError) {
    EXPECT_EQ(tryUnits("no such device", [] {}).error().code, ErrorCode::Unsupported);
}

}  // namespace
}  // namespace ingle::session
