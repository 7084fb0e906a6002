/// Messages as the history holds them, for the models and views that show them.
#pragma once

#include <string>

#include "app/history/chats/messages.h"

namespace ingle::desktop {

/// With one part, or with none where the text is empty.
inline history::Message message(history::RowId id, Role role, const std::string& text,
                                history::MessageStatus status = history::MessageStatus::Complete) {
    history::Message made;
    made.id = id;
    made.role = role;
    if (!text.empty()) made.parts.push_back({PartKind::Text, text, {}});
    made.status = status;
    return made;
}

}  // namespace ingle::desktop
