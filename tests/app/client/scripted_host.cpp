/// A host without an engine, on standard input and output. Answers are the numbers 0, 1, 2 … beside each
/// other.
///
///   --tokens N       how long answers are (default 20)
///   --crash-file F   holds how many more times it dies, once all answers under way have passed token
///   --crash-at
///   --crash-at N     (default 5)
///   --answers N      and there are so many of them (default 1)
///   --silent         never greets
///   --deaf           goes on at the end of input and does not end when asked to
///   --nonsense       answers everything but hello with what is no message
#include <poll.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <string>

#include "app/protocol/framing.h"
#include "app/protocol/messages.h"
#include "tests/pieces.h"

namespace {

using namespace ingle;

struct Script {
    int tokens = 20;
    std::string crashFile;
    int crashAt = 5;
    size_t answers = 1;
    bool silent = false;
    bool deaf = false;
    bool nonsense = false;
};

void write(std::string_view bytes) {
    while (!bytes.empty()) {
        const ssize_t count = ::write(STDOUT_FILENO, bytes.data(), bytes.size());
        if (count <= 0) ::_exit(0);
        bytes.remove_prefix(static_cast<size_t>(count));
    }
}

void say(protocol::RequestId id, protocol::EventBody body) {
    write(protocol::frame(protocol::encode(protocol::Event{id, std::move(body)})).value());
}

class ScriptedHost {
  public:
    explicit ScriptedHost(Script script) : m_script(std::move(script)) {}

    [[noreturn]] void run() {
        for (;;) {
            pollfd input{STDIN_FILENO, POLLIN, 0};
            if (::poll(&input, 1, m_running.empty() ? -1 : 0) == 1) read();
            step();
        }
    }

  private:
    void read() {
        char buffer[64 * 1024];
        const ssize_t count = ::read(STDIN_FILENO, buffer, sizeof buffer);
        if (count <= 0) {
            if (!m_script.deaf) ::_exit(0);
            for (;;) ::pause();
        }
        m_messages.append({buffer, static_cast<size_t>(count)});
        while (auto message = m_messages.next()) {
            const auto request = protocol::decodeRequest(message->value());
            if (m_script.silent) continue;
            std::visit([&](const auto& body) { serve(request->id, body); }, request.value().body);
        }
    }

    void serve(protocol::RequestId id, const protocol::Hello&) { say(id, protocol::HelloOk{}); }
    void serve(protocol::RequestId id, const protocol::Load& load) {
        ModelInfo info;
        info.path = load.path;
        info.device = "a stand-in";
        say(id, protocol::Loaded{info});
    }
    void serve(protocol::RequestId id, const protocol::Inspect& inspect) {
        if (m_script.nonsense) return write("{\"this is\":\"nonsense\"}\n");
        ModelInfo info;
        info.path = inspect.path;
        if (inspect.path == "huge") info.name.assign(3'000'000, 'x');
        say(id, protocol::Inspected{info});
    }
    void serve(protocol::RequestId id, const protocol::Count& count) {
        say(id, protocol::Counted{.tokens = static_cast<uint32_t>(count.text.size())});
    }
    void serve(protocol::RequestId id, const protocol::Generate& generate) {
        m_running[id] = static_cast<int>(generate.request.resumeIds.size());
        say(id, protocol::Planned{});
    }
    void serve(protocol::RequestId, const protocol::Cancel& cancel) {
        if (m_running.erase(cancel.target) == 0) return;
        GenerateResult result;
        result.reason = StopReason::Cancelled;
        say(cancel.target, protocol::Done{result});
    }
    void serve(protocol::RequestId id, const protocol::Computer&) {
        ComputerInfo info;
        info.usableBytes = 7;
        say(id, protocol::ComputerDescribed{info});
    }
    void serve(protocol::RequestId id, const protocol::Retain&) { say(id, protocol::Retained{}); }
    template <typename Request>
    void serve(protocol::RequestId, const Request&) {}  // no test asks for it

    void step() {
        std::vector<protocol::RequestId> finished;
        for (auto& [id, token] : m_running) {
            if (token >= m_script.tokens) {
                say(id, protocol::Done{});
                finished.push_back(id);
            } else {
                say(id, protocol::Tokens{test::chunkOf({token}, std::to_string(token) + " ")});
                ++token;
            }
        }
        for (const protocol::RequestId id : finished) m_running.erase(id);
        maybeDie();
    }

    void maybeDie() {
        const auto passed = std::ranges::count_if(
            m_running, [&](const auto& each) { return each.second > m_script.crashAt; });
        if (m_script.crashFile.empty() || static_cast<size_t>(passed) < m_script.answers) return;
        int left = 0;
        std::ifstream(m_script.crashFile) >> left;
        if (left == 0) return;
        std::ofstream(m_script.crashFile) << left - 1;
        ::raise(SIGKILL);
    }

    const Script m_script;
    protocol::MessageReader m_messages;
    std::map<protocol::RequestId, int> m_running;  ///< next token
};

}  // namespace

int main(int count, char** arguments) {
    Script script;
    for (int i = 1; i < count; ++i) {
        const std::string_view name = arguments[i];
        if (name == "--silent") script.silent = true;
        if (name == "--deaf") script.deaf = true;
        if (name == "--nonsense") script.nonsense = true;
        if (i + 1 == count) break;
        if (name == "--tokens") script.tokens = std::atoi(arguments[i + 1]);
        if (name == "--crash-file") script.crashFile = arguments[i + 1];
        if (name == "--crash-at") script.crashAt = std::atoi(arguments[i + 1]);
        if (name == "--answers") script.answers = static_cast<size_t>(std::atoi(arguments[i + 1]));
    }
    std::signal(SIGPIPE, SIG_IGN);
    if (script.deaf) std::signal(SIGTERM, SIG_IGN);
    ScriptedHost(script).run();
}
