#include "app/library/display_name.h"

#include <algorithm>
#include <regex>

namespace ingle::library {

std::string displayName(std::string_view name) {
    // Words at the end of a name that say how the file is stored, and file endings.
    static const std::regex storage(
        R"([-_. ]+(UD|I?Q\d\w*|TQ\d\w*|B?F(P)?(16|32)|MXFP4\w*|GGUF|GGML|imat|\d{5}-of-\d{5})$|\.(gguf|bin|flm|ggml|safetensors)$)",
        std::regex::icase);
    std::string shown(name);
    for (std::smatch match; std::regex_search(shown, match, storage) && match.position() > 0;)
        shown.erase(static_cast<size_t>(match.position()));
    if (shown.find(' ') == std::string::npos)
        std::ranges::replace_if(
            shown, [](char c) { return c == '-' || c == '_'; }, ' ');
    return shown;
}

}  // namespace ingle::library
