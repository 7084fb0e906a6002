/// What becomes of a command whose graphics driver crashes or hangs while a model is loaded.
#pragma once

#include <sys/types.h>

#include <cstdint>

namespace ingle::cli {

/// Lives while a model is loaded, in a copy of the process: such a driver ends that, and then the process
/// itself can load the model without the device. A driver may take any way out (a signal, no stack left,
/// exit()), so that the process could not help itself.
///
/// Before it begins there must be one thread, and nothing may have been read or written. It goes on in the
/// copy; the process waits, and ends as the copy does. Where there can be no copy nothing is guarded.
class GuardedLoad {
  public:
    GuardedLoad();
    ~GuardedLoad() { end(); }
    GuardedLoad(const GuardedLoad&) = delete;
    GuardedLoad& operator=(const GuardedLoad&) = delete;

    /// The model is loaded, or cannot be, which was said: from now on the copy is on its own. May be called
    /// in signal handlers, and where nothing is guarded.
    static void end();

    /// The copy that crashed, in the process that goes on instead. 0: none has.
    uint32_t crashedProcess() const { return m_crashed; }

  private:
    /// Returns when the copy crashed before its load was over.
    void waitFor(pid_t copy, int end);

    uint32_t m_crashed = 0;
};

}  // namespace ingle::cli
