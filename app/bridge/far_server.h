/// The far server over HTTP: any number of calls at once, in one thread, without waiting for any.
#pragma once

#include <poll.h>

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "app/bridge/far_address.h"
#include "ingle/result.h"

namespace ingle::bridge {

/// What becomes of bytes that arrived.
enum class Taken {
    All,
    NoneYet,  ///< they come again after resume()
    Enough,   ///< the call ends
};

/// How a call ended.
struct FarEnd {
    enum class How {
        Answered,     ///< to the end
        Broken,       ///< after the request was sent
        Unreachable,  ///< nothing was sent: no such host, nobody there
        Untrusted,    ///< nothing was sent: its certificate proves nothing
        Enough,       ///< of onBytes, or more headers or bytes came than an answer has
    };
    How how = How::Answered;
    int status = 0;      ///< of HTTP; 0: there was no answer
    std::string body;    ///< of a call without onBytes, or of a status that is not 2xx
    std::string reason;  ///< of what broke: libcurl's words
};

struct FarCall {
    std::string url;
    std::optional<std::string> json;  ///< to be posted; without it this is a GET
    /// Of an answer whose status is 2xx. Must not start or cancel a call.
    std::function<Taken(std::string_view)> onBytes;
    std::function<void(FarEnd)> onEnd;
    bool mayLast = false;  ///< no limit of time: it waits for a model
};

/// Its certificate is checked with the system's authorities, and those of $SSL_CERT_FILE where there is such
/// a variable. A proxy is one of $https_proxy, $http_proxy and $no_proxy, and none for this computer's own
/// addresses. One thread. Nothing of what is sent or received is written anywhere.
class FarServer {
  public:
    using CallId = uint64_t;
    /// Of an answer that is kept whole.
    static constexpr size_t kMaxBodyBytes = 8u << 20;

    /// Errors: Device (libcurl cannot be used).
    static Result<std::unique_ptr<FarServer>> create(FarAddress address, std::string key);
    ~FarServer();
    FarServer(const FarServer&) = delete;
    FarServer& operator=(const FarServer&) = delete;

    const FarAddress& address() const { return m_address; }
    bool hasKey() const { return !m_key.empty(); }

    CallId start(FarCall call);
    /// Closes its connection at once, and says no word of it.
    void cancel(CallId id);
    /// Lets a call whose bytes could not be taken go on.
    void resume(CallId id);
    /// Waits until something happens at one of `others` or with a call, `timeoutMs` at most, and hands on
    /// what did. Sets `revents`.
    void wait(std::span<pollfd> others, int timeoutMs);

  private:
    struct Transfer;
    struct Curl;
    FarServer(FarAddress address, std::string key);
    void finish(void* handle, int code);

    const FarAddress m_address;
    const std::string m_key;
    std::unique_ptr<Curl> m_curl;
    std::map<CallId, std::shared_ptr<Transfer>> m_transfers;
    CallId m_lastId = 0;
};

}  // namespace ingle::bridge
