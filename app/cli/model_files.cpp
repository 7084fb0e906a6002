#include "app/cli/model_files.h"

#include <algorithm>
#include <array>
#include <filesystem>
#include <string_view>

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 4096;
constexpr std::array<std::string_view, 10> kBeside = {".json",  ".safetensors", ".bin", ".txt",      ".model",
                                                      ".jinja", ".pt",          ".pth", ".tiktoken", ".yaml"};
constexpr std::string_view kPoolingFolder = "1_Pooling";

bool isBeside(const fs::path& file) {
    return std::ranges::find(kBeside, file.extension().string()) != kBeside.end() ||
           file.filename() == kPoolingFolder;
}

/// Of "model-00001-of-00003.gguf" "model".
std::string stemOfParts(const fs::path& file) {
    const std::string stem = file.stem().string();
    const size_t of = stem.rfind("-of-");
    return of == stem.npos ? stem : stem.substr(0, stem.rfind('-', of - 1));
}

}  // namespace

std::vector<std::string> filesOfModel(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    const auto add = [&](const fs::path& file) {
        const fs::path real = fs::canonical(file, error);
        if (!error) files.push_back(real.string());
    };
    add(path);
    if (files.empty()) return files;
    const bool isFolder = fs::is_directory(path, error);
    const bool hasParts = fs::path(path).extension() == ".gguf";
    const std::string stem = stemOfParts(path);
    const auto belongs = [&](const fs::directory_entry& entry) {
        if (isFolder) return entry.is_symlink(error);
        return hasParts ? entry.path().filename().string().starts_with(stem) : isBeside(entry.path());
    };
    const fs::path parent = fs::path(path).parent_path();
    fs::directory_iterator entries(isFolder         ? fs::path(path)
                                   : parent.empty() ? fs::path(".")
                                                    : parent,
                                   error);
    for (; !error && entries != fs::directory_iterator() && files.size() < kMostFiles;
         entries.increment(error)) {
        if (belongs(*entries)) add(entries->path());
        error.clear();
    }
    return files;
}

}  // namespace ingle::cli
