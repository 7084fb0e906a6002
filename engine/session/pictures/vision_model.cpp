#include "engine/session/pictures/vision_model.h"

#include "engine/base/cpu_features.h"
#include "engine/formats/kind.h"

namespace ingle::session {

Result<std::unique_ptr<VisionModel>> VisionModel::open(const io::Source& source, const LoadOptions& options,
                                                       const std::optional<PictureTokens>& tokens,
                                                       uint32_t mostTokens) {
    std::unique_ptr<VisionModel> model(new VisionModel(options));
    const auto openIt = [&]() -> Status {
        INGLE_TRY_ASSIGN(model->m_file, formats::openModelFile(source, formats::ModelPart::Sight));
        for (const auto& [key, value] : options.overrides)
            INGLE_TRY(model->m_file.metadata.override_(key, value));
        INGLE_TRY(model->m_file.expand(options.threads ? options.threads : base::physicalCores()));
        INGLE_TRY_ASSIGN(model->m_tower, vision::bindTower(model->m_file, tokens, mostTokens));
        INGLE_TRY_ASSIGN(model->m_processor, createProcessor(options));
        INGLE_TRY_ASSIGN(
            model->m_encoder,
            vision::TowerEncoder::create(model->m_tower.spec, model->m_tower.weights, *model->m_processor));
        return {};
    };
    if (Status opened = openIt(); !opened)
        return tl::unexpected(formats::inWords(std::move(opened).error(), source.path()));
    return model;
}

Status VisionModel::moveToDevice(const DeviceFactory& device) {
    INGLE_TRY_ASSIGN(m_device, DeviceTower::create(m_tower, m_options, device));
    return {};
}

Result<std::vector<float>> VisionModel::encode(const vision::CutPicture& cut,
                                               const vision::TowerEncoder::Watch& watch) {
    if (m_device) {
        auto rows = m_device->encode(cut, watch);
        if (rows) return rows;
        const Error& error = rows.error();
        if (error.code != ErrorCode::Device && error.code != ErrorCode::OutOfMemory) return rows;
        m_note = fmt::format("{} failed at a picture, so the processor reads pictures: {}",
                             m_device->deviceName(), error.message);
        m_device.reset();
    }
    return m_encoder->encode(cut, watch);
}

Result<EncodedPicture> VisionModel::encode(const Picture& picture) {
    INGLE_TRY_ASSIGN(const vision::CutPicture cut, this->cut(picture));
    INGLE_TRY_ASSIGN(PictureLayout layout, layoutOf(cut));
    INGLE_TRY_ASSIGN(std::vector<float> rows, encode(cut, nullptr));
    return vision::encodedPicture(std::move(layout), cut, std::move(rows));
}

}  // namespace ingle::session
