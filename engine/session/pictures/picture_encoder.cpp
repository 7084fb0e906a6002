/// PictureEncoder: the public face of a vision file by itself.
#include "engine/session/pictures/vision_model.h"
#include "ingle/pictures.h"

namespace ingle {
namespace {

class LoadedEncoder final : public PictureEncoder {
  public:
    explicit LoadedEncoder(std::unique_ptr<session::VisionModel> model) : m_model(std::move(model)) {}

    const std::string& type() const override { return m_model->spec().type; }
    uint32_t rowWidth() const override { return m_model->spec().outDim; }
    Result<EncodedPicture> encode(const Picture& picture) override { return m_model->encode(picture); }
    const std::string& note() const override { return m_model->note(); }

  private:
    const std::unique_ptr<session::VisionModel> m_model;
};

}  // namespace

Result<std::unique_ptr<PictureEncoder>> PictureEncoder::load(const std::string& path,
                                                             const LoadOptions& options,
                                                             const std::optional<PictureTokens>& tokens) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(auto model, session::VisionModel::open(source, options, tokens));
    if (options.backend == BackendChoice::Vulkan) INGLE_TRY(model->moveToDevice(session::createDevice));
    return std::make_unique<LoadedEncoder>(std::move(model));
}

}  // namespace ingle
