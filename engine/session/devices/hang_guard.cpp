#include "engine/session/devices/hang_guard.h"

#include <unistd.h>

#include <string_view>

#include "engine/session/devices/device_marks.h"

namespace ingle::session {

HangGuard::HangGuard(std::chrono::milliseconds limit)
    : m_thread([this, limit] {
          std::unique_lock lock(m_mutex);
          if (m_ended.wait_for(lock, limit, [this] { return m_over; })) return;
          DeviceMarks::condemnUses();
          constexpr std::string_view kSentence = "ingle: the graphics driver hangs\n";
          [[maybe_unused]] const auto written = ::write(STDERR_FILENO, kSentence.data(), kSentence.size());
          ::_exit(kExitStatus);
      }) {}

HangGuard::~HangGuard() {
    {
        const std::scoped_lock lock(m_mutex);
        m_over = true;
    }
    m_ended.notify_one();
    m_thread.join();
}

}  // namespace ingle::session
