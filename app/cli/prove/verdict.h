/// What a record of watched processes says about the promises: offline, its own files only, its own programs
/// only.
#pragma once

#include <string>
#include <vector>

#include "app/cli/prove/watch.h"

namespace ingle::cli::prove {

/// What belongs to the watched programs.
struct Own {
    std::string program;  ///< the path of `ingle`; beside it, in share and in lib lie its own files
    std::string folder;   ///< where they may write
    std::vector<std::string> model;   ///< files and folders of the model that they were given
    bool areFilesRestricted = false;  ///< whether this kernel can restrict files
};

struct Verdict {
    /// Broken promises, a sentence each; none: all are kept.
    std::vector<std::string> problems;
    std::vector<std::string> sockets;  ///< "connection to local programs at /run/…: 2 done, 1 refused"
    /// Files that are neither the system's nor Inglenook's own.
    std::vector<std::string> foreignRead, foreignWritten;
    size_t systemFiles = 0, ownFiles = 0;     ///< that were read
    uint64_t ownBytes = 0, foreignBytes = 0;  ///< that were written into files
    std::vector<std::string> foreignPrograms;
};

Verdict judge(const Record& record, const Own& own);

}  // namespace ingle::cli::prove
