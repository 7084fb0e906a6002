/// The pieces of a document's text that are found one by one.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "app/documents/document.h"

namespace ingle::documents {

inline constexpr size_t kPassageBytes = 1'200;      ///< after so many one ends with its paragraph
inline constexpr size_t kMostPassageBytes = 3'000;  ///< or else with a line, a word, or a character

struct Passage {
    size_t begin = 0;  ///< bytes of Document::text
    size_t end = 0;
    uint32_t page = 0;    ///< that it begins on; 0: there are none
    std::string heading;  ///< the last one before it, or the file it is from; empty: neither

    bool operator==(const Passage&) const = default;
};

/// All of the text, in its order. A passage ends where a heading, a file or, unless it is short, a page does.
std::vector<Passage> passagesOf(const Document& document);

}  // namespace ingle::documents
