#include "app/cli/crash_restart.h"

#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

#include "ingle/devices.h"

namespace ingle::cli {
namespace {

/// In the environment of the program that was started again.
constexpr char kMark[] = "INGLE_AFTER_CRASH";
/// Not the path: an upgrade may have replaced the file there.
constexpr char kProgram[] = "/proc/self/exe";

/// What a signal handler needs to start the program: it must not allocate.
struct Start {
    std::vector<std::string> words, variables;
    std::vector<char*> argv, envp;
    sigset_t signals;  ///< blocked ones: a handler blocks its own
};
Start start;

std::vector<char*> nullTerminated(std::vector<std::string>& texts) {
    std::vector<char*> pointers;
    for (std::string& text : texts) pointers.push_back(text.data());
    pointers.push_back(nullptr);
    return pointers;
}

void startAgain() {
    ::pthread_sigmask(SIG_SETMASK, &start.signals, nullptr);
    ::execve(kProgram, start.argv.data(), start.envp.data());
}

}  // namespace

CrashRestart::CrashRestart() {
    if (happened()) return;
    start = {};
    std::ifstream arguments("/proc/self/cmdline", std::ios::binary);
    for (std::string word; std::getline(arguments, word, '\0');) start.words.push_back(word);
    for (char** variable = ::environ; *variable; ++variable) start.variables.emplace_back(*variable);
    start.variables.push_back(std::string(kMark) + "=1");
    start.argv = nullTerminated(start.words);
    start.envp = nullTerminated(start.variables);
    ::pthread_sigmask(SIG_SETMASK, nullptr, &start.signals);
    setDriverCrashAction(startAgain);
}

CrashRestart::~CrashRestart() {
    setDriverCrashAction(nullptr);
}

bool CrashRestart::happened() {
    return std::getenv(kMark) != nullptr;
}

}  // namespace ingle::cli
