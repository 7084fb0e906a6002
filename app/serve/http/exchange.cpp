#include "app/serve/http/exchange.h"

#include <microhttpd.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace ingle::serve::http {
namespace {

constexpr size_t kBlockBytes = 16 * 1024;     // what is asked for at once
constexpr size_t kMostSentBytes = 64 * 1024;  // of what is kept

void addHeaders(MHD_Response* response, const Headers& headers) {
    for (const auto& [name, value] : headers) MHD_add_response_header(response, name.c_str(), value.c_str());
}

int queue(MHD_Connection* connection, int status, MHD_Response* response) {
    const auto queued = MHD_queue_response(connection, static_cast<unsigned>(status), response);
    MHD_destroy_response(response);  // the connection has its own reference
    return queued;
}

}  // namespace

void Exchange::prepare(Headers common, std::function<void(int status)> answered) {
    const std::scoped_lock lock(m_mutex);
    m_common = std::move(common);
    m_answered = std::move(answered);
}

void Exchange::setResponse(Response response, Stage stage) {
    if (m_stage != Stage::Waiting) return;
    m_response = std::move(response);
    m_response.headers.insert(m_response.headers.end(), m_common.begin(), m_common.end());
    m_stage = stage;
    if (m_answered) m_answered(m_response.status);
    wake();
}

void Exchange::reply(Response response) {
    const std::scoped_lock lock(m_mutex);
    m_isWhole = m_isWhole || m_stage == Stage::Waiting;
    setResponse(std::move(response), Stage::Ended);
}

void Exchange::begin(Response response) {
    const std::scoped_lock lock(m_mutex);
    if (m_stage == Stage::Waiting) m_pieces = std::exchange(response.body, {});
    setResponse(std::move(response), Stage::Begun);
}

void Exchange::write(std::string_view bytes) {
    {
        const std::scoped_lock lock(m_mutex);
        if (m_stage != Stage::Begun || m_isGone) return;
        if (unread() + bytes.size() <= m_mostUnread) {
            m_pieces.append(bytes);
            return wake();
        }
    }
    lose();
}

void Exchange::end() {
    const std::scoped_lock lock(m_mutex);
    if (m_stage != Stage::Begun) return;
    m_stage = Stage::Ended;
    wake();
}

void Exchange::onGone(std::function<void()> gone) {
    {
        const std::scoped_lock lock(m_mutex);
        if (!m_isGone) {
            m_gone = std::move(gone);
            return;
        }
    }
    gone();
}

void Exchange::lose() {
    std::function<void()> gone;
    {
        const std::scoped_lock lock(m_mutex);
        if (std::exchange(m_isGone, true)) return;
        gone = std::exchange(m_gone, nullptr);
        wake();
    }
    if (gone) gone();
}

void Exchange::completed(bool isAllSent) {
    std::function<void()> gone;
    {
        const std::scoped_lock lock(m_mutex);
        m_connection = nullptr;
        m_isSuspended = false;
        gone = std::exchange(m_gone, nullptr);
        const bool isLost = !isAllSent || m_stage != Stage::Ended;
        if (!isLost || std::exchange(m_isGone, true)) return;
    }
    if (gone) gone();
}

void Exchange::suspend() {
    m_isSuspended = true;
    MHD_suspend_connection(m_connection);
}

void Exchange::wake() {
    if (std::exchange(m_isSuspended, false)) MHD_resume_connection(m_connection);
}

int Exchange::queueAnswer(const std::shared_ptr<Exchange>& self) {
    const std::scoped_lock lock(m_mutex);
    if (m_isGone) return MHD_NO;
    if (m_stage == Stage::Waiting) {
        suspend();
        return MHD_YES;
    }
    MHD_Response* response = nullptr;
    if (m_isWhole) {
        response = MHD_create_response_from_buffer(m_response.body.size(), m_response.body.data(),
                                                   MHD_RESPMEM_MUST_COPY);
    } else {
        response = MHD_create_response_from_callback(
            MHD_SIZE_UNKNOWN, kBlockBytes,
            [](void* exchange, uint64_t, char* buffer, size_t most) -> ssize_t {
                return (*static_cast<std::shared_ptr<Exchange>*>(exchange))->read(buffer, most);
            },
            new std::shared_ptr<Exchange>(self),
            [](void* exchange) { delete static_cast<std::shared_ptr<Exchange>*>(exchange); });
    }
    if (response == nullptr) return MHD_NO;
    addHeaders(response, m_response.headers);
    return queue(m_connection, m_response.status, response);
}

int64_t Exchange::read(char* buffer, size_t most) {
    const std::scoped_lock lock(m_mutex);
    if (m_isGone) return MHD_CONTENT_READER_END_WITH_ERROR;
    const size_t count = std::min(most, unread());
    if (count > 0) {
        std::memcpy(buffer, m_pieces.data() + m_sent, count);
        m_sent += count;
        // Who always lags a little keeps no more than that.
        if (unread() == 0 || m_sent > kMostSentBytes) {
            m_pieces.erase(0, m_sent);
            m_sent = 0;
        }
        return static_cast<int64_t>(count);
    }
    if (m_stage == Stage::Ended) return MHD_CONTENT_READER_END_OF_STREAM;
    suspend();
    return 0;
}

}  // namespace ingle::serve::http
