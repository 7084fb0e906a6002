/// What is tried of a device before a model is loaded: one that computes right passes.
#include "engine/session/devices/feature_trial.h"

#include "tests/engine/session/vulkan_devices.h"

namespace ingle::session {
namespace {

TEST(FeatureTrial, aRealDevicePasses) {
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    const auto instance = backend::vulkan::Instance::create().value();
    const auto infos = instance->devices().value();
    const auto info = std::ranges::find(infos, devices.name(), &backend::vulkan::DeviceInfo::name);
    ASSERT_NE(info, infos.end());
    for (const auto feature : backend::vulkan::kDeviceFeatures) {
        SCOPED_TRACE(featureName(feature));
        int calls = 0;
        const Status tried = tryFeature(backend::vulkan::driverIdentity(*info), feature, [&] { ++calls; });
        EXPECT_GT(calls, 6);
        EXPECT_TRUE(tried) << tried.error().message;
    }
}

TEST(FeatureTrial, aDeviceThatIsGoneIsAnError) {
    EXPECT_EQ(tryFeature("no such device", backend::vulkan::DeviceFeature::Bytes, [] {}).error().code,
              ErrorCode::Unsupported);
}

}  // namespace
}  // namespace ingle::session
