/// A history whose file is taken away while it is open. An open file outlives its name, so nothing is lost:
/// all of it is written anew, and work goes on there.
#include <fcntl.h>
#include <sqlite3.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "app/history/answer_statements.h"
#include "app/history/backups.h"
#include "app/history/database.h"
#include "app/history/history.h"

namespace ingle::history {
namespace {

/// Puts a file under a name that nobody has.
Status rename(const std::string& from, const std::string& to) {
    if (::renameat2(AT_FDCWD, from.c_str(), AT_FDCWD, to.c_str(), RENAME_NOREPLACE) == 0) return {};
    // File systems that do not know this way have no other that cannot lose a race.
    if (errno == EINVAL && ::access(to.c_str(), F_OK) != 0 && ::rename(from.c_str(), to.c_str()) == 0)
        return {};
    return fail(ErrorCode::Io, "Cannot rename {} to {}: {}.", from, to, std::strerror(errno));
}

}  // namespace

Whereabouts History::whereabouts() {
    const FileId now = fileId(m_database->path());
    // Where the folder cannot be read, or a network is away, nothing is known.
    if (now == FileId{} && errno != ENOENT && errno != ENOTDIR) return Whereabouts::InPlace;
    if (now != m_database->id()) return now == FileId{} ? Whereabouts::Removed : Whereabouts::Replaced;
    m_database->noteFilesBeside();
    return Whereabouts::InPlace;
}

Status History::moveTo(const std::string& target) {
    if (m_access == Access::ReadOnly) return {};
    INGLE_TRY(createFolderOf(target));
    const std::string copy = target + ".rescue";
    INGLE_TRY(copyTo(*m_database, copy));
    // A log beside a file that it does not belong to would be read into it.
    for (const auto& [suffix, id] :
         {std::pair{"-wal", m_database->logId()}, std::pair{"-shm", m_database->sharedId()}}) {
        const std::string log = m_database->path() + suffix;
        if (fileId(log) == id) ::unlink(log.c_str());
    }
    if (const Status renamed = rename(copy, target); !renamed) {
        ::unlink(copy.c_str());
        return renamed;
    }
    INGLE_TRY_ASSIGN(auto moved, Database::open(target, FileMode::ReadWrite));
    m_answerStatements = std::make_unique<AnswerStatements>();
    m_database = std::move(moved);
    return {};
}

}  // namespace ingle::history
