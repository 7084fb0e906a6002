#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <string_view>

#include <unistd.h>

#include "ingle/outside.h"

namespace ingle {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostEntries = 4096;

/// A file in GGUF whose first key says so: general.architecture, a text of 4 bytes, "clip".
bool beginsAsVisionFile(const fs::path& path) {
    constexpr std::string_view kMagic = "GGUF";
    constexpr std::string_view kArchitecture("general.architecture\x08\0\0\0\x04\0\0\0\0\0\0\0clip", 36);
    const FileDescriptor file(openToRead(path.string()));
    std::array<char, 4096> bytes{};
    const ssize_t count = file.isOpen() ? ::pread(file.get(), bytes.data(), bytes.size(), 0) : 0;
    const std::string_view begin(bytes.data(), static_cast<size_t>(std::max<ssize_t>(count, 0)));
    return begin.starts_with(kMagic) && begin.find(kArchitecture) != begin.npos;
}

}  // namespace

std::vector<std::string> visionFilesBeside(const std::string& model) {
    std::error_code error;
    const fs::path parent = fs::path(model).parent_path();
    const fs::path folder = fs::is_directory(model, error) ? fs::path(model) : parent;
    std::vector<std::string> files;
    fs::directory_iterator entry(folder.empty() ? fs::path(".") : folder, error);
    if (error && outside() && outside()->visionFiles) return outside()->visionFiles(model);
    for (size_t count = 0; !error && entry != fs::directory_iterator() && count < kMostEntries; ++count) {
        const fs::path path = folder / entry->path().filename();
        if (path.extension() == ".gguf" && fs::is_regular_file(path, error) && beginsAsVisionFile(path))
            files.push_back(path.string());
        error.clear();
        entry.increment(error);
    }
    std::ranges::sort(files);
    return files;
}

}  // namespace ingle
