// Parts of models: one of several files without the others, or numbers without what says whose they are.
#include "engine/formats/kind.h"

namespace ingle::formats {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::PartsMissing, ErrorId::WeightsAlone};

}  // namespace

extern const Kind part_kind;
const Kind part_kind{.name = "part", .actions = kGetInstead, .errors = kErrors};

}  // namespace ingle::formats
