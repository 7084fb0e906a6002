#include "app/serve/engine/models.h"

#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <optional>
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

}  // namespace

Result<Models> Models::choose(const std::vector<std::string>& names, const std::string& dataDir) {
    INGLE_TRY_ASSIGN(const library::Library library, library::Library::open(dataDir));
    std::vector<ServedModel> models;
    if (names.empty())
        for (const library::ModelEntry& entry : library.models()) models.push_back(fromLibrary(entry));
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
    return Models(std::move(models));
}

const ServedModel* Models::find(std::string_view name) const {
    const auto found = std::ranges::find(m_models, name, &ServedModel::name);
    return found == m_models.end() ? nullptr : &*found;
}

}  // namespace ingle::serve
