#include "app/cli/fresh_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <filesystem>

#include "app/cli/interruption.h"

namespace ingle::cli {
namespace {

namespace fs = std::filesystem;

std::string folderOf(const std::string& file) {
    const fs::path folder = fs::path(file).parent_path();
    return folder.empty() ? "." : folder.string();
}

constexpr const char* kBeginning = ".ingle-";

/// Held for as long as the folder is in use; the kernel takes it back from a process that was killed.
FileDescriptor lockOf(const std::string& folder) {
    FileDescriptor lock(::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC | O_NOFOLLOW));
    if (!lock.isOpen() || ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return {};
    return lock;
}

/// What imports left here that were killed.
void removeStale(const std::string& folder) {
    constexpr auto kJustMade = std::chrono::minutes(1);  // and perhaps not locked yet
    std::error_code unknown;
    for (fs::directory_iterator entry(folder, unknown), end; !unknown && entry != end;
         entry.increment(unknown)) {
        const std::string path = entry->path().string();
        const std::string name = entry->path().filename().string();
        struct stat info {};
        const bool isOne = name.starts_with(kBeginning) && name.size() == std::strlen(kBeginning) + 6 &&
                           ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) &&
                           info.st_uid == ::geteuid();
        if (!isOne || std::chrono::system_clock::from_time_t(info.st_mtime) + kJustMade >
                          std::chrono::system_clock::now())
            continue;
        const FileDescriptor lock = lockOf(path);
        std::error_code ignored;
        if (lock.isOpen()) fs::remove_all(path, ignored);
    }
}

/// The error's code and its sentence.
void send(int to, const Error& error) {
    std::string bytes(1, static_cast<char>(error.code));
    bytes += error.message;
    [[maybe_unused]] const auto written = ::write(to, bytes.data(), bytes.size());
}

std::string readAll(int from) {
    std::string all;
    char buffer[4096];
    for (;;) {
        const ssize_t count = ::read(from, buffer, sizeof buffer);
        if (count < 0 && errno == EINTR) continue;
        if (count <= 0) return all;
        all.append(buffer, static_cast<size_t>(count));
    }
}

}  // namespace

Result<std::unique_ptr<FreshFolder>> FreshFolder::beside(const std::string& target) {
    removeStale(folderOf(target));
    std::string path = folderOf(target) + "/" + kBeginning + "XXXXXX";
    if (!::mkdtemp(path.data()))
        return fail(ErrorCode::Io, "{}: cannot be written: {}", target, std::strerror(errno));
    return std::unique_ptr<FreshFolder>(new FreshFolder(path, target, lockOf(path)));
}

FreshFolder::~FreshFolder() {
    std::error_code ignored;
    fs::remove_all(m_path, ignored);
}

std::string FreshFolder::file() const {
    return m_path + "/" + fs::path(m_target).filename().string();
}

Error FreshFolder::inWordsOfTarget(Error error) const {
    if (const size_t at = error.message.find(file()); at != error.message.npos)
        error.message.replace(at, file().size(), m_target);
    return error;
}

Status FreshFolder::moveToTarget() const {
    if (::rename(file().c_str(), m_target.c_str()) != 0)
        return fail(ErrorCode::Io, "{}: cannot be written: {}", m_target, std::strerror(errno));
    const FileDescriptor folder(::open(folderOf(m_target).c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    if (folder.isOpen()) ::fsync(folder.get());
    return {};
}

Status writeFresh(const std::string& target,
                  const std::function<Status(const std::string& folder, const std::string& file)>& work) {
    INGLE_TRY_ASSIGN(auto fresh, FreshFolder::beside(target));
    int ends[2];
    if (::pipe2(ends, O_CLOEXEC) != 0) return fail(ErrorCode::Io, "no pipe: {}", std::strerror(errno));
    const FileDescriptor ours(ends[0]);
    FileDescriptor theirs(ends[1]);
    std::fflush(nullptr);
    endByInterruption();
    const pid_t self = ::getpid();
    const pid_t child = ::fork();
    if (child < 0) return fail(ErrorCode::Io, "no process can be started: {}", std::strerror(errno));
    if (child == 0) {
        ::prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (::getppid() != self) ::_exit(1);
        for (const int signal : {SIGINT, SIGTERM}) ::signal(signal, SIG_DFL);  // unless `work` says otherwise
        const Status done = work(fresh->path(), fresh->file());
        if (!done) send(theirs.get(), done.error());
        std::fflush(nullptr);
        ::_exit(done ? 0 : 1);
    }
    theirs = {};
    int status = 0;
    bool isTold = false;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
        if (isInterrupted() && !isTold) ::kill(child, SIGINT);
        isTold = isInterrupted();
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return fresh->moveToTarget();
    if (isInterrupted() && WIFSIGNALED(status)) {
        fresh.reset();
        ::signal(WTERMSIG(status), SIG_DFL);
        ::raise(WTERMSIG(status));
    }
    const std::string error = readAll(ours.get());
    if (error.empty())
        return fail(ErrorCode::Io, "{}: the process that writes it ended without a word (signal {})", target,
                    WIFSIGNALED(status) ? WTERMSIG(status) : 0);
    return tl::unexpected(
        fresh->inWordsOfTarget(Error{static_cast<ErrorCode>(error[0]), error.substr(1), {}}));
}

}  // namespace ingle::cli
