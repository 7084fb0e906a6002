/// How enumerators, which are in snake_case in the file and in exports, and token ids are written. For
/// app/history and app/exchange.
#pragma once

#include <bit>
#include <cstring>
#include <span>
#include <vector>

#include "app/codec/names.h"
#include "app/history/history.h"

namespace ingle::codec {

template <>
inline constexpr auto kNames<history::MessageStatus> =
    std::to_array<Name<history::MessageStatus>>({{history::MessageStatus::Complete, "complete"},
                                                 {history::MessageStatus::Streaming, "streaming"},
                                                 {history::MessageStatus::Stopped, "stopped"},
                                                 {history::MessageStatus::Interrupted, "interrupted"},
                                                 {history::MessageStatus::Failed, "failed"}});
template <>
inline constexpr auto kNames<history::AnswerForm::Kind> =
    std::to_array<Name<history::AnswerForm::Kind>>({{history::AnswerForm::Kind::Free, "free"},
                                                    {history::AnswerForm::Kind::JsonSchema, "jsonSchema"},
                                                    {history::AnswerForm::Kind::Grammar, "grammar"}});

}  // namespace ingle::codec

namespace ingle::history {

using codec::snakeNamed;
using codec::snakeNameOf;

// Token ids are stored as 32-bit little-endian numbers.
static_assert(std::endian::native == std::endian::little);

inline std::span<const std::byte> tokenBytes(const std::vector<TokenId>& ids) {
    return std::as_bytes(std::span(ids));
}

inline void appendTokens(std::vector<TokenId>& ids, const void* bytes, size_t count) {
    const size_t added = count / sizeof(TokenId);
    if (added == 0) return;
    ids.resize(ids.size() + added);
    std::memcpy(ids.data() + ids.size() - added, bytes, added * sizeof(TokenId));
}

}  // namespace ingle::history
