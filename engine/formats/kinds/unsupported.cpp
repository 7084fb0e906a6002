// Models that are whole and not for this version.
#include "engine/formats/kind.h"

namespace ingle::formats::unsupported_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::ModelUnsupported, ErrorId::UnknownVersion, ErrorId::UnknownFamily,
                               ErrorId::UnknownBlockType, ErrorId::UnknownTokenizer};

std::string words(const Error&) {
    return "this version cannot run this model";
}

}  // namespace

extern const Kind kind{.name = "unsupported", .actions = kGetInstead, .errors = kErrors, .words = words};

}  // namespace ingle::formats::unsupported_kind
