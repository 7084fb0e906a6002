#include "app/bridge/far_server.h"

#include <curl/curl.h>

#include <array>
#include <cstdlib>
#include <vector>

#include "ingle/version.h"

namespace ingle::bridge {
namespace {

/// Of all headers of an answer.
constexpr size_t kMaxHeaderBytes = 64u << 10;
constexpr long kConnectSeconds = 20;
/// For what waits for no model (FarCall::mayLast).
constexpr long kShortSeconds = 60;
/// A peer that is gone without a word is noticed after half a minute and some tries.
constexpr long kKeepAliveSeconds = 30, kKeepAlivePauseSeconds = 10;

using Easy = std::unique_ptr<CURL, void (*)(CURL*)>;
using Headers = std::unique_ptr<curl_slist, void (*)(curl_slist*)>;

bool isGood(long status) {
    return status >= 200 && status < 300;
}

FarEnd::How howFailed(CURL* easy, CURLcode code) {
    if (code == CURLE_PEER_FAILED_VERIFICATION) return FarEnd::How::Untrusted;
    curl_off_t ready = 0;  // when it could have begun to send, in microseconds
    ::curl_easy_getinfo(easy, CURLINFO_PRETRANSFER_TIME_T, &ready);
    return ready == 0 ? FarEnd::How::Unreachable : FarEnd::How::Broken;
}

}  // namespace

struct FarServer::Curl {
    CURLM* multi = ::curl_multi_init();
    ~Curl() {
        if (multi) ::curl_multi_cleanup(multi);
    }
};

struct FarServer::Transfer {
    CallId id = 0;
    FarCall call;
    FarEnd end;
    size_t headerBytes = 0;
    bool isPaused = false;
    bool hadEnough = false;
    std::array<char, CURL_ERROR_SIZE> words{};
    Headers headers{nullptr, ::curl_slist_free_all};
    Easy easy{nullptr, ::curl_easy_cleanup};

    static size_t takeBody(char* bytes, size_t, size_t size, void* self) {
        return static_cast<Transfer*>(self)->take({bytes, size});
    }
    static size_t takeHeader(char*, size_t, size_t size, void* self) {
        auto& transfer = *static_cast<Transfer*>(self);
        transfer.headerBytes += size;
        transfer.hadEnough = transfer.headerBytes > kMaxHeaderBytes;
        return transfer.hadEnough ? 0 : size;
    }

  private:
    size_t take(std::string_view bytes) {
        long status = 0;
        ::curl_easy_getinfo(easy.get(), CURLINFO_RESPONSE_CODE, &status);
        Taken taken = Taken::All;
        if (call.onBytes && isGood(status)) {
            taken = call.onBytes(bytes);
        } else if (end.body.size() + bytes.size() > kMaxBodyBytes) {
            taken = Taken::Enough;
        } else {
            end.body += bytes;
        }
        isPaused = taken == Taken::NoneYet;
        hadEnough = taken == Taken::Enough;
        if (isPaused) return CURL_WRITEFUNC_PAUSE;
        return hadEnough ? 0 : bytes.size();
    }
};

Result<std::unique_ptr<FarServer>> FarServer::create(FarAddress address, std::string key) {
    static const CURLcode ready = ::curl_global_init(CURL_GLOBAL_DEFAULT);
    std::unique_ptr<FarServer> server(new FarServer(std::move(address), std::move(key)));
    if (ready != CURLE_OK || !server->m_curl->multi)
        return fail(ErrorCode::Device, "libcurl cannot be used: {}", ::curl_easy_strerror(ready));
    return server;
}

FarServer::FarServer(FarAddress address, std::string key)
    : m_address(std::move(address)), m_key(std::move(key)), m_curl(std::make_unique<Curl>()) {}

FarServer::~FarServer() {
    while (!m_transfers.empty()) cancel(m_transfers.begin()->first);
}

FarServer::CallId FarServer::start(FarCall call) {
    auto transfer = std::make_shared<Transfer>();
    transfer->id = ++m_lastId;
    transfer->call = std::move(call);
    transfer->easy.reset(::curl_easy_init());
    CURL* easy = transfer->easy.get();
    const FarCall& made = transfer->call;

    curl_slist* headers = ::curl_slist_append(nullptr, "Content-Type: application/json");
    if (!m_key.empty()) headers = ::curl_slist_append(headers, ("Authorization: Bearer " + m_key).c_str());
    headers = ::curl_slist_append(headers, "Expect:");  // no question before a long request
    transfer->headers.reset(headers);
    ::curl_easy_setopt(easy, CURLOPT_HTTPHEADER, headers);
    ::curl_easy_setopt(easy, CURLOPT_HEADEROPT, long{CURLHEADER_SEPARATE});  // a proxy has no use for the key
    ::curl_easy_setopt(easy, CURLOPT_URL, made.url.c_str());
    ::curl_easy_setopt(easy, CURLOPT_PROTOCOLS_STR, m_address.isEncrypted ? "https" : "http");
    // None is followed: it could lead to another host, and the key with it.
    ::curl_easy_setopt(easy, CURLOPT_FOLLOWLOCATION, 0L);
    ::curl_easy_setopt(easy, CURLOPT_SSLVERSION, long{CURL_SSLVERSION_TLSv1_2});
    // OpenSSL looks there by itself, and so does curl's command, but libcurl does not.
    if (const char* authorities = std::getenv("SSL_CERT_FILE"))
        ::curl_easy_setopt(easy, CURLOPT_CAINFO, authorities);
    if (m_address.isLoopback) ::curl_easy_setopt(easy, CURLOPT_NOPROXY, "*");
    const std::string agent = fmt::format("ingle-bridge/{}", version());
    ::curl_easy_setopt(easy, CURLOPT_USERAGENT, agent.c_str());
    if (made.json) {
        ::curl_easy_setopt(easy, CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(made.json->size()));
        ::curl_easy_setopt(easy, CURLOPT_POSTFIELDS, made.json->data());
    }
    ::curl_easy_setopt(easy, CURLOPT_WRITEFUNCTION, Transfer::takeBody);
    ::curl_easy_setopt(easy, CURLOPT_WRITEDATA, transfer.get());
    ::curl_easy_setopt(easy, CURLOPT_HEADERFUNCTION, Transfer::takeHeader);
    ::curl_easy_setopt(easy, CURLOPT_HEADERDATA, transfer.get());
    ::curl_easy_setopt(easy, CURLOPT_ERRORBUFFER, transfer->words.data());
    ::curl_easy_setopt(easy, CURLOPT_NOSIGNAL, 1L);
    ::curl_easy_setopt(easy, CURLOPT_CONNECTTIMEOUT, kConnectSeconds);
    ::curl_easy_setopt(easy, CURLOPT_TIMEOUT, made.mayLast ? 0L : kShortSeconds);
    ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPALIVE, 1L);
    ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPIDLE, kKeepAliveSeconds);
    ::curl_easy_setopt(easy, CURLOPT_TCP_KEEPINTVL, kKeepAlivePauseSeconds);
    ::curl_multi_add_handle(m_curl->multi, easy);
    m_transfers.emplace(transfer->id, transfer);
    return transfer->id;
}

void FarServer::cancel(CallId id) {
    const auto found = m_transfers.find(id);
    if (found == m_transfers.end()) return;
    ::curl_multi_remove_handle(m_curl->multi, found->second->easy.get());
    m_transfers.erase(found);
}

void FarServer::resume(CallId id) {
    const auto found = m_transfers.find(id);
    if (found == m_transfers.end() || !found->second->isPaused) return;
    const auto transfer = found->second;
    transfer->isPaused = false;
    ::curl_easy_pause(transfer->easy.get(), CURLPAUSE_CONT);
}

void FarServer::wait(std::span<pollfd> others, int timeoutMs) {
    std::vector<curl_waitfd> waited;
    for (const pollfd& other : others) {
        short events = 0;
        if (other.events & POLLIN) events |= CURL_WAIT_POLLIN;
        if (other.events & POLLOUT) events |= CURL_WAIT_POLLOUT;
        waited.push_back({other.fd, events, 0});
    }
    ::curl_multi_poll(m_curl->multi, waited.data(), static_cast<unsigned>(waited.size()), timeoutMs, nullptr);
    for (size_t i = 0; i < others.size(); ++i) {
        others[i].revents = 0;
        if (waited[i].revents & CURL_WAIT_POLLIN) others[i].revents |= POLLIN;
        if (waited[i].revents & CURL_WAIT_POLLOUT) others[i].revents |= POLLOUT;
    }
    int running = 0;
    ::curl_multi_perform(m_curl->multi, &running);
    for (int left = 0; const CURLMsg* message = ::curl_multi_info_read(m_curl->multi, &left);) {
        if (message->msg == CURLMSG_DONE) finish(message->easy_handle, message->data.result);
    }
}

void FarServer::finish(void* handle, int result) {
    const auto code = static_cast<CURLcode>(result);
    std::shared_ptr<Transfer> transfer;
    for (const auto& [id, each] : m_transfers) {
        if (each->easy.get() == handle) transfer = each;
    }
    if (!transfer) return;
    FarEnd end = std::move(transfer->end);
    long status = 0;
    ::curl_easy_getinfo(transfer->easy.get(), CURLINFO_RESPONSE_CODE, &status);
    end.status = static_cast<int>(status);
    if (transfer->hadEnough) {
        end.how = FarEnd::How::Enough;
    } else if (code != CURLE_OK) {
        end.how = howFailed(transfer->easy.get(), code);
        end.reason = transfer->words[0] ? transfer->words.data() : ::curl_easy_strerror(code);
    }
    const auto onEnd = std::move(transfer->call.onEnd);
    cancel(transfer->id);
    if (onEnd) onEnd(std::move(end));
}

}  // namespace ingle::bridge
