#include "app/bridge/bridge.h"

#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "app/protocol/framing.h"

namespace ingle::bridge {
namespace {

/// While a client takes nothing, what arrives for it waits where it is: at the far server.
constexpr size_t kRoomBytes = 4u << 20;
/// A client that takes none of so much is let go.
constexpr size_t kMostBytes = 128u << 20;
constexpr int kPauseMs = 100;
constexpr int kIdleMs = 60'000;

}  // namespace

/// A connection and its session.
class Bridge::Client {
  public:
    Client(FileDescriptor socket, Far far)
        : m_socket(std::move(socket)),
          m_session(std::move(far), {.send = [this](const protocol::Event& event) { queue(event); },
                                     .hasRoom = [this] { return waitingBytes() < kRoomBytes; }}) {}

    int descriptor() const { return m_socket.get(); }
    bool isGone() const { return m_isGone; }
    Session& session() { return m_session; }
    short wanted() const { return static_cast<short>(POLLIN | (waitingBytes() > 0 ? POLLOUT : 0)); }

    void receive() {
        std::array<char, 65536> buffer;
        const ssize_t count = ::recv(m_socket.get(), buffer.data(), buffer.size(), 0);
        if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
        if (count <= 0) {
            m_isGone = true;
            return;
        }
        m_messages.append({buffer.data(), static_cast<size_t>(count)});
        while (auto message = m_messages.next()) {
            if (*message)
                m_session.receive(**message);
            else
                m_session.refuse(std::move(*message).error());
        }
    }
    void send() {
        const bool hadRoom = waitingBytes() < kRoomBytes;
        while (waitingBytes() > 0) {
            const ssize_t count =
                ::send(m_socket.get(), m_output.data() + m_sent, waitingBytes(), MSG_NOSIGNAL);
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) {
                m_isGone = m_isGone || errno != EAGAIN;
                break;
            }
            m_sent += static_cast<size_t>(count);
        }
        if (m_sent == m_output.size() || m_sent > kRoomBytes) {
            m_output.erase(0, m_sent);
            m_sent = 0;
        }
        if (!hadRoom && waitingBytes() < kRoomBytes) m_session.resume();
    }

  private:
    size_t waitingBytes() const { return m_output.size() - m_sent; }
    void queue(const protocol::Event& event) {
        auto bytes = protocol::frame(protocol::encode(event));
        if (!bytes)
            bytes =
                protocol::encode(protocol::Event{event.id, protocol::Failed{std::move(bytes).error(), {}}}) +
                "\n";
        m_output += *bytes;
        m_isGone = m_isGone || waitingBytes() > kMostBytes;
    }

    FileDescriptor m_socket;
    protocol::MessageReader m_messages;
    std::string m_output;
    size_t m_sent = 0;  ///< of m_output
    bool m_isGone = false;
    Session m_session;
};

Result<std::unique_ptr<Bridge>> Bridge::open(BridgeOptions options) {
    INGLE_TRY_ASSIGN(auto far, FarServer::create(options.address, options.key));
    INGLE_TRY_ASSIGN(local::LocalSocket socket, local::LocalSocket::listen(options.socket));
    return std::unique_ptr<Bridge>(new Bridge(std::move(options), std::move(socket), std::move(far)));
}

Bridge::Bridge(BridgeOptions options, local::LocalSocket socket, std::unique_ptr<FarServer> far)
    : m_options(std::move(options)), m_socket(std::move(socket)), m_far(std::move(far)) {}

Bridge::~Bridge() = default;

void Bridge::run(int stop) {
    std::vector<pollfd> waited;
    for (;;) {
        bool isPausing = false;
        waited = {{stop, POLLIN, 0}, {m_socket.descriptor(), POLLIN, 0}};
        for (const auto& client : m_clients) {
            waited.push_back({client->descriptor(), client->wanted(), 0});
            isPausing = isPausing || client->session().isPausing();
        }
        m_far->wait(waited, isPausing ? kPauseMs : kIdleMs);
        if (waited[0].revents != 0) return;
        size_t place = 2;
        for (const auto& client : m_clients) {
            const short events = waited[place++].revents;
            if (events & POLLIN) client->receive();
            client->session().tick();
            client->send();  // whatever came, from here or from afar
        }
        m_clients.remove_if([](const auto& client) { return client->isGone(); });
        if (waited[1].revents != 0) acceptClients();
    }
}

void Bridge::acceptClients() {
    while (auto socket = m_socket.accept()) {
        if (m_clients.size() < kMostClients)
            m_clients.push_back(
                std::make_unique<Client>(*std::move(socket), Far{*m_far, m_knowledge, m_options.named}));
    }
}

}  // namespace ingle::bridge
