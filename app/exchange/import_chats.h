/// Other programs' chats, and our own exports, into the history: the one path there is.
#pragma once

#include <functional>
#include <string>
#include <vector>

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
struct Imported {
    Findings findings;
    std::vector<history::RowId> conversations;  ///< what they are now
};

/// Runs `work` where the history is written, and returns what it returned.
using WithHistory = std::function<Status(const std::function<Status(history::History&)>& work)>;

/// Writes it into the history in slices of a few milliseconds, between which others write, and shows it in
/// the end: where it fails, is cancelled or the process is killed, nobody has seen anything of it. Errors:
/// those of examine() and of the history.
Result<Imported> importChats(const Recognised& recognised, const WithHistory& with,
                             const Course& course = {});
Result<Imported> importChats(const Recognised& recognised, history::History& history,
                             const Course& course = {});

}  // namespace ingle::exchange
