/// Names of enumerators, in snake_case in the file and in exports. For app/history and app/exchange.
#pragma once

#include "app/codec/names.h"
#include "app/history/chats/messages.h"

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

}  // namespace ingle::history
