// Files that contradict themselves.
#include "engine/formats/kind.h"

namespace ingle::formats::damaged_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::ModelDamaged};

std::string words(const Error&) {
    return "the file is damaged";
}

}  // namespace

extern const Kind kind{.name = "damaged", .actions = kGetInstead, .errors = kErrors, .words = words};

}  // namespace ingle::formats::damaged_kind
