#include "engine/backend/vulkan/recording/row_forms.h"

#include <cmath>
#include <cstring>

#include "engine/backend/vulkan/substrate/recorder.h"
#include "engine/base/half.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

TEST(RowForms, areMadeOncePerValue) {
    RowForms forms;
    EXPECT_TRUE(forms.hold(RowForm::Halves, 0));
    EXPECT_FALSE(forms.hold(RowForm::Halves, 0));
    EXPECT_TRUE(forms.hold(RowForm::Halves, 3));
    EXPECT_TRUE(forms.hold(RowForm::Halves, 0));
}

class RowFormsTest : public VulkanTest {};

TEST_F(RowFormsTest, halvesAreInTheOrderOfTheirDecoders) {
    constexpr uint32_t kWidth = 70, kPadded = 72, kRows = 3, kFilled = 128;
    EXPECT_EQ(rowFormBytes(RowForm::Halves, kWidth, kRows), kRows * kFilled * 2);
    Allocator memory(*device, MemoryUse::HostRead);
    const uint64_t sizes[] = {kRows * kPadded * sizeof(float), kRows * kFilled * 2};
    const auto ranges = memory.allocate(sizes);
    ASSERT_TRUE(ranges);
    const auto x = floatsOf((*ranges)[0]);
    for (size_t i = 0; i < x.size(); ++i) x[i] = static_cast<float>(i);
    for (uint32_t row = 0; row < kRows; ++row) x[row * kPadded + kWidth] = NAN;  // no value
    x[1] = 1e6F;
    x[2] = -1e6F;
    x[3] = INFINITY;
    x[4] = NAN;
    const struct { uint32_t width; } push{kWidth};
    Recorder recorder(*device, *pipelines);
    ASSERT_TRUE(recorder.dispatch({pipeline({"convert_rows", {32}}),
                                   {reads((*ranges)[0]), writes((*ranges)[1])},
                                   push,
                                   {groupsFor(kFilled / 8, 32), kRows, 1}}));
    const auto commands = recorder.finish();
    ASSERT_TRUE(commands && (*commands)->run(kTestLimit));

    std::vector<uint16_t> halves(kRows * kFilled);
    std::memcpy(halves.data(), (*ranges)[1].host, halves.size() * 2);
    constexpr uint32_t kOrder[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (uint32_t at = 0; at < halves.size(); ++at) {
        const uint32_t row = at / kFilled, column = at % kFilled / 8 * 8 + kOrder[at % 8];
        float expected = column < kWidth ? x[row * kPadded + column] : 0;
        if (std::abs(expected) == 1e6F) expected = std::copysign(65504.0F, expected);
        const float value = base::f16ToF32(halves[at]);
        if (std::isnan(expected)) {
            EXPECT_TRUE(std::isnan(value));
        } else {
            EXPECT_EQ(value, expected) << row << ", " << column;
        }
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
