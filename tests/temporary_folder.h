/// A folder for one test's files.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <string>
#include <string_view>

namespace ingle::test {

/// Made on construction, removed with everything in it on destruction.
class TemporaryFolder {
  public:
    TemporaryFolder() {
        std::string name = (std::filesystem::temp_directory_path() / "ingle-test-XXXXXX").string();
        m_path = ::mkdtemp(name.data());
    }
    ~TemporaryFolder() {
        std::error_code ignored;
        std::filesystem::remove_all(m_path, ignored);
    }
    TemporaryFolder(const TemporaryFolder&) = delete;
    TemporaryFolder& operator=(const TemporaryFolder&) = delete;

    const std::filesystem::path& path() const { return m_path; }
    std::string file(std::string_view name) const { return (m_path / name).string(); }

  private:
    std::filesystem::path m_path;
};

}  // namespace ingle::test
