// What `git clone` leaves in place of a large file where Git LFS is missing. Source: its specification,
// "The Pointer".
#include "engine/formats/kind.h"

namespace ingle::formats::lfs_pointer_kind {
namespace {

constexpr std::string_view kBegin = "version https://git-lfs.github.com/spec/";

std::optional<Error> refuse(const Sighting& sighting) {
    if (sighting.text(kBegin.size()) != kBegin) return std::nullopt;
    return refused<ErrorId::FilePointer>(sighting.source.path(),
                                         "a pointer of Git LFS, not the model, which was not downloaded");
}

constexpr ErrorId kErrors[] = {ErrorId::FilePointer};

}  // namespace

extern const Kind kind{.name = "pointer", .actions = kGetInstead, .refuse = refuse, .errors = kErrors};

}  // namespace ingle::formats::lfs_pointer_kind
