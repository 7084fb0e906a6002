/// Rows of numbers of texts, as the far server answers them.
#pragma once

#include <string_view>

#include "app/protocol/messages.h"

namespace ingle::bridge {

/// Of the answer to POST /embeddings: {"data": [{"index": 0, "embedding": [0.5, …]}, …], "usage": …}. Errors:
/// Corrupt (not one row of the same length of each text; the message is for strangeAnswer()).
Result<protocol::Embedded> readEmbeddings(std::string_view body, size_t numTexts);

}  // namespace ingle::bridge
