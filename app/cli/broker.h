/// The process beside an engine that is not caged: it does what the engine is forbidden, where somebody asked
/// for that.
#pragma once

#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "app/protocol/messages.h"
#include "ingle/file_descriptor.h"
#include "ingle/outside.h"
#include "ingle/result.h"

namespace ingle::cli {

/// What a broker does for its engine, and for whom.
struct BrokerTask {
    /// Models whose files the engine may open.
    std::vector<std::string> models;
    /// Where a client writes requests: the broker passes them on, and what they name may be opened, too. -1:
    /// no client.
    int requests = -1;
    /// Does an import that a client asked for, in a process of its own, and answers with events to this
    /// descriptor.
    std::function<void(const protocol::Import& request, int events)> import;
    /// Decodes a picture, in a process of its own: reads its file from this descriptor and answers to it.
    std::function<void(int socket)> decode;
};

/// The engine's side. Any thread.
class Broker {
  public:
    /// Makes the broker as a copy of this process, which must have one thread only, and ends with it.
    /// Errors: Io (the system has no room for it).
    static Result<std::unique_ptr<Broker>> start(BrokerTask task);

    /// Where the client's requests come from now; none without a client.
    FileDescriptor takeRequests() { return std::move(m_requests); }
    /// For useOutside().
    int open(const std::string& path);
    Result<StartedOutside> tryDrivers(const std::vector<std::string>& moreArguments);
    /// The events of an import. Errors: Io; InvalidArgument (no client asked for it).
    Result<FileDescriptor> import(const protocol::Import& request);
    /// Where BrokerTask::decode waits for a picture. Errors: Io.
    Result<FileDescriptor> decode();
    /// See visionFilesBeside(). The engine may open them from then on.
    std::vector<std::string> visionFiles(const std::string& model);

  private:
    struct Answer {
        int error = 0;
        std::vector<FileDescriptor> files;
        std::string text;
    };

    Broker(FileDescriptor socket, FileDescriptor requests)
        : m_socket(std::move(socket)), m_requests(std::move(requests)) {}
    Answer ask(char kind, const std::string& text);

    std::mutex m_mutex;
    FileDescriptor m_socket;
    FileDescriptor m_requests;
};

}  // namespace ingle::cli
