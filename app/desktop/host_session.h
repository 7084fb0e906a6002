/// Owns the host process and the pipe to it: greets, sends one request at a time, restarts after a crash.
/// Lives on EngineClient's thread; everything is called there.
#pragma once

#include <QObject>
#include <QProcess>
#include <QTemporaryDir>
#include <QTimer>

#include <deque>
#include <memory>
#include <optional>
#include <variant>

#include "app/desktop/engine_client.h"
#include "app/protocol/framing.h"
#include "app/protocol/messages.h"

namespace ingle::desktop {

class HostSession : public QObject {
    Q_OBJECT
  public:
    explicit HostSession(HostCommand command);
    ~HostSession() override;

    void inspect(const QString& path);
    void load(const QString& path, const LoadOptions& options);
    void generate(const GenerateRequest& request);
    void cancel();
    void listDevices();
    void describeComputer();
    void retain(const std::vector<std::string>& conversations);

  signals:
    void inspected(const ingle::ModelInfo& info);
    void inspectFailed(const ingle::Error& error);
    void loadProgress(double fraction, const QString& phase);
    void loaded(const ingle::ModelInfo& info);
    void loadFailed(const ingle::Error& error);
    void loadRefused(const ingle::MemoryEstimate& memory);
    void planned(const ingle::PromptPlan& plan);
    void promptProgress(double fraction);
    void tokens(const ingle::TokenChunk& chunk);
    void done(const ingle::GenerateResult& result);
    void generateFailed(const ingle::Error& error);
    void restarted(ingle::desktop::Recovery recovery);
    void deviceChanged(const ingle::DeviceStatus& status);
    void devicesListed(const ingle::DeviceList& devices);
    void computerDescribed(const ingle::ComputerInfo& computer);
    void hostPidChanged(qint64 pid);

  private:
    using Operation = std::variant<protocol::Inspect, protocol::Load, protocol::Generate, protocol::Devices,
                                   protocol::Computer>;

    /// What the host is doing for us.
    enum class Phase {
        Down,       ///< no process, or it has not answered hello yet
        Ready,      ///< waits for a request
        Reloading,  ///< a new host loads the model again before the request in front can go on
        Busy,       ///< works on the request in front
    };

    void enqueue(Operation operation);
    void tellConversations();
    void advance();
    void startHost();
    void endHost();
    /// Returns the id under which its events come. Errors: those of protocol::frameRequest.
    Result<protocol::RequestId> send(protocol::RequestBody body);
    /// Sends what the request in front needs now and enters `phase`; fails that request when it cannot be
    /// sent.
    void sendForFront(protocol::RequestBody body, Phase phase);

    void readLines();
    void hostEnded(int exitCode, QProcess::ExitStatus status);
    void recover(const std::string& reason);

    void handle(const protocol::HelloOk& hello);
    void handle(const protocol::Inspected& event);
    void handle(const protocol::Loaded& event);
    void handle(const protocol::Progress& event);
    void handle(const protocol::Planned& event);
    void handle(const protocol::Tokens& event);
    void handle(const protocol::Done& event);
    void handle(const protocol::Failed& event);
    void handle(const protocol::Unloaded&) {}
    void handle(const protocol::Counted&) {}
    void handle(const protocol::Retained&) {}
    void handle(const protocol::DevicesListed& event);
    void handle(const protocol::ComputerDescribed& event);

    LoadOptions loadOptions() const;
    void tellDevice(const DeviceStatus& status);
    void flushTokens();
    /// The request in front is over: reports it through `report` and takes the next one.
    template <typename Report>
    void finishFront(Report report);
    void failFront(const Error& error);

    HostCommand m_command;
    std::unique_ptr<QProcess> m_process;
    std::unique_ptr<QTemporaryDir> m_spool;
    protocol::LineSplitter m_lines;

    Phase m_phase = Phase::Down;
    std::deque<Operation> m_queue;
    protocol::RequestId m_lastId = 0;
    protocol::RequestId m_currentId = 0;  ///< events of other ids are stale

    std::optional<protocol::Load> m_model;     ///< what generations run on
    std::optional<protocol::Retain> m_retain;  ///< what every host is told
    bool m_hostHasModel = false;
    DeviceStatus m_device;          ///< what was told last
    int m_restarts = 0;             ///< since the last sign of progress
    qint64 m_hostPid = 0;           ///< of the host that was started last
    uint32_t m_crashedProcess = 0;  ///< the last host, if nobody ended it
    bool m_degraded = false;
    bool m_cancelling = false;
    Error m_lastWords{ErrorCode::Io, {}};  ///< what the host said about its own end

    TokenChunk m_unsent;
    QTimer m_flush;
    QTimer m_greetingDeadline;
    QTimer m_cancelDeadline;
};

}  // namespace ingle::desktop
