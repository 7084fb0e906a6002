#include "app/library/library.h"

#include <fcntl.h>
#include <pwd.h>
#include <sys/file.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <filesystem>
#include <memory>
#include <random>
#include <span>

#include "app/codec/codec.h"
#include "app/codec/stored_error.h"
#include "engine/io/atomic_file.h"
#include "ingle/file_descriptor.h"
#include "ingle/paint_thread.h"

namespace ingle::library {

constexpr const char* kHashName = "xxh3";  // of Fingerprint::headHash

template <typename V>
void fields(V& v, codec::Of<Fingerprint> auto& f) {
    v.required("bytes", f.bytes);
    v.required("modifiedNs", f.modifiedNs);
    v.required("device", f.device);
    v.required("inode", f.inode);
    v.required("headHash", f.headHash);
    std::string hash = V::kReads ? "" : kHashName;
    v.optional("hash", hash);
    if constexpr (V::kReads)
        if (hash != kHashName) f.headHash = Fingerprint::kNoHash;
}

template <typename V>
void fields(V& v, codec::Of<ModelEntry> auto& e) {
    v.required("id", e.id);
    v.required("name", e.name);
    v.required("path", e.path);
    v.required("fingerprint", e.fingerprint);
    bool embeds = e.purpose == ModelPurpose::Embeddings;
    v.optional("embeds", embeds);
    if constexpr (V::kReads) e.purpose = embeds ? ModelPurpose::Embeddings : ModelPurpose::Chats;
    v.optional("family", e.family);
    v.optional("summary", e.summary);
    v.optional("addedAt", e.addedAt);
    v.optional("lastUsedAt", e.lastUsedAt);
    Error failure = codec::storedError(e.failure);
    v.optional("failure", failure.message);
    v.optional("failureId", failure.id);
    v.optional("failureArguments", failure.arguments);
    if constexpr (V::kReads) e.failure = codec::errorFrom(std::move(failure));
    v.optional("tokensPerSecond", e.tokensPerSecond);
    v.optional("measuredPerSecond", e.measuredPerSecond);
    v.sparse("seesPictures", e.seesPictures);
    v.sparse("visionFile", e.visionFile);
    v.optional("profile", e.profile);
}

namespace {

using nlohmann::json;

constexpr int kFileVersion = 1;
constexpr const char* kDataDirVariable = "INGLE_DATA_DIR";
constexpr double kNewestShare = 0.3;           // of the last answer in the speed that is kept
constexpr uint64_t kMaxFileBytes = 16u << 20;  // a thousand times a large library

std::string isoNow() {
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto ms = std::chrono::duration_cast<std::chrono::milliseconds>(now).count();
    const std::time_t seconds = static_cast<std::time_t>(ms / 1000);
    std::tm parts{};
    ::gmtime_r(&seconds, &parts);
    return fmt::format("{:04}-{:02}-{:02}T{:02}:{:02}:{:02}.{:03}Z", parts.tm_year + 1900, parts.tm_mon + 1,
                       parts.tm_mday, parts.tm_hour, parts.tm_min, parts.tm_sec, ms % 1000);
}

std::string randomId() {
    std::random_device device;
    return fmt::format("{:08x}{:08x}", device(), device());
}

/// Errors: Corrupt, Unsupported (newer version).
Result<std::vector<ModelEntry>> parseLibrary(const std::string& text, const std::string& path) {
    std::vector<ModelEntry> models;
    if (text.empty()) return models;
    const json document = json::parse(text, nullptr, /*allow_exceptions=*/false);
    codec::Reader<codec::kStrict> reader(document);
    int version = 0;
    reader.required("version", version);
    if (version > kFileVersion) {
        return fail(ErrorCode::Unsupported, "{} was written by a newer version of Inglenook (format {}).",
                    path, version);
    }
    reader.required("models", models);
    if (reader.mistake()) return fail(ErrorCode::Corrupt, "The model library {} is damaged.", path);
    return models;
}

/// The file's text; empty when there is no file.
Result<std::string> readFile(const std::string& path) {
    mustNotPaint("The model library");
    const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (file.get() < 0 && errno == ENOENT) return std::string();
    if (file.get() < 0) return fail(ErrorCode::Io, "Cannot open {}: {}.", path, std::strerror(errno));
    std::string text;
    char buffer[16 * 1024];
    while (text.size() <= kMaxFileBytes) {
        const ssize_t count = ::read(file.get(), buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count < 0) return fail(ErrorCode::Io, "Cannot read {}: {}.", path, std::strerror(errno));
        if (count == 0) break;
        text.append(buffer, static_cast<size_t>(count));
    }
    return text;
}

/// Holds the library's lock from create() to the end of its scope.
class Lock {
  public:
    static Result<std::unique_ptr<Lock>> create(const std::string& dataDir) {
        const std::string path = dataDir + "/library.lock";
        int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
        // As the server, which may only read here.
        if (file < 0 && errno == EACCES) file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
        auto lock = std::make_unique<Lock>(file);
        while (::flock(lock->m_file.get(), LOCK_EX) != 0) {
            if (errno != EINTR) return fail(ErrorCode::Io, "Cannot lock {}: {}.", path, std::strerror(errno));
        }
        return lock;
    }
    explicit Lock(int fd) : m_file(fd) {}

  private:
    FileDescriptor m_file;  // closing it releases the lock
};

Status createFolder(const std::string& path) {
    std::error_code error;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), error);
    if (!error && ::mkdir(path.c_str(), 0700) != 0 && errno != EEXIST) {
        error = std::error_code(errno, std::generic_category());
    }
    if (error) return fail(ErrorCode::Io, "Cannot create the folder {}: {}.", path, error.message());
    return {};
}

/// This program's folder in the one that `variable` names, else in `standard` below the home folder.
std::string xdgFolder(const char* variable, const char* standard) {
    // The XDG specification: a relative path is to be ignored.
    if (const char* xdg = std::getenv(variable); xdg && xdg[0] == '/') return std::string(xdg) + "/inglenook";
    const char* home = std::getenv("HOME");
    if (!home || home[0] != '/') {
        const passwd* user = ::getpwuid(::getuid());
        home = user ? user->pw_dir : "/";
    }
    return fmt::format("{}{}/inglenook", home, standard);
}

std::string absolutePath(const std::string& path) {
    std::error_code error;
    const auto absolute = std::filesystem::absolute(path, error).lexically_normal();
    if (error) return path;
    // A folder may be named with a slash at its end.
    return (absolute.has_filename() ? absolute : absolute.parent_path()).string();
}

/// Empty when nobody chose one.
std::string chosenDataDir() {
    const char* chosen = std::getenv(kDataDirVariable);
    return chosen && *chosen ? absolutePath(chosen) : std::string();
}

bool hasName(const std::vector<ModelEntry>& models, std::string_view name) {
    return std::any_of(models.begin(), models.end(),
                       [&](const ModelEntry& entry) { return entry.name == name; });
}

std::string uniqueName(const std::vector<ModelEntry>& models, const std::string& wanted) {
    std::string name = wanted.empty() ? "model" : wanted;
    const std::string base = name;
    for (int number = 2; hasName(models, name); ++number) name = fmt::format("{} {}", base, number);
    return name;
}

const std::string& lastTouched(const ModelEntry& entry) {
    return std::max(entry.lastUsedAt, entry.addedAt);
}

}  // namespace

std::string defaultDataDir() {
    if (const std::string chosen = chosenDataDir(); !chosen.empty()) return chosen;
    return xdgFolder("XDG_DATA_HOME", "/.local/share");
}

std::string portableDataDir() {
    std::error_code error;
    const auto program = std::filesystem::read_symlink("/proc/self/exe", error);
    return (program.parent_path().parent_path() / "data").string();
}

void useDataDir(const std::string& folder) {
    ::setenv(kDataDirVariable, absolutePath(folder).c_str(), 1);
}

std::string defaultCacheDir() {
    if (const std::string chosen = chosenDataDir(); !chosen.empty()) return chosen + "/cache";
    return xdgFolder("XDG_CACHE_HOME", "/.cache");
}

Result<Library> Library::open(const std::string& dataDir) {
    INGLE_TRY(createFolder(dataDir));
    Library library(dataDir);
    INGLE_TRY(library.reload());
    return library;
}

Status Library::reload() {
    INGLE_TRY_ASSIGN(const auto lock, Lock::create(m_dataDir));
    return readLocked();
}

Status Library::readLocked() {
    INGLE_TRY_ASSIGN(const std::string text, readFile(filePath()));
    auto models = parseLibrary(text, filePath());
    if (models) {
        m_models = std::move(*models);
        return {};
    }
    if (models.error().code != ErrorCode::Corrupt) return tl::unexpected(std::move(models).error());
    m_models.clear();
    const std::string aside = filePath() + ".damaged";
    if (::rename(filePath().c_str(), aside.c_str()) != 0) {
        return fail(ErrorCode::Io, "Cannot set the damaged {} aside: {}.", filePath(), std::strerror(errno));
    }
    m_notice =
        fmt::format("The model library was damaged; it was set aside as {} and a new one begun.", aside);
    return {};
}

Status Library::writeLocked() const {
    codec::Writer<codec::kStrict> writer;
    writer.required("version", kFileVersion);
    writer.required("models", m_models);
    const json document = writer.take();
    const std::string text = document.dump(1, ' ', false, json::error_handler_t::replace) + "\n";
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(filePath(), io::Access::Private));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit();
}

Status Library::modify(const Change& change) {
    INGLE_TRY_ASSIGN(const auto lock, Lock::create(m_dataDir));
    INGLE_TRY(readLocked());
    std::vector<ModelEntry> before = m_models;
    Status result = change(m_models);
    if (result) result = writeLocked();
    if (!result) m_models = std::move(before);
    return result;
}

Status Library::modifyEntry(const std::string& id, const EntryChange& change) {
    return modify([&](std::vector<ModelEntry>& models) -> Status {
        const auto found = std::find_if(models.begin(), models.end(),
                                        [&](const ModelEntry& entry) { return entry.id == id; });
        if (found == models.end()) {
            return fail(ErrorCode::InvalidArgument, "The library has no model with the id \"{}\".", id);
        }
        ModelEntry changed = *found;
        INGLE_TRY(change(changed));
        for (const ModelEntry& other : models) {
            if (other.id == id) continue;
            if (other.name == changed.name || other.path == changed.path) {
                return fail(ErrorCode::InvalidArgument, "The library already has \"{}\" at {}.", other.name,
                            other.path);
            }
        }
        *found = std::move(changed);
        return {};
    });
}

std::vector<ModelEntry> Library::models() const {
    std::vector<ModelEntry> sorted(m_models.rbegin(),
                                   m_models.rend());  // of equal times, the later added first
    std::stable_sort(sorted.begin(), sorted.end(), [](const ModelEntry& a, const ModelEntry& b) {
        return lastTouched(a) > lastTouched(b);
    });
    return sorted;
}

std::optional<ModelEntry> Library::findByName(std::string_view name) const {
    for (const ModelEntry& entry : m_models) {
        if (entry.name == name) return entry;
    }
    return std::nullopt;
}

std::optional<ModelEntry> Library::findById(std::string_view id) const {
    for (const ModelEntry& entry : m_models) {
        if (entry.id == id) return entry;
    }
    return std::nullopt;
}

Result<ModelEntry> Library::add(const std::string& path, const std::string& name, const std::string& family,
                                const std::string& summary, ModelPurpose purpose) {
    ModelEntry added;
    added.path = absolutePath(path);
    INGLE_TRY_ASSIGN(added.fingerprint, fingerprint(added.path));
    added.purpose = purpose;
    added.family = family;
    added.summary = summary;
    added.addedAt = isoNow();
    INGLE_TRY(modify([&](std::vector<ModelEntry>& models) -> Status {
        const auto known = std::find_if(models.begin(), models.end(),
                                        [&](const ModelEntry& entry) { return entry.path == added.path; });
        if (known != models.end()) {
            added.id = known->id;
            added.name = known->name;
            added.lastUsedAt = known->lastUsedAt;
            added.measuredPerSecond = known->measuredPerSecond;
            added.seesPictures = known->seesPictures;
            added.visionFile = known->visionFile;
            added.profile = known->profile;
            *known = added;
        } else {
            added.id = randomId();
            added.name = uniqueName(models, name);
            models.push_back(added);
        }
        return {};
    }));
    return added;
}

Status Library::keepGuide(const std::string& path) {
    const std::string absolute = absolutePath(path);
    INGLE_TRY_ASSIGN(const Fingerprint file, fingerprint(absolute));
    const auto known = findById(kGuideId);
    if (known && known->path == absolute && known->fingerprint == file) return {};
    return modify([&](std::vector<ModelEntry>& models) -> Status {
        auto guide = std::find_if(models.begin(), models.end(), [&](const ModelEntry& entry) {
            return entry.id == kGuideId || entry.path == absolute;
        });
        if (guide == models.end()) {
            ModelEntry added;
            added.name = uniqueName(models, "Inglenook guide");
            added.family = "llama";
            added.summary = "knows Inglenook, and nothing else";
            guide = models.insert(models.begin(), std::move(added));
        }
        guide->id = kGuideId;
        guide->path = absolute;
        guide->fingerprint = file;
        guide->failure.reset();
        return {};
    });
}

Status Library::rename(const std::string& id, const std::string& name) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        if (name.empty()) return fail(ErrorCode::InvalidArgument, "A model needs a name.");
        entry.name = name;
        return {};
    });
}

Status Library::relocate(const std::string& id, const std::string& path) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.path = absolutePath(path);
        INGLE_TRY_ASSIGN(entry.fingerprint, fingerprint(entry.path));
        entry.failure.reset();
        return {};
    });
}

Status Library::markUsed(const std::string& id) {
    return modifyEntry(id, [](ModelEntry& entry) -> Status {
        entry.lastUsedAt = isoNow();
        if (entry.fingerprint.headHash == Fingerprint::kNoHash) {
            // Told by checkFile() to be the same; what cannot be read now is asked the next time.
            if (const auto print = fingerprint(entry.path)) entry.fingerprint = *print;
        }
        return {};
    });
}

Status Library::markSpeed(const std::string& id, double tokensPerSecond) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.tokensPerSecond = tokensPerSecond;
        return {};
    });
}

Status Library::markMeasured(const std::string& path, double tokensPerSecond) {
    return modify([&](std::vector<ModelEntry>& models) -> Status {
        const std::string absolute = absolutePath(path);
        const auto found = std::ranges::find(models, absolute, &ModelEntry::path);
        if (found == models.end())
            return fail(ErrorCode::InvalidArgument, "The library has no model at {}.", absolute);
        double& kept = found->measuredPerSecond;
        kept = kept > 0 ? kept + kNewestShare * (tokensPerSecond - kept) : tokensPerSecond;
        return {};
    });
}

Status Library::markSight(const std::string& id, bool seesPictures) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.seesPictures = seesPictures;
        return {};
    });
}

Status Library::setVisionFile(const std::string& id, const std::string& path) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.visionFile = path;
        return {};
    });
}

Status Library::setProfile(const std::string& id, const std::string& profile) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.profile = profile;
        return {};
    });
}

Status Library::markFailure(const std::string& id, const std::optional<Error>& failure) {
    return modifyEntry(id, [&](ModelEntry& entry) -> Status {
        entry.failure = failure;
        return {};
    });
}

Status Library::remove(const std::string& id) {
    return modify([&](std::vector<ModelEntry>& models) -> Status {
        if (std::erase_if(models, [&](const ModelEntry& entry) { return entry.id == id; }) == 0) {
            return fail(ErrorCode::InvalidArgument, "The library has no model with the id \"{}\".", id);
        }
        return {};
    });
}

}  // namespace ingle::library
