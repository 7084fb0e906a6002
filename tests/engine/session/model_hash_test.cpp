#include "engine/session/snapshots/model_hash.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <thread>

#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

class ModelHashes : public testing::Test {
  protected:
    void write(const std::string& name, const std::string& text) const {
        std::ofstream(m_folder.file(name), std::ios::binary) << text;
    }
    std::string hashOf(std::vector<io::Source> files) const {
        const ModelHash hash(std::move(files), m_folder.file("hashes"));
        while (!hash.get()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
        return *hash.get();
    }

    test::TemporaryFolder m_folder;
};

TEST_F(ModelHashes, areOfTheContentsInTheirOrder) {
    write("a", "a");
    write("b", std::string(3 << 20, 'b'));
    write("c", "a");
    const auto a = test::opened(m_folder.file("a"));
    const auto b = test::opened(m_folder.file("b"));
    EXPECT_EQ(hashOf({a}).size(), 32U);
    EXPECT_EQ(hashOf({a}), hashOf({test::opened(m_folder.file("c"))}));
    EXPECT_NE(hashOf({a}), hashOf({b}));
    EXPECT_NE(hashOf({a, b}), hashOf({b, a}));
}

TEST_F(ModelHashes, areOfTheFileThatWasOpened) {
    write("model", "as it was");
    const auto source = test::opened(m_folder.file("model"));
    const std::string hash = hashOf({source});
    write("other", "another!!");
    std::filesystem::rename(m_folder.file("other"), m_folder.file("model"));
    std::filesystem::remove_all(m_folder.file("hashes"));
    EXPECT_EQ(hashOf({source}), hash);
    EXPECT_NE(hashOf({test::opened(m_folder.file("model"))}), hash);
}

TEST_F(ModelHashes, areRememberedUntilTheFileChanges) {
    write("model", "as it was");
    const std::string hash = hashOf({test::opened(m_folder.file("model"))});
    const ModelHash known({test::opened(m_folder.file("model"))}, m_folder.file("hashes"));
    EXPECT_EQ(known.get(), hash);
    write("model", "it grew longer");
    EXPECT_NE(hashOf({test::opened(m_folder.file("model"))}), hash);
}

}  // namespace
}  // namespace ingle::session
