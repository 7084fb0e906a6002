#include "app/cli/picture_decoding.h"

#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>

#include "app/documents/child_process.h"
#include "app/documents/limits.h"
#include "app/documents/picture_answer.h"
#include "app/documents/picture_refusals.h"

namespace ingle::cli {
namespace {

namespace limits = documents::limits;

constexpr int kGlanceMs = 50;  // between questions whether somebody cancelled

/// Whether whoever asked has gone.
bool isGone(int socket) {
    pollfd state{socket, 0, 0};
    return ::poll(&state, 1, 0) == 1 && (state.revents & (POLLHUP | POLLERR)) != 0;
}

/// Sends the file and takes the answer; neither waits for the other.
class Exchange {
  public:
    Exchange(int socket, std::string_view file) : m_socket(socket), m_rest(file) {}

    /// False once the answer is whole.
    bool goOn() {
        pollfd state{m_socket, static_cast<short>(m_isSent ? POLLIN : POLLIN | POLLOUT), 0};
        if (::poll(&state, 1, kGlanceMs) <= 0) return true;
        if ((state.revents & POLLOUT) != 0) send();
        return (state.revents & ~POLLOUT) == 0 || receive();
    }
    const std::string& answer() const { return m_answer; }

  private:
    void send() {
        const ssize_t sent = ::send(m_socket, m_rest.data(), m_rest.size(), MSG_DONTWAIT | MSG_NOSIGNAL);
        if (sent < 0 && (errno == EINTR || errno == EAGAIN)) return;
        // A reader that has gone has answered, or will not.
        m_rest.remove_prefix(sent < 0 ? m_rest.size() : static_cast<size_t>(sent));
        if (!m_rest.empty()) return;
        m_isSent = true;
        ::shutdown(m_socket, SHUT_WR);
    }
    bool receive() {
        const ssize_t count = ::recv(m_socket, m_buffer.data(), m_buffer.size(), MSG_DONTWAIT);
        if (count < 0) return errno == EINTR || errno == EAGAIN;
        m_answer.append(m_buffer.data(), static_cast<size_t>(count));
        return count > 0 && m_answer.size() <= limits::kPictureAnswerBytes;
    }

    const int m_socket;
    std::string_view m_rest;
    bool m_isSent = false;
    std::string m_answer;
    std::array<char, 65536> m_buffer{};
};

}  // namespace

void decodeOutside(int socket) {
    ::signal(SIGCHLD, SIG_DFL);  // the broker waits for nobody
    const std::string program = documents::findReader();
    if (program.empty()) return;
    const auto answer = documents::runReader(program, socket, {"", std::string(documents::kPictureTask)},
                                             {.isCancelled = [socket] { return isGone(socket); }},
                                             limits::kPictureAnswerBytes);
    std::string_view rest = answer ? std::string_view(*answer) : std::string_view();
    while (!rest.empty()) {
        const ssize_t sent = ::send(socket, rest.data(), rest.size(), MSG_NOSIGNAL);
        if (sent < 0 && errno != EINTR) return;
        rest.remove_prefix(static_cast<size_t>(std::max<ssize_t>(sent, 0)));
    }
}

Result<Picture> decodeBy(const FileDescriptor& socket, std::string_view file,
                         const std::function<bool()>& isCancelled) {
    if (file.size() > limits::kPictureBytes) return documents::refuse(documents::PictureRefusal::TooLarge);
    Exchange exchange(socket.get(), file);
    while (exchange.goOn())
        if (isCancelled()) return fail(ErrorCode::Cancelled, "It was cancelled.");
    return documents::decodePicture(exchange.answer());
}

}  // namespace ingle::cli
