#include "app/desktop/services/typesetter.h"

#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>
#include <QSignalBlocker>

#include <sys/socket.h>
#include <sys/wait.h>

#include <cerrno>
#include <utility>

#include "ingle/file_descriptor.h"
#include "ingle/spawn.h"

namespace ingle::desktop {
namespace {

constexpr size_t kMostWaiting = 200;
constexpr int kMostColdEnds = 5;  // a child that always ends before it answers is not started for ever

}  // namespace

QString findTypesetter() {
    const QDir beside = QFileInfo(QFile::symLinkTarget("/proc/self/exe")).dir();
    for (const char* place : {"inglenook-typeset", "../libexec/inglenook/inglenook-typeset"})
        if (QFileInfo(beside.filePath(place)).isExecutable()) return beside.filePath(place);
    return {};
}

Typesetter::Typesetter(QString program, TypesetterPatience patience, QObject* parent)
    : QObject(parent), m_program(std::move(program)), m_child(this), m_limits(patience), m_patience(this) {
    m_patience.setSingleShot(true);
    connect(&m_patience, &QTimer::timeout, this, &Typesetter::onEnded);
    connect(&m_child, &QLocalSocket::readyRead, this, &Typesetter::read);
    connect(&m_child, &QLocalSocket::disconnected, this, &Typesetter::onEnded);
}

Typesetter::~Typesetter() {
    endChild();
}

bool Typesetter::startChild() {
    int ends[2];
    if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends) != 0) return false;
    const FileDescriptor theirs(ends[1]);
    m_child.setSocketDescriptor(ends[0]);
    const int code = spawn(
        {.program = m_program.toStdString(), .arguments = {}, .input = theirs.get(), .output = theirs.get()},
        m_pid);
    if (code != 0) m_pid = 0;
    return code == 0;
}

/// Also one that has closed its end and goes on.
void Typesetter::endChild() {
    const QSignalBlocker quiet(m_child);
    m_child.abort();
    const pid_t child = std::exchange(m_pid, 0);
    if (child == 0) return;
    ingle::endChild(child);
    while (::waitpid(child, nullptr, 0) < 0 && errno == EINTR) {
    }
}

void Typesetter::onEnded() {
    if (m_pid == 0) return;
    endChild();
    const bool wasWarm = std::exchange(m_warm, false);
    if (!wasWarm && ++m_coldEnds == kMostColdEnds) m_program.clear();
    if (m_asked) answer({}, wasWarm ? Memory::Keep : Memory::AskAgain);
}

void Typesetter::ask(const QJsonObject& question, QObject* context, Then then) {
    if (m_waiting.size() == kMostWaiting) {
        const Question oldest = std::move(m_waiting.front());
        m_waiting.pop_front();
        if (oldest.context) oldest.then({}, Memory::AskAgain);
    }
    m_waiting.push_back(
        {QJsonDocument(question).toJson(QJsonDocument::Compact) + '\n', context, std::move(then)});
    if (!m_asked) next();
}

void Typesetter::forget(const QObject* context) {
    std::erase_if(m_waiting, [&](const Question& each) { return !each.context || each.context == context; });
}

void Typesetter::next() {
    if (m_asked) return;
    while (!m_asked && !m_waiting.empty()) {
        Question question = std::move(m_waiting.back());
        m_waiting.pop_back();
        if (!question.context) continue;
        m_asked = std::move(question);
    }
    if (!m_asked) return;
    if (m_program.isEmpty()) return answer({});
    if (m_pid == 0 && !startChild()) {
        endChild();
        m_program.clear();  // it will not start the next time either
        return answer({});
    }
    m_child.write(m_asked->line);
    m_patience.start(m_warm ? m_limits.answer : m_limits.start);
}

void Typesetter::read() {
    if (!m_child.canReadLine()) return;
    const QByteArray line = m_child.readLine();
    m_warm = true;
    m_coldEnds = 0;
    if (m_asked) answer(QJsonDocument::fromJson(line).object());
}

void Typesetter::answer(const QJsonObject& object, Memory memory) {
    m_patience.stop();
    const Question asked = std::move(*m_asked);
    m_asked.reset();
    if (asked.context) asked.then(object, memory);
    // Also when the child has just ended: it is started again from the event loop.
    QMetaObject::invokeMethod(this, &Typesetter::next, Qt::QueuedConnection);
}

}  // namespace ingle::desktop
