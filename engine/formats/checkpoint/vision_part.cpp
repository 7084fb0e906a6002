#include "engine/formats/checkpoint/vision_part.h"

#include <algorithm>

#include "engine/formats/checkpoint/packed_scheme.h"
#include "engine/formats/checkpoint/pixel_rules.h"

namespace ingle::formats {
namespace {

/// preprocessor_config.json, or what processor_config.json says instead of it.
Result<Config> readPixels(Checkpoint& checkpoint, const io::Source& source) {
    INGLE_TRY_ASSIGN(auto text, findText(checkpoint, source, "preprocessor_config.json"));
    if (text) return parseConfig(*text);
    INGLE_TRY_ASSIGN(text, findText(checkpoint, source, "processor_config.json"));
    Config found;
    if (!text) return found;
    constexpr std::string_view kInner = "image_processor.";
    INGLE_TRY_ASSIGN(const Config all, parseConfig(*text));
    for (const auto& [key, value] : all.all())
        if (key.starts_with(kInner)) found.set(key.substr(kInner.size()), value);
    return found;
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
    INGLE_TRY_ASSIGN(const Config stated, readPixels(checkpoint, source));
    if (part.setPixels) INGLE_TRY(part.setPixels(translation, stated));
    INGLE_TRY(expectResizing(stated, part));
    INGLE_TRY(setNormalisation(translation, stated, part));
    INGLE_TRY(translation.runVision(checkpoint, *architecture));
    if (part.finish) INGLE_TRY(part.finish(translation, checkpoint, source));
    return std::move(translation.model);
}

Status setVisionSize(Translation& t, std::string_view key, std::string_view from, uint32_t usual) {
    INGLE_TRY_ASSIGN(const uint32_t value, t.config.u32Or(fmt::format("vision_config.{}", from), usual));
    t.setCount(fmt::format("vision.{}", key), value);
    return {};
}

Status setVisionSide(Translation& t, std::string_view key, std::string_view from, uint32_t usual) {
    const std::string name = fmt::format("vision_config.{}", from);
    const MetaValue* stated = t.config.find(name);
    const auto* sides = stated ? std::get_if<std::vector<int64_t>>(stated) : nullptr;
    if (!sides) return setVisionSize(t, key, from, usual);
    if (sides->size() != 2 || sides->front() != sides->back() || sides->front() <= 0)
        return fail(ErrorCode::Unsupported, "{} that is no square is not supported", name);
    t.setCount(fmt::format("vision.{}", key), static_cast<uint64_t>(sides->front()));
    return {};
}

Status setTowerActivation(Translation& t, std::string_view key, std::string_view usual) {
    INGLE_TRY_ASSIGN(const std::string name, t.config.stringOr(key, std::string(usual)));
    if (name == "gelu")
        t.set("use_gelu_erf", true);
    else if (name == "gelu_pytorch_tanh")
        t.set("use_gelu", true);
    else if (name == "quick_gelu")
        t.set("use_gelu", false);
    else if (name == "silu")
        t.set("use_silu", true);
    else
        return fail(ErrorCode::Unsupported, "{} \"{}\" is not supported", key, shown(name));
    return {};
}

Status setProjectorActivation(Translation& t) {
    INGLE_TRY(expectText(t.config, "projector_hidden_act", "gelu", {"gelu"}));
    t.set("vision.projector.use_gelu_erf", true);
    return {};
}

Result<std::vector<int64_t>> featureLayers(const Translation& t, std::string_view key, int64_t usual) {
    INGLE_TRY_ASSIGN(const uint32_t numLayers, t.model.metadata.u32("clip.vision.block_count"));
    std::vector<int64_t> layers{usual};
    if (const MetaValue* stated = t.config.find(key)) {
        if (const auto* one = std::get_if<int64_t>(stated))
            layers = {*one};
        else if (const auto* several = std::get_if<std::vector<int64_t>>(stated))
            layers = *several;
    }
    for (int64_t& layer : layers) {
        if (layer < 0) layer += int64_t{numLayers} + 1;
        if (layer < 0 || layer > numLayers)
            return fail(ErrorCode::Corrupt, "{} names layers that are not there", key);
    }
    return layers;
}

void setOwnResizing(Translation& t) {
    t.set("vision.preproc_reference", true);
}

Status setPixelLimits(Translation& t, const Config& pixels) {
    setOwnResizing(t);
    struct Limit {
        std::string_view key, from, edge;
        uint32_t usual;
    };
    std::vector<std::string_view> forms{"shortest_edge", "longest_edge"};
    for (const auto& [key, from, edge, usual] :
         {Limit{"vision.image_min_pixels", "min_pixels", "size.shortest_edge", 56 * 56},
          Limit{"vision.image_max_pixels", "max_pixels", "size.longest_edge", 28 * 28 * 1280}}) {
        const bool isStated = pixels.find(from) != nullptr;
        if (isStated) forms.push_back(from);  // older files repeat it there
        INGLE_TRY_ASSIGN(const uint32_t value, pixels.u32Or(isStated ? from : edge, usual, usual));
        t.setCount(key, value);
    }
    INGLE_TRY(expectForms(pixels, "size", forms));
    INGLE_TRY_ASSIGN(const uint32_t patch, t.model.metadata.u32("clip.vision.patch_size"));
    INGLE_TRY(expectForms(pixels, "patch_size", kNumberForms, patch));
    INGLE_TRY_ASSIGN(const uint32_t merge, t.model.metadata.u32("clip.vision.spatial_merge_size"));
    return expectForms(pixels, "merge_size", kNumberForms, merge);
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
