/// Files that people take for documents and that are not read: what each is, and what to do.
#pragma once

#include <span>
#include <string_view>
#include <vector>

namespace ingle::documents {

struct OtherFormat {
    std::string_view key;                   ///< stable: an argument of an error
    std::string_view what;                  ///< "an old Word document (.doc)"
    std::string_view advice;                ///< "save it as .docx or PDF"
    std::string_view beginning;             ///< of the file, from `at` on
    std::vector<std::string_view> endings;  ///< of names, with the dot; empty: the bytes alone tell
    size_t at = 0;
};

std::span<const OtherFormat> allOtherFormats();

/// Null where none has the key.
const OtherFormat* otherFormat(std::string_view key);

/// The format of a file by its bytes, and by its name where a row asks for that, too. Null where none fits.
const OtherFormat* recogniseOtherFormat(std::string_view bytes, std::string_view name);

}  // namespace ingle::documents
