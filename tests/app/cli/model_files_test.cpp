/// Which files an engine may open for a model that somebody named.
#include "app/cli/model_files.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;
using testing::UnorderedElementsAre;

class ModelFiles : public testing::Test {
  protected:
    std::string made(const std::string& name) const {
        fs::create_directories(m_folder.path() / fs::path(name).parent_path());
        std::ofstream(m_folder.file(name)) << name;
        return fs::canonical(m_folder.file(name)).string();
    }
    void link(const std::string& target, const std::string& name) const {
        fs::create_directories(m_folder.path() / fs::path(name).parent_path());
        fs::create_symlink(target, m_folder.file(name));
    }
    std::vector<std::string> of(const std::string& name) const { return filesOfModel(m_folder.file(name)); }

    const test::TemporaryFolder m_folder;
};

TEST_F(ModelFiles, OfAGgufAreItsPartsAndNoNeighbours) {
    const std::string alone = made("a.gguf"), one = made("m-00001-of-00002.gguf"),
                      two = made("m-00002-of-00002.gguf");
    made("a secret.txt");
    made("about.gguf");
    made("m-00001-of-00003.gguf");
    made("other-00001-of-00002.gguf");
    made("config.json");
    EXPECT_THAT(of("a.gguf"), UnorderedElementsAre(alone));
    EXPECT_THAT(of("m-00001-of-00002.gguf"), UnorderedElementsAre(one, one, two));
    const std::string nameless = made("-00001-of-00002.gguf");
    EXPECT_THAT(of("-00001-of-00002.gguf"), UnorderedElementsAre(nameless));
    EXPECT_TRUE(of("absent.gguf").empty());
}

TEST_F(ModelFiles, OfWeightsAreSettingsAndVocabulariesBesideThem) {
    const std::string weights = made("model.safetensors"), config = made("config.json"),
                      vocabulary = made("rwkv_vocab_v20230424.txt"), pieces = made("tokenizer.model");
    made("diary.txt");
    made("passwords.json");
    made("notes/config.json");
    link("diary.txt", "tokenizer.json");
    EXPECT_THAT(of("model.safetensors"), UnorderedElementsAre(weights, weights, config, vocabulary, pieces));
}

/// A folder from a stranger has links that lead out of it.
TEST_F(ModelFiles, LinksOfAFolderLeadToWeightsAndIntoAHubsCacheOnly) {
    made("home/.ssh/id_rsa");
    made("home/diary.txt");
    const std::string blob = made("hub/blobs/0123abcd"), elsewhere = made("disk/model.safetensors");
    made("hub/snapshots/1/config.json");
    const std::string folder = fs::canonical(m_folder.file("hub/snapshots/1")).string();
    link("../../blobs/0123abcd", "hub/snapshots/1/model.safetensors");
    link("../../../disk/model.safetensors", "hub/snapshots/1/more.safetensors");
    link("../../../home", "hub/snapshots/1/x.json");
    link("../../../home/diary.txt", "hub/snapshots/1/tokenizer.json");
    link("../../../home/.ssh/id_rsa", "hub/snapshots/1/weights.safetensors");
    EXPECT_THAT(of("hub/snapshots/1"), UnorderedElementsAre(folder, blob, elsewhere));
}

}  // namespace
}  // namespace ingle::cli
