#include "app/content/source_place.h"

#include <algorithm>
#include <string>

#include "app/content/selection.h"

namespace ingle::content {
namespace {

/// Markup breaks and parts these as it likes.
bool isMarkupSpace(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r';
}

/// The source up to the end of the block, with zeros for addresses behind the text of links.
std::string readable(const Block& block, std::string_view source) {
    std::string lines(source.substr(0, block.sourceEnd));
    if (block.text.targets.empty()) return lines;
    for (size_t at = lines.find("](", block.sourceBegin); at != std::string::npos;
         at = lines.find("](", at)) {
        const size_t end = std::min(lines.find(')', at), lines.size());
        std::fill(lines.begin() + static_cast<std::ptrdiff_t>(at),
                  lines.begin() + static_cast<std::ptrdiff_t>(end), '\0');
    }
    return lines;
}

}  // namespace

std::optional<size_t> sourcePlace(const Block& block, std::string_view source, size_t begin, size_t end) {
    // A piece that begins within a line has the whole line for its source.
    if (block.seam == Seam::Space || block.seam == Seam::Glued) return std::nullopt;
    const std::string read = plainText(block);
    end = std::min(end, read.size());
    if (begin >= end || block.sourceEnd > source.size()) return std::nullopt;
    const std::string lines = readable(block, source);
    // Reading leaves out marks and adds little: its bytes stand in the source in their order.
    size_t at = block.sourceBegin;
    for (size_t i = 0; i < begin; ++i) {
        if (isMarkupSpace(read[i])) continue;
        const size_t found = lines.find(read[i], at);
        if (found != std::string::npos) at = found + 1;
    }
    const std::string_view word = std::string_view(read).substr(begin, end - begin);
    const size_t place = lines.find(word, at);
    if (place == std::string::npos) return std::nullopt;
    return place;
}

}  // namespace ingle::content
