/// A vision file that is open, and where its tower computes.
#pragma once

#include <memory>
#include <optional>

#include "engine/session/pictures/device_tower.h"

namespace ingle::session {

/// One thread, unless it says otherwise.
class VisionModel {
  public:
    /// On the processor.
    /// `tokens`: instead of the model's own limits; else a picture has at most `mostTokens`, where the model
    /// leaves that open. Errors: as PictureEncoder::load().
    static Result<std::unique_ptr<VisionModel>> open(const io::Source& source, const LoadOptions& options,
                                                     const std::optional<PictureTokens>& tokens,
                                                     uint32_t mostTokens = UINT32_MAX);

    const vision::TowerSpec& spec() const { return m_tower.spec; }
    /// Any thread. Errors: as TowerEncoder::cut() and layoutOf().
    Result<vision::CutPicture> cut(const Picture& picture) const { return m_encoder->cut(picture); }
    Result<PictureLayout> layoutOf(const vision::CutPicture& cut) const { return m_encoder->layoutOf(cut); }

    /// Moves to the device that `device` makes of the options, if there is one. Errors: as
    /// DeviceTower::create(); then it stays on the processor.
    Status moveToDevice(const DeviceFactory& device);
    /// A picture's rows. A device that fails is left for good, and the processor makes all of them. Errors:
    /// as TowerEncoder::encode().
    Result<std::vector<float>> encode(const vision::CutPicture& cut,
                                      const vision::TowerEncoder::Watch& watch);
    /// All of it at once. Errors: of those three.
    Result<EncodedPicture> encode(const Picture& picture);
    /// Why it is not on a device any more: a sentence, or empty.
    const std::string& note() const { return m_note; }

  private:
    explicit VisionModel(const LoadOptions& options) : m_options(options) {}

    const LoadOptions m_options;
    std::string m_note;
    // The order matters: each reads those before it.
    formats::ModelFile m_file;
    vision::BoundTower m_tower;
    std::unique_ptr<backend::Backend> m_processor;
    std::unique_ptr<vision::TowerEncoder> m_encoder;  ///< on the processor
    std::unique_ptr<DeviceTower> m_device;            ///< null: the processor encodes
};

}  // namespace ingle::session
