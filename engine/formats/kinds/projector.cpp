// Vision projectors ("mmproj"): what lets a model see, in a file beside its own. Source: llama.cpp's
// tools/mtmd/clip-impl.h (general.architecture "clip") and gguf-py's constants (general.type "mmproj").
#include "engine/formats/kind.h"

namespace ingle::formats::projector_kind {
namespace {

std::optional<Error> refuseRead(const ModelFile& file) {
    const auto is = [&](std::string_view key, std::string_view value) {
        return file.metadata.stringOr(key, "").value_or("") == value;
    };
    if (!is("general.architecture", "clip") && !is("general.type", "mmproj")) return std::nullopt;
    return refused<ErrorId::Projector>(
        file.path,
        "what lets a model see (a vision projector, \"mmproj\"), not the model; open the model's own file");
}

constexpr ErrorId kErrors[] = {ErrorId::Projector};

}  // namespace

extern const Kind kind{
    .name = "projector", .actions = kGetInstead, .refuseRead = refuseRead, .errors = kErrors};

}  // namespace ingle::formats::projector_kind
