#include "tests/app/sandbox/tries.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <fcntl.h>
#include <linux/io_uring.h>
#include <linux/kcmp.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <netinet/in.h>
#include <sched.h>
#include <spawn.h>
#include <sys/eventfd.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/ipc.h>
#include <sys/mman.h>
#include <sys/msg.h>
#include <sys/ptrace.h>
#include <sys/resource.h>
#include <sys/sem.h>
#include <sys/shm.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstddef>
#include <cstdio>
#include <cstring>

namespace ingle::sandbox::test {
namespace {

/// The result of a call that returns -1 where it fails.
int told(long result) {
    return result < 0 ? errno : 0;
}

/// Of one that gives a descriptor.
int opened(long descriptor) {
    if (descriptor < 0) return errno;
    ::close(static_cast<int>(descriptor));
    return 0;
}

int reads(const std::string& path) {
    const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (file < 0) return errno;
    char byte = 0;
    const int result = told(::read(file, &byte, 1));
    ::close(file);
    return result;
}

int writes(const std::string& path) {
    const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
    if (file < 0) return errno;
    const int result = told(::write(file, "x", 1));
    ::close(file);
    return result;
}

std::string ofVictim(const World& world, const char* name) {
    return "/proc/" + std::to_string(world.victim) + "/" + name;
}

std::string key(const World& world) {
    return world.home + "/.ssh/id_rsa";
}

int connects(const sockaddr* address, socklen_t size) {
    const int socket = ::socket(address->sa_family, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (socket < 0) return errno;
    const int result = told(::connect(socket, address, size));
    ::close(socket);
    return result;
}

int connectsTo(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    std::memcpy(address.sun_path, name.data(), std::min(name.size(), sizeof address.sun_path - 1));
    const bool isAbstract = name.front() == '\0';
    return connects(
        reinterpret_cast<const sockaddr*>(&address),
        isAbstract ? static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size()) : sizeof address);
}

sockaddr_in here(int port) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(static_cast<uint16_t>(port));
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

/// How a child of this process ends.
int endOf(pid_t child) {
    if (child < 0) return errno;
    int status = 0;
    ::waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : EIO;
}

int runs(const char* program) {
    char* arguments[] = {const_cast<char*>("it"), const_cast<char*>("--help"), nullptr};
    char* environment[] = {nullptr};
    ::close(STDOUT_FILENO);
    ::close(STDERR_FILENO);
    ::execve(program, arguments, environment);
    return errno;
}

iovec at(void* place, size_t bytes) {
    return {place, bytes};
}

int family(int domain, int type) {
    return opened(::socket(domain, type, 0));
}

int foreignSocket() {
#ifdef __x86_64__
    long result = 0;
    // socket() of i386, and of x32
    __asm__ volatile("int $0x80"
                     : "=a"(result)
                     : "a"(359), "b"(AF_INET), "c"(SOCK_STREAM), "d"(0)
                     : "memory");
    return result >= 0 ? 0 : static_cast<int>(-result);
#else
    return ENOSYS;
#endif
}

constexpr Try kTries[] = {
    // Reading what belongs to the person.
    {Kind::Reading, "read a private key", [](const World& w) { return reads(key(w)); }},
    {Kind::Reading, "read the history", [](const World& w) { return reads(w.home + "/history.sqlite"); }},
    {Kind::Reading, "read another model", [](const World& w) { return reads(w.home + "/other.gguf"); }},
    {Kind::Reading, "read the list of users", [](const World&) { return reads("/etc/passwd"); }},
    {Kind::Reading, "list the home folder",
     [](const World& w) { return opened(::open(w.home.c_str(), O_RDONLY)); }},
    {Kind::Reading, "read by a link of its own",
     [](const World& w) {
         const std::string link = w.own + "/link";
         if (::symlink(key(w).c_str(), link.c_str()) != 0 && errno != EEXIST) return errno;
         return reads(link);
     }},
    {Kind::Files, "hard link into its own folder",
     [](const World& w) {
         const std::string link = w.own + "/hard";
         const int result = told(::link(key(w).c_str(), link.c_str()));
         ::unlink(link.c_str());
         return result;
     }},
    {Kind::Files, "move into its own folder",
     [](const World& w) {
         const std::string moved = w.own + "/moved";
         const int result = told(::rename(key(w).c_str(), moved.c_str()));
         ::rename(moved.c_str(), key(w).c_str());
         return result;
     }},
    {Kind::Reading, "read through /proc/self/root",
     [](const World& w) { return reads("/proc/self/root" + key(w)); }},
    {Kind::Reading, "read through a folder held open",
     [](const World& w) {
         const int folder = ::open((w.home + "/.ssh").c_str(), O_PATH | O_DIRECTORY);
         if (folder < 0) return errno;
         return opened(::openat(folder, "id_rsa", O_RDONLY));
     }},
    {Kind::Reading, "reopen a path descriptor",
     [](const World& w) {
         const int file = ::open(key(w).c_str(), O_PATH);
         if (file < 0) return errno;
         return reads("/proc/self/fd/" + std::to_string(file));
     }},
    {Kind::Reading, "openat2",
     [](const World& w) {
         open_how how{};
         how.flags = O_RDONLY;
         return opened(::syscall(SYS_openat2, AT_FDCWD, key(w).c_str(), &how, sizeof how));
     }},
    {Kind::Files, "creat", [](const World& w) { return opened(::creat((w.home + "/creat").c_str(), 0600)); }},
    {Kind::Reading, "open by handle",
     [](const World& w) {
         return opened(::syscall(SYS_open_by_handle_at, AT_FDCWD, nullptr, O_RDONLY)) == EACCES
                    ? EACCES
                    : reads(key(w));
     }},
    // Writing what others read, or run.
    {Kind::Files, "append to .bashrc", [](const World& w) { return writes(w.home + "/.bashrc"); }},
    {Kind::Files, "start with the desktop",
     [](const World& w) { return writes(w.home + "/autostart/evil.desktop"); }},
    {Kind::Files, "make a service of the session bus",
     [](const World& w) { return writes(w.home + "/services/evil.service"); }},
    {Kind::Files, "write a temporary file",
     [](const World&) {
         const std::string path = "/tmp/evil-" + std::to_string(::getpid());
         const int result = writes(path);
         ::unlink(path.c_str());
         return result;
     }},
    {Kind::Files, "write in /var/tmp",
     [](const World&) {
         const std::string path = "/var/tmp/evil-" + std::to_string(::getpid());
         const int result = writes(path);
         ::unlink(path.c_str());
         return result;
     }},
    {Kind::Files, "write beside the history",
     [](const World& w) { return writes(w.home + "/history.sqlite-wal"); }},
    {Kind::Files, "write the history", [](const World& w) { return writes(w.home + "/history.sqlite"); }},
    {Kind::Files, "write the model it was given", [](const World& w) { return writes(w.model); }},
    {Kind::Files, "cut the history short",
     [](const World& w) { return told(::truncate((w.home + "/history.sqlite").c_str(), 1)); }},
    {Kind::Files, "remove a file",
     [](const World& w) { return told(::unlink((w.home + "/victim.txt").c_str())); }},
    {Kind::Files, "rename the history",
     [](const World& w) {
         const std::string from = w.home + "/history.sqlite", to = from + "-gone";
         const int result = told(::rename(from.c_str(), to.c_str()));
         ::rename(to.c_str(), from.c_str());
         return result;
     }},
    {Kind::Files, "make a folder",
     [](const World& w) {
         return told(::mkdir((w.home + "/made" + std::to_string(::getpid())).c_str(), 0700));
     }},
    {Kind::Files, "remove a folder",
     [](const World& w) { return told(::rmdir((w.home + "/empty").c_str())); }},
    {Kind::Files, "make a link",
     [](const World& w) {
         return told(::symlink("/", (w.home + "/to-root" + std::to_string(::getpid())).c_str()));
     }},
    {Kind::Files, "make a named pipe",
     [](const World& w) {
         return told(::mkfifo((w.home + "/pipe" + std::to_string(::getpid())).c_str(), 0600));
     }},
    {Kind::Files, "open the person's key to all",
     [](const World& w) { return told(::chmod(key(w).c_str(), 0644)); }},
    {Kind::Files, "change rights of an open file",
     [](const World& w) {
         const int file = ::open(w.model.c_str(), O_RDONLY);
         return file < 0 ? errno : told(::fchmod(file, 0600));
     }},
    {Kind::Files, "change an owner",
     [](const World& w) { return told(::chown(key(w).c_str(), ::getuid(), ::getgid())); }},
    {Kind::Files, "change a time",
     [](const World& w) { return told(::utimensat(AT_FDCWD, key(w).c_str(), nullptr, 0)); }},
    {Kind::Files, "mark a file",
     [](const World& w) { return told(::setxattr((w.home + "/.bashrc").c_str(), "user.evil", "x", 1, 0)); }},
    {Kind::Files, "write in /dev/shm",
     [](const World&) {
         const int file = ::shm_open("/evil-shm", O_CREAT | O_RDWR, 0600);
         if (file < 0) return errno;
         ::shm_unlink("/evil-shm");
         return opened(file);
     }},
    {Kind::Shared, "watch files",
     [](const World& w) {
         const int watch = ::inotify_init1(IN_CLOEXEC);
         return watch < 0 ? errno : told(::inotify_add_watch(watch, w.home.c_str(), IN_ALL_EVENTS));
     }},
    {Kind::Files, "write its own memory as a file",
     [](const World&) { return opened(::open("/proc/self/mem", O_RDWR)); }},
    // Other processes.
    {Kind::Files, "read another's environment", [](const World& w) { return reads(ofVictim(w, "environ")); }},
    {Kind::Files, "read another's maps", [](const World& w) { return reads(ofVictim(w, "maps")); }},
    {Kind::Files, "read another's arguments", [](const World& w) { return reads(ofVictim(w, "cmdline")); }},
    {Kind::Files, "open another's memory",
     [](const World& w) { return opened(::open(ofVictim(w, "mem").c_str(), O_RDWR)); }},
    {Kind::Files, "list another's files",
     [](const World& w) { return opened(::open(ofVictim(w, "fd").c_str(), O_RDONLY)); }},
    {Kind::Files, "read through another's root",
     [](const World& w) { return reads(ofVictim(w, "root") + key(w)); }},
    {Kind::Files, "change another's score",
     [](const World& w) { return opened(::open(ofVictim(w, "oom_score_adj").c_str(), O_WRONLY)); }},
    {Kind::Kernel, "trace another",
     [](const World& w) {
         const int result = told(::ptrace(PTRACE_SEIZE, w.victim, nullptr, nullptr));
         ::ptrace(PTRACE_DETACH, w.victim, nullptr, nullptr);
         return result;
     }},
    {Kind::Kernel, "read another's memory",
     [](const World& w) {
         char bytes[8];
         const iovec mine = at(bytes, sizeof bytes), its = at(w.secret, sizeof bytes);
         return told(::process_vm_readv(w.victim, &mine, 1, &its, 1, 0));
     }},
    {Kind::Kernel, "write another's memory",
     [](const World& w) {
         char bytes[8] = "changed";
         const iovec mine = at(bytes, sizeof bytes), its = at(w.secret, sizeof bytes);
         return told(::process_vm_writev(w.victim, &mine, 1, &its, 1, 0));
     }},
    {Kind::Kernel, "advise another's memory",
     [](const World& w) {
         const int process = static_cast<int>(::syscall(SYS_pidfd_open, w.victim, 0));
         if (process < 0) return errno;
         const iovec its = at(nullptr, 0);
         return told(::syscall(SYS_process_madvise, process, &its, 1, MADV_COLD, 0));
     }},
    {Kind::Kernel, "take another's descriptor",
     [](const World& w) {
         const int process = static_cast<int>(::syscall(SYS_pidfd_open, w.victim, 0));
         return process < 0 ? errno : opened(::syscall(SYS_pidfd_getfd, process, 0, 0));
     }},
    {Kind::Kernel, "compare with another",
     [](const World& w) { return told(::syscall(SYS_kcmp, ::getpid(), w.victim, KCMP_VM, 0, 0)); }},
    {Kind::Kernel, "limit another",
     [](const World& w) {
         rlimit limit{};
         return told(::prlimit(w.victim, RLIMIT_CORE, nullptr, &limit));
     }},
    {Kind::Kernel, "send input signals to another",
     [](const World& w) {
         int ends[2];
         if (::pipe(ends) != 0) return errno;
         return told(::fcntl(ends[0], F_SETOWN, w.victim));
     }},
    {Kind::Kernel, "type into its terminal",
     [](const World&) {
         const int terminal = ::open("/dev/ptmx", O_RDWR | O_NOCTTY);
         const int result = told(::ioctl(terminal < 0 ? 0 : terminal, TIOCSTI, "x"));
         return result == EACCES ? EACCES : 0;
     }},
    {Kind::Programs, "signal another", [](const World& w) { return told(::kill(w.victim, 0)); }},
    {Kind::Programs, "wake another", [](const World& w) { return told(::kill(w.victim, SIGCONT)); }},
    {Kind::Programs, "signal another's thread",
     [](const World& w) { return told(::syscall(SYS_tgkill, w.victim, w.victim, 0)); }},
    {Kind::Programs, "signal any thread",
     [](const World& w) { return told(::syscall(SYS_tkill, w.victim, 0)); }},
    {Kind::Programs, "queue a signal",
     [](const World& w) {
         siginfo_t info{};
         info.si_code = SI_QUEUE;
         info.si_signo = SIGCONT;
         return told(::syscall(SYS_rt_sigqueueinfo, w.victim, SIGCONT, &info));
     }},
    {Kind::Programs, "signal by descriptor",
     [](const World& w) {
         const int process = static_cast<int>(::syscall(SYS_pidfd_open, w.victim, 0));
         return process < 0 ? errno : told(::syscall(SYS_pidfd_send_signal, process, 0, nullptr, 0));
     }},
    {Kind::Programs, "copy itself",
     [](const World&) {
         const pid_t child = ::fork();
         if (child == 0) ::_exit(0);
         return endOf(child);
     }},
    {Kind::Programs, "copy itself by clone3",
     [](const World&) {
         clone_args how{};
         how.exit_signal = SIGCHLD;
         const long child = ::syscall(SYS_clone3, &how, sizeof how);
         if (child == 0) ::_exit(0);
         return endOf(static_cast<pid_t>(child));
     }},
    {Kind::Programs, "spawn a shell",
     [](const World&) {
         pid_t child = 0;
         char* arguments[] = {const_cast<char*>("sh"), const_cast<char*>("-c"), const_cast<char*>("exit 0"),
                              nullptr};
         const int error = ::posix_spawn(&child, "/bin/sh", nullptr, nullptr, arguments, environ);
         return error != 0 ? error : endOf(child);
     }},
    {Kind::Programs, "become a shell", [](const World&) { return runs("/bin/true"); }},
    {Kind::Programs, "become itself", [](const World&) { return runs("/proc/self/exe"); }},
    {Kind::Programs, "run by the linker", [](const World&) { return runs("/lib64/ld-linux-x86-64.so.2"); }},
    {Kind::MemoryFiles, "memory as a file", [](const World&) { return opened(::memfd_create("x", 0)); }},
    {Kind::Shared, "secret memory", [](const World&) { return opened(::syscall(447, 0)); }},
    // Sockets.
    {Kind::Internet, "a socket of IPv4", [](const World&) { return family(AF_INET, SOCK_STREAM); }},
    {Kind::Internet, "a socket of IPv6", [](const World&) { return family(AF_INET6, SOCK_STREAM); }},
    {Kind::Internet, "datagrams", [](const World&) { return family(AF_INET, SOCK_DGRAM); }},
    {Kind::Local, "netlink", [](const World&) { return family(AF_NETLINK, SOCK_RAW); }},
    {Kind::Local, "a local socket", [](const World&) { return family(AF_UNIX, SOCK_STREAM); }},
    {Kind::Internet, "packets", [](const World&) { return family(AF_PACKET, SOCK_RAW); }},
    {Kind::Internet, "virtual machines", [](const World&) { return family(AF_VSOCK, SOCK_STREAM); }},
    {Kind::Internet, "cryptography of the kernel",
     [](const World&) { return family(AF_ALG, SOCK_SEQPACKET); }},
    {Kind::Internet, "radio", [](const World&) { return family(AF_BLUETOOTH, SOCK_RAW); }},
    {Kind::Internet, "a family with dirty upper bits",
     [](const World&) { return opened(::syscall(SYS_socket, 0xdead00000002ULL, SOCK_STREAM, 0)); }},
    {Kind::Local, "the session bus", [](const World& w) { return connectsTo(w.home + "/run/bus"); }},
    {Kind::Local, "an abstract socket", [](const World& w) { return connectsTo(w.abstract); }},
    {Kind::Internet, "a server of this computer",
     [](const World& w) {
         const sockaddr_in address = here(w.port);
         return connects(reinterpret_cast<const sockaddr*>(&address), sizeof address);
     }},
    {Kind::Internet, "listen",
     [](const World&) {
         const sockaddr_in address = here(0);
         const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
         if (socket < 0) return errno;
         if (::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address) != 0) return errno;
         return told(::listen(socket, 1));
     }},
    {Kind::Local, "listen in the home folder",
     [](const World& w) {
         sockaddr_un address{};
         address.sun_family = AF_UNIX;
         std::snprintf(address.sun_path, sizeof address.sun_path, "%s/evil%d", w.home.c_str(), ::getpid());
         const int socket = ::socket(AF_UNIX, SOCK_STREAM, 0);
         if (socket < 0) return errno;
         return told(::bind(socket, reinterpret_cast<const sockaddr*>(&address), sizeof address));
     }},
    {Kind::Internet, "a socket by i386's numbers", [](const World&) { return foreignSocket(); }},
    {Kind::Pairs, "a pair of sockets",
     [](const World&) {
         int ends[2];
         return told(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends));
     }},
    // The kernel.
    {Kind::Kernel, "io_uring",
     [](const World&) {
         io_uring_params params{};
         return opened(::syscall(SYS_io_uring_setup, 8, &params));
     }},
    {Kind::Kernel, "bpf", [](const World&) { return told(::syscall(SYS_bpf, 0, nullptr, 0)); }},
    {Kind::Kernel, "perf events",
     [](const World&) { return opened(::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0)); }},
    {Kind::Kernel, "page faults", [](const World&) { return opened(::syscall(SYS_userfaultfd, 1)); }},
    {Kind::Kernel, "the keyring", [](const World&) { return told(::syscall(SYS_keyctl, 0, -3, 0)); }},
    {Kind::Kernel, "a key",
     [](const World&) { return told(::syscall(SYS_add_key, "user", "evil", "x", 1, -3)); }},
    {Kind::Kernel, "the kernel's log",
     [](const World&) { return told(::syscall(SYS_syslog, 10, nullptr, 0)); }},
    {Kind::Kernel, "a user namespace", [](const World&) { return told(::unshare(CLONE_NEWUSER)); }},
    {Kind::Kernel, "a network namespace",
     [](const World&) { return told(::unshare(CLONE_NEWUSER | CLONE_NEWNET)); }},
    {Kind::Kernel, "another's namespace", [](const World&) { return told(::setns(0, 0)); }},
    {Kind::Kernel, "a mount",
     [](const World&) { return told(::syscall(SYS_mount, "", "/", "", 0, nullptr)); }},
    {Kind::Kernel, "a copied mount",
     [](const World&) { return opened(::syscall(SYS_open_tree, AT_FDCWD, "/tmp", 1)); }},
    {Kind::Kernel, "another root", [](const World&) { return told(::chroot("/")); }},
    {Kind::Shared, "shared memory of System V",
     [](const World&) {
         const int memory = ::shmget(IPC_PRIVATE, 4096, IPC_CREAT | 0600);
         if (memory < 0) return errno;
         return told(::shmctl(memory, IPC_RMID, nullptr));
     }},
    {Kind::Shared, "semaphores of System V",
     [](const World&) {
         const int semaphore = ::semget(IPC_PRIVATE, 1, IPC_CREAT | 0600);
         if (semaphore < 0) return errno;
         return told(::semctl(semaphore, 0, IPC_RMID));
     }},
    {Kind::Shared, "messages of System V",
     [](const World&) {
         const int queue = ::msgget(IPC_PRIVATE, IPC_CREAT | 0600);
         if (queue < 0) return errno;
         return told(::msgctl(queue, IPC_RMID, nullptr));
     }},
    {Kind::Shared, "a message queue",
     [](const World&) {
         return opened(::syscall(SYS_mq_open, "evil-queue", O_CREAT | O_RDWR, 0600, nullptr));
     }},
    {Kind::Kernel, "another personality",
     [](const World&) { return told(::syscall(SYS_personality, 0xffffffffUL)); }},
    {Kind::Kernel, "watch all files",
     [](const World&) { return opened(::syscall(SYS_fanotify_init, 0, 0)); }},
    {Kind::Kernel, "segments of the processor",
     [](const World&) {
#ifdef SYS_modify_ldt
         return told(::syscall(SYS_modify_ldt, 0, nullptr, 0));
#else
         return ENOSYS;
#endif
     }},
    {Kind::Memory, "memory that is written and run",
     [](const World&) {
         void* memory =
             ::mmap(nullptr, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
         return memory == MAP_FAILED ? errno : 0;
     }},
};

}  // namespace

std::span<const Try> allTries() {
    return kTries;
}

}  // namespace ingle::sandbox::test
