#include "app/library/guide.h"

#include <cstdlib>
#include <filesystem>

namespace ingle::library {

std::string guidePath() {
    namespace fs = std::filesystem;
    std::error_code error;
    fs::path guide;
    if (const char* chosen = std::getenv("INGLE_GUIDE")) {
        guide = chosen;
    } else {
        const fs::path program = fs::read_symlink("/proc/self/exe", error);
        guide = program.parent_path().parent_path() / "share/inglenook/guide.gguf";
    }
    if (!fs::is_regular_file(guide, error)) return {};
    return fs::absolute(guide, error).lexically_normal().string();
}

}  // namespace ingle::library
