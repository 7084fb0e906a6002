/// The fields of a message, stated once for its row and for exports. For app/history and app/exchange.
#pragma once

#include "app/codec/engine_fields.h"
#include "app/codec/stored_error.h"
#include "app/history/chats/messages.h"
#include "app/history/chats/stored_json.h"

namespace ingle::history {

// In the order of docs/export-format.md; the column of `stopReason` is `stop_reason`. Numbers of messages and
// of conversations, parts, and what is stored as bytes are each form's own.

template <typename V>
void fields(V& v, codec::Of<Message> auto& m) {
    v.required("role", m.role);
    v.sparse("status", m.status);
    v.required("createdMs", m.createdMs);
    v.sparse("finishedMs", m.finishedMs);
    v.sparse("pinned", m.pinned);
}

/// What only answers have, and only those that a model has written here.
template <typename V>
void answerFields(V& v, codec::Of<Message> auto& m) {
    v.sparse("stopReason", m.stopReason);
    Error error = codec::storedError(m.error);
    v.sparse("error", error.message);
    v.sparse("errorId", error.id);
    v.sparse("errorArguments", error.arguments);
    if constexpr (V::kReads) m.error = codec::errorFrom(std::move(error));
    v.sparse("firstKept", m.firstKept);
    v.sparse("promptHash", codec::as<codec::Digits>(m.promptHash));
    v.sparse("modelId", m.modelId);
    v.sparse("modelName", m.modelName);
    v.sparse("sampler", codec::as<SamplerJson>(m.sampler));
    v.sparse("seed", codec::as<codec::Digits>(m.sampler.seed));
    v.sparse("receipt", codec::as<ReceiptJson>(m.receipt));
    forEachStat(m.stats, [&v](const char* name, auto& field) { v.sparse(name, field); });
}

}  // namespace ingle::history
