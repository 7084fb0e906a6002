#include "app/library/found_models.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <tuple>

namespace ingle::library {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr int kMaxDepth = 6;
constexpr size_t kMaxVisited = 20'000;  // entries of folders, in all
constexpr size_t kMaxFound = 500;

std::string variable(const char* name, const std::string& fallback) {
    const char* value = std::getenv(name);
    return value && *value ? value : fallback;
}

bool isGguf(const fs::path& path) {
    std::array<char, 4> magic{};
    std::ifstream file(path, std::ios::binary);
    return file.read(magic.data(), magic.size()) && std::string_view(magic.data(), magic.size()) == "GGUF";
}

/// "model-00002-of-00003.gguf" and its kin but the first.
bool isLaterPart(std::string_view name) {
    const size_t of = name.rfind("-of-");
    return of != std::string_view::npos && of >= 5 && name.substr(of - 5, 5) != "00001";
}

/// Bytes of all parts, when `first` is the first one.
uint64_t bytesOf(const fs::path& first) {
    std::error_code error;
    const std::string name = first.filename().string();
    const size_t number = name.rfind("-00001-of-");
    if (number == std::string::npos) return fs::file_size(first, error);
    uint64_t bytes = 0;
    for (const fs::directory_entry& entry : fs::directory_iterator(first.parent_path(), error)) {
        const std::string part = entry.path().filename().string();
        const bool isPart = part.size() == name.size() && part.starts_with(name.substr(0, number + 1)) &&
                            part.ends_with(name.substr(number + 6));
        if (isPart) bytes += entry.file_size(error);
    }
    return bytes;
}

class Search {
  public:
    /// Every GGUF file under `folder`.
    void folder(const std::string& folder, const char* program) {
        if (!folder.empty()) visit(folder, program, 0);
    }

    /// Source of the layout: Ollama's registry manifests, manifests/<host>/<namespace>/<model>/<tag>.
    void ollama(const std::string& folder) {
        std::error_code error;
        if (folder.empty() || !fs::is_directory(folder, error)) return;
        fs::recursive_directory_iterator manifests(fs::path(folder) / "manifests",
                                                   fs::directory_options::skip_permission_denied, error);
        for (; !error && manifests != fs::recursive_directory_iterator(); manifests.increment(error)) {
            if (!mayGoOn() || manifests.depth() > kMaxDepth) return;
            if (manifests->is_regular_file(error)) manifest(folder, manifests->path());
        }
    }

    std::vector<FoundModel> take() {
        std::ranges::sort(m_found, {},
                          [](const FoundModel& model) { return std::tie(model.name, model.path); });
        return std::move(m_found);
    }

  private:
    bool mayGoOn() { return ++m_visited <= kMaxVisited && m_found.size() < kMaxFound; }

    void visit(const fs::path& folder, const char* program, int depth) {
        std::error_code error;
        fs::directory_iterator entries(folder, fs::directory_options::skip_permission_denied, error);
        for (; !error && entries != fs::directory_iterator(); entries.increment(error)) {
            if (!mayGoOn()) return;
            std::error_code ignored;
            if (entries->is_directory(ignored) && !entries->is_symlink(ignored)) {
                if (depth < kMaxDepth) visit(entries->path(), program, depth + 1);
            } else if (entries->path().extension() == ".gguf") {
                file(entries->path(), program);
            }
        }
    }

    void file(const fs::path& path, const char* program) {
        const std::string name = path.filename().string();
        if (isLaterPart(name) || name.find("mmproj") != std::string::npos) return;
        // Jan names the folder for the model, and every file the same.
        const bool isNamedByFolder = path.stem() == "model";
        add(isNamedByFolder ? path.parent_path().filename().string() : path.stem().string(), path, program);
    }

    void manifest(const fs::path& folder, const fs::path& path) {
        std::ifstream file(path);
        const json manifest = json::parse(file, nullptr, false);
        if (!manifest.is_object() || !manifest.contains("layers") || !manifest["layers"].is_array()) return;
        for (const json& layer : manifest["layers"]) {
            if (!layer.is_object() ||
                layer.value("mediaType", json()) != "application/vnd.ollama.image.model")
                continue;
            const json digest = layer.value("digest", json());
            if (!digest.is_string()) continue;
            std::string blob = digest;
            std::ranges::replace(blob, ':', '-');
            if (blob.find('/') != std::string::npos) continue;
            const std::string tag = path.filename().string();
            std::string name = path.parent_path().filename().string();
            if (tag != "latest") name += ":" + tag;
            add(name, folder / "blobs" / blob, "Ollama");
        }
    }

    void add(const std::string& name, const fs::path& path, const char* program) {
        std::error_code error;
        // The same file under several names, by links or tags, is one model.
        const fs::path real = fs::canonical(path, error);
        if (error || !fs::is_regular_file(real, error) || !isGguf(real) || !m_real.insert(real).second)
            return;
        m_found.push_back({name, path.string(), program, bytesOf(path)});
    }

    std::vector<FoundModel> m_found;
    std::set<fs::path> m_real;
    size_t m_visited = 0;
};

}  // namespace

ModelPlaces usualPlaces() {
    const std::string home = variable("HOME", "");
    if (home.empty()) return {};
    const std::string data = variable("XDG_DATA_HOME", home + "/.local/share");
    const std::string config = variable("XDG_CONFIG_HOME", home + "/.config");
    const std::string cache = variable("XDG_CACHE_HOME", home + "/.cache");
    const std::string hub = variable("HF_HOME", cache + "/huggingface") + "/hub";
    return {
        .gpt4all = data + "/nomic.ai/GPT4All",
        .lmStudio = {home + "/.lmstudio/models", cache + "/lm-studio/models"},
        .jan = {data + "/Jan/data/llamacpp/models", config + "/Jan/data/llamacpp/models",
                home + "/jan/models"},
        .ollama = {variable("OLLAMA_MODELS", home + "/.ollama/models"), "/usr/share/ollama/.ollama/models"},
        .llamaCpp = variable("LLAMA_CACHE", cache + "/llama.cpp"),
        .huggingFace = variable("HF_HUB_CACHE", hub)};
}

std::vector<FoundModel> findModels(const ModelPlaces& places) {
    Search search;
    search.folder(places.gpt4all, "GPT4All");
    for (const std::string& folder : places.lmStudio) search.folder(folder, "LM Studio");
    for (const std::string& folder : places.jan) search.folder(folder, "Jan");
    for (const std::string& folder : places.ollama) search.ollama(folder);
    search.folder(places.llamaCpp, "llama.cpp");
    search.folder(places.huggingFace, "Hugging Face");
    return search.take();
}

}  // namespace ingle::library
