#include "engine/lab/kernel_check.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/lab/synth.h"
#include "tests/temporary_folder.h"

namespace ingle::lab {
namespace {

class KernelCheck : public testing::TestWithParam<const char*> {
  protected:
    const test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("model.gguf");
};

TEST_P(KernelCheck, fastAndPlainKernelsAgree) {
    ASSERT_TRUE(writeSynthModel({.family = GetParam(), .quant = "Q8_0"}, m_path));
    const Status checked = checkKernels(m_path, {.threads = 2});
    EXPECT_TRUE(checked) << checked.error().message;
}

INSTANTIATE_TEST_SUITE_P(Table, KernelCheck, testing::Values("llama", "rwkv7"),
                         [](const auto& family) { return std::string(family.param); });

TEST(KernelCheckOfAFile, thatIsNotThereIsOneSentence) {
    EXPECT_EQ(checkKernels("/no/such/model", {}).error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace ingle::lab
