#include "app/cli/fresh_file.h"

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

class FreshFolders : public testing::Test {
  protected:
    /// As an import leaves it that is killed.
    std::string left(const std::string& name, std::chrono::hours ago) const {
        const std::string folder = m_folder.file(name);
        fs::create_directory(folder);
        std::ofstream(folder + "/model.gguf") << "half of it";
        fs::last_write_time(folder, fs::file_time_type::clock::now() - ago);
        return folder;
    }

    const test::TemporaryFolder m_folder;
    const std::string m_target = m_folder.file("model.gguf");
};

TEST_F(FreshFolders, thoseOfKilledImportsGoWithTheNextOne) {
    using namespace std::chrono_literals;
    const std::string stale = left(".ingle-abc123", 2h), justMade = left(".ingle-def456", 0h);
    const std::string other = left(".ingle-settings", 2h), own = left("ingle-abc123", 2h);
    const auto fresh = FreshFolder::beside(m_target);
    ASSERT_TRUE(fresh);
    EXPECT_FALSE(fs::exists(stale));
    for (const std::string& kept : {justMade, other, own, (*fresh)->path()})
        EXPECT_TRUE(fs::exists(kept)) << kept;
}

TEST_F(FreshFolders, oneInUseStays) {
    using namespace std::chrono_literals;
    const auto used = FreshFolder::beside(m_target);
    ASSERT_TRUE(used);
    fs::last_write_time((*used)->path(), fs::file_time_type::clock::now() - 2h);
    const auto another = FreshFolder::beside(m_target);
    ASSERT_TRUE(another);
    EXPECT_TRUE(fs::exists((*used)->path()));
}

}  // namespace
}  // namespace ingle::cli
