/// A computer made up for one test, as far as its memory goes.
#pragma once

#include <fmt/format.h>

#include <cstdlib>
#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::test {

/// What is loaded while it lives finds so much memory. One at a time.
class LittleMemory {
  public:
    LittleMemory(uint64_t totalBytes, uint64_t availableBytes) {
        std::filesystem::create_directories(m_root.path() / "proc");
        std::ofstream(m_root.file("proc/meminfo")) << fmt::format("MemTotal: {} kB\nMemAvailable: {} kB\n",
                                                                  totalBytes / 1024, availableBytes / 1024);
        ::setenv("INGLE_SYSTEM_ROOT", m_root.path().c_str(), 1);
    }
    ~LittleMemory() { ::unsetenv("INGLE_SYSTEM_ROOT"); }
    LittleMemory(const LittleMemory&) = delete;
    LittleMemory& operator=(const LittleMemory&) = delete;

  private:
    TemporaryFolder m_root;
};

}  // namespace ingle::test
