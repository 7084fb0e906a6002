/// The pictures of a loaded model: cut, and then encoded by the first answer that needs them.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/session/loading/model.h"
#include "engine/session/pictures/picture_records.h"
#include "engine/session/pictures/vision_model.h"

namespace ingle::session {

/// Any thread. The vision file is opened by the first picture. What is in memory has a limit: pictures that
/// were not used for longest are forgotten, and found again on disk where a conversation keeps them.
class PictureShelf final : public KnownPictures {
  public:
    /// Of `model`, which has a sight. `store` may be null. Where the model is on a device, the first picture
    /// is encoded on one that `device` makes, and so are those behind it as long as it works.
    PictureShelf(const Model& model, std::shared_ptr<SnapshotStore> store,
                 DeviceFactory device = createDevice);

    static constexpr uint64_t kMostBytes = uint64_t{512} << 20;
    static constexpr size_t kMostRefused = 1000;

    /// Errors: as Engine::takePicture().
    Result<std::shared_ptr<const KnownPicture>> take(const std::string& hash, const Picture& picture);
    /// find() fails so until take().
    void refuse(const std::string& hash, const Error& why);
    /// Errors: also those of refuse().
    Result<std::shared_ptr<const KnownPicture>> find(const std::string& hash) override;
    Status encode(const KnownPicture& picture, const std::string& conversation,
                  const std::function<void(double)>& progress) override;
    Result<std::shared_ptr<const std::vector<float>>> rows(const KnownPicture& picture) override;
    std::string note() const override;

    /// How many pictures were encoded.
    uint64_t numEncoded() const;

  private:
    struct Entry {
        std::shared_ptr<const KnownPicture> known;
        std::shared_ptr<const vision::CutPicture> cut;   ///< null: not needed, or it came from disk
        std::shared_ptr<const std::vector<float>> rows;  ///< null: not encoded, or on disk only
        uint64_t lastUse = 0;

        uint64_t bytes() const;
    };

    /// The records of the vision file, which is opened for it. Errors: those of opening; Cancelled.
    Result<const PictureRecords*> records();
    Result<VisionModel*> visionModel();
    Status openFile();
    /// The entry, or one that is found on disk. Errors: PictureNeeded; as records().
    Result<Entry> entryOf(const std::string& hash);
    /// Once. By whoever holds m_encoding.
    void moveToDevice(VisionModel& model);
    void setNote(std::string note);
    void put(const std::string& hash, Entry entry);
    void forgetOld();

    const std::string m_path;
    const std::vector<io::Source>
        m_ownFiles;  ///< of a folder that holds the part that sees; empty: a file is one
    const LoadOptions m_options;
    const uint32_t m_mostTokens;
    const std::shared_ptr<SnapshotStore> m_store;

    std::timed_mutex m_encoding;  ///< one picture at a time
    DeviceFactory m_device;       ///< guarded by it; null: none is to be tried
    std::mutex m_opening;         ///< guards the next three
    std::optional<io::Source> m_file;
    std::unique_ptr<PictureRecords> m_records;
    std::unique_ptr<VisionModel> m_model;

    mutable std::mutex m_mutex;  ///< guards the rest
    std::map<std::string, Entry> m_entries;
    std::map<std::string, Error> m_refused;
    uint64_t m_numUses = 0;
    uint64_t m_numEncoded = 0;
    std::string m_note;
};

/// How prompts have it, for people.
PictureFacts factsOf(const KnownPicture& picture);

}  // namespace ingle::session
