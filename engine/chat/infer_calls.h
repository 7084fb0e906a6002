/// The form of calls, found out by what a template writes of them.
#pragma once

#include <optional>
#include <string_view>

#include "engine/chat/dialects/call_form.h"

namespace ingle::chat {

/// What a template writes of an answer, from the first mark of its own to the end of its turn.
struct WrittenCalls {
    std::string_view one;    ///< one call with the arguments 0
    std::string_view two;    ///< calls with the arguments 0 and 1; empty: it writes no two
    std::string_view mixed;  ///< one call with a text and a number; empty: not known
};

inline constexpr const char* kCallValues[][2] = {{"qzvalue1", "qzvalue2"}, {"qzvalue3", "qzvalue4"}};
inline constexpr int kMixedNumber = 70717;

/// Nothing: it cannot be told what is around name, keys and values. `counts`: single digits may number calls.
std::optional<InferredDialect::Form> inferCallForm(const WrittenCalls& written, bool counts);

}  // namespace ingle::chat
