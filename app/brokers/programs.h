/// The programs that a caged process starts: it may not itself.
#pragma once

#include <map>
#include <string_view>

#include "app/brokers/brokers.h"
#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"

namespace ingle::brokers {

/// The broker's side. Programs that it starts are children of its parent.
class Programs {
  public:
    Programs(std::vector<Startable> allowed, int socket) : m_allowed(std::move(allowed)), m_socket(socket) {}

    /// One question. False: nobody is left to ask.
    bool answer();

  private:
    void start(const std::vector<std::string>& words, std::vector<FileDescriptor> files);
    bool isAllowed(const Start& start) const;

    const std::vector<Startable> m_allowed;
    int m_socket;
    std::map<pid_t, FileDescriptor> m_children;  ///< until they are seen to have ended
};

/// In the caged process. Any thread. Lives as long as the process.
Starter* starterAt(FileDescriptor socket);

}  // namespace ingle::brokers
