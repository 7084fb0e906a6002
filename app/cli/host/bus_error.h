/// What the host says when a mapped model file is cut short or replaced under it: the kernel then sends
/// SIGBUS, and no ordinary code can run any more.
#pragma once

#include <memory>
#include <string>

#include "app/protocol/messages.h"

namespace ingle::cli {

/// The exit status after a bus error.
inline constexpr int kBusErrorExit = 3;

/// From now on a bus error writes one Failed event to `outputFd` and ends the process.
void reportBusErrors(int outputFd);

/// The file that the engine uses from now on: the report has the id 0 and names it. Not while engine code
/// runs.
void nameFileForBusErrors(const std::string& path);

/// While it lives, a bus error of this thread answers `request`, and names another file. It lives and dies
/// on that thread.
class BusErrorAnswer {
  public:
    struct Report;  ///< the line, encoded beforehand

    BusErrorAnswer(protocol::RequestId request, const std::string& path);
    ~BusErrorAnswer();
    BusErrorAnswer(const BusErrorAnswer&) = delete;
    BusErrorAnswer& operator=(const BusErrorAnswer&) = delete;

  private:
    const std::unique_ptr<Report> m_report;
};

}  // namespace ingle::cli
