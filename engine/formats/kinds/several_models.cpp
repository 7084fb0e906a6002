// Folders of models, of which a person has to choose one.
#include "engine/formats/kind.h"

namespace ingle::formats::several_models_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::SeveralModels};

}  // namespace

extern const Kind kind{.name = "severalModels", .actions = {}, .errors = kErrors};

}  // namespace ingle::formats::several_models_kind
