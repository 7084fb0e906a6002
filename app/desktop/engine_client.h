/// The window's side of the engine: requests go in, events come out; the host process lives on a thread of
/// its own. Used on the GUI thread; every signal arrives there.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>
#include <QThread>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::desktop {

class HostSession;

/// How to start the engine.
struct HostCommand {
    QString program;
    QStringList arguments;
};

/// `ingle host`, found beside this program, else on the search path.
HostCommand findHost();

/// What was done after the host died in the middle of its work.
enum class Recovery {
    SameWay,           ///< started again with the same options
    ReferenceKernels,  ///< started again on the CPU with the scalar reference kernels
};

/// Requests run one after another in the order of the calls. Each ends with exactly one of its two last
/// signals. A host that dies in between is restarted and the request goes on; at most twice without a new
/// token, then it fails in one sentence. A host that died while idle is started by the next request.
class EngineClient : public QObject {
    Q_OBJECT
  public:
    explicit EngineClient(HostCommand command, QObject* parent = nullptr);
    /// Ends the host.
    ~EngineClient() override;

    void inspect(const QString& path);
    void load(const QString& path, const LoadOptions& options);
    /// Needs a load() before it.
    void generate(const GenerateRequest& request);
    /// Ends the generation that runs or waits; it still ends with done().
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

    void restarted(ingle::desktop::Recovery recovery);
    /// Another device computes from here on.
    void deviceChanged(const ingle::DeviceStatus& status);
    /// Empty when that could not be found out.
    void devicesListed(const ingle::DeviceList& devices);
    /// All zero when that could not be found out.
    void computerDescribed(const ingle::ComputerInfo& computer);
    /// 0: no host runs.
    void hostPidChanged(qint64 pid);

  private:
    QThread m_thread;
    HostSession* m_session;
};

}  // namespace ingle::desktop
