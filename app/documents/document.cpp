#include "app/documents/document.h"

#include <fmt/format.h>

namespace ingle::documents {

static_assert(
    [] {
        for (size_t i = 0; i < kLosses.size(); ++i)
            if (static_cast<size_t>(kLosses[i].kind) != i) return false;
        return kLosses.size() == static_cast<size_t>(LossKind::Rest) + 1;
    }(),
    "the table has a row for each kind, in their order");

std::string lossText(const Loss& loss) {
    const LossInfo& info = lossInfo(loss.kind);
    return fmt::format(fmt::runtime(loss.count == 1 ? info.one : info.many), loss.count, loss.names);
}

}  // namespace ingle::documents
