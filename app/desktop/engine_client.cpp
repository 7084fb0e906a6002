#include "app/desktop/engine_client.h"

#include <QCoreApplication>
#include <QFileInfo>
#include <QStandardPaths>

#include "app/desktop/host_session.h"

namespace ingle::desktop {

HostCommand findHost() {
    const QString beside = QCoreApplication::applicationDirPath() + "/ingle";
    const QString program =
        QFileInfo(beside).isExecutable() ? beside : QStandardPaths::findExecutable("ingle");
    return {program, {"host"}};
}

EngineClient::EngineClient(HostCommand command, QObject* parent)
    : QObject(parent), m_session(new HostSession(std::move(command))) {
    m_session->moveToThread(&m_thread);
    connect(&m_thread, &QThread::finished, m_session, &QObject::deleteLater);

    connect(m_session, &HostSession::inspected, this, &EngineClient::inspected);
    connect(m_session, &HostSession::inspectFailed, this, &EngineClient::inspectFailed);
    connect(m_session, &HostSession::loadProgress, this, &EngineClient::loadProgress);
    connect(m_session, &HostSession::loaded, this, &EngineClient::loaded);
    connect(m_session, &HostSession::loadFailed, this, &EngineClient::loadFailed);
    connect(m_session, &HostSession::loadRefused, this, &EngineClient::loadRefused);
    connect(m_session, &HostSession::planned, this, &EngineClient::planned);
    connect(m_session, &HostSession::promptProgress, this, &EngineClient::promptProgress);
    connect(m_session, &HostSession::tokens, this, &EngineClient::tokens);
    connect(m_session, &HostSession::done, this, &EngineClient::done);
    connect(m_session, &HostSession::generateFailed, this, &EngineClient::generateFailed);
    connect(m_session, &HostSession::restarted, this, &EngineClient::restarted);
    connect(m_session, &HostSession::deviceChanged, this, &EngineClient::deviceChanged);
    connect(m_session, &HostSession::devicesListed, this, &EngineClient::devicesListed);
    connect(m_session, &HostSession::computerDescribed, this, &EngineClient::computerDescribed);
    connect(m_session, &HostSession::hostPidChanged, this, &EngineClient::hostPidChanged);

    m_thread.setObjectName("engine client");
    m_thread.start();
}

EngineClient::~EngineClient() {
    m_thread.quit();
    m_thread.wait();
}

void EngineClient::inspect(const QString& path) {
    QMetaObject::invokeMethod(m_session, [=, session = m_session] { session->inspect(path); });
}

void EngineClient::load(const QString& path, const LoadOptions& options) {
    QMetaObject::invokeMethod(m_session, [=, session = m_session] { session->load(path, options); });
}

void EngineClient::generate(const GenerateRequest& request) {
    QMetaObject::invokeMethod(m_session, [=, session = m_session] { session->generate(request); });
}

void EngineClient::cancel() {
    QMetaObject::invokeMethod(m_session, [session = m_session] { session->cancel(); });
}

void EngineClient::listDevices() {
    QMetaObject::invokeMethod(m_session, [session = m_session] { session->listDevices(); });
}

void EngineClient::describeComputer() {
    QMetaObject::invokeMethod(m_session, [session = m_session] { session->describeComputer(); });
}

void EngineClient::retain(const std::vector<std::string>& conversations) {
    QMetaObject::invokeMethod(m_session, [=, session = m_session] { session->retain(conversations); });
}

}  // namespace ingle::desktop
