/// How much work something may take that a stranger's file asks for: who does the work pays for what it
/// reads, compares and copies, so that a hostile file ends in one sentence and soon.
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <string>

#include "ingle/result.h"
#include "ingle/stop_scope.h"

namespace ingle::base {

/// One thread. A unit of work is a byte that is copied, or what takes as long: a few nanoseconds.
class Meter {
  public:
    /// `tooMuch` is the sentence for when the work is used up. `look` is asked every few milliseconds whether
    /// to go on, as StopScope is; it may be null.
    Meter(size_t mostWork, std::string tooMuch, std::function<Status()> look = {})
        : m_tooMuch(std::move(tooMuch)), m_look(std::move(look)), m_left(mostWork) {
        takePart();
    }

    /// Errors: Unsupported when the work is used up, and from then on; Cancelled; what `look` says.
    Status spend(size_t work) {
        if (work >= m_untilLook) return settle(work);
        m_untilLook -= work;
        return {};
    }
    bool isUsedUp() const { return m_left == 0 && m_untilLook == 0; }

  private:
    static constexpr size_t kLookEvery = size_t{1} << 20;

    void takePart() {
        m_untilLook = std::min(m_left, kLookEvery);
        m_left -= m_untilLook;
    }
    Status settle(size_t work) {
        work -= std::exchange(m_untilLook, 0);
        if (work >= m_left) {
            m_left = 0;
            return fail(ErrorCode::Unsupported, "{}", m_tooMuch);
        }
        m_left -= work;
        takePart();
        if (StopScope::isStopWanted()) return fail(ErrorCode::Cancelled, "cancelled");
        return m_look ? m_look() : Status();
    }

    std::string m_tooMuch;
    std::function<Status()> m_look;
    size_t m_left;  ///< beside m_untilLook
    size_t m_untilLook = 0;
};

}  // namespace ingle::base
