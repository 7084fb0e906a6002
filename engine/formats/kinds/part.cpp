// Parts of models: one of several files without the others, or numbers without what says whose they are.
#include "engine/formats/kind.h"

namespace ingle::formats::part_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::PartsMissing, ErrorId::WeightsAlone};

}  // namespace

extern const Kind kind{.name = "part", .actions = kGetInstead, .errors = kErrors};

}  // namespace ingle::formats::part_kind
