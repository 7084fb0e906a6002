#include "engine/formats/checkpoint/vision_part.h"

#include <algorithm>

#include "engine/formats/checkpoint/packed_scheme.h"

namespace ingle::formats {
namespace {

/// What a file beside the model says of the numbers that pixels are normalised with.
Status setChannels(Translation& t, const Config& stated, std::string_view key, std::string_view from,
                   const std::array<double, 3>& usual) {
    std::vector<double> values(usual.begin(), usual.end());
    if (const MetaValue* found = stated.find(from)) {
        const auto* numbers = std::get_if<std::vector<double>>(found);
        if (!numbers || numbers->size() != values.size())
            return fail(ErrorCode::Corrupt, "preprocessor_config.json: '{}' is no list of three numbers",
                        from);
        values = *numbers;
    }
    t.set(key, std::move(values));
    return {};
}

}  // namespace

Result<ModelFile> translateVision(Checkpoint& checkpoint, const io::Source& source) {
    const auto refuse = [&] {
        return fail(ErrorCode::Unsupported, "{}: the file is no vision file (mmproj)", source.path());
    };
    INGLE_TRY_ASSIGN(const auto text, findText(checkpoint, source, "config.json"));
    if (!text) return refuse();
    INGLE_TRY_ASSIGN(const Config config, parseConfig(*text));
    const MetaValue* value = config.find("architectures");
    const auto* names = value ? std::get_if<std::vector<std::string>>(value) : nullptr;
    const Architecture* architecture =
        names && !names->empty() ? findArchitecture(names->front(), config) : nullptr;
    if (!architecture || !architecture->vision) return refuse();
    INGLE_TRY(unpackWeights(checkpoint, source, config));
    ModelFile begun;
    begun.format = checkpoint.container;
    begun.mappings = checkpoint.mappings;
    begun.metadata.set("general.architecture", std::string("clip"));
    Translation translation(config, "clip", std::move(begun));
    const VisionPart& part = *architecture->vision;
    translation.set("projector_type", std::string(part.projector));
    translation.set("has_vision_encoder", true);
    INGLE_TRY(part.setKeys(translation));
    INGLE_TRY_ASSIGN(const auto pixels, findText(checkpoint, source, "preprocessor_config.json"));
    Config stated;
    if (pixels) {
        INGLE_TRY_ASSIGN(stated, parseConfig(*pixels));
    }
    INGLE_TRY(setChannels(translation, stated, "vision.image_mean", "image_mean", part.mean));
    INGLE_TRY(setChannels(translation, stated, "vision.image_std", "image_std", part.deviation));
    INGLE_TRY(translation.runVision(checkpoint, *architecture));
    return std::move(translation.model);
}

Status splitFrames(Translation& translation, const StoredTensor& stored, const Place& place) {
    constexpr uint64_t kFrames = 2, kChannels = 3;
    const std::vector<uint64_t>& dims = stored.dims;
    const bool isSquare = dims.size() == 5 && dims[3] == dims[4];
    if (!isSquare || dims[1] != kChannels || dims[2] != kFrames)
        return fail(ErrorCode::Corrupt, "tensor '{}' holds no kernels of two frames", shown(stored.name));
    const uint64_t dim = dims[0], area = dims[3] * dims[4];
    StoredTensor flat = stored;
    flat.dims = {dim * kChannels, kFrames, area};
    INGLE_TRY_ASSIGN(const std::vector<float> all, translation.numbersOf(flat));
    std::vector<float> frame(dim * kChannels * area);
    for (uint64_t number = 0; number < kFrames; ++number) {
        for (uint64_t plane = 0; plane < dim * kChannels; ++plane)
            std::copy_n(all.begin() + static_cast<std::ptrdiff_t>((plane * kFrames + number) * area), area,
                        frame.begin() + static_cast<std::ptrdiff_t>(plane * area));
        const std::string name = number == 0 ? place.name : fmt::format("{}.{}", place.name, number);
        INGLE_TRY(translation.make(name, tensor::Shape::of(kChannels * area, dim), frame));
    }
    return {};
}

}  // namespace ingle::formats
