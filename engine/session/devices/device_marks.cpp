#include "engine/session/devices/device_marks.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <span>
#include <string_view>
#include <utility>

#include "engine/io/atomic_file.h"
#include "ingle/file_descriptor.h"
#include "ingle/result.h"

namespace ingle::session {

using backend::vulkan::DeviceFeature;

struct DeviceMarks::Mark {
    std::string path;
    FileDescriptor file;  ///< locked
    Mark* next = nullptr;
};

namespace {

namespace fs = std::filesystem;

/// Before the name of a mark that is not locked yet: nobody must take it for a death.
constexpr std::string_view kUnlocked = "new-";

bool lock(const FileDescriptor& file) {
    return ::flock(file.get(), LOCK_EX | LOCK_NB) == 0;
}

/// The file of a process that crashed has one byte.
void tellCrash(const FileDescriptor& file) {
    // Unlike write() this needs no room on the disk. A mark that stays empty still counts as a death.
    [[maybe_unused]] const int result = ::ftruncate(file.get(), 1);
}

bool tellsCrash(const FileDescriptor& file) {
    struct stat status {};
    return ::fstat(file.get(), &status) == 0 && status.st_size > 0;
}

/// The uses of this process.
DeviceMarks::Mark* firstMark = nullptr;
std::atomic_flag marksAreHeld;

/// Holds the list of uses. No signal interrupts the thread that holds it, so that handlers may wait for it.
class MarksLock {
  public:
    MarksLock() {
        sigset_t all;
        ::sigfillset(&all);
        ::pthread_sigmask(SIG_SETMASK, &all, &m_before);
        while (marksAreHeld.test_and_set(std::memory_order_acquire)) {
        }
    }
    ~MarksLock() {
        marksAreHeld.clear(std::memory_order_release);
        ::pthread_sigmask(SIG_SETMASK, &m_before, nullptr);
    }
    MarksLock(const MarksLock&) = delete;
    MarksLock& operator=(const MarksLock&) = delete;

  private:
    sigset_t m_before;
};

template <void (*tellMarks)()>
void onSignal(int signal) {
    tellMarks();
    ::signal(signal, SIG_DFL);
    ::raise(signal);
}

/// Signals that somebody else handles stay theirs, such as the bus error of a model file cut short.
void watch(std::initializer_list<int> signals, void (*handler)(int)) {
    for (const int signal : signals) {
        struct sigaction action {};
        ::sigaction(signal, nullptr, &action);
        if (action.sa_handler != SIG_DFL) continue;
        action.sa_handler = handler;
        ::sigaction(signal, &action, nullptr);
    }
}

}  // namespace

void DeviceMarks::EndOfUse::operator()(Mark* mark) const {
    {
        const MarksLock lock;
        Mark** at = &firstMark;
        while (*at != mark) at = &(*at)->next;
        *at = mark->next;
    }
    ::unlink(mark->path.c_str());
    delete mark;
}

void DeviceMarks::condemnUses() {
    const MarksLock lock;
    for (const Mark* mark = firstMark; mark; mark = mark->next) tellCrash(mark->file);
}

void DeviceMarks::withdrawUses() {
    const MarksLock lock;
    for (const Mark* mark = firstMark; mark; mark = mark->next) ::unlink(mark->path.c_str());
}

std::string DeviceMarks::prefix(Phase phase) const {
    return fmt::format("{}-{}-", phase == Phase::Start ? "start" : "work", m_identity);
}

std::string DeviceMarks::prefix(Phase phase, uint32_t process) const {
    return fmt::format("{}{}-", prefix(phase), process);
}

DeviceMarks::Use DeviceMarks::begin(Phase phase) const {
    watch({SIGSEGV, SIGBUS, SIGILL, SIGFPE, SIGABRT, SIGTRAP, SIGSYS}, onSignal<&DeviceMarks::condemnUses>);
    watch({SIGINT, SIGTERM, SIGHUP}, onSignal<&DeviceMarks::withdrawUses>);
    std::string path =
        fmt::format("{}/{}{}XXXXXX", m_folder, kUnlocked, prefix(phase, static_cast<uint32_t>(::getpid())));
    FileDescriptor file(::mkostemp(path.data(), O_CLOEXEC));
    if (!file.isOpen()) return nullptr;
    std::string marked = fmt::format("{}/{}", m_folder, path.substr(m_folder.size() + 1 + kUnlocked.size()));
    if (!lock(file) || ::rename(path.c_str(), marked.c_str()) != 0) {
        ::unlink(path.c_str());
        return nullptr;
    }
    Use use(new Mark{std::move(marked), std::move(file)});
    {
        const MarksLock lock;
        use->next = std::exchange(firstMark, use.get());
    }
    // A driver may take the whole computer down.
    const FileDescriptor folder(::open(m_folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    ::fsync(folder.get());
    return use;
}

void DeviceMarks::eachDeath(const std::string& prefix,
                            const std::function<void(const std::string& path, bool crashed)>& death) const {
    std::error_code ignored;
    // Not a range-for: its steps throw.
    for (fs::directory_iterator entry(m_folder, ignored), end; entry != end; entry.increment(ignored)) {
        if (!entry->path().filename().string().starts_with(prefix)) continue;
        const std::string path = entry->path().string();
        const FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
        if (file.isOpen() && lock(file)) death(path, tellsCrash(file));
    }
}

int DeviceMarks::deaths(Phase phase) const {
    int count = 0;
    eachDeath(prefix(phase), [&](const std::string&, bool) { ++count; });
    return count;
}

bool DeviceMarks::diedIn(uint32_t process) const {
    bool died = false;
    for (const Phase phase : {Phase::Start, Phase::Work})
        eachDeath(prefix(phase, process), [&](const std::string&, bool) { died = true; });
    return died;
}

bool DeviceMarks::crashed() const {
    bool anyCrashed = false;
    for (const Phase phase : {Phase::Start, Phase::Work})
        eachDeath(prefix(phase),
                  [&](const std::string&, bool crashed) { anyCrashed = anyCrashed || crashed; });
    return anyCrashed;
}

bool DeviceMarks::blamed() const {
    return crashed() || deaths(Phase::Start) >= kTooMany;
}

void DeviceMarks::condemn() const {
    std::string path = fmt::format("{}/{}XXXXXX", m_folder, prefix(Phase::Start, 0));
    const FileDescriptor nobodys(::mkostemp(path.data(), O_CLOEXEC));
    tellCrash(nobodys);
}

void DeviceMarks::forgive() const {
    for (const Phase phase : {Phase::Start, Phase::Work})
        eachDeath(prefix(phase), [](const std::string& path, bool) { ::unlink(path.c_str()); });
}

std::string DeviceMarks::featurePath(DeviceFeature feature) const {
    return fmt::format("{}/{}-{}", m_folder, feature == DeviceFeature::Units ? "units" : "bytes", m_identity);
}

bool DeviceMarks::leave(DeviceFeature feature, const std::string& reason) const {
    auto file = io::AtomicFile::create(featurePath(feature));
    return file && (*file)->write(std::as_bytes(std::span(reason))) && (*file)->commit();
}

void DeviceMarks::restore() const {
    forgive();
    for (const DeviceFeature feature : backend::vulkan::kDeviceFeatures)
        ::unlink(featurePath(feature).c_str());
}

std::string DeviceMarks::refusalOf(DeviceFeature feature) const {
    std::ifstream file(featurePath(feature));
    return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace ingle::session
