/// Private to app/history.
#pragma once

namespace ingle::history {

/// From the first call on SQLite opens, looks for and deletes files only on threads that do not paint
/// (ingle/paint_thread.h), whoever asks it. Any thread.
void watchOpens();

}  // namespace ingle::history
