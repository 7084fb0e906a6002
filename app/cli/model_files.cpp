#include "app/cli/model_files.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>
#include <string_view>

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

constexpr size_t kMostFiles = 4096;
constexpr std::array<std::string_view, 5> kWeights = {".gguf", ".safetensors", ".bin", ".pt", ".pth"};
constexpr std::array<std::string_view, 3> kVocabularies = {".model", ".tiktoken", ".jinja"};
constexpr std::array<std::string_view, 3> kTexts = {".json", ".txt", ".yaml"};
/// What stands in the names of texts that belong to a model.
constexpr std::array<std::string_view, 11> kNames = {"config", "tokenizer", "vocab",    "merges",
                                                     "token",  "index",     "template", "modules",
                                                     "params", "tekken",    "model"};
constexpr std::string_view kPoolingFolder = "1_Pooling";

template <typename List>
bool isOneOf(std::string_view text, const List& list) {
    return std::ranges::find(list, text) != list.end();
}

bool isBeside(const fs::path& file) {
    const std::string extension = file.extension().string(), stem = file.stem().string();
    if (isOneOf(extension, kWeights) || isOneOf(extension, kVocabularies)) return true;
    const bool isNamed =
        std::ranges::any_of(kNames, [&](std::string_view name) { return stem.find(name) != stem.npos; });
    return (isOneOf(extension, kTexts) && isNamed) || file.filename() == kPoolingFolder;
}

/// Of "model-00001-of-00003.gguf" "model" and "00003"; of other names nothing.
struct Parts {
    std::string stem, number;
    bool operator==(const Parts&) const = default;
};
Parts partsOf(const fs::path& file) {
    constexpr size_t kDigits = 5;
    constexpr std::string_view kOf = "-of-";
    const std::string name = file.stem().string();
    constexpr size_t kEnd = 1 + kDigits + kOf.size() + kDigits;  // "-00001-of-00003"
    if (name.size() <= kEnd) return {};
    const std::string end = name.substr(name.size() - kEnd);
    const auto areDigits = [&](size_t at) {
        return std::all_of(end.begin() + static_cast<long>(at), end.begin() + static_cast<long>(at + kDigits),
                           [](unsigned char c) { return std::isdigit(c) != 0; });
    };
    if (end[0] != '-' || !areDigits(1) || end.substr(1 + kDigits, kOf.size()) != kOf ||
        !areDigits(kEnd - kDigits))
        return {};
    return {name.substr(0, name.size() - kEnd), end.substr(kEnd - kDigits)};
}

/// Whether a link in a folder leads to what may belong to a model. The folder may be a stranger's, and lead
/// anywhere: so to a file of weights, or to the files of a hub's cache, which have no names.
bool mayLead(const fs::path& real, const fs::path& folder) {
    std::error_code error;
    if (!fs::is_regular_file(real, error)) return false;
    const fs::path blobs = fs::canonical(folder / ".." / ".." / "blobs", error);
    return (!error && real.parent_path() == blobs) || isOneOf(real.extension().string(), kWeights);
}

}  // namespace

std::vector<std::string> filesOfModel(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    const fs::path named = fs::canonical(path, error);
    if (error) return files;
    files.push_back(named.string());
    const bool isFolder = fs::is_directory(named, error);
    const Parts parts = partsOf(path);
    const fs::path parent = fs::path(path).parent_path();
    const fs::path folder = isFolder ? fs::path(path) : parent.empty() ? fs::path(".") : parent;
    const auto belongs = [&](const fs::path& file) {
        if (isFolder) return true;
        if (fs::path(path).extension() == ".gguf") return !parts.stem.empty() && partsOf(file) == parts;
        return isBeside(file);
    };
    fs::directory_iterator entries(folder, error);
    for (; !error && entries != fs::directory_iterator() && files.size() < kMostFiles;
         entries.increment(error)) {
        const bool isLink = entries->is_symlink(error);
        // What lies in a folder that was named belongs to it without being listed.
        if ((isFolder && !isLink) || !belongs(entries->path())) continue;
        const fs::path real = fs::canonical(entries->path(), error);
        const bool isPlain =
            !isLink && (fs::is_regular_file(real, error) || entries->path().filename() == kPoolingFolder);
        if (!real.empty() && (isPlain || mayLead(real, folder))) files.push_back(real.string());
        error.clear();
    }
    return files;
}

}  // namespace ingle::cli
