// Files that contradict themselves.
#include "engine/formats/kind.h"

namespace ingle::formats {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::ModelDamaged};

std::string words(const Error&) {
    return "the file is damaged";
}

}  // namespace

extern const Kind damaged_kind;
const Kind damaged_kind{.name = "damaged", .actions = kGetInstead, .errors = kErrors, .words = words};

}  // namespace ingle::formats
