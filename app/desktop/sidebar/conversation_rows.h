/// What the sidebar lists: conversations in folders and by date, or what a search found.
#pragma once

#include <QString>

#include <tuple>
#include <vector>

#include "app/history/search/search.h"

namespace ingle::desktop {

struct ConversationRow {
    enum class Kind { Conversation, Folder, Archive };

    Kind kind = Kind::Conversation;
    history::RowId conversation = 0;
    history::RowId message = 0;
    history::RowId folder = 0;  ///< that it is or stands in
    QString title;
    QString snippet;  ///< rich text
    QString section;
    bool pinned = false;
    bool archived = false;
    int count = 0;     ///< of conversations in a folder or the archive
    bool open = true;  ///< of a folder or the archive

    bool operator==(const ConversationRow&) const = default;
    /// Tells a row from all others.
    std::tuple<Kind, history::RowId, history::RowId> key() const {
        return {kind, kind == Kind::Folder ? folder : conversation, message};
    }
};
using ConversationRows = std::vector<ConversationRow>;

/// Of all conversations; made where the history is read, since thousands of dates take their time.
Result<ConversationRows> rowsOfAll(history::HistoryReader& history);
/// Of what a search found.
Result<ConversationRows> rowsOfHits(history::HistoryReader& history, const std::string& text,
                                    const history::SearchFilter& filter);
/// Folds a folder (0: the archive), or opens it.
Status setOpen(history::History& history, history::RowId folder, bool open);

}  // namespace ingle::desktop
