#include "app/desktop/services/typesetter.h"

#include <QCoreApplication>
#include <QDir>
#include <QFileInfo>
#include <QJsonDocument>

#include <utility>

namespace ingle::desktop {
namespace {

constexpr size_t kMostWaiting = 200;
constexpr int kMostColdEnds = 5;  // a child that always ends before it answers is not started for ever

}  // namespace

QString findTypesetter() {
    const QDir beside(QCoreApplication::applicationDirPath());
    for (const char* place : {"inglenook-typeset", "../libexec/inglenook/inglenook-typeset"})
        if (QFileInfo(beside.filePath(place)).isExecutable()) return beside.filePath(place);
    return {};
}

Typesetter::Typesetter(QString program, TypesetterPatience patience, QObject* parent)
    : QObject(parent), m_program(std::move(program)), m_child(this), m_limits(patience), m_patience(this) {
    m_child.setProcessChannelMode(QProcess::ForwardedErrorChannel);
    m_patience.setSingleShot(true);
    // finished() follows, which answers.
    connect(&m_patience, &QTimer::timeout, &m_child, &QProcess::kill);
    connect(&m_child, &QProcess::readyReadStandardOutput, this, &Typesetter::read);
    connect(&m_child, &QProcess::finished, this, [this] {
        const bool wasWarm = std::exchange(m_warm, false);
        if (!wasWarm && ++m_coldEnds == kMostColdEnds) m_program.clear();
        if (m_asked) answer({}, wasWarm ? Memory::Keep : Memory::AskAgain);
    });
    connect(&m_child, &QProcess::errorOccurred, this, [this](QProcess::ProcessError error) {
        if (error != QProcess::FailedToStart) return;
        m_program.clear();  // it will not start the next time either
        if (m_asked) answer({});
    });
}

Typesetter::~Typesetter() {
    m_child.disconnect(this);
    m_child.kill();
    m_child.waitForFinished(200);
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
    if (m_child.state() == QProcess::NotRunning) m_child.start(m_program, {});
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
