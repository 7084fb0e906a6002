/// The client of the engine for view models: requests are calls, and what comes of them are signals on the
/// GUI thread, where it is used. Everything else is app/client's.
#pragma once

#include <QObject>
#include <QString>
#include <QStringList>

#include <chrono>
#include <functional>
#include <memory>
#include <vector>

#include "app/client/client.h"
#include "app/protocol/remote.h"
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

/// Who hears of an answer; all of them are called.
struct AnswerHandlers {
    std::function<void(const PromptPlan&)> planned;
    std::function<void(double)> promptProgress;
    /// At most 30 a second; tokens in between are merged.
    std::function<void(const TokenChunk&)> tokens;
    /// Once, last.
    std::function<void(const Result<protocol::Done>&)> finished;
};

/// Who hears of a reading.
struct ReadHandlers {
    std::function<void(const ReadCost&)> planned;
    std::function<void(double)> progress;  ///< the part that is read, 0 … 1
    std::function<void(const Result<ReadCost>&)> done;
};

/// What texts mean to an embedding model, one row for each.
using TextRows = std::vector<std::vector<float>>;

/// Each request without handlers ends with exactly one of its two last signals, those of one kind in the
/// order of the calls. How they run beside each other and what happens when the host dies is told at
/// client::Supervisor. What has to do with a model of another computer (protocol::isRemote()) goes to the
/// bridge, all else to a host of this program.
class EngineClient : public QObject {
    Q_OBJECT
  public:
    /// `bridge`: path of its socket; empty: there is none.
    explicit EngineClient(const HostCommand& command, const std::string& bridge = {},
                          QObject* parent = nullptr);
    /// Ends the host.
    ~EngineClient() override;

    /// What a file holds, without loading it. `done` is called once.
    protocol::RequestId inspect(const QString& path, std::function<void(const Result<ModelInfo>&)> done);
    /// What things are that were dropped or named together. `done` is called once.
    protocol::RequestId recognise(const QStringList& paths,
                                  std::function<void(const Result<std::vector<Recognition>>&)> done);
    /// Writes a model as another file. `done` is called once, last; a cancel ends it as Cancelled.
    protocol::RequestId importModel(const protocol::Import& request, std::function<void(double)> progress,
                                    std::function<void(const Result<protocol::Imported>&)> done);
    void load(const QString& path, const LoadOptions& options);
    /// What comes of the load under way is not told any more.
    void forgetLoad() {
        ++m_numLoads;
        m_isRemote = false;
    }
    /// Needs a load() before it. Returns its name for cancel().
    protocol::RequestId generate(const GenerateRequest& request, const AnswerHandlers& handlers);
    /// Ends a generation, a scoring, a reading, an import or a look at files, which still calls its last
    /// handler; nothing if it is over.
    void cancel(protocol::RequestId generation);
    /// The prompt that would be made of a request; a model that rests is loaded for it. `done` hears of it
    /// unless it is cancelled. An error where no model was loaded.
    protocol::RequestId preview(GenerateRequest request,
                                std::function<void(const Result<PromptPreview>&)> done);
    /// What would be chosen now at the places of an answer. `done` is called once.
    protocol::RequestId score(ScoreRequest request,
                              std::function<void(const Result<protocol::Scored>&)> done);
    /// Reads a document ahead. `planned` is called before its first page is read, `done` once, last; a cancel
    /// ends it as Cancelled.
    protocol::RequestId read(ReadRequest request, ReadHandlers handlers);
    enum class When { Now, Idle /* not before answers and readings have ended */ };
    /// Rows of numbers of texts, each of length 1, by the embedding model in that file, which needs no
    /// load(): a few texts at a time, for answers wait meanwhile. `done` is called once; a cancel ends it as
    /// Cancelled.
    protocol::RequestId embed(const std::string& model, std::vector<std::string> texts, TextUse use,
                              When when, std::function<void(const Result<TextRows>&)> done);
    /// Any request that needs no words of its own here, to the host of this program. `done` is called once; a
    /// cancel ends it as Cancelled.
    template <typename R>
    protocol::RequestId ask(R request, std::function<void(const Result<typename R::Reply>&)> done) {
        const bool usesModel = R::kFacts.modelUse != protocol::ModelUse::None;
        return ask(
            usesModel ? engineHere() : m_host, std::move(request),
            [done](const typename R::Reply& reply) { done(reply); },
            [done](const protocol::Failed& failed) { done(tl::unexpected<Error>(failed.error)); });
    }
    /// Asks what can compute.
    void listDevices();
    /// Asks for memory and processor.
    void describeComputer();
    /// Tells which conversations and documents there are: what the engine keeps on disk for others is
    /// deleted, by the running host or by the next one.
    void retain(const protocol::Retain& kept);
    /// A private chat follows: from now on no host's memory can be dumped.
    void protect();
    /// A model that nothing has used for so long gives its memory back until something does; 0: never.
    void restAfter(std::chrono::milliseconds idle);

  signals:
    void loadProgress(double fraction, const QString& phase);
    void loaded(const ingle::ModelInfo& info);
    void loadFailed(const ingle::Error& error);
    /// Before loadFailed(), when the model does not fit the memory that is free.
    void loadRefused(const ingle::MemoryEstimate& memory);

    void restarted(ingle::client::Recovery recovery);
    /// Another device computes from here on.
    void deviceChanged(const ingle::DeviceStatus& status);
    /// Empty when that could not be found out.
    void devicesListed(const ingle::DeviceList& devices);
    /// All zero when that could not be found out.
    void computerDescribed(const ingle::ComputerInfo& computer);
    /// 0: no host runs.
    void hostPidChanged(qint64 pid);
    /// Path of the model that is in memory beside the one in use; empty: none.
    void alsoLoadedChanged(const QString& path);

  private:
    /// A client, or why there is none.
    using Engine = Result<std::unique_ptr<client::Client>>;

    client::Options options();
    static Engine connectBridge(const std::string& socket, client::Options options);
    Engine& engineFor(std::string_view path) { return protocol::isRemote(path) ? m_bridge : m_host; }
    /// Of the model in use.
    Engine& engine() { return m_isRemote ? m_bridge : m_host; }
    /// The same for what only a model on this computer can do: of such words not even the bridge hears.
    Engine& engineHere() { return m_isRemote ? m_noneHere : m_host; }
    template <typename... Functions>
    struct Overloaded : Functions... {
        using Functions::operator()...;
    };
    /// Hands `request` to `engine`; `functions` take its reply, protocol::Failed, and those updates that
    /// matter.
    template <typename R, typename... Functions>
    protocol::RequestId ask(Engine& engine, R request, Functions... functions) {
        const auto hear = Overloaded<Functions...>{functions...};
        const auto finished = [hear](const client::Outcome<R>& outcome) {
            outcome ? hear(*outcome) : hear(outcome.error());
        };
        if (!engine) {
            QMetaObject::invokeMethod(
                this,
                [finished, error = engine.error()] {
                    finished(tl::unexpected(protocol::Failed{error, {}}));
                },
                Qt::QueuedConnection);
            return 0;
        }
        const auto update = [hear](const typename R::Update& event) {
            std::visit(
                [&hear](const auto& body) {
                    if constexpr (requires { hear(body); }) hear(body);
                },
                event);
        };
        return (*engine)->template send<R>(std::move(request), {finished, update});
    }

    quint64 m_numLoads = 0;
    bool m_isRemote = false;  ///< the model in use
    // Last: their handlers use the others.
    Engine m_host;
    Engine m_bridge;
    Engine m_noneHere;
};

}  // namespace ingle::desktop
