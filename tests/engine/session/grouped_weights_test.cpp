/// Integers with scales for groups of them (llama2.c version 2) are computed with where they lie in the file.
#include <gmock/gmock.h>
#include <sys/resource.h>

#include <filesystem>
#include <fstream>
#include <random>

#include "engine/lab/kernel_check.h"
#include "engine/session/loading/model.h"
#include "ingle/engine.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/engine/session/little_memory.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

class GroupedWeights : public testing::Test {
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

    /// Rows of whole blocks, with random weights.
    std::string writeSmall(uint32_t group) const {
        constexpr uint32_t kDim = 128, kHidden = 320, kVocab = 40;
        test::ByteString file;
        file.put(uint32_t{0x616B3432}).put(int32_t{2});
        for (const uint32_t field : {kDim, kHidden, 1U, 2U, 1U, kVocab, 64U})
            file.put(static_cast<int32_t>(field));
        file.put(uint8_t{1}).put(static_cast<int32_t>(group)).text(std::string(256 - 41, '\0'));
        for (uint32_t i = 0; i < 3 * kDim; ++i) file.put(1.0F);
        std::mt19937 random(3);
        for (const uint32_t rows : {kVocab, kDim, kDim / 2, kDim / 2, kDim, kHidden, kHidden, kHidden}) {
            const uint32_t count = rows * kDim;
            for (uint32_t i = 0; i < count; ++i) file.put(static_cast<int8_t>(random() & 0xFF));
            for (uint32_t i = 0; i < count / group; ++i) file.put(static_cast<float>(random() % 9) / 4096);
        }
        return write(file.bytes());
    }

    test::TemporaryFolder m_folder;
};

TEST_F(GroupedWeights, takeNoMemoryBesideTheFile) {
    const io::Source source = test::opened(writeLarge());
    const uint64_t before = peakBytes();
    const auto opened = openModel(source, {}).value();
    EXPECT_EQ(opened->shape.weightBytes, opened->file.fileBytes());
    EXPECT_GT(opened->info.quantBytes["INT8"], uint64_t{50} << 20);
    EXPECT_FALSE(Vocabulary::open(source.path()));  // it has none
    EXPECT_LT(peakBytes() - before, uint64_t{16} << 20);

    const auto model = Model::load(source, {.threads = 1, .contextTokens = 64}, nullptr);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_TRUE((*model)->opened().file.buffers.empty());
    EXPECT_LT(peakBytes() - before, opened->file.fileBytes() + (uint64_t{100} << 20));
}

TEST_F(GroupedWeights, areComputedAsTheReferenceDoes) {
    // Groups of four values are no whole blocks of activations: rows become floats one by one.
    for (const std::string& path : {write(test::llama2cVersion2File()), writeSmall(64)}) {
        const Status checked = lab::checkKernels(path, {.threads = 1});
        EXPECT_TRUE(checked) << checked.error().message;
    }
}

}  // namespace
}  // namespace ingle::session
