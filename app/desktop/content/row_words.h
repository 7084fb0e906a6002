/// What the rows of a chat say, and in which direction.
#pragma once

#include <QString>

#include "app/content/block.h"
#include "app/history/chats/messages.h"

namespace ingle::desktop {

/// Its first letter decides.
bool isRightToLeft(const content::Block& block);
/// Of a list's item; empty for quotations.
QString markOf(const content::Container& container);
/// Which model wrote it, how much and how fast.
QString figuresOf(const history::Message& message);
/// How the message stands; empty: there is nothing to say. `isEmpty`: nothing of it is shown yet. `progress`:
/// what is being done for the answer that is being written.
QString sentenceOf(const history::Message& message, bool isEmpty, const QString& progress);

}  // namespace ingle::desktop
