#include "app/cli/host/origin.h"

namespace ingle::cli {
namespace {

std::optional<library::Fingerprint> fingerprintOf(const std::string& path) {
    if (path.empty()) return std::nullopt;
    const auto print = library::fingerprint(path);
    return print ? std::optional(*print) : std::nullopt;
}

}  // namespace

Origin::Origin(const protocol::Load& load)
    : path(load.path),
      request(protocol::encode(protocol::Request{1, load})),
      file(fingerprintOf(load.path)),
      draft(fingerprintOf(load.options.draft)) {}

}  // namespace ingle::cli
