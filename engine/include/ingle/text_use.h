#pragma once

#include <cstdint>

namespace ingle {

/// What a text is for: many models were trained with other words in front of questions than of what is
/// searched for answers.
enum class TextUse : uint8_t {
    Alone,     ///< neither: as it is, but for what the model wants in front of every text
    Query,     ///< asks
    Document,  ///< is searched
};

}  // namespace ingle
