/// Weights of no block format (llama2.c version 2) become floats when something is computed with them, and
/// not before.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>

#include "engine/lab/kernel_check.h"
#include "engine/session/loading/model.h"
#include "ingle/engine.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/engine/session/little_memory.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

class ExpandedWeights : public testing::Test {
  protected:
    static uint64_t peakBytes() {
        rusage usage{};
        ::getrusage(RUSAGE_SELF, &usage);
        return uint64_t{1024} * static_cast<uint64_t>(usage.ru_maxrss);
    }
    std::string write(const std::string& bytes) const {
        std::ofstream(m_folder.file("model"), std::ios::binary) << bytes;
        return m_folder.file("model");
    }
    /// Of 60 million weights, all of them zeros that lie nowhere on the disk.
    std::string writeLarge() const {
        constexpr uint64_t kDim = 1024, kHidden = 4096, kLayers = 3, kVocab = 8192, kGroup = 64;
        test::ByteString header;
        header.put(uint32_t{0x616B3432}).put(int32_t{2});
        for (const uint64_t field : {kDim, kHidden, kLayers, uint64_t{8}, uint64_t{8}, kVocab, uint64_t{256}})
            header.put(static_cast<int32_t>(field));
        header.put(uint8_t{1}).put(static_cast<int32_t>(kGroup));
        const std::string path = write(header.bytes());
        const uint64_t norms = kLayers * 2 * kDim + kDim;
        const uint64_t matrices = kVocab * kDim + kLayers * (4 * kDim * kDim + 3 * kDim * kHidden);
        std::filesystem::resize_file(path, 256 + norms * 4 + matrices + matrices / kGroup * 4);
        return path;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(ExpandedWeights, openingAndInspectingExpandNothing) {
    const io::Source source = test::opened(writeLarge());
    const uint64_t before = peakBytes();
    const auto model = openModel(source, {}).value();
    EXPECT_GT(model->file.expandedBytes(), uint64_t{200} << 20);
    EXPECT_TRUE(model->file.buffers.empty());
    EXPECT_FALSE(Vocabulary::open(source.path()));  // it has none
    EXPECT_LT(peakBytes() - before, uint64_t{100} << 20);
    // What they will take is foretold all the same, without what they are made of.
    uint64_t readOnce = 0;
    for (const auto bytes : model->file.readOnce()) readOnce += bytes.size();
    EXPECT_GT(readOnce, uint64_t{50} << 20);
    EXPECT_EQ(model->shape.weightBytes, model->file.fileBytes() + model->file.expandedBytes() - readOnce);
    EXPECT_GT(model->info.quantBytes["F32"], model->file.expandedBytes());
}

TEST_F(ExpandedWeights, loadingExpandsAll) {
    const io::Source source = test::opened(write(test::llama2cVersion2File()));
    const auto model = Model::load(source, {.threads = 1}, nullptr);
    ASSERT_TRUE(model) << model.error().message;
    uint64_t bytes = 0;
    for (const base::Buffer& buffer : (*model)->opened().file.buffers) bytes += buffer.size();
    EXPECT_GT(bytes, 0U);
    const formats::ModelFile& file = (*model)->opened().file;
    EXPECT_GE(bytes, file.expandedBytes());
    EXPECT_LT(bytes, file.expandedBytes() + file.tensors.size() * base::Buffer::kAlignment);
    const Status checked = lab::checkKernels(source.path(), {.threads = 1});
    EXPECT_TRUE(checked) << checked.error().message;
}

TEST_F(ExpandedWeights, whatDoesNotFitIsRefusedFirst) {
    const io::Source source = test::opened(writeLarge());
    const test::LittleMemory little(512 << 20, 200 << 20);
    const uint64_t before = peakBytes();
    const auto model = Model::load(source, {.threads = 1}, nullptr);
    ASSERT_FALSE(model);
    EXPECT_EQ(model.error().code, ErrorCode::OutOfMemory);
    EXPECT_LT(peakBytes() - before, uint64_t{100} << 20);
}

}  // namespace
}  // namespace ingle::session
