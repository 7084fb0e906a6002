// Every other model.
#include "engine/formats/kind.h"

namespace ingle::formats::quantised_kind {
namespace {

constexpr ModelAction kActions[] = {ModelAction::Open, ModelAction::Import};

}  // namespace

extern const Kind kind{.name = "quantised", .actions = kActions};

}  // namespace ingle::formats::quantised_kind
