#include "app/serve/http/exchange.h"

#include <algorithm>
#include <utility>

namespace ingle::serve::http {
namespace {

constexpr size_t kMostSentBytes = 64 * 1024;  // of what is kept

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
    m_hasResponse = true;
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

bool Exchange::hasEnded() {
    const std::scoped_lock lock(m_mutex);
    return m_stage == Stage::Ended;
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
        m_wake = nullptr;
        gone = std::exchange(m_gone, nullptr);
        const bool isLost = !isAllSent || m_stage != Stage::Ended;
        if (!isLost || std::exchange(m_isGone, true)) return;
    }
    if (gone) gone();
}

void Exchange::wake() {
    if (std::exchange(m_isAwaited, false) && m_wake) m_wake();
}

Exchange::Taken Exchange::take(size_t most) {
    const std::scoped_lock lock(m_mutex);
    Taken taken{.isGone = m_isGone};
    if (m_isGone) return taken;
    if (std::exchange(m_hasResponse, false)) {
        taken.response = std::move(m_response);
        taken.isWhole = m_isWhole;
        taken.isEnd = m_isWhole;
        return taken;
    }
    taken.bytes = m_pieces.substr(m_sent, most);
    m_sent += taken.bytes.size();
    // Who always lags a little keeps no more than that.
    if (unread() == 0 || m_sent > kMostSentBytes) {
        m_pieces.erase(0, m_sent);
        m_sent = 0;
    }
    taken.isEnd = m_stage == Stage::Ended && unread() == 0;
    m_isAwaited = taken.bytes.empty() && !taken.isEnd;
    return taken;
}

}  // namespace ingle::serve::http
