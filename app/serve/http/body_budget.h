/// One bound for the bodies of all requests together, over all sockets.
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <utility>

namespace ingle::serve::http {

/// Any thread.
class BodyBudget {
  public:
    /// So many bytes of each body are not counted: short requests find room beside the longest ones.
    static constexpr size_t kFreeBytes = size_t{64} << 10;

    explicit BodyBudget(size_t bytes) : m_most(bytes) {}

    /// Bytes that one request holds until it is answered.
    class Share {
      public:
        Share() = default;
        explicit Share(std::shared_ptr<BodyBudget> budget) : m_budget(std::move(budget)) {}
        Share(Share&& other) noexcept
            : m_budget(std::move(other.m_budget)), m_bytes(std::exchange(other.m_bytes, 0)) {}
        Share& operator=(Share&& other) noexcept {
            std::swap(m_budget, other.m_budget);
            std::swap(m_bytes, other.m_bytes);
            return *this;
        }
        ~Share() { release(); }

        /// For a body that has grown to `bytes`. False: there is no room, and it has what it had.
        bool growTo(size_t bytes) {
            const size_t counted = bytes <= kFreeBytes ? 0 : bytes - kFreeBytes;
            if (counted <= m_bytes) return true;
            const size_t more = counted - m_bytes;
            if (m_budget->m_used.fetch_add(more) + more > m_budget->m_most) {
                m_budget->m_used -= more;
                return false;
            }
            m_bytes = counted;
            return true;
        }
        void release() {
            if (m_bytes == 0) return;
            m_budget->m_used -= std::exchange(m_bytes, 0);
            m_budget->m_wasReleased = true;
        }

      private:
        std::shared_ptr<BodyBudget> m_budget;
        size_t m_bytes = 0;
    };

    /// Whether long bodies have been released since this was asked last.
    bool takeReleased() { return m_wasReleased.exchange(false); }

  private:
    const size_t m_most;
    std::atomic<size_t> m_used{0};
    std::atomic<bool> m_wasReleased{false};
};

}  // namespace ingle::serve::http
