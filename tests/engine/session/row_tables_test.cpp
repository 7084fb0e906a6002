/// Of a table that is read row by row, only the rows that were asked for take memory.
#include <gtest/gtest.h>

#include <fstream>

#include "engine/lab/synth.h"
#include "engine/session/loading/model.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr uint32_t kTableDim = 256, kTableVocab = 65536;
constexpr uint64_t kTableBytes = uint64_t{2} * kTableDim * kTableVocab;  // 32 MiB in F16

class RowTables : public testing::Test {
  protected:
    /// Bytes of mapped files that this process has in memory.
    static uint64_t residentBytes() {
        std::ifstream status("/proc/self/status");
        for (std::string line; std::getline(status, line);)
            if (line.starts_with("RssFile:")) return std::stoull(line.substr(8)) * 1024;
        ADD_FAILURE() << "no RssFile in /proc/self/status";
        return 0;
    }
    std::string writeModel() const {
        lab::SynthOptions options{.family = "llama", .quant = "F16"};
        options.sizes = {.dim = kTableDim, .ffnDim = 512, .vocabSize = kTableVocab};
        EXPECT_TRUE(lab::writeSynthModel(options, m_folder.file("model")));
        return m_folder.file("model");
    }
    /// What loading it adds to them.
    uint64_t load(const std::string& path) {
        const uint64_t before = residentBytes();
        m_model =
            Model::load(test::opened(path), {.backend = BackendChoice::Cpu, .threads = 1}, nullptr).value();
        return residentBytes() - before;
    }
    const formats::ModelFile& file() const { return m_model->opened().file; }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Model> m_model;
};

TEST_F(RowTables, areLeftOnTheDisk) {
    const uint64_t bytes = load(writeModel());
    EXPECT_LT(bytes, file().fileBytes() - kTableBytes + kTableBytes / 4);
    EXPECT_EQ(m_model->opened().shape.weightBytes, file().fileBytes() - kTableBytes);
}

TEST_F(RowTables, areReadWhereTheyAreTheOutputToo) {
    auto tied = formats::openModelFile(test::opened(writeModel())).value();
    ASSERT_EQ(tied.tensors.erase("output.weight"), 1U);
    const std::string prefix = m_folder.file("tied");
    ASSERT_TRUE(test::writeShards(tied, prefix, 1));
    const uint64_t bytes = load(test::shardName(prefix, 0, 1));
    EXPECT_GT(bytes, file().fileBytes() - kTableBytes / 4);
    EXPECT_EQ(m_model->opened().shape.weightBytes, file().fileBytes());
}

}  // namespace
}  // namespace ingle::session
