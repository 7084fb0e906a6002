/// Packed weights of folders become blocks when something is computed with them, and not before.
#include <gmock/gmock.h>

#include "engine/lab/kernel_check.h"
#include "engine/session/loading/model.h"
#include "tests/engine/formats/sample_packed.h"
#include "tests/opened.h"

namespace ingle::session {
namespace {

uint64_t bufferBytes(const formats::ModelFile& file) {
    uint64_t bytes = 0;
    for (const base::Buffer& buffer : file.buffers) bytes += buffer.size();
    return bytes;
}

TEST(ExpandedWeights, areForetoldAndMadeByLoading) {
    const test::TemporaryFolder folder;
    test::writeFolder(test::gptqFolder(), folder);
    const io::Source source = test::opened(folder.path().string());
    const auto opened = openModel(source, {}).value();
    const uint64_t expandedBytes = opened->file.expandedBytes();
    const uint64_t made = bufferBytes(opened->file);  // by reading the folder: small vectors
    EXPECT_LT(made, expandedBytes);
    // What they will take, without what they are made of.
    uint64_t readOnce = 0;
    for (const auto bytes : opened->file.readOnce()) readOnce += bytes.size();
    EXPECT_GT(readOnce, 0U);
    EXPECT_EQ(opened->shape.weightBytes, opened->file.fileBytes() + expandedBytes - readOnce);

    const auto model = Model::load(source, {.threads = 1}, nullptr);
    ASSERT_TRUE(model) << model.error().message;
    const formats::ModelFile& file = (*model)->opened().file;
    EXPECT_GE(bufferBytes(file), made + expandedBytes);
    EXPECT_LT(bufferBytes(file), made + expandedBytes + file.tensors.size() * base::Buffer::kAlignment);
    const Status checked = lab::checkKernels(source.path(), {.threads = 1});
    EXPECT_TRUE(checked) << checked.error().message;
}

}  // namespace
}  // namespace ingle::session
