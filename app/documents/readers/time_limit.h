/// The processor's time that reading may take, and what is answered when it is over: the text so far.
#pragma once

#include <string>
#include <string_view>

namespace ingle::documents {

/// From now on this process is told when its time is over. Call before the lock.
void limitTime();
/// From now on it ends after kPageTime.
void limitPageTime();

/// Whether readers should come to an end with what they have. They have two seconds for it: a library that
/// does not come back by then is left, and the text that was kept is answered.
bool isTimeOver();

/// `text` is answered when a library does not come back; it must not move or change before the next call, but
/// more may follow behind it. Empty: nothing is answered.
void keepText(std::string_view format, std::string_view text);

}  // namespace ingle::documents
