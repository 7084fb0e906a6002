/// PictureEncoder: a vision file that is open, on the processor.
#include "engine/base/cpu_features.h"
#include "engine/formats/kind.h"
#include "engine/session/devices/backends.h"
#include "engine/vision/encoder.h"
#include "engine/vision/family.h"
#include "ingle/pictures.h"

namespace ingle {
namespace {

class LoadedEncoder final : public PictureEncoder {
  public:
    static Result<std::unique_ptr<PictureEncoder>> open(const io::Source& source, const LoadOptions& options,
                                                        const std::optional<PictureTokens>& tokens) {
        auto encoder = std::make_unique<LoadedEncoder>();
        formats::ModelFile& file = encoder->m_file;
        INGLE_TRY_ASSIGN(file, formats::openModelFile(source));
        for (const auto& [key, value] : options.overrides) INGLE_TRY(file.metadata.override_(key, value));
        INGLE_TRY(file.expand(options.threads ? options.threads : base::physicalCores()));
        INGLE_TRY_ASSIGN(encoder->m_tower, vision::bindTower(file, tokens));
        INGLE_TRY_ASSIGN(encoder->m_backend, session::createProcessor(options));
        INGLE_TRY_ASSIGN(encoder->m_encoder,
                         vision::TowerEncoder::create(encoder->m_tower.spec, encoder->m_tower.weights,
                                                      *encoder->m_backend));
        return encoder;
    }

    const std::string& type() const override { return m_tower.spec.type; }
    uint32_t rowWidth() const override { return m_tower.spec.outDim; }
    Result<EncodedPicture> encode(const Picture& picture) override { return m_encoder->encode(picture); }

  private:
    // The order matters: each reads those before it.
    formats::ModelFile m_file;
    vision::BoundTower m_tower;
    std::unique_ptr<backend::Backend> m_backend;
    std::unique_ptr<vision::TowerEncoder> m_encoder;
};

}  // namespace

Result<std::unique_ptr<PictureEncoder>> PictureEncoder::load(const std::string& path,
                                                             const LoadOptions& options,
                                                             const std::optional<PictureTokens>& tokens) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    auto encoder = LoadedEncoder::open(source, options, tokens);
    if (!encoder) return tl::unexpected(formats::inWords(std::move(encoder).error(), path));
    return encoder;
}

}  // namespace ingle
