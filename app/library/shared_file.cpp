#include "app/library/shared_file.h"

#include <cstdlib>
#include <filesystem>

namespace ingle::library {

std::string sharedFile(std::string_view name, const char* override) {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path file;
    if (const char* chosen = std::getenv(override)) {
        file = chosen;
    } else {
        const fs::path program = fs::read_symlink("/proc/self/exe", error);
        file = program.parent_path().parent_path() / "share/inglenook" / name;
    }
    if (!fs::is_regular_file(file, error)) return {};
    return fs::absolute(file, error).lexically_normal().string();
}

}  // namespace ingle::library
