#include "app/cli/text_file.h"

#include <fstream>
#include <sstream>

namespace ingle::cli {

Result<std::string> readTextFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file.is_open()) text << file.rdbuf();
    // A folder opens like a file; reading it fails.
    if (!file.is_open() || text.bad()) return fail(ErrorCode::Io, "{}: cannot be read", path);
    return std::move(text).str();
}

}  // namespace ingle::cli
