#include "engine/session/pictures/vision_model.h"

#include "engine/base/cpu_features.h"
#include "engine/formats/kind.h"

namespace ingle::session {

Result<std::unique_ptr<VisionModel>> VisionModel::open(const io::Source& source, const LoadOptions& options,
                                                       const std::optional<PictureTokens>& tokens,
                                                       uint32_t mostTokens) {
    std::unique_ptr<VisionModel> model(new VisionModel);
    const auto openIt = [&]() -> Status {
        INGLE_TRY_ASSIGN(model->m_file, formats::openModelFile(source, formats::ModelPart::Sight));
        for (const auto& [key, value] : options.overrides)
            INGLE_TRY(model->m_file.metadata.override_(key, value));
        INGLE_TRY(model->m_file.expand(options.threads ? options.threads : base::physicalCores()));
        INGLE_TRY_ASSIGN(model->m_tower, vision::bindTower(model->m_file, tokens, mostTokens));
        INGLE_TRY_ASSIGN(model->m_backend, createProcessor(options));
        INGLE_TRY_ASSIGN(
            model->m_encoder,
            vision::TowerEncoder::create(model->m_tower.spec, model->m_tower.weights, *model->m_backend));
        return {};
    };
    if (Status opened = openIt(); !opened)
        return tl::unexpected(formats::inWords(std::move(opened).error(), source.path()));
    return model;
}

}  // namespace ingle::session
