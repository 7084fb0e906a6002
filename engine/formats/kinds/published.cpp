// Models as their makers publish them: floats, mostly of 16 bits.
#include "engine/formats/kind.h"

namespace ingle::formats::published_kind {
namespace {

bool isModel(const ModelFile& file) {
    uint64_t floats = 0, all = 0;
    for (const auto& [name, tensor] : file.tensors) {
        all += tensor.bytes();
        if (tensor.format->blockElems == 1) floats += tensor.bytes();
    }
    return all > 0 && floats > all / 2;
}

constexpr ModelAction kActions[] = {ModelAction::Open, ModelAction::MakeSmaller, ModelAction::Import};

}  // namespace

extern const Kind kind{.name = "published", .actions = kActions, .isModel = isModel};

}  // namespace ingle::formats::published_kind
