/// Bytes behind which nothing may be read.
#pragma once

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstring>
#include <span>

namespace ingle::test {

/// A copy that ends where memory does that nobody may touch: reading behind it ends the program.
class GuardedBytes {
  public:
    explicit GuardedBytes(std::span<const std::byte> bytes) {
        const auto page = static_cast<size_t>(sysconf(_SC_PAGESIZE));
        const size_t room = (bytes.size() + page - 1) / page * page;
        m_size = room + page;
        m_memory = static_cast<std::byte*>(
            mmap(nullptr, m_size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
        mprotect(m_memory + room, page, PROT_NONE);
        m_data = m_memory + room - bytes.size();
        std::memcpy(m_data, bytes.data(), bytes.size());
    }
    ~GuardedBytes() { munmap(m_memory, m_size); }
    GuardedBytes(const GuardedBytes&) = delete;
    GuardedBytes& operator=(const GuardedBytes&) = delete;

    const std::byte* data() const { return m_data; }

  private:
    std::byte* m_memory = nullptr;
    std::byte* m_data = nullptr;
    size_t m_size = 0;
};

}  // namespace ingle::test
