#include "app/documents/source_folder.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <set>

#include "app/documents/fence.h"
#include "app/documents/refusals.h"
#include "app/documents/text_encoding.h"
#include "ingle/file_descriptor.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kFormat = "folder";

/// Folders whose content tools make again. Those that tools mark themselves are found by kGeneratedMarks.
constexpr std::array<std::string_view, 9> kMadeNames{"build",       "dist",         "out",
                                                     "target",      "node_modules", "bower_components",
                                                     "__pycache__", "venv",         "site-packages"};
constexpr std::array<std::string_view, 3> kMadeBeginnings{"build-", "build_", "cmake-build-"};
/// What lies in such a folder: the Cache Directory Tagging Standard's tag, CMake's and Python's own files.
constexpr std::array kGeneratedMarks{"CACHEDIR.TAG", "CMakeCache.txt", "pyvenv.cfg"};

struct Entry {
    std::string name;
    mode_t mode = 0;
    off_t size = 0;
    /// What paths are sorted by.
    std::string key() const { return S_ISDIR(mode) ? name + '/' : name; }
};

FileDescriptor openInside(int folder, const std::string& name, int flags) {
    return FileDescriptor(
        ::openat(folder, name.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | flags));
}

bool isMade(const std::string& name, int folder) {
    if (std::ranges::find(kMadeNames, name) != kMadeNames.end()) return true;
    if (std::ranges::any_of(kMadeBeginnings, [&](auto each) { return name.starts_with(each); })) return true;
    return std::ranges::any_of(kGeneratedMarks,
                               [&](const char* mark) { return ::faccessat(folder, mark, F_OK, 0) == 0; });
}

/// Nothing where it cannot be read to its end, or grew beyond `most`.
std::optional<std::string> wholeFile(int file, size_t most) {
    std::string bytes;
    std::array<char, 65536> buffer;
    for (;;) {
        const ssize_t count = ::read(file, buffer.data(), buffer.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return std::nullopt;
        if (count == 0) return bytes;
        bytes.append(buffer.data(), static_cast<size_t>(count));
        if (bytes.size() > most) return std::nullopt;
    }
}

std::string namesOf(const std::set<std::string>& encodings) {
    std::string names;
    for (const std::string& each : encodings) names += names.empty() ? each : ", " + each;
    return names;
}

class Walk {
  public:
    Walk(int root, const ReadOptions& options)
        : m_options(options), m_root(std::filesystem::path("/proc/self/fd") / std::to_string(root)) {}

    Status read(int folder, const std::string& prefix, size_t depth) {
        std::vector<Entry> entries = entriesOf(folder);
        std::ranges::sort(entries, {}, &Entry::key);
        for (const Entry& entry : entries) {
            if (m_options.isCancelled()) return refuse(Refusal::Cancelled);
            INGLE_TRY(readEntry(folder, entry, prefix + entry.name, depth));
        }
        return {};
    }

    Result<Document> finish() && {
        if (m_document.text.empty()) return refuse(Refusal::Empty, kFormat);
        m_document.format = kFormat;
        for (const auto& [kind, count] : m_losses) {
            m_document.leftOut.push_back({kind, count});
            if (kind == LossKind::OtherEncoding)
                m_document.leftOut.back().names = oneLine(namesOf(m_encodings));
        }
        return std::move(m_document);
    }

  private:
    std::vector<Entry> entriesOf(int folder) {
        std::vector<Entry> entries;
        const int own = ::openat(folder, ".", O_RDONLY | O_CLOEXEC | O_DIRECTORY);
        const std::unique_ptr<DIR, int (*)(DIR*)> listing(own < 0 ? nullptr : ::fdopendir(own), &::closedir);
        if (!listing) ++m_losses[LossKind::UnreadableFiles];
        while (const dirent* found = listing ? ::readdir(listing.get()) : nullptr) {
            const std::string name = found->d_name;
            if (name == "." || name == "..") continue;
            if (++m_numSeen > limits::kFolderEntries) break;
            struct stat facts {};
            if (::fstatat(folder, name.c_str(), &facts, AT_SYMLINK_NOFOLLOW) == 0)
                entries.push_back({name, facts.st_mode, facts.st_size});
        }
        return entries;
    }

    Status readEntry(int folder, const Entry& entry, const std::string& path, size_t depth) {
        if (entry.name.starts_with('.')) {
            ++m_losses[LossKind::HiddenFiles];
        } else if (S_ISLNK(entry.mode)) {
            if (leadsOut(path)) ++m_losses[LossKind::OutsideLinks];
        } else if (S_ISDIR(entry.mode)) {
            return readFolder(folder, entry, path, depth);
        } else if (S_ISREG(entry.mode)) {
            return readFile(folder, entry, path);
        } else {
            ++m_losses[LossKind::BinaryFiles];
        }
        return {};
    }

    /// What a link in the folder leads to is read where it lies.
    bool leadsOut(const std::string& path) const {
        std::error_code error;
        const auto root = std::filesystem::canonical(m_root, error),
                   target = std::filesystem::canonical(m_root / path, error);
        return error || std::ranges::mismatch(root, target).in1 != root.end();
    }

    Status readFolder(int folder, const Entry& entry, const std::string& path, size_t depth) {
        const FileDescriptor inner = openInside(folder, entry.name, O_DIRECTORY);
        if (!inner.isOpen() || depth == limits::kFolderDepth) {
            ++m_losses[LossKind::UnreadableFiles];
        } else if (isMade(entry.name, inner.get())) {
            ++m_losses[LossKind::BuildFolders];
        } else {
            return read(inner.get(), path + '/', depth + 1);
        }
        return {};
    }

    Status readFile(int folder, const Entry& entry, const std::string& path) {
        if (static_cast<uint64_t>(entry.size) > limits::kSourceBytes) {
            ++m_losses[LossKind::LargeFiles];
            return {};
        }
        const FileDescriptor file = openInside(folder, entry.name, 0);
        struct stat facts {};
        const bool isOpen = file.isOpen() && ::fstat(file.get(), &facts) == 0 && S_ISREG(facts.st_mode);
        const auto bytes = isOpen ? wholeFile(file.get(), limits::kSourceBytes) : std::nullopt;
        if (!bytes) {
            ++m_losses[LossKind::UnreadableFiles];
            return {};
        }
        if (bytes->empty()) return {};
        auto read = readText(*bytes);
        if (!read) {
            ++m_losses[LossKind::BinaryFiles];
            return {};
        }
        if (!read->guess.empty()) {
            ++m_losses[LossKind::OtherEncoding];
            m_encodings.insert(std::move(read->guess));
        }
        return add(path, std::move(read->text));
    }

    Status add(const std::string& path, std::string text) {
        while (text.ends_with('\n')) text.pop_back();
        const std::string words = oneLine(escaped(path));
        if (!m_document.text.empty()) m_document.text += "\n\n";
        m_document.places.push_back({m_document.text.size(), PlaceKind::File, 0, words});
        m_document.text += "# " + words + "\n\n" + fenced(text);
        const bool isTooMuch =
            m_document.text.size() > limits::kTextBytes || m_document.places.size() > limits::kFolderFiles;
        return isTooMuch ? Status(refuse(Refusal::TooMuchText, kFormat)) : Status();
    }

    const ReadOptions& m_options;
    std::filesystem::path m_root;
    size_t m_numSeen = 0;
    std::map<LossKind, uint64_t> m_losses;
    std::set<std::string> m_encodings;  ///< those that were guessed
    Document m_document;
};

}  // namespace

Result<Document> readSourceFolder(int folder, const ReadOptions& options) {
    Walk walk(folder, options);
    INGLE_TRY(walk.read(folder, "", 0));
    return std::move(walk).finish();
}

}  // namespace ingle::documents
