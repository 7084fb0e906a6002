#include "engine/base/check.h"

#include <cstdio>
#include <cstdlib>

#include "ingle/failed_check.h"

namespace ingle::base {

void checkFailed(std::string_view file, int line, std::string_view condition, const std::string& values) {
    // The path inside the source tree; where that lay when it was compiled is nobody's business.
    const size_t tree = file.rfind("engine/");
    if (tree != std::string_view::npos) file.remove_prefix(tree);
    const std::string sentence = fmt::format("{}:{}: {} does not hold: {}", file, line, condition, values);
    failedCheck.set(sentence);
    fmt::print(stderr, "{}\n", sentence);
    std::abort();
}

}  // namespace ingle::base
