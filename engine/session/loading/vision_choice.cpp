#include "engine/session/loading/vision_choice.h"

#include <algorithm>
#include <optional>

#include "engine/formats/kind.h"
#include "engine/vision/family.h"
#include "ingle/error_ids.h"
#include "ingle/outside.h"

namespace ingle::session {
namespace {

/// A vision file that is looked at.
struct Candidate {
    std::string path;
    uint64_t bytes = 0;
    bool fits = false;
    bool isSure = false;  ///< more says so than the width of its rows
    int likeness = 0;     ///< of the names
};

bool haveSame(const formats::ModelFile& one, const formats::ModelFile& other, std::string_view key) {
    const std::string value = one.metadata.stringOr(key, "").value_or("");
    return !value.empty() && value == other.metadata.stringOr(key, "").value_or("");
}

int likenessOf(const formats::ModelFile& model, const formats::ModelFile& file) {
    int likeness = 0;
    for (const std::string_view key : {"general.name", "general.basename", "general.base_model.0.name"})
        likeness += haveSame(model, file, key) ? 1 : 0;
    return likeness;
}

/// Whether the text that stands before or behind pictures is a token of the model.
bool knowsMarks(const formats::ModelFile& model, const vision::TowerSpec& spec) {
    constexpr uint32_t kSide = 64;
    const Picture black{kSide, kSide, std::vector<uint8_t>(size_t{3} * kSide * kSide)};
    const auto cut = spec.cutter->cut(black);
    if (!cut || cut->tiles.empty()) return false;
    const auto isToken = [&](const std::string& text) {
        return !text.empty() &&
               std::ranges::find(model.tokenizer.tokens, text) != model.tokenizer.tokens.end();
    };
    return isToken(cut->after) || isToken(cut->tiles[0].before);
}

Result<Candidate> lookAt(const formats::ModelFile& model, const models::ModelDefinition& definition,
                         const std::string& path) {
    INGLE_TRY_ASSIGN(const io::Source source, io::Source::open(path));
    INGLE_TRY_ASSIGN(formats::ModelFile file, formats::openModelFile(source, formats::ModelPart::Sight));
    INGLE_TRY_ASSIGN(const vision::BoundTower tower, vision::bindTower(file, std::nullopt));
    const std::string& arch = definition.facts().arch;
    const auto& archs = tower.family->archs;
    const bool isOfArch = std::ranges::find(archs, arch) != archs.end();
    Candidate candidate{.path = path, .bytes = file.fileBytes(), .likeness = likenessOf(model, file)};
    candidate.fits = tower.spec.outDim == definition.facts().pictureWidth && (archs.empty() || isOfArch);
    candidate.isSure =
        candidate.fits && (isOfArch || candidate.likeness > 0 || knowsMarks(model, tower.spec));
    return candidate;
}

Result<VisionChoice> named(const formats::ModelFile& model, const models::ModelDefinition* seeing,
                           const std::string& path) {
    const auto unfit = [&] {
        return withId<ErrorId::VisionFileUnfit>(
            fail(ErrorCode::InvalidArgument, "{}: the vision file belongs to another model than {}", path,
                 model.path),
            path);
    };
    if (!seeing) return unfit();
    auto candidate = lookAt(model, *seeing, path);
    if (!candidate) return tl::unexpected(formats::inWords(std::move(candidate).error(), path));
    if (!candidate->fits) return unfit();
    return VisionChoice{path, candidate->bytes, {}, {}};
}

}  // namespace

Result<VisionChoice> chooseVisionFile(const formats::ModelFile& model,
                                      const models::ModelDefinition& definition, const LoadOptions& options) {
    const auto seeing = definition.facts().pooling ? nullptr : definition.withPictures();
    if (!options.visionFile.empty()) return named(model, seeing.get(), options.visionFile);
    VisionChoice choice;
    if (!seeing) return choice;
    std::vector<Candidate> fitting;
    if (model.hasSight) {
        if (auto own = lookAt(model, *seeing, model.path); own && own->fits) {
            own->isSure = true;
            own->bytes = 0;  // the model's own count already
            fitting.push_back(*std::move(own));
        }
    }
    for (const std::string& path : visionFilesBeside(model.path)) {
        auto candidate = lookAt(model, *seeing, path);
        if (!candidate && choice.trouble.empty())
            choice.trouble = formats::inWords(std::move(candidate).error(), path).message;
        else if (candidate && candidate->fits)
            fitting.push_back(*std::move(candidate));
    }
    std::ranges::stable_sort(fitting, [](const Candidate& a, const Candidate& b) {
        return a.isSure != b.isSure ? a.isSure : a.likeness > b.likeness;
    });
    for (const Candidate& candidate : fitting) choice.fitting.push_back(candidate.path);
    if (fitting.empty() || !fitting.front().isSure) return choice;
    choice.path = fitting.front().path;
    choice.bytes = fitting.front().bytes;
    return choice;
}

LoadOptions visionOptions(const LoadOptions& options) {
    LoadOptions ours = options;
    std::erase_if(ours.overrides, [](const auto& entry) { return !entry.first.starts_with("clip."); });
    return ours;
}

}  // namespace ingle::session
