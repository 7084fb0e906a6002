/// Split models: any part opens the whole, and parts that do not fit together are refused in one sentence.
#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>

#include "tests/engine/formats/sample_files.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::formats {
namespace {

using ::testing::HasSubstr;

class GgufShards : public testing::Test {
  protected:
    static constexpr size_t kParts = 3;

    void SetUp() override {
        ASSERT_TRUE(test::writeLlamaGguf(m_folder.file("whole")).has_value());
        m_whole = openModelFile(test::opened(m_folder.file("whole"))).value();
        ASSERT_TRUE(test::writeShards(m_whole, m_folder.file("model"), kParts).has_value());
    }
    std::string part(size_t index) const { return test::shardName(m_folder.file("model"), index, kParts); }
    /// Writes one part alone, with keys as given.
    void writePart(size_t index, int64_t no, int64_t count, const std::vector<std::string>& tensors) const {
        GgufWriter writer;
        writer.set("split.no", no);
        writer.set("split.count", count);
        for (const std::string& name : tensors) {
            const tensor::Tensor& tensor = *m_whole.find(name);
            ASSERT_TRUE(writer.addTensor(name, tensor.shape, *tensor.format, copyRows(tensor)));
        }
        ASSERT_TRUE(writer.write(part(index)));
    }
    void expectRefused(size_t opened, ErrorCode code, const std::string& message) const {
        const auto model = openModelFile(test::opened(part(opened)));
        ASSERT_FALSE(model.has_value()) << message;
        EXPECT_EQ(model.error().code, code) << model.error().message;
        EXPECT_THAT(model.error().message, HasSubstr(message));
    }

    test::TemporaryFolder m_folder;
    ModelFile m_whole;
};

TEST_F(GgufShards, anyPartOpensTheWhole) {
    for (size_t index = 0; index < kParts; ++index) {
        const auto model = openModelFile(test::opened(part(index)));
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(model->path, part(index));
        EXPECT_EQ(model->mappings.size(), kParts);
        EXPECT_EQ(model->metadata.string("general.architecture").value(), "llama");
        EXPECT_EQ(model->tokenizer.tokens, m_whole.tokenizer.tokens);
        ASSERT_EQ(model->tensors.size(), m_whole.tensors.size());
        for (const auto& [name, tensor] : m_whole.tensors) {
            EXPECT_TRUE(std::ranges::equal(model->find(name)->data, tensor.data)) << name;
        }
    }
}

TEST_F(GgufShards, partsAreThoseBesideTheFileThatWasOpened) {
    std::filesystem::create_directory(m_folder.file("models"));
    ASSERT_TRUE(test::writeShards(m_whole, m_folder.file("models/model"), kParts).has_value());
    const std::string path = test::shardName(m_folder.file("models/model"), 1, kParts);
    const io::Source source = test::opened(path);
    std::filesystem::rename(m_folder.file("models"), m_folder.file("moved"));
    const auto model = openModelFile(source);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->path, path);
    EXPECT_EQ(model->tensors.size(), m_whole.tensors.size());
}

TEST_F(GgufShards, aMissingPartIsNamed) {
    std::filesystem::remove(part(1));
    for (const size_t opened : {0U, 2U}) {
        expectRefused(opened, ErrorCode::Io, "part 2 of 3 of the model cannot be opened");
        expectRefused(opened, ErrorCode::Io, "model-00002-of-00003.gguf");
    }
}

TEST_F(GgufShards, aRenamedPartIsRefused) {
    std::filesystem::rename(part(0), m_folder.file("renamed.gguf"));
    const auto model = openModelFile(test::opened(m_folder.file("renamed.gguf")));
    ASSERT_FALSE(model.has_value());
    EXPECT_THAT(model.error().message, HasSubstr("should end in -00001-of-00003.gguf"));
    std::filesystem::rename(m_folder.file("renamed.gguf"), part(0));
    std::filesystem::copy_file(part(1), part(2), std::filesystem::copy_options::overwrite_existing);
    expectRefused(0, ErrorCode::Corrupt, "says it is part 2 of 3, its name part 3 of 3");
}

TEST_F(GgufShards, partsOfAnotherModelAreRefused) {
    writePart(1, 1, 4, {});
    expectRefused(0, ErrorCode::Corrupt, "says it is part 2 of 4, its name part 2 of 3");
    writePart(1, 7, 3, {});
    expectRefused(0, ErrorCode::Corrupt, "says it is part 8 of 3");
    writePart(1, 1, 3, {m_whole.tensors.begin()->first});
    expectRefused(0, ErrorCode::Corrupt, "is in another part of the model as well");
    writePart(1, 1, 3, {});
    expectRefused(0, ErrorCode::Corrupt, "are announced");
}

}  // namespace
}  // namespace ingle::formats
