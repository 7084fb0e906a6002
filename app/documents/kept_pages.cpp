#include "app/documents/kept_pages.h"

#include <fstream>
#include <iterator>
#include <vector>

namespace ingle::documents {
namespace {

namespace fs = std::filesystem;

/// Removes the folders in `parent` that `isOver` names.
template <typename IsOver>
void removeFolders(const fs::path& parent, const IsOver& isOver) {
    std::error_code ignored;
    std::vector<fs::path> over;
    for (const auto& each : fs::directory_iterator(parent, ignored))
        if (isOver(each.path())) over.push_back(each.path());
    for (const fs::path& folder : over) fs::remove_all(folder, ignored);
}

/// Whether nothing was added to a folder for so long.
bool isOld(const fs::path& folder) {
    std::error_code unknown;
    const auto written = fs::last_write_time(folder, unknown);
    return !unknown && fs::file_time_type::clock::now() - written > KeptPages::kPatience;
}

}  // namespace

KeptPages::KeptPages(const std::string& folder, const std::string& hash, const std::string& seer)
    : m_all(folder), m_hash(hash) {
    if (m_all.empty()) return;
    removeFolders(m_all, isOld);
    m_own = m_all / (seer.empty() ? hash : hash + "-" + seer);
    std::error_code ignored;
    fs::create_directories(m_own, ignored);
}

fs::path KeptPages::pathOf(uint32_t number) const {
    return m_own / std::to_string(number);
}

std::optional<RecognisedPage> KeptPages::find(uint32_t number) const {
    if (m_all.empty()) return std::nullopt;
    std::ifstream file(pathOf(number), std::ios::binary);
    if (!file) return std::nullopt;
    const std::string bytes{std::istreambuf_iterator<char>(file), {}};
    auto page = decodePage(bytes);
    if (!page) return std::nullopt;
    return *std::move(page);
}

void KeptPages::keep(uint32_t number, const RecognisedPage& page) const {
    if (m_all.empty()) return;
    // Complete under its name, or not at all.
    const fs::path whole = pathOf(number);
    const fs::path part = whole.string() + ".part";
    std::ofstream file(part, std::ios::binary);
    file << encodePage(page);
    file.close();
    std::error_code ignored;
    if (file) fs::rename(part, whole, ignored);
}

void KeptPages::forget() const {
    if (m_all.empty()) return;
    removeFolders(m_all,
                  [&](const fs::path& folder) { return folder.filename().string().starts_with(m_hash); });
}

}  // namespace ingle::documents
