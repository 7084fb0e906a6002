/// The whole window, offscreen, with the real history and a fake host.
#pragma once

#include <sys/types.h>

#include <QAbstractItemModelTester>
#include <QDropEvent>
#include <QInputMethodEvent>
#include <QMimeData>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QtTest>

#include <optional>

#include "app/desktop/shell/app_model.h"
#include "ingle/paint_thread.h"
#include "tests/qml/suite.h"

namespace ingle::desktop {

/// The window's models by short names.
struct ModelParts : AppModel {
    using AppModel::AppModel;

    ChatPage* page() { return chats()->page(); }
    ChatPage* shownPage() { return chats()->shownPage(); }
    ChatController* chat() { return chats()->chat(); }
    PrivateChat* secret() { return chats()->secret(); }
    ChatStatus* status() { return shownPage()->status(); }
    AnswerCheck* check() { return shownPage()->check(); }
    AnotherWord* words() { return shownPage()->words(); }
    FindInChat* finder() { return shownPage()->finder(); }
    StartPage* startPage() { return chats()->startPage(); }
    Prompts* prompts() { return chats()->prompts(); }
    ConversationListModel* conversations() { return sidebar()->conversations(); }
    Folders* folders() { return sidebar()->folders(); }
    TrashModel* trash() { return sidebar()->trash(); }
    ModelInUse* models() { return services()->model(); }
    ModelLibrary* library() { return AppModel::models()->library(); }
    ModelOffers* offers() { return AppModel::models()->offers(); }
    FitAdvice* fit() { return AppModel::models()->fit(); }
    SmallerModel* smaller() { return AppModel::models()->smaller(); }
    Opener* opener() { return services()->opener(); }
    Actions* actions() { return services()->actions(); }
    Settings* settings() { return services()->settings(); }
    Notices* notices() { return services()->notices(); }
    DesktopPortal* portal() { return services()->portal(); }
    CodeColours* colours() { return services()->colours(); }
    FormulaPictures* formulas() { return services()->formulas(); }
    TextSaver* saver() { return services()->saver(); }
    SavePlace* savePlace() { return services()->savePlace(); }
    EngineClient* engine() { return &services()->engine(); }
    DeviceChoices* devices() { return program()->devices(); }
    CrashReports* crashes() { return program()->crashes(); }
    QString about() { return program()->about(); }
    DocumentShelf* documents() { return AppModel::documents()->shelf(); }
    ChatDocuments* chatDocuments() { return AppModel::documents()->ofChat(); }
    QuoteFinder* quotes() { return AppModel::documents()->quotes(); }
    ChatImport* chatImport() { return data()->chatImport(); }
    ChatExport* chatExport() { return data()->chatExport(); }
    BackupList* backups() { return data()->backups(); }
    DataPlaces* dataPlaces() { return data()->places(); }
};

/// One run of the application on a data directory.
class WindowRun {
  public:
    WindowRun(const QString& dataDir, const QStringList& hostArguments, const QString& guide = {})
        : WindowRun({.dataDir = dataDir.toStdString(), .guide = guide.toStdString()}, hostArguments) {}
    WindowRun(const AppFiles& files, const QStringList& hostArguments)
        : model(files, {INGLE_PYTHON, QStringList{INGLE_FAKE_HOST} + hostArguments}) {
        markPaintThread();
        // Most tests ask for what they ask for, and nothing else.
        model.settings()->setProperty("titles", "question");
        engine.addImportPath("qrc:/qt/qml");
        engine.setInitialProperties({{"app", QVariant::fromValue<AppModel*>(&model)}});
        engine.load(QUrl("qrc:/qt/qml/Inglenook/shell/Main.qml"));
        window = qobject_cast<QQuickWindow*>(engine.rootObjects().value(0));
        QObject::connect(model.services(), &Services::languageChanged, &engine,
                         &QQmlApplicationEngine::retranslate);
        QObject::connect(model.engine(), &EngineClient::hostPidChanged, &engine,
                         [this](qint64 pid) { hostPid = static_cast<pid_t>(pid); });
    }
    // The window goes before the models it shows.
    ~WindowRun() { delete window; }

    ChatController& chat() { return *model.chat(); }
    const std::vector<history::Message>& messages() { return model.chat()->messages()->messages(); }
    /// What all parts of a message say.
    std::string said(size_t row) {
        std::string text;
        for (const Part& part : messages()[row].parts) text += part.text;
        return text;
    }
    bool ready() { return model.models()->state() == ModelInUse::Ready; }
    bool idle() { return chat().generation() == ChatController::Idle; }

    static constexpr auto kFatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

    QQuickItem* item(const char* name) { return window->findChild<QQuickItem*>(name); }

    /// One that a view made: a child in the scene, but not of the window as an object.
    QQuickItem* shownItem(const char* name, QQuickItem* from = nullptr) {
        if (from == nullptr) from = window->contentItem();
        if (from->objectName() == name) return from;
        for (QQuickItem* child : from->childItems())
            if (QQuickItem* found = shownItem(name, child)) return found;
        return nullptr;
    }

    /// All of that name, or of a QML type of that name, that can be seen.
    QList<QQuickItem*> shownItems(const QString& name, QQuickItem* from = nullptr) {
        if (from == nullptr) from = window->contentItem();
        QList<QQuickItem*> found;
        if (!from->isVisible()) return found;
        const QString type = from->metaObject()->className();
        if (from->objectName() == name || type.startsWith(name + "_QMLTYPE_")) found << from;
        for (QQuickItem* child : from->childItems()) found += shownItems(name, child);
        return found;
    }

    /// A click where the item is once everything has found its place.
    void click(QQuickItem* target, const QPointF& at, Qt::MouseButton button = Qt::LeftButton) {
        window->grabWindow();
        QTest::mouseClick(window, button, {}, target->mapToScene(at).toPoint());
    }

    /// A page or card that is there now, and seen.
    bool isOpen(const char* name) {
        const QObject* part = window->findChild<QObject*>(name);
        return part != nullptr && part->property("visible").toBool();
    }

    QString composerText() { return item("composerInput")->property("text").toString(); }

    bool drop(const QString& path) {
        QMimeData data;
        data.setUrls({QUrl::fromLocalFile(path)});
        const QPoint at(window->width() / 2, window->height() / 2);
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &enter);
        QDropEvent dropped(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QCoreApplication::sendEvent(window, &dropped);
        return dropped.isAccepted();
    }
    void inputMethod(const QString& preedit, const QString& commit) {
        QInputMethodEvent event(preedit, {});
        event.setCommitString(commit);
        QCoreApplication::sendEvent(item("composerInput"), &event);
    }

    ModelParts model;
    // Whatever a test does, the lists have to keep the rules of models.
    QAbstractItemModelTester conversations{model.conversations(), kFatal};
    QAbstractItemModelTester models{model.library(), kFatal};
    QAbstractItemModelTester trash{model.trash(), kFatal};
    QAbstractItemModelTester documents{model.documents(), kFatal};
    QAbstractItemModelTester chatDocuments{model.chatDocuments(), kFatal};
    QAbstractItemModelTester offers{model.offers(), kFatal};
    QAbstractItemModelTester backups{model.backups(), kFatal};
    QAbstractItemModelTester dataPlaces{model.dataPlaces(), kFatal};
    /// Looks at every row after every change: none where time is measured.
    std::optional<QAbstractItemModelTester> rowsTester{std::in_place, model.chat()->messages(), kFatal};
    QQmlApplicationEngine engine;
    QQuickWindow* window = nullptr;
    pid_t hostPid = 0;
};

/// What the runs of a test program share.
class WindowFiles {
  protected:
    /// To be called once, first. False: the disk does not let it.
    bool prepare() {
        QQuickStyle::setStyle("Basic");
        m_modelFile = m_folder.filePath("small.gguf");
        QFile file(m_modelFile);
        return file.open(QIODevice::WriteOnly) && file.write("not really a model") > 0;
    }

    QString freshDataDir() {
        const QString path = m_folder.filePath(QString("data%1").arg(++m_run));
        QDir().mkpath(path);
        return path;
    }

    /// Of an operation that the host has written to its log.
    static int requests(const QString& log, const char* operation) {
        QFile file(log);
        if (!file.open(QIODevice::ReadOnly)) return -1;
        return static_cast<int>(file.readAll().count(QByteArray("\"op\":\"") + operation + '"'));
    }

    QTemporaryDir m_folder;
    QString m_modelFile;

  private:
    int m_run = 0;
};

}  // namespace ingle::desktop
