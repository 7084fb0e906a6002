/// What an export of chats holds and what of it stays behind, for people.
#pragma once

#include <QString>
#include <QStringList>

#include "app/exchange/findings.h"

namespace ingle::desktop {

/// "one chat", "312 chats".
QString chatsText(uint64_t count);
/// "one message", "5,120 messages".
QString messagesText(uint64_t count);
/// "2023", "2023 to 2025"; empty: not said.
QString yearsText(const exchange::Findings& findings);
/// A line for each kind of what does not come along: "3 pictures".
QStringList leftOutTexts(const exchange::Findings& findings);

}  // namespace ingle::desktop
