/// Other programs' chats, and our own exports, into the history: the one path there is.
#pragma once

#include <functional>
#include <string>

#include "app/exchange/importer.h"

namespace ingle::exchange {

/// Asked and told meanwhile, on the thread that works.
struct Course {
    std::function<bool()> isCancelled = [] { return false; };
    std::function<void(uint64_t conversations)> progress = [](uint64_t) {};
};

struct Recognised {
    Source source;
    const Importer* importer = nullptr;
};

/// Whose chats a file or folder holds. Errors: Io; Unsupported when nobody's that is known.
Result<Recognised> recognise(const std::string& path);
/// What is in there: reads all of it and writes nothing. Errors: Io, Corrupt, Unsupported, Cancelled.
Result<Findings> examine(const Recognised& recognised, const Course& course = {});
/// Writes it into the history in one transaction: where it fails, is cancelled or the process is killed, the
/// history is as it was. Errors: those of examine() and of the history.
Result<Findings> importChats(const Recognised& recognised, history::History& history,
                             const Course& course = {});

}  // namespace ingle::exchange
