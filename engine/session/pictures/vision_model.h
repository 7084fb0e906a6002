/// A vision file that is open, on the processor.
#pragma once

#include <memory>
#include <optional>

#include "engine/session/devices/backends.h"
#include "engine/vision/encoder.h"
#include "engine/vision/family.h"

namespace ingle::session {

class VisionModel {
  public:
    /// `tokens`: instead of the model's own limits; else a picture has at most `mostTokens`, where the model
    /// leaves that open. Errors: as PictureEncoder::load().
    static Result<std::unique_ptr<VisionModel>> open(const io::Source& source, const LoadOptions& options,
                                                     const std::optional<PictureTokens>& tokens,
                                                     uint32_t mostTokens = UINT32_MAX);

    const vision::TowerSpec& spec() const { return m_tower.spec; }
    vision::TowerEncoder& encoder() { return *m_encoder; }

  private:
    VisionModel() = default;

    // The order matters: each reads those before it.
    formats::ModelFile m_file;
    vision::BoundTower m_tower;
    std::unique_ptr<backend::Backend> m_backend;
    std::unique_ptr<vision::TowerEncoder> m_encoder;
};

}  // namespace ingle::session
