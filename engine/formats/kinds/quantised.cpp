// Every other model.
#include "engine/formats/kind.h"

namespace ingle::formats {
namespace {

constexpr ModelAction kActions[] = {ModelAction::Open, ModelAction::Import};

}  // namespace

extern const Kind quantised_kind;
const Kind quantised_kind{.name = "quantised", .actions = kActions};

}  // namespace ingle::formats
