/// What a vision file made of pictures, on disk: two records of the snapshot store for each picture.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/snapshots/model_hash.h"
#include "engine/session/snapshots/snapshot_store.h"
#include "ingle/pictures.h"

namespace ingle::session {

/// The first record has the layout of a picture, in a fixed size, and the second its rows. Their keys cover
/// the vision file's hash, the options, and the picture. Any thread.
class PictureRecords {
  public:
    /// Without a store nothing is found or kept. `files`: the vision file, opened, or all of a folder.
    PictureRecords(std::shared_ptr<SnapshotStore> store, std::vector<io::Source> files,
                   std::string configuration);

    /// Waits until the vision file's hash is known. Errors: Cancelled, as StopScope says.
    Status waitUntilReady() const;

    // Once it is ready:

    /// Stands for what the rows of a picture hold.
    uint64_t identityOf(const std::string& picture) const;
    std::optional<PictureLayout> layoutOf(const std::string& picture) const;
    bool hasRows(const std::string& picture) const;
    /// Errors: as SnapshotStore::read().
    Result<std::vector<float>> rowsOf(const std::string& picture, const PictureLayout& layout) const;
    /// Keeps both for a conversation.
    void keep(const std::string& picture, const PictureLayout& layout, std::span<const float> rows,
              const std::string& conversation) const;
    /// Notes that a conversation needs what is kept.
    void note(const std::string& picture, const std::string& conversation) const;

  private:
    enum class Part { Layout, Rows };
    SnapshotKey keyOf(const std::string& picture, Part part) const;
    std::string nameOf(const std::string& picture) const;

    const std::shared_ptr<SnapshotStore> m_store;
    const std::string m_configuration;
    std::unique_ptr<ModelHash> m_hash;  ///< null without a store
};

}  // namespace ingle::session
