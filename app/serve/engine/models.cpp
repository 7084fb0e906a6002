#include "app/serve/engine/models.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <set>

namespace ingle::serve {
namespace {

namespace fs = std::filesystem;

int64_t modifiedSeconds(const std::string& path) {
    struct stat status {};
    return ::stat(path.c_str(), &status) == 0 ? status.st_mtim.tv_sec : 0;
}

ServedModel fromLibrary(const library::ModelEntry& entry) {
    return {entry.name, entry.path, entry.purpose, modifiedSeconds(entry.path)};
}

Result<ModelList> readLibrary(const std::string& dataDir) {
    INGLE_TRY_ASSIGN(const library::Library library, library::Library::open(dataDir));
    ModelList models;
    for (const library::ModelEntry& entry : library.models()) models.push_back(fromLibrary(entry));
    return models;
}

}  // namespace

Result<ModelList> namedModels(const std::vector<std::string>& names, const std::string& dataDir) {
    INGLE_TRY_ASSIGN(const library::Library library, library::Library::open(dataDir));
    ModelList models;
    for (const std::string& name : names) {
        std::error_code error;
        if (const auto entry = library.findByName(name)) {
            models.push_back(fromLibrary(*entry));
        } else if (fs::exists(name, error)) {
            const fs::path path = fs::absolute(name, error);
            const bool isFile = fs::is_regular_file(path, error);
            models.push_back({(isFile ? path.stem() : path.filename()).string(), path.string(),
                              library::ModelPurpose::Chats, modifiedSeconds(path.string()), false});
        } else {
            return fail(ErrorCode::InvalidArgument, "{}: there is no such file, and no model of that name",
                        name);
        }
    }
    std::set<std::string_view> known;
    for (const ServedModel& model : models)
        if (!known.insert(model.name).second)
            return fail(ErrorCode::InvalidArgument, "Two models are called {}.", shown(model.name));
    return models;
}

Result<std::unique_ptr<Models>> Models::ofLibrary(const std::string& dataDir) {
    INGLE_TRY_ASSIGN(ModelList list, readLibrary(dataDir));
    auto models = std::make_unique<Models>(std::move(list));
    models->m_dataDir = dataDir;  // what it had a moment ago is looked at again by the first who asks
    return models;
}

std::shared_ptr<const ModelList> Models::all() {
    readAgain();
    return list();
}

std::shared_ptr<const ServedModel> Models::find(std::string_view name) {
    readAgain();
    const auto models = list();
    const auto found = std::ranges::find(*models, name, &ServedModel::name);
    if (found == models->end()) return nullptr;
    return {models, &*found};
}

void Models::readAgain() {
    if (m_dataDir.empty()) return;
    const Version now = versionOf(m_dataDir);
    {
        const std::scoped_lock lock(m_mutex);
        if (now == m_version) return;
    }
    auto read = readLibrary(m_dataDir);
    if (!read) return;
    const std::scoped_lock lock(m_mutex);
    m_list = std::make_shared<const ModelList>(std::move(*read));
    m_version = now;
}

Models::Version Models::versionOf(const std::string& dataDir) {
    struct stat status {};
    if (::stat((dataDir + "/library.json").c_str(), &status) != 0) return {};
    return {status.st_ino, status.st_mtim.tv_sec, status.st_mtim.tv_nsec};
}

std::shared_ptr<const ModelList> Models::list() {
    const std::scoped_lock lock(m_mutex);
    return m_list;
}

}  // namespace ingle::serve
