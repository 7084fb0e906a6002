#include "app/content/code_language.h"

#include <algorithm>

namespace ingle::content {

std::string codeLanguage(std::string_view label) {
    const size_t begin = std::min(label.find_first_not_of(" \t{."), label.size());
    label.remove_prefix(begin);
    std::string language(label.substr(0, label.find_first_of(" \t{},;:")));
    for (char& c : language) {
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    }
    return language;
}

}  // namespace ingle::content
