/// An owned POSIX file descriptor. Header-only: every layer and the application can use it.
#pragma once

#include <unistd.h>

#include <utility>

namespace ingle {

/// Closes its descriptor when it is destroyed. It may hold none.
class FileDescriptor {
  public:
    FileDescriptor() = default;
    explicit FileDescriptor(int fd) : m_fd(fd) {}
    FileDescriptor(FileDescriptor&& other) noexcept : m_fd(std::exchange(other.m_fd, -1)) {}
    FileDescriptor& operator=(FileDescriptor&& other) noexcept {
        std::swap(m_fd, other.m_fd);
        return *this;
    }
    ~FileDescriptor() {
        if (isOpen()) ::close(m_fd);
    }

    bool isOpen() const { return m_fd >= 0; }
    int get() const { return m_fd; }

  private:
    int m_fd = -1;
};

}  // namespace ingle
