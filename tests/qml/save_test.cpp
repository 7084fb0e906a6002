/// Saving a file: nothing that the person did not name and confirm is replaced, whoever asks. And what else
/// the desktop's portal asks people.
#include <QDBusAbstractAdaptor>
#include <QDBusConnection>
#include <QDBusMessage>
#include <QDBusObjectPath>
#include <QDir>
#include <QProcess>

#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

/// The desktop's portal: what it was asked for, and what it answers.
class FakePortal : public QObject {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.FileChooser")
  public:
    using QObject::QObject;

    bool works = true;
    uint response = 0;
    QString answer;  ///< a path
    QString title, name;
    int asked = 0;

  public slots:
    QDBusObjectPath SaveFile(const QString&, const QString& heading, const QVariantMap& options,
                             const QDBusMessage& call) {
        ++asked;
        QDBusConnection bus("portal");
        if (!works) {
            call.setDelayedReply(true);
            bus.send(call.createErrorReply(QDBusError::NotSupported, "no backend"));
            return {};
        }
        title = heading;
        name = options["current_name"].toString();
        const QString path = "/org/freedesktop/portal/desktop/request/" +
                             call.service().mid(1).replace('.', '_') + '/' +
                             options["handle_token"].toString();
        QTimer::singleShot(0, this, [this, bus, path]() mutable {
            QDBusMessage said =
                QDBusMessage::createSignal(path, "org.freedesktop.portal.Request", "Response");
            QVariantMap results;
            if (response == 0) results["uris"] = QStringList{QUrl::fromLocalFile(answer).toString()};
            said << response << results;
            bus.send(said);
        });
        return QDBusObjectPath(path);
    }
};

/// The portal's other side: a picture of the screen.
class FakeScreen : public QDBusAbstractAdaptor {
    Q_OBJECT
    Q_CLASSINFO("D-Bus Interface", "org.freedesktop.portal.Screenshot")
  public:
    explicit FakeScreen(QObject* portal) : QDBusAbstractAdaptor(portal) {}

    QString picture;  ///< its path; empty: the person wants none

  public slots:
    QDBusObjectPath Screenshot(const QString&, const QVariantMap& options, const QDBusMessage& call) {
        const QString path = "/org/freedesktop/portal/desktop/request/" +
                             call.service().mid(1).replace('.', '_') + '/' +
                             options["handle_token"].toString();
        QTimer::singleShot(0, this, [path, file = picture] {
            QDBusMessage said =
                QDBusMessage::createSignal(path, "org.freedesktop.portal.Request", "Response");
            QVariantMap results;
            if (!file.isEmpty()) results["uri"] = QUrl::fromLocalFile(file).toString();
            said << uint{file.isEmpty()} << results;
            QDBusConnection("portal").send(said);
        });
        return QDBusObjectPath(path);
    }
};

class SaveTest : public QObject, WindowFiles {
    Q_OBJECT

    QProcess m_bus;
    FakePortal m_portal;
    FakeScreen m_screen{&m_portal};
    QString m_place;  ///< where everything goes

    void write(const QString& name, const QByteArray& text) {
        QFile file(m_place + "/" + name);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
    }
    QByteArray read(const QString& name) {
        QFile file(m_place + "/" + name);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    QStringList files() { return QDir(m_place).entryList(QDir::Files | QDir::Hidden, QDir::Name); }
    void press(WindowRun& run, const char* button) {
        QTRY_VERIFY(run.shownItem(button) != nullptr && run.shownItem(button)->isVisible());
        run.click(run.shownItem(button), QPointF(5, 5));
    }
    static QString said(WindowRun& run, const char* item) {
        QQuickItem* shown = run.shownItem(item);
        return shown != nullptr && shown->isVisible() ? shown->property("text").toString() : QString();
    }
    static QString name(WindowRun& run) { return said(run, "saveName"); }
    void type(WindowRun& run, const QString& text) {
        QTest::keyClick(run.window, Qt::Key_A, Qt::ControlModifier);
        for (const QChar letter : text)
            QTest::sendKeyEvent(QTest::Click, run.window, Qt::Key(0), QString(letter), {});
    }
    void enter(WindowRun& run) { QTest::keyClick(run.window, Qt::Key_Return); }
    bool focused(WindowRun& run, const char* item) {
        return run.shownItem(item) != nullptr && run.shownItem(item)->hasActiveFocus();
    }
    /// The card from which the only chat, of this title, is exported; then its button.
    void startExport(WindowRun& run) {
        run.model.actions()->run("exportChat");
        QTRY_VERIFY(run.isOpen("exportCard"));
        press(run, "exportSave");
    }
    void withAChat(WindowRun& run) {
        run.model.savePlace()->setFolder(QUrl::fromLocalFile(m_place));
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("Honey");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
    }
    void exported(WindowRun& run) {
        QTRY_VERIFY_WITH_TIMEOUT(!run.isOpen("exportCard"), kPatienceMs);
        QVERIFY(!run.isOpen("saveDialog"));
    }

  private slots:
    void initTestCase() {
        QVERIFY(prepare());
        m_bus.setStandardErrorFile(QProcess::nullDevice());
        m_bus.start("dbus-daemon", {"--session", "--nofork", "--print-address"});
        QVERIFY2(m_bus.waitForReadyRead(kPatienceMs), "dbus-daemon does not start");
        const QByteArray address = m_bus.readLine().trimmed();
        qputenv("DBUS_SESSION_BUS_ADDRESS", address);
        QDBusConnection bus = QDBusConnection::connectToBus(address, "portal");
        QVERIFY(bus.registerObject("/org/freedesktop/portal/desktop", &m_portal,
                                   QDBusConnection::ExportAllSlots | QDBusConnection::ExportAdaptors));
        QVERIFY(bus.registerService("org.freedesktop.portal.Desktop"));
    }
    void cleanupTestCase() {
        m_bus.kill();
        m_bus.waitForFinished();
    }
    void init() {
        m_place = m_folder.filePath(QString("place%1").arg(QTest::currentTestFunction()));
        QVERIFY(QDir().mkpath(m_place));
        m_portal.works = false;
        m_portal.response = 0;
        m_portal.asked = 0;
        write("a first file.md", "mine");
    }

    void enterSavesUnderTheNameThatIsShown() {
        WindowRun run(freshDataDir(), {"--say", "Sweet."});
        withAChat(run);
        startExport(run);
        QTRY_COMPARE(name(run), QString("Honey.md"));
        QVERIFY(focused(run, "saveName"));
        QTRY_VERIFY(run.shownItem("saveEntry-a first file.md") != nullptr);
        enter(run);
        exported(run);
        QCOMPARE(files(), (QStringList{"Honey.md", "a first file.md"}));
        QVERIFY(read("Honey.md").contains("Sweet."));
        QCOMPARE(read("a first file.md"), QByteArray("mine"));
    }

    void aTakenNameIsAskedAbout() {
        WindowRun run(freshDataDir(), {"--say", "Sweet."});
        withAChat(run);
        write("Honey.md", "also mine");
        startExport(run);
        QTRY_COMPARE(name(run), QString("Honey.md"));
        enter(run);
        QTRY_COMPARE(said(run, "saveProblem"), QString("There is a file Honey.md here already. Replace it?"));
        // Whoever presses Enter once more has not said yes.
        QVERIFY(focused(run, "saveKeep"));
        enter(run);
        QTRY_VERIFY(focused(run, "saveName"));
        QVERIFY(run.isOpen("saveDialog"));
        QCOMPARE(read("Honey.md"), QByteArray("also mine"));
        type(run, "Other.md");
        enter(run);
        exported(run);
        QCOMPARE(read("Honey.md"), QByteArray("also mine"));
        QVERIFY(read("Other.md").contains("Sweet."));
        startExport(run);
        QTRY_VERIFY(focused(run, "saveName"));
        enter(run);
        press(run, "saveReplace");
        exported(run);
        QVERIFY(read("Honey.md").contains("Sweet."));
        QCOMPARE(files().size(), 3);
    }

    void aClickOnAFileOnlyTakesItsName() {
        WindowRun run(freshDataDir(), {});
        withAChat(run);
        startExport(run);
        press(run, "saveEntry-a first file.md");
        QTRY_COMPARE(name(run), QString("a first file.md"));
        press(run, "saveButton");
        QTRY_VERIFY(said(run, "saveProblem").contains("a first file.md"));
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY(!run.isOpen("saveDialog"));
        QVERIFY(run.isOpen("exportCard"));
        QCOMPARE(files(), QStringList{"a first file.md"});
        QCOMPARE(read("a first file.md"), QByteArray("mine"));
    }

    void foldersAreEnteredAndPathsTyped() {
        WindowRun run(freshDataDir(), {});
        withAChat(run);
        QVERIFY(QDir(m_place).mkpath("deep/deeper"));
        startExport(run);
        press(run, "saveEntry-deep");
        QTRY_COMPARE(run.model.savePlace()->folder(), QUrl::fromLocalFile(m_place + "/deep"));
        run.shownItem("saveName")->forceActiveFocus();
        type(run, "deeper");
        enter(run);
        QTRY_COMPARE(run.model.savePlace()->folder(), QUrl::fromLocalFile(m_place + "/deep/deeper"));
        QCOMPARE(name(run), QString("Honey.md"));
        press(run, "saveUp");
        QTRY_COMPARE(run.model.savePlace()->folder(), QUrl::fromLocalFile(m_place + "/deep"));
        for (const auto& [typed, sentence] :
             {std::pair(QString("nowhere/x.md"), "There is no folder " + m_place + "/deep/nowhere."),
              std::pair(QString(300, 'x'), QString("This name is too long."))}) {
            run.shownItem("saveName")->forceActiveFocus();
            type(run, typed);
            enter(run);
            QTRY_COMPARE(said(run, "saveProblem"), sentence);
        }
        type(run, m_place + "/typed.md");
        enter(run);
        exported(run);
        QVERIFY(!read("typed.md").isEmpty());
    }

    void codeIsSavedThroughTheSameDialog() {
        WindowRun run(freshDataDir(), {});
        run.model.savePlace()->setFolder(QUrl::fromLocalFile(m_place));
        write("code.py", "mine");
        QMetaObject::invokeMethod(run.window->findChild<QObject*>("saveDialog"), "saveCode",
                                  Q_ARG(QString, "print(1)"), Q_ARG(QString, "python"));
        QTRY_COMPARE(name(run), QString("code.py"));
        enter(run);
        QTRY_VERIFY(focused(run, "saveKeep"));
        press(run, "saveReplace");
        QTRY_COMPARE(read("code.py"), QByteArray("print(1)"));
    }

    /// Whatever a dialog says: what was not confirmed is not replaced.
    void whatWritesRefusesToReplaceWhatNobodyConfirmed() {
        WindowRun run(freshDataDir(), {});
        withAChat(run);
        const QUrl file = QUrl::fromLocalFile(m_place + "/a first file.md");
        const auto shown = static_cast<qint64>(run.chat().conversationId());
        run.model.chatExport()->write(shown, 0, "md", file, false);
        QTRY_COMPARE(run.model.notices()->banner(), file.toLocalFile() + " could not be written.");
        QVERIFY(run.model.notices()->bannerDetails().contains("is there already"));
        run.model.notices()->dismissBanner();
        run.model.saver()->save("other", file, false);
        QTRY_COMPARE(run.model.notices()->banner(), file.toLocalFile() + " could not be written.");
        QCOMPARE(read("a first file.md"), QByteArray("mine"));
        QCOMPARE(files().size(), 1);
    }

    void theDesktopsOwnDialogIsAskedWhereThereIsOne() {
        WindowRun run(freshDataDir(), {"--say", "Sweet."});
        withAChat(run);
        m_portal.works = true;
        m_portal.response = 1;
        startExport(run);
        QTRY_COMPARE(m_portal.name, QString("Honey.md"));
        QCOMPARE(m_portal.title, QString("Save export as"));
        QTest::qWait(50);
        QVERIFY(!run.isOpen("saveDialog") && run.isOpen("exportCard"));  // it was cancelled there
        m_portal.response = 0;
        m_portal.answer = m_place + "/a first file.md";
        press(run, "exportSave");  // the desktop has asked whether to replace it
        exported(run);
        QVERIFY(read("a first file.md").contains("Sweet."));
        QCOMPARE(files().size(), 1);
        // Behind a private chat it cannot ask any more.
        run.model.secret()->show();
        run.model.secret()->close();
        startExport(run);
        QTRY_COMPARE(name(run), QString("Honey.md"));
        QCOMPARE(m_portal.asked, 2);
    }

    void aScreenshotIsAttached() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.model.actions()->can("takeScreenshot", 0));
        run.model.actions()->run("takeScreenshot");
        QTest::qWait(200);
        QVERIFY(run.chat().attachedPictures().isEmpty() && run.model.notices()->toast().isEmpty());
        m_screen.picture = m_place + "/screen.png";
        QImage image(30, 20, QImage::Format_RGB32);
        image.fill(Qt::red);
        QVERIFY(image.save(m_screen.picture));
        run.model.actions()->run("takeScreenshot");
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().attachedPictures().size(), 1, kPatienceMs);
        QCOMPARE(run.chat().attachedPictures()[0].toMap()["name"].toString(), QString("screen.png"));
    }
};

WINDOW_SUITE(SaveTest)
#include "save_test.moc"
