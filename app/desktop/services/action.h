/// What a person can do: each feature has a table of such rows.
#pragma once

#include <functional>

#include "app/history/store/row_id.h"

namespace ingle::desktop {

/// What an action is done to.
enum class ActionScope {
    Window,
    Chat,          ///< that in view; it rests while a page takes its place, as all below do
    Conversation,  ///< target: a conversation; 0: that of the row with the keyboard, or the one shown
    Selection,     ///< as Conversation; what is done to one of the selected ones is done to all
    Message,       ///< target: a message; 0: the last one of the branch shown
    Question,      ///< target: a message; 0: the last one that the person wrote
    Field,         ///< a text field or list does it, where it has the keyboard
};

struct Action {
    const char* id;
    const char* words;     ///< for people
    const char* keys;      ///< as people read them; empty: none
    const char* moreKeys;  ///< that do it as well and are told nowhere, parted by spaces
    const char* icon;      ///< a name in icons/, or empty
    ActionScope scope = ActionScope::Window;
    /// Empty: always. The target is 0 only where there is none.
    std::function<bool(history::RowId target)> enabled = {};
    /// Empty: a field's.
    std::function<void(history::RowId target)> run = {};
    /// Of a Selection: the same for several, with "%n" for how many. Empty: as for one.
    const char* wordsForSeveral = "";
};

}  // namespace ingle::desktop
