#include "app/desktop/host_session.h"

#include <csignal>
#include <utility>

#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr int kMaxRestarts = 2;
constexpr int kModelFileChangedExit = 3;
constexpr auto kFlushInterval = 33ms;  // 30 updates a second
constexpr auto kGreetingLimit = 15s;
constexpr auto kEndLimit = 300ms;   // somebody is closing the window
constexpr auto kCancelLimit = 15s;  // one step of a large model on a slow machine

const char* const kHostMissing =
    "The engine program “ingle” was not found next to Inglenook; please install Inglenook again.";
const char* const kVersionMismatch =
    "Inglenook was updated while it was open; please close this window and open it again.";

template <typename... Functions>
struct Overloaded : Functions... {
    using Functions::operator()...;
};

Result<protocol::Event> eventOf(const Result<std::string>& line) {
    if (!line) return tl::unexpected(line.error());
    return protocol::decodeEvent(*line);
}

/// Whether the host ended by a mistake of its own, or of a driver; not because somebody ended it.
bool isCrash(int exitCode, QProcess::ExitStatus status) {
    if (status == QProcess::NormalExit) return exitCode != 0 && exitCode != kModelFileChangedExit;
    // Qt gives the number of the signal.
    return exitCode == SIGSEGV || exitCode == SIGBUS || exitCode == SIGILL || exitCode == SIGFPE ||
           exitCode == SIGABRT || exitCode == SIGTRAP || exitCode == SIGSYS;
}

GenerateResult cancelled() {
    GenerateResult result;
    result.reason = StopReason::Cancelled;
    return result;
}

}  // namespace

HostSession::HostSession(HostCommand command)
    : m_command(std::move(command)), m_flush(this), m_greetingDeadline(this), m_cancelDeadline(this) {
    m_flush.setSingleShot(true);
    m_flush.setInterval(kFlushInterval);
    connect(&m_flush, &QTimer::timeout, this, &HostSession::flushTokens);
    for (QTimer* deadline : {&m_greetingDeadline, &m_cancelDeadline}) {
        deadline->setSingleShot(true);
        connect(deadline, &QTimer::timeout, this, [this] {
            if (m_process) m_process->kill();
        });
    }
}

HostSession::~HostSession() {
    if (!m_process) return;
    m_process->disconnect(this);
    // At the end of its input the host ends in order: a model being loaded is then no death by a driver.
    m_process->closeWriteChannel();
    if (m_process->waitForFinished(kEndLimit.count())) return;
    m_process->kill();
    m_process->waitForFinished(1000);
}

void HostSession::inspect(const QString& path) {
    enqueue(protocol::Inspect{path.toStdString()});
}

void HostSession::load(const QString& path, const LoadOptions& options) {
    enqueue(protocol::Load{path.toStdString(), options});
}

void HostSession::generate(const GenerateRequest& request) {
    enqueue(protocol::Generate{request});
}

void HostSession::cancel() {
    if (m_queue.empty() || m_cancelling) return;
    if (std::holds_alternative<protocol::Generate>(m_queue.front()) && m_phase == Phase::Busy) {
        m_cancelling = true;
        m_cancelDeadline.start(kCancelLimit);
        if (!send(protocol::Cancel{m_currentId})) m_process->kill();
        return;
    }
    // It has not been sent yet: nothing was generated.
    for (auto each = m_queue.begin(); each != m_queue.end(); ++each) {
        if (!std::holds_alternative<protocol::Generate>(*each)) continue;
        m_queue.erase(each);  // a reload under way goes on, for the next request
        emit done(cancelled());
        return advance();
    }
}

void HostSession::listDevices() {
    enqueue(protocol::Devices{});
}

void HostSession::describeComputer() {
    enqueue(protocol::Computer{});
}

void HostSession::retain(const std::vector<std::string>& conversations) {
    m_retain = protocol::Retain{conversations};
    if (m_phase != Phase::Down) tellConversations();
}

void HostSession::tellConversations() {
    // Should it not arrive, the next one will: the list is told again at every start.
    if (m_retain) (void)send(*m_retain);
}

void HostSession::enqueue(Operation operation) {
    m_queue.push_back(std::move(operation));
    if (m_queue.size() == 1) {
        m_restarts = 0;
        advance();
    }
}

void HostSession::advance() {
    if (m_queue.empty()) return;
    if (!m_process) return startHost();
    if (m_phase != Phase::Ready) return;
    if (auto* loading = std::get_if<protocol::Load>(&m_queue.front())) {
        m_model = *loading;
        if (m_restarts == 0) {
            m_degraded = false;
            m_crashedProcess = 0;
        }
        m_hostHasModel = false;
        sendForFront(protocol::Load{loading->path, loadOptions()}, Phase::Busy);
    } else if (auto* inspecting = std::get_if<protocol::Inspect>(&m_queue.front())) {
        sendForFront(*inspecting, Phase::Busy);
    } else if (auto* listing = std::get_if<protocol::Devices>(&m_queue.front())) {
        sendForFront(*listing, Phase::Busy);
    } else if (std::holds_alternative<protocol::Computer>(m_queue.front())) {
        sendForFront(protocol::Computer{}, Phase::Busy);
    } else if (m_hostHasModel) {
        sendForFront(std::get<protocol::Generate>(m_queue.front()), Phase::Busy);
    } else if (m_model) {
        sendForFront(protocol::Load{m_model->path, loadOptions()}, Phase::Reloading);
    } else {
        failFront({ErrorCode::InvalidArgument, "No model is loaded."});
    }
}

void HostSession::startHost() {
    if (m_command.program.isEmpty()) return failFront({ErrorCode::Io, kHostMissing});
    m_lines = {};
    m_lastWords.message.clear();
    m_hostHasModel = false;
    m_process = std::make_unique<QProcess>();
    m_process->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    connect(m_process.get(), &QProcess::readyReadStandardOutput, this, &HostSession::readLines);
    connect(m_process.get(), &QProcess::finished, this, &HostSession::hostEnded);
    connect(m_process.get(), &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        endHost();
        failFront({ErrorCode::Io, kHostMissing});
    });
    m_process->start(m_command.program, m_command.arguments);
    if (!m_process) return;  // it failed to start at once
    m_hostPid = m_process->processId();
    emit hostPidChanged(m_hostPid);
    m_greetingDeadline.start(kGreetingLimit);
    sendForFront(protocol::Hello{}, Phase::Down);
}

void HostSession::endHost() {
    m_phase = Phase::Down;
    m_greetingDeadline.stop();
    m_cancelDeadline.stop();
    if (!m_process) return;
    m_process->disconnect(this);
    // This may run inside a signal of the process, so the object stays until the process is gone.
    QProcess* process = m_process.release();
    if (process->state() == QProcess::NotRunning) {
        process->deleteLater();
    } else {
        connect(process, &QProcess::finished, process, &QObject::deleteLater);
        process->kill();
    }
    emit hostPidChanged(0);
}

Result<protocol::RequestId> HostSession::send(protocol::RequestBody body) {
    if (!m_spool) m_spool = std::make_unique<QTemporaryDir>();
    const protocol::RequestId id = ++m_lastId;
    INGLE_TRY_ASSIGN(const std::string line,
                     protocol::frameRequest({id, std::move(body)}, m_spool->path().toStdString()));
    m_process->write(line.data(), static_cast<qint64>(line.size()));
    m_process->write("\n", 1);
    return id;
}

void HostSession::sendForFront(protocol::RequestBody body, Phase phase) {
    const auto id = send(std::move(body));
    if (!id) return failFront(id.error());
    m_phase = phase;
    m_currentId = *id;
}

void HostSession::readLines() {
    const QByteArray bytes = m_process->readAllStandardOutput();
    m_lines.append({bytes.data(), static_cast<size_t>(bytes.size())});
    while (auto line = m_lines.next()) {
        const auto event = eventOf(*line);
        if (!event) return recover(event.error().message);
        if (event->id != m_currentId) {
            const auto* words = std::get_if<protocol::Failed>(&event->body);
            if (event->id == 0 && words != nullptr) m_lastWords = words->error;
            continue;
        }
        std::visit([this](const auto& body) { handle(body); }, event->body);
        if (!m_process) return;
    }
}

void HostSession::hostEnded(int exitCode, QProcess::ExitStatus status) {
    m_crashedProcess = isCrash(exitCode, status) ? static_cast<uint32_t>(m_hostPid) : 0;
    readLines();
    if (!m_process) return;
    if (exitCode == kModelFileChangedExit && !m_lastWords.message.empty() && !m_queue.empty()) {
        endHost();
        flushTokens();
        return failFront(m_lastWords);
    }
    recover(m_lastWords.message);
}

void HostSession::recover(const std::string& reason) {
    endHost();
    if (m_queue.empty()) return;
    flushTokens();
    if (m_cancelling) {
        return finishFront([this] { emit done(cancelled()); });
    }
    if (m_restarts == kMaxRestarts) {
        const std::string happened =
            std::holds_alternative<protocol::Inspect>(m_queue.front())    ? "looking at the file"
            : std::holds_alternative<protocol::Load>(m_queue.front())     ? "loading this model"
            : std::holds_alternative<protocol::Devices>(m_queue.front())  ? "looking for devices"
            : std::holds_alternative<protocol::Computer>(m_queue.front()) ? "looking at the computer"
                                                                          : "writing this answer";
        const std::string sentence = fmt::format(
            "The engine stopped {} times while {} and was not started again", kMaxRestarts + 1, happened);
        return failFront({ErrorCode::Device, reason.empty() ? sentence + "." : sentence + ": " + reason});
    }
    ++m_restarts;
    m_degraded = m_restarts == kMaxRestarts;
    emit restarted(m_degraded ? Recovery::ReferenceKernels : Recovery::SameWay);
    advance();
}

void HostSession::handle(const protocol::HelloOk& hello) {
    m_greetingDeadline.stop();
    if (hello.version != protocol::kVersion) {
        endHost();
        return failFront({ErrorCode::Unsupported, kVersionMismatch});
    }
    m_phase = Phase::Ready;
    tellConversations();
    advance();
}

void HostSession::handle(const protocol::Inspected& event) {
    finishFront([&] { emit inspected(event.info); });
}

void HostSession::handle(const protocol::Loaded& event) {
    m_hostHasModel = true;
    const DeviceStatus device{event.info.device, event.info.deviceNote};
    if (m_phase == Phase::Reloading) {
        m_phase = Phase::Ready;
        tellDevice(device);
        return advance();
    }
    m_device = device;
    finishFront([&] { emit loaded(event.info); });
}

void HostSession::handle(const protocol::DevicesListed& event) {
    finishFront([&] { emit devicesListed(event.list); });
}

void HostSession::handle(const protocol::ComputerDescribed& event) {
    finishFront([&] { emit computerDescribed(event.info); });
}

void HostSession::handle(const protocol::Progress& event) {
    if (m_phase == Phase::Busy && std::holds_alternative<protocol::Generate>(m_queue.front())) {
        if (!event.moved.device.empty()) tellDevice(event.moved);
        emit promptProgress(event.fraction);
    } else {
        emit loadProgress(event.fraction, toQString(event.phase));
    }
}

void HostSession::handle(const protocol::Planned& event) {
    emit planned(event.plan);
}

void HostSession::handle(const protocol::Tokens& event) {
    auto* generation = m_queue.empty() ? nullptr : std::get_if<protocol::Generate>(&m_queue.front());
    if (generation == nullptr) return;
    m_restarts = 0;
    // After a crash the same request goes out again and continues behind these.
    auto& ids = generation->request.resumeIds;
    ids.insert(ids.end(), event.chunk.ids.begin(), event.chunk.ids.end());
    if (event.chunk.kind != m_unsent.kind) flushTokens();
    m_unsent.kind = event.chunk.kind;
    m_unsent.ids.insert(m_unsent.ids.end(), event.chunk.ids.begin(), event.chunk.ids.end());
    m_unsent.text += event.chunk.text;
    if (!m_flush.isActive()) m_flush.start();
}

void HostSession::handle(const protocol::Done& event) {
    flushTokens();
    finishFront([&] { emit done(event.result); });
}

void HostSession::handle(const protocol::Failed& event) {
    if (m_phase == Phase::Down) {
        // The answer to hello: this host speaks another version.
        endHost();
        return failFront({ErrorCode::Unsupported, kVersionMismatch});
    }
    if (m_phase == Phase::Reloading &&
        (m_queue.empty() || !std::holds_alternative<protocol::Generate>(m_queue.front()))) {
        // The generation that wanted the model again was cancelled meanwhile.
        m_phase = Phase::Ready;
        return advance();
    }
    flushTokens();
    const bool loading = !m_queue.empty() && std::holds_alternative<protocol::Load>(m_queue.front());
    if (loading && !event.memory.fits()) emit loadRefused(event.memory);
    failFront(event.error);
}

LoadOptions HostSession::loadOptions() const {
    LoadOptions options = m_model->options;
    options.crashedProcess = m_crashedProcess;
    if (m_degraded) {
        options.backend = BackendChoice::Cpu;
        options.referenceKernels = true;
    }
    return options;
}

void HostSession::tellDevice(const DeviceStatus& status) {
    if (status != std::exchange(m_device, status)) emit deviceChanged(status);
}

void HostSession::flushTokens() {
    m_flush.stop();
    if (m_unsent.ids.empty() && m_unsent.text.empty()) return;
    emit tokens(std::exchange(m_unsent, {}));
}

template <typename Report>
void HostSession::finishFront(Report report) {
    m_queue.pop_front();
    m_cancelling = false;
    m_cancelDeadline.stop();
    m_restarts = 0;
    if (m_phase != Phase::Down) m_phase = Phase::Ready;
    report();
    advance();
}

void HostSession::failFront(const Error& error) {
    if (m_queue.empty()) return;
    const auto report = Overloaded{
        [&](const protocol::Inspect&) { emit inspectFailed(error); },
        [&](const protocol::Load&) { emit loadFailed(error); },
        [&](const protocol::Generate&) { emit generateFailed(error); },
        [&](const protocol::Devices&) { emit devicesListed({}); },
        [&](const protocol::Computer&) { emit computerDescribed({}); },
    };
    const Operation failed = m_queue.front();
    finishFront([&] { std::visit(report, failed); });
}

}  // namespace ingle::desktop
