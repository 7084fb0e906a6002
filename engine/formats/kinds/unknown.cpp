// Everything that nothing is known of, and what the system says of files it does not give.
#include "engine/formats/kind.h"

namespace ingle::formats::unknown_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::NotAModel};

}  // namespace

extern const Kind kind{.name = "unknown", .actions = kReadText, .errors = kErrors};

}  // namespace ingle::formats::unknown_kind
