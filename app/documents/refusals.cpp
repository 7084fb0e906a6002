#include "app/documents/refusals.h"

#include "app/documents/other_formats.h"

#include <algorithm>

namespace ingle::documents {
namespace {

/// What the sentence has in place of {}.
std::string inSentence(Refusal refusal, std::string_view argument) {
    const OtherFormat* other = refusal == Refusal::OtherFormat ? otherFormat(argument) : nullptr;
    return other ? fmt::format("{}: {}", other->what, other->advice) : shown(argument);
}

}  // namespace

tl::unexpected<Error> refuse(Refusal refusal, std::string_view argument) {
    const RefusalInfo& info = kRefusals[static_cast<size_t>(refusal)];
    Error error{info.code, fmt::format(fmt::runtime(info.sentence), inSentence(refusal, argument)),
                std::string(info.id)};
    if (!argument.empty()) error.arguments.push_back(shown(argument));
    return tl::unexpected<Error>(std::move(error));
}

std::optional<Refusal> refusalOf(std::string_view id) {
    const auto found = std::ranges::find(kRefusals, id, &RefusalInfo::id);
    return found == kRefusals.end() ? std::nullopt : std::optional(found->refusal);
}

}  // namespace ingle::documents
