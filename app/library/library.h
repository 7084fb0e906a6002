/// The models this person has used: a small JSON file (library.json), written atomically under a lock, shared
/// by window and `ingle`. Models are used in place: the library remembers path and fingerprint, never a copy.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ingle/result.h"

namespace ingle::library {

/// Cheap identity of a file, to notice that it moved or changed. `headHash` is the XXH3 hash of the first and
/// last 64 KiB. Of a folder: the bytes of the files that models have, the newest of their times, and a hash
/// of their names, sizes and ends.
struct Fingerprint {
    /// Not known: another hash was used once. The next use of the file tells it.
    static constexpr uint64_t kNoHash = 0;

    uint64_t bytes = 0;
    int64_t modifiedNs = 0;
    uint64_t device = 0;
    uint64_t inode = 0;
    uint64_t headHash = 0;

    bool operator==(const Fingerprint&) const = default;
};

/// What a model can be used for.
enum class ModelPurpose {
    Chats,
    Embeddings,  ///< it compares texts and writes none
};

struct ModelEntry {
    std::string id;    ///< stable, random
    std::string name;  ///< unique; shown, and accepted by `ingle` in place of a path
    std::string path;  ///< absolute
    Fingerprint fingerprint;
    ModelPurpose purpose = ModelPurpose::Chats;
    std::string family;
    std::string summary;           ///< e.g. "RWKV 5 · 0.7M · Q5_0"
    std::string addedAt;           ///< ISO 8601 UTC
    std::string lastUsedAt;        ///< "" when never
    std::optional<Error> failure;  ///< why it could not be loaded last time; its code is not stored
    double tokensPerSecond = 0;    ///< foretold of answers; 0: not known
    double measuredPerSecond = 0;  ///< tokens of its last answers; 0: there was none long enough
    bool seesPictures = false;     ///< it had a vision file when it was added or used last
    std::string visionFile;        ///< path of the one that the person chose; empty: none was chosen
    std::string profile;  ///< what is set for its answers, a JSON object (history::Profile); empty: nothing
};

/// ModelEntry::id of the guide, the model that ships with Inglenook.
inline constexpr const char* kGuideId = "guide";

enum class FileState { Same, Changed, Missing };

/// Reads the fingerprint of a regular file or of a folder with files of a model. Errors: Io.
Result<Fingerprint> fingerprint(const std::string& path);
/// Compares the file at entry.path with the remembered fingerprint (size, time and inode first, the hash only
/// when those leave a doubt; a touched or copied but identical file is Same).
FileState checkFile(const ModelEntry& entry);

/// $INGLE_DATA_DIR, else $XDG_DATA_HOME/inglenook (0700). Absolute.
std::string defaultDataDir();
/// For what can be made again: `cache` in $INGLE_DATA_DIR, else $XDG_CACHE_HOME/inglenook. Absolute.
std::string defaultCacheDir();
/// The data folder of `--portable`: `data` beside the folder of the running program.
std::string portableDataDir();
/// Makes `folder`, relative to the working folder, the data folder of this process and of those it starts.
/// To be called before there is another thread.
void useDataDir(const std::string& folder);

/// Every mutation reads the file again under the lock, changes it and replaces it atomically (temp, fsync,
/// rename), so that window and command line may change it at the same time. Any thread, one object per
/// thread.
class Library {
  public:
    /// A missing file is an empty library; the folder is created (0700). A damaged file is set aside as
    /// library.json.damaged and reported through `notice()`. Errors: Io; Unsupported when a newer version
    /// wrote the file.
    static Result<Library> open(const std::string& dataDir);

    std::vector<ModelEntry> models() const;  ///< most recently used (or added) first
    std::optional<ModelEntry> findByName(std::string_view name) const;
    std::optional<ModelEntry> findById(std::string_view id) const;
    // Errors of what follows: Io when file or library cannot be read or written; InvalidArgument for an
    // unknown id, and for a name or path that another entry has.

    /// Adds the file, or refreshes the entry with this path; a new name is made unique by a number.
    Result<ModelEntry> add(const std::string& path, const std::string& name, const std::string& family,
                           const std::string& summary, ModelPurpose purpose = ModelPurpose::Chats);
    /// Lists the guide, whose file is at `path` now: adds it behind all others, or follows it when Inglenook
    /// was moved or upgraded.
    Status keepGuide(const std::string& path);
    Status rename(const std::string& id, const std::string& name);
    Status relocate(const std::string& id, const std::string& path);  ///< the file moved
    Status markUsed(const std::string& id);
    Status markSpeed(const std::string& id, double tokensPerSecond);
    /// How fast it has just answered; a mean of that and of what was measured before is kept. `path`: its
    /// file.
    Status markMeasured(const std::string& path, double tokensPerSecond);
    /// Whether it sees pictures. A vision file may have come, or gone, since it was added.
    Status markSight(const std::string& id, bool seesPictures);
    /// By which vision file it is to see; empty: by the one that is found.
    Status setVisionFile(const std::string& id, const std::string& path);
    Status setProfile(const std::string& id, const std::string& profile);
    Status markFailure(const std::string& id, const std::optional<Error>& failure);  ///< nothing clears
    Status remove(const std::string& id);  ///< forgets it; never touches the model file
    Status reload();
    const std::string& notice() const { return m_notice; }

  private:
    explicit Library(std::string dataDir) : m_dataDir(std::move(dataDir)) {}

    std::string filePath() const { return m_dataDir + "/library.json"; }
    /// Replaces m_models by what the file says; the lock must be held.
    Status readLocked();
    Status writeLocked() const;
    using Change = std::function<Status(std::vector<ModelEntry>&)>;
    using EntryChange = std::function<Status(ModelEntry&)>;
    /// Reads under the lock, lets `change` edit m_models and writes them unless it failed.
    Status modify(const Change& change);
    /// As modify, for the one entry with this id; name and path stay unique.
    Status modifyEntry(const std::string& id, const EntryChange& change);

    std::string m_dataDir;
    std::string m_notice;
    std::vector<ModelEntry> m_models;
};

}  // namespace ingle::library
