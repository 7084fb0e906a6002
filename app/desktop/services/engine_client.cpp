#include "app/desktop/services/engine_client.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

#include <cstring>

#include "app/client/host_connection.h"
#include "app/client/host_process.h"
#include "app/desktop/services/text.h"
#include "ingle/error_ids.h"

namespace ingle::desktop {
namespace {

constexpr std::chrono::milliseconds kTokenInterval{33};  // 30 updates of the view a second

Result<TextRows> rowsOf(const protocol::Embedded& reply, size_t numTexts) {
    const size_t rowBytes = reply.dim * sizeof(float);
    if (rowBytes == 0 || reply.rows.size() != numTexts * rowBytes)
        return fail(ErrorCode::Corrupt, "{} bytes are no {} rows of {} numbers.", reply.rows.size(), numTexts,
                    reply.dim);
    TextRows rows(numTexts, std::vector<float>(reply.dim));
    for (size_t i = 0; i < numTexts; ++i)
        std::memcpy(rows[i].data(), reply.rows.data() + i * rowBytes, rowBytes);
    return rows;
}

}  // namespace

HostCommand findHost() {
    // Also before Qt knows where this program is.
    const QString beside = QFileInfo(QFile::symLinkTarget("/proc/self/exe")).path() + "/ingle";
    const QString program =
        QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable("ingle");
    return {program, {"host"}};
}

EngineClient::EngineClient(const HostCommand& command, const std::string& bridge, QObject* parent)
    : QObject(parent) {
    client::HostCommand host{command.program.toStdString(), {}};
    for (const QString& each : command.arguments) host.arguments.push_back(each.toStdString());
    client::Options ofHost = options();
    ofHost.notices.restarted = [this](Recovery recovery) { emit restarted(recovery); };
    ofHost.notices.deviceChanged = [this](const DeviceStatus& status) { emit deviceChanged(status); };
    ofHost.notices.hostPidChanged = [this](int64_t pid) { emit hostPidChanged(pid); };
    ofHost.notices.alsoLoadedChanged = [this](const std::string& path) {
        emit alsoLoadedChanged(toQString(path));
    };
    client::Options ofBridge = options();
    ofBridge.hostKind = client::HostKind::Bridge;
    ofBridge.lastId = ofHost.lastId;
    m_host = client::Client::create(client::startedBy(std::move(host)), std::move(ofHost));
    m_bridge = connectBridge(bridge, std::move(ofBridge));
    m_noneHere = withId<ErrorId::FarCannot>(
        fail(ErrorCode::Unsupported, "Only a model on this computer can do that."));
}

client::Options EngineClient::options() {
    client::Options options;
    options.tokenInterval = kTokenInterval;
    // What is still on its way when this object goes, goes with it.
    options.execute = [this](std::function<void()> run) {
        QMetaObject::invokeMethod(
            this, [run = std::move(run)] { run(); }, Qt::QueuedConnection);
    };
    options.notices.loadingAgain = [this](const protocol::Progress& progress) {
        emit loadProgress(progress.fraction, toQString(progress.phase));
    };
    return options;
}

EngineClient::Engine EngineClient::connectBridge(const std::string& socket, client::Options options) {
    if (socket.empty())
        return withId<ErrorId::BridgeMissing>(
            fail(ErrorCode::Io, "There is no place for the bridge's socket."));
    return client::Client::create(client::connectedAt(socket), std::move(options));
}

EngineClient::~EngineClient() = default;

protocol::RequestId EngineClient::inspect(const QString& path,
                                          std::function<void(const Result<ModelInfo>&)> done) {
    return ask(
        engineFor(path.toStdString()), protocol::Inspect{path.toStdString(), {}},
        [done](const protocol::Inspected& reply) { done(reply.info); },
        [done](const protocol::Failed& failed) { done(tl::unexpected(failed.error)); });
}

protocol::RequestId EngineClient::recognise(
    const QStringList& paths, std::function<void(const Result<std::vector<Recognition>>&)> done) {
    protocol::Recognise request;
    for (const QString& path : paths) request.paths.push_back(path.toStdString());
    Engine& engine = engineFor(request.paths.empty() ? std::string_view() : request.paths.front());
    return ask(
        engine, std::move(request), [done](const protocol::Recognised& reply) { done(reply.things); },
        [done](const protocol::Failed& failed) { done(tl::unexpected(failed.error)); });
}

protocol::RequestId EngineClient::importModel(const protocol::Import& request,
                                              std::function<void(double)> progress,
                                              std::function<void(const Result<protocol::Imported>&)> done) {
    return ask(
        m_host, request, [progress](const protocol::Progress& update) { progress(update.fraction); },
        [done](const protocol::Imported& reply) { done(reply); },
        [done](const protocol::Failed& failed) { done(tl::unexpected(failed.error)); });
}

void EngineClient::load(const QString& path, const LoadOptions& options) {
    forgetLoad();
    // What comes of an earlier one is nobody's any more.
    const auto isCurrent = [this, number = m_numLoads] { return number == m_numLoads; };
    m_isRemote = protocol::isRemote(path.toStdString());
    ask(
        engine(), protocol::Load{path.toStdString(), options},
        [this, isCurrent](const protocol::Progress& progress) {
            if (isCurrent()) emit loadProgress(progress.fraction, toQString(progress.phase));
        },
        [this, isCurrent](const protocol::Loaded& reply) {
            if (isCurrent()) emit loaded(reply.info);
        },
        [this, isCurrent](const protocol::Failed& failed) {
            if (!isCurrent()) return;
            if (!failed.memory.fits()) emit loadRefused(failed.memory);
            emit loadFailed(failed.error);
        });
}

protocol::RequestId EngineClient::generate(const GenerateRequest& request, const AnswerHandlers& handlers) {
    return ask(
        engine(), protocol::Generate{request},
        [handlers](const protocol::Planned& plan) { handlers.planned(plan.plan); },
        [handlers](const protocol::Progress& progress) { handlers.promptProgress(progress.fraction); },
        [handlers](const protocol::Tokens& some) { handlers.tokens(some.chunk); },
        [handlers](const protocol::Done& reply) { handlers.finished(reply); },
        [handlers](const protocol::Failed& failed) {
            handlers.finished(tl::unexpected<Error>(failed.error));
        });
}

void EngineClient::cancel(protocol::RequestId generation) {
    // Both have their names from one source, and end what they know.
    for (const Engine* each : {&m_host, &m_bridge})
        if (*each) (**each)->cancel(generation);
}

protocol::RequestId EngineClient::preview(GenerateRequest request,
                                          std::function<void(const Result<PromptPreview>&)> done) {
    return ask(
        engineHere(), protocol::Preview{std::move(request)},
        [done](const protocol::Previewed& reply) { done(reply.preview); },
        [done](const protocol::Failed& failed) {
            if (failed.error.code != ErrorCode::Cancelled) done(tl::unexpected<Error>(failed.error));
        });
}

protocol::RequestId EngineClient::score(ScoreRequest request,
                                        std::function<void(const Result<protocol::Scored>&)> done) {
    return ask(protocol::Score{std::move(request)}, std::move(done));
}

protocol::RequestId EngineClient::read(ReadRequest request, ReadHandlers handlers) {
    const auto hear = std::make_shared<const ReadHandlers>(std::move(handlers));
    return ask(
        engineHere(), protocol::Read{std::move(request)},
        [hear](const protocol::ReadPlanned& plan) { hear->planned(plan.cost); },
        [hear](const protocol::Progress& progress) { hear->progress(progress.fraction); },
        [hear](const protocol::ReadDone& reply) { hear->done(reply.cost); },
        [hear](const protocol::Failed& failed) { hear->done(tl::unexpected<Error>(failed.error)); });
}

protocol::RequestId EngineClient::embed(const std::string& model, std::vector<std::string> texts, TextUse use,
                                        When when, std::function<void(const Result<TextRows>&)> done) {
    const size_t numTexts = texts.size();
    return ask(
        m_host, protocol::Embed{model, std::move(texts), when == When::Idle, use},
        [done, numTexts](const protocol::Embedded& reply) { done(rowsOf(reply, numTexts)); },
        [done](const protocol::Failed& failed) { done(tl::unexpected<Error>(failed.error)); });
}

void EngineClient::listDevices() {
    ask(
        m_host, protocol::Devices{},
        [this](const protocol::DevicesListed& reply) { emit devicesListed(reply.list); },
        [this](const protocol::Failed&) { emit devicesListed({}); });
}

void EngineClient::describeComputer() {
    ask(
        m_host, protocol::Computer{},
        [this](const protocol::ComputerDescribed& reply) { emit computerDescribed(reply.info); },
        [this](const protocol::Failed&) { emit computerDescribed({}); });
}

void EngineClient::retain(const protocol::Retain& kept) {
    if (m_host) (*m_host)->retain(kept);
}

void EngineClient::restAfter(std::chrono::milliseconds idle) {
    if (m_host) (*m_host)->restAfter(idle.count() > 0 ? std::optional(idle) : std::nullopt);
}

void EngineClient::protect() {
    for (const Engine* each : {&m_host, &m_bridge})
        if (*each) (**each)->protect();
}

}  // namespace ingle::desktop
