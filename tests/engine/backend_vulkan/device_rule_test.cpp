#include "engine/backend/vulkan/trial/device_rule.h"

#include <gtest/gtest.h>

namespace ingle::backend::vulkan {
namespace {

struct Named {
    std::string name;
    DeviceKind kind;
    std::string refusal;
};

const Named kSoftware{"Soft", DeviceKind::Cpu, ""};
const Named kIntegrated{"Small", DeviceKind::Integrated, ""};
const Named kDiscrete{"Big", DeviceKind::Discrete, ""};
const Named kTwin{"Big too", DeviceKind::Discrete, ""};
const Named kOld{"Old", DeviceKind::Discrete, "it is too old"};
const Named kBroken{"Broken", DeviceKind::Integrated, "it is broken"};

TEST(DeviceRule, theBestOfThoseThatAreWantedAndNotRefused) {
    const struct {
        std::vector<Named> devices;
        std::string name;
        std::string picked;   ///< empty: none
        std::string refusal;  ///< of the best one
        std::string asked;    ///< who was asked for a refusal, in turn
    } cases[] = {
        {{}, "", "", "", ""},
        {{kSoftware}, "", "", "", ""},
        {{kSoftware, kIntegrated, kDiscrete}, "", "Big", "", "Big,"},
        {{kTwin, kDiscrete}, "", "Big too", "", "Big too,"},
        {{kIntegrated, kOld}, "", "Small", "it is too old", "Old,Small,"},
        {{kBroken, kOld, kSoftware}, "", "", "it is too old", "Old,Broken,"},
        {{kDiscrete, kSoftware}, "oft", "Soft", "", "Soft,"},
        {{kDiscrete, kIntegrated, kTwin}, "too", "Big too", "", "Big too,"},
        {{kDiscrete, kOld}, "Old", "", "it is too old", "Old,"},
        {{kDiscrete}, "Nonesuch", "", "", ""},
    };
    for (const auto& expected : cases) {
        std::string asked;
        const auto picked = pickDevice(expected.devices, expected.name, [&asked](const Named& device) {
            asked += device.name + ",";
            return device.refusal;
        });
        SCOPED_TRACE(expected.name + " " + expected.asked);
        EXPECT_EQ(picked.device ? picked.device->name : "", expected.picked);
        EXPECT_EQ(picked.refusal, expected.refusal);
        EXPECT_EQ(asked, expected.asked);
    }
}

TEST(DeviceRule, whyNoneWasPicked) {
    const struct {
        std::string refusal;
        std::string name;
        std::string error;
    } cases[] = {
        {"it is too old", "", "it is too old"},
        {"it is too old", "Old", "it is too old"},
        {"", "Nonesuch", "no Vulkan device is called \"Nonesuch\""},
        {"", "", "this computer has no graphics processor for Vulkan"},
    };
    for (const auto& [refusal, name, message] : cases) {
        const Status error = nonePicked(PickedDevice<Named>{.refusal = refusal}, name);
        EXPECT_EQ(error.error().code, ErrorCode::Unsupported);
        EXPECT_EQ(error.error().message, message);
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
