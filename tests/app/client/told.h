/// What handlers on other threads told, for the test's thread to wait for.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>

namespace ingle::test {

class ToldByThreads {
  public:
    void tell(const std::function<void()>& change) {
        const std::scoped_lock lock(m_mutex);
        change();
        m_changed.notify_all();
    }
    /// Waits until `holds`: far longer than anything takes.
    testing::AssertionResult until(const std::function<bool()>& holds) {
        std::unique_lock lock(m_mutex);
        return m_changed.wait_for(lock, std::chrono::seconds(60), holds)
                   ? testing::AssertionSuccess()
                   : testing::AssertionFailure() << "it did not come";
    }

  private:
    std::mutex m_mutex;
    std::condition_variable m_changed;
};

}  // namespace ingle::test
