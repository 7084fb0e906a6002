/// The client of the engine for view models: requests are calls, and what comes of them are signals on the
/// GUI thread, where it is used. Everything else is app/client's.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include <map>
#include <memory>

#include "app/client/client.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::desktop {

/// How to start the engine.
struct HostCommand {
    QString program;
    QStringList arguments;
};

/// `ingle host`, found beside this program, else on the search path.
HostCommand findHost();

using client::Recovery;

/// Each request ends with exactly one of its two last signals, those of one kind in the order of the calls
/// but for generations of different conversations. How they run beside each other and what happens when the
/// host dies is told at client::Supervisor.
class EngineClient : public QObject {
    Q_OBJECT
  public:
    explicit EngineClient(const HostCommand& command, QObject* parent = nullptr);
    /// Ends the host.
    ~EngineClient() override;

    void inspect(const QString& path);
    void load(const QString& path, const LoadOptions& options);
    /// Needs a load() before it.
    void generate(const GenerateRequest& request);
    /// Ends the generation that was asked for first and is not over; it still ends with done().
    void cancel();
    /// Asks what can compute.
    void listDevices();
    /// Asks for memory and processor.
    void describeComputer();
    /// Tells which conversations there are: what the engine keeps on disk for others is deleted, by the
    /// running host or by the next one.
    void retain(const std::vector<std::string>& conversations);

  signals:
    void inspected(const ingle::ModelInfo& info);
    void inspectFailed(const ingle::Error& error);

    void loadProgress(double fraction, const QString& phase);
    void loaded(const ingle::ModelInfo& info);
    void loadFailed(const ingle::Error& error);
    /// Before loadFailed(), when the model does not fit the memory that is free.
    void loadRefused(const ingle::MemoryEstimate& memory);

    void planned(const ingle::PromptPlan& plan);
    void promptProgress(double fraction);
    /// At most 30 a second; tokens in between are merged.
    void tokens(const ingle::TokenChunk& chunk);
    void done(const ingle::GenerateResult& result);
    void generateFailed(const ingle::Error& error);

    void restarted(ingle::client::Recovery recovery);
    /// Another device computes from here on.
    void deviceChanged(const ingle::DeviceStatus& status);
    /// Empty when that could not be found out.
    void devicesListed(const ingle::DeviceList& devices);
    /// All zero when that could not be found out.
    void computerDescribed(const ingle::ComputerInfo& computer);
    /// 0: no host runs.
    void hostPidChanged(qint64 pid);

  private:
    template <typename R, typename... Functions>
    protocol::RequestId ask(R request, Functions... functions);

    uint64_t m_numGenerations = 0;                          ///< asked for so far
    std::map<uint64_t, protocol::RequestId> m_generations;  ///< by their number; not over yet
    Error m_noClient{ErrorCode::Io, {}};                    ///< why there is no client
    std::unique_ptr<client::Client> m_client;               ///< last: its handlers use the others
};

}  // namespace ingle::desktop
