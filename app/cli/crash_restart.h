/// What becomes of a command whose graphics driver crashes or hangs while a model is loaded.
#pragma once

namespace ingle::cli {

/// While it lives, such a driver makes the program start again, with the same arguments, instead of ending
/// it: the device is not used again then. Nothing may have been read or written yet. One at a time.
class CrashRestart {
  public:
    CrashRestart();
    ~CrashRestart();
    CrashRestart(const CrashRestart&) = delete;
    CrashRestart& operator=(const CrashRestart&) = delete;

    /// Whether this is the program after that. Another crash ends it.
    static bool happened();
};

}  // namespace ingle::cli
