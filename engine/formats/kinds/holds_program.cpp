// PyTorch's files may say what is to be run when they are opened. Nothing of that ever is.
#include "engine/formats/kind.h"

namespace ingle::formats::holds_program_kind {
namespace {

constexpr ErrorId kErrors[] = {ErrorId::HoldsProgram};

std::string words(const Error&) {
    return "it holds a program beside its numbers, and is not opened";
}

}  // namespace

extern const Kind kind{.name = "holdsProgram", .actions = kGetInstead, .errors = kErrors, .words = words};

}  // namespace ingle::formats::holds_program_kind
