#include "app/cli/text_file.h"

#include <filesystem>
#include <fstream>
#include <sstream>

namespace ingle::cli {

Result<std::string> readTextFile(const std::string& path) {
    std::error_code unknown;
    if (std::filesystem::is_directory(path, unknown))
        return fail(ErrorCode::Io, "{} is a folder, not a file with text", path);
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    if (file.is_open()) text << file.rdbuf();
    if (!file.is_open() || text.bad()) return fail(ErrorCode::Io, "{}: cannot be read", path);
    return std::move(text).str();
}

}  // namespace ingle::cli
