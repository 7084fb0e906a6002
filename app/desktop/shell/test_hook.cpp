#include "app/desktop/shell/test_hook.h"

#include <fcntl.h>
#include <unistd.h>

#include <QCoreApplication>
#include <QDropEvent>
#include <QFile>
#include <QInputMethodEvent>
#include <QJsonArray>
#include <QJsonDocument>
#include <QLocalSocket>
#include <QMetaEnum>
#include <QMimeData>
#include <QQuickItem>
#include <QTest>
#include <QUrl>

#include <algorithm>
#include <chrono>

#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

/// What all parts say, without marks.
std::string allText(const history::Message& message) {
    std::string text;
    for (const Part& part : message.parts) text += part.text;
    return text;
}

QJsonObject failure(const QString& sentence) {
    return {{"ok", false}, {"error", sentence}};
}

constexpr int kActivationMs = 60'000;  // a busy computer's window system may be late
const QJsonObject kOk{{"ok", true}};
constexpr int kMostRows = 200;  // of the sidebar, in a state

template <typename Enum>
QString enumName(Enum value) {
    return QString::fromLatin1(QMetaEnum::fromType<Enum>().valueToKey(value));
}

Qt::Key keyNamed(const QString& name) {
    const auto key = static_cast<Qt::Key>(
        QMetaEnum::fromType<Qt::Key>().keyToValue(("Key_" + name).toLatin1().constData()));
    return static_cast<int>(key) == -1 ? Qt::Key_unknown : key;
}

/// The clock of Python's time.monotonic().
double monotonicMs() {
    return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
        .count();
}

QQuickItem* findItem(QQuickItem* root, const QString& name) {
    if (!root->isVisible()) return nullptr;
    if (root->objectName() == name) return root;
    for (QQuickItem* child : root->childItems()) {
        if (QQuickItem* found = findItem(child, name)) return found;
    }
    return nullptr;
}

/// As a person does who looks for something in what is longer than its place.
void scrollTo(const QQuickItem& item) {
    for (QQuickItem* place = item.parentItem(); place != nullptr; place = place->parentItem()) {
        if (!place->inherits("QQuickFlickable")) continue;
        const double at = item.mapToItem(place, QPointF(0, item.height() / 2)).y();
        if (at >= 0 && at <= place->height()) continue;
        const double top = place->property("contentY").toDouble() + at - place->height() / 2;
        const double last = place->property("contentHeight").toDouble() - place->height();
        place->setProperty("contentY", std::clamp(top, 0.0, std::max(0.0, last)));
    }
}

}  // namespace

TestHook::TestHook(QQuickWindow& window, AppModel& model) : m_window(window), m_model(model) {
    connect(&model.services()->engine(), &EngineClient::hostPidChanged, this,
            [this](qint64 pid) { m_hostPid = pid; });
    connect(&window, &QQuickWindow::frameSwapped, this, [this] {
        ++m_numFrames;
        if (m_firstFrameMs == 0) m_firstFrameMs = monotonicMs();
    });
    connect(model.services()->model(), &ModelInUse::stateChanged, this, [this] {
        if (m_modelReadyMs == 0 && m_model.services()->model()->state() == ModelInUse::Ready)
            m_modelReadyMs = monotonicMs();
    });
    connect(&m_server, &QLocalServer::newConnection, this, [this] {
        QLocalSocket* client = m_server.nextPendingConnection();
        connect(client, &QLocalSocket::disconnected, client, &QObject::deleteLater);
        connect(client, &QLocalSocket::readyRead, this, [this, client] {
            while (client->canReadLine()) {
                const QJsonObject reply = answer(QJsonDocument::fromJson(client->readLine()).object());
                client->write(QJsonDocument(reply).toJson(QJsonDocument::Compact) + '\n');
                client->flush();
            }
        });
    });
    const QString socket = qEnvironmentVariable("INGLE_TEST_SOCKET");
    if (!socket.isEmpty()) {
        QLocalServer::removeServer(socket);
        if (!m_server.listen(socket)) qWarning("cannot listen on %s", qPrintable(socket));
    }
    const QByteArray paintLog = qgetenv("INGLE_PAINT_LOG");
    if (!paintLog.isEmpty()) {
        m_paintLog = ::open(paintLog.constData(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0600);
        connect(&window, &QQuickWindow::frameSwapped, this, &TestHook::logFrame);
    }
}

TestHook::~TestHook() {
    if (m_paintLog >= 0) ::close(m_paintLog);
}

QJsonObject TestHook::answer(const QJsonObject& command) {
    const QString name = command["cmd"].toString();
    if (name == "drop") return drop(command);
    if (name == "type") return type(command);
    if (name == "key") return key(command);
    if (name == "click") return click(command);
    if (name == "act") return act(command);
    if (name == "state") return state();
    if (name == "screenshot") return screenshot(command);
    if (name == "resize") {
        m_window.resize(command["width"].toInt(), command["height"].toInt());
        return kOk;
    }
    if (name == "quit") {
        QMetaObject::invokeMethod(qApp, &QCoreApplication::quit, Qt::QueuedConnection);
        return kOk;
    }
    return failure("unknown command " + name);
}

QJsonObject TestHook::drop(const QJsonObject& command) {
    QMimeData data;
    data.setUrls({QUrl::fromLocalFile(command["path"].toString())});
    const QPoint center(m_window.width() / 2, m_window.height() / 2);
    QDragEnterEvent enter(center, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&m_window, &enter);
    QDragMoveEvent move(center, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&m_window, &move);
    QDropEvent dropped(center, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
    QCoreApplication::sendEvent(&m_window, &dropped);
    return dropped.isAccepted() ? kOk : failure("the window did not accept the drop");
}

QJsonObject TestHook::type(const QJsonObject& command) {
    // As an input method commits it; works for any script.
    QQuickItem* target = m_window.activeFocusItem();
    if (target == nullptr) return failure("nothing has the focus");
    QInputMethodEvent event;
    event.setCommitString(command["text"].toString());
    QCoreApplication::sendEvent(target, &event);
    return kOk;
}

QJsonObject TestHook::key(const QJsonObject& command) {
    Qt::KeyboardModifiers modifiers = Qt::NoModifier;
    for (const QJsonValue& each : command["modifiers"].toArray()) {
        if (each == QLatin1String("ctrl")) modifiers |= Qt::ControlModifier;
        if (each == QLatin1String("shift")) modifiers |= Qt::ShiftModifier;
        if (each == QLatin1String("alt")) modifiers |= Qt::AltModifier;
    }
    const QString name = command["key"].toString();
    const Qt::Key code = keyNamed(name);
    if (code == Qt::Key_unknown) return failure("unknown key " + name);
    if (!m_window.isActive()) {
        // Shortcuts belong to the active window, and a bare X server activates none by itself.
        m_window.requestActivate();
        if (!QTest::qWaitForWindowActive(&m_window, kActivationMs))
            return failure("the window is not active");
    }
    QTest::keyClick(&m_window, code, modifiers);
    return kOk;
}

QJsonObject TestHook::click(const QJsonObject& command) {
    const QString name = command["object"].toString();
    QQuickItem* item = findItem(m_window.contentItem(), name);
    if (item == nullptr) return failure("no visible item is called " + name);
    scrollTo(*item);
    const QPoint center = item->mapToScene(QPointF(item->width() / 2, item->height() / 2)).toPoint();
    // What is still laid out or carried in would be missed, so it must lie where it lay in an earlier frame.
    if (item != m_aim.item || center != m_aim.center) m_aim = {item, center, m_numFrames};
    if (m_aim.frame == m_numFrames) {
        m_window.update();
        return failure(name + " was not drawn there yet");
    }
    m_aim = {};
    QTest::mouseClick(&m_window, Qt::LeftButton, Qt::NoModifier, center);
    return kOk;
}

QJsonObject TestHook::act(const QJsonObject& command) {
    const auto number = [&](const char* key) { return command[key].toVariant().toLongLong(); };
    const QString action = command["action"].toString();
    const QUrl file = QUrl::fromLocalFile(command["path"].toString());
    // What a dialog or a menu would have asked for comes with the command.
    if (action == "moveTo") {
        m_model.sidebar()->conversations()->moveTo(number("target"), number("folder"));
    } else if (action == "moveToNewFolder") {
        m_model.sidebar()->conversations()->moveToNewFolder(number("target"), command["title"].toString());
    } else if (action == "open") {
        m_model.chats()->page()->chat()->open(number("target"));
    } else if (action == "export") {
        m_model.data()->chatExport()->write(0, 0, "json", file, true);
    } else if (action == "restore") {
        m_model.data()->backups()->restore(command["row"].toInt());
    } else if (m_model.services()->actions()->can(action, number("target"))) {
        m_model.services()->actions()->run(action, number("target"));
    } else {
        return failure(action + " cannot be done now");
    }
    return kOk;
}

QJsonArray TestHook::rows() const {
    QJsonArray rows;
    const ConversationListModel& list = *m_model.sidebar()->conversations();
    for (int row = 0; row < std::min(list.rowCount(), kMostRows); ++row) {
        const QModelIndex at = list.index(row);
        rows.append(QJsonObject{
            {"kind", at.data(ConversationListModel::KindRole).toString()},
            {"id", at.data(ConversationListModel::ConversationIdRole).toLongLong()},
            {"title", at.data(ConversationListModel::TitleRole).toString()},
            {"folder", at.data(ConversationListModel::FolderRole).toLongLong()},
        });
    }
    return rows;
}

QJsonObject TestHook::state() {
    const ChatController& chat = *m_model.chats()->chat();
    QJsonArray messages;
    for (const history::Message& message : m_model.chats()->chat()->messages()->messages()) {
        messages.append(QJsonObject{
            {"id", static_cast<qint64>(message.id)},
            {"role", message.role == Role::User ? "user" : "assistant"},
            {"status", enumName(static_cast<ChatRows::MessageState>(message.status))},
            {"text", toQString(allText(message))},
            {"error", message.error ? toQString(message.error->message) : QString()},
        });
    }
    QJsonArray deviceChoices;
    for (const QVariant& choice : m_model.program()->devices()->choices())
        deviceChoices.append(choice.toMap()["name"].toString());
    QJsonArray documents;
    const DocumentShelf& shelf = *m_model.documents()->shelf();
    for (int row = 0; row < shelf.rowCount(); ++row) {
        const QModelIndex at = shelf.index(row);
        documents.append(QJsonObject{
            {"title", at.data(DocumentShelf::TitleRole).toString()},
            {"state", enumName(static_cast<DocumentShelf::State>(at.data(DocumentShelf::StateRole).toInt()))},
            {"progress", at.data(DocumentShelf::ProgressRole).toString()},
            {"fraction", at.data(DocumentShelf::FractionRole).toDouble()},
            {"inChat", at.data(DocumentShelf::InChatRole).toBool()},
        });
    }
    return {
        {"ok", true},
        {"documents", documents},
        {"rows", rows()},
        {"import", enumName(m_model.data()->chatImport()->state())},
        {"importFraction", m_model.data()->chatImport()->fraction()},
        {"exporting", m_model.data()->chatExport()->writing()},
        {"backups", m_model.data()->backups()->rowCount()},
        {"backingUp", m_model.data()->backups()->busy()},
        {"firstFrameMs", m_firstFrameMs},
        {"modelReadyMs", m_modelReadyMs},
        {"modelState", enumName(m_model.services()->model()->state())},
        {"modelPath", QString::fromStdString(m_model.services()->model()->current().path)},
        {"models", m_model.models()->library()->rowCount()},
        {"modelName", m_model.services()->model()->currentName()},
        {"inspecting", m_model.services()->opener()->isLooking()},
        {"generationState", enumName(chat.generation())},
        {"banner", m_model.services()->notices()->banner()},
        {"bannerAction", m_model.services()->notices()->bannerAction()},
        {"toast", m_model.services()->notices()->toast()},
        {"smaller", enumName(m_model.models()->smaller()->state())},
        {"smallerFraction", m_model.models()->smaller()->fraction()},
        {"smallerSentence", m_model.models()->smaller()->sentence()},
        {"computer", m_model.models()->offers()->computer()},
        {"offers", m_model.models()->offers()->rowCount()},
        {"focus", m_window.activeFocusItem() ? m_window.activeFocusItem()->objectName() : QString()},
        {"fallback", m_model.services()->model()->fallback()},
        {"device", m_model.services()->model()->device()},
        {"hostPid", m_hostPid},
        {"deviceChoices", deviceChoices},
        {"conversationId", chat.conversationId()},
        {"draft", chat.draft()},
        {"attached", QJsonArray::fromVariantList(chat.attachedPictures())},
        {"conversations", m_model.sidebar()->conversations()->rowCount()},
        {"private", m_model.chats()->secret()->isShown()},
        {"title", chat.title()},
        {"draft", chat.draft()},
        {"statusLine", m_model.chats()->shownPage()->status()->everything()},
        {"messages", messages},
        {"width", m_window.width()},
        {"height", m_window.height()},
    };
}

QJsonObject TestHook::screenshot(const QJsonObject& command) {
    return m_window.grabWindow().save(command["path"].toString()) ? kOk : failure("cannot save the picture");
}

void TestHook::logFrame() {
    const auto& messages = m_model.chats()->chat()->messages()->messages();
    if (messages.empty() || messages.back().role != Role::Assistant) return;
    const history::Message& newest = messages.back();
    if (newest.id != m_paintedId) {
        m_paintedId = newest.id;
        m_paintedBytes = 0;
    }
    const std::string text = allText(newest);
    if (text.size() <= m_paintedBytes) return;
    const QJsonObject record{
        {"id", static_cast<qint64>(newest.id)},
        {"offset", static_cast<qint64>(m_paintedBytes)},
        {"text", toQString(text.substr(m_paintedBytes))},
        {"ms", monotonicMs()},
    };
    m_paintedBytes = text.size();
    const QByteArray line = QJsonDocument(record).toJson(QJsonDocument::Compact) + '\n';
    // One write with O_APPEND: a killed window leaves whole lines.
    if (::write(m_paintLog, line.constData(), static_cast<size_t>(line.size())) != line.size()) {
        qWarning("the paint log is incomplete");
    }
}

}  // namespace ingle::desktop
