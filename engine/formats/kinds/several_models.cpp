// Folders of models, of which a person has to choose one.
#include "engine/formats/kind.h"

namespace ingle::formats {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::SeveralModels};

}  // namespace

extern const Kind several_models_kind;
const Kind several_models_kind{.name = "severalModels", .actions = {}, .errors = kErrors};

}  // namespace ingle::formats
