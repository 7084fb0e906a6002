/// The whole window, offscreen, with the real history and a fake host.
#include <QDropEvent>
#include <QInputMethodEvent>
#include <QJsonDocument>
#include <QJsonObject>
#include <QMimeData>
#include <QQmlApplicationEngine>
#include <QQuickItem>
#include <QQuickStyle>
#include <QQuickWindow>
#include <QTemporaryDir>
#include <QtTest>

#include <csignal>

#include "app/desktop/viewmodels/app_model.h"
#include "tests/full_disk.h"

using namespace ingle;
using namespace ingle::desktop;

namespace {

constexpr int kPatienceMs = 20000;

/// One run of the application on a data directory.
class Run {
  public:
    Run(const QString& dataDir, const QStringList& hostArguments, const QString& guide = {})
        : model(dataDir.toStdString(), {INGLE_PYTHON, QStringList{INGLE_FAKE_HOST} + hostArguments},
                guide.toStdString()) {
        engine.addImportPath("qrc:/qt/qml");
        engine.setInitialProperties({{"app", QVariant::fromValue(&model)}});
        engine.load(QUrl("qrc:/qt/qml/Inglenook/qml/Main.qml"));
        window = qobject_cast<QQuickWindow*>(engine.rootObjects().value(0));
        QObject::connect(model.engine(), &EngineClient::hostPidChanged, &engine,
                         [this](qint64 pid) { hostPid = static_cast<pid_t>(pid); });
    }
    // The window goes before the models it shows.
    ~Run() { delete window; }

    ChatController& chat() { return *model.chat(); }
    const std::vector<history::Message>& messages() { return model.chat()->messages()->messages(); }
    bool ready() { return model.models()->state() == ModelListModel::Ready; }
    bool idle() { return chat().generation() == ChatController::Idle; }

    QQuickItem* item(const char* name) { return window->findChild<QQuickItem*>(name); }

    /// One that a view made: a child in the scene, but not of the window as an object.
    QQuickItem* shownItem(const char* name, QQuickItem* from = nullptr) {
        if (from == nullptr) from = window->contentItem();
        if (from->objectName() == name) return from;
        for (QQuickItem* child : from->childItems())
            if (QQuickItem* found = shownItem(name, child)) return found;
        return nullptr;
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

    AppModel model;
    QQmlApplicationEngine engine;
    QQuickWindow* window = nullptr;
    pid_t hostPid = 0;
};

}  // namespace

class WindowTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;
    QString m_modelFile;
    int m_run = 0;

    QString freshDataDir() {
        const QString path = m_folder.filePath(QString("data%1").arg(++m_run));
        QDir().mkpath(path);
        return path;
    }

    static int requests(const QString& log, const char* operation) {
        QFile file(log);
        if (!file.open(QIODevice::ReadOnly)) return -1;
        return static_cast<int>(file.readAll().count(QByteArray("\"op\":\"") + operation + '"'));
    }

  private slots:
    void initTestCase() {
        QQuickStyle::setStyle("Basic");
        m_modelFile = m_folder.filePath("small.gguf");
        QFile file(m_modelFile);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("not really a model");
    }

    void aDroppedFileAnswers() {
        Run run(freshDataDir(), {});
        QVERIFY(run.window != nullptr);
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("  How far can you count?\nFar?");
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        QCOMPARE(QString::fromStdString(run.messages()[1].text),
                 QString("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "));
        QCOMPARE(run.chat().title(), QString("How far can you count?"));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
    }

    void whatTheModelThinksIsFolded() {
        Run run(freshDataDir(), {"--tokens", "5", "--thinking", "3", "--note", "There is no chat template."});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(QString::fromStdString(run.messages()[1].text),
                 QString("<think>\n0 1 2 \n</think>\n\n3 4 "));
        QTRY_VERIFY(run.shownItem("reasoning") != nullptr);
        QCOMPARE(run.shownItem("reasoning")->property("text").toString(), QString("0 1 2"));
        QVERIFY(!run.shownItem("reasoning")->property("open").toBool());
        QVERIFY(!run.shownItem("reasoning")->property("running").toBool());
        QVERIFY(run.item("statusLine")->property("text").toString().contains("There is no chat template."));
    }

    void theGuideAnswersWhileThereIsNothingElse() {
        const QString data = freshDataDir();
        const QString guide = m_folder.filePath("guide.gguf");
        QVERIFY(QFile::copy(m_modelFile, guide));
        QFile other(m_folder.filePath("other.gguf"));
        QVERIFY(other.open(QIODevice::WriteOnly));
        other.write("another model");
        other.close();
        {
            Run run(data, {}, guide);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(run.model.models()->guiding());
            QTRY_VERIFY(run.shownItem("suggestion-3") != nullptr);
            QTRY_VERIFY(run.shownItem("suggestion-3")->isVisible());
            QTest::mouseClick(run.window, Qt::LeftButton, {},
                              run.shownItem("suggestion-0")->mapToScene({20, 10}).toPoint());
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QCOMPARE(QString::fromStdString(run.messages()[0].text), QString("How do I open a model?"));
        }
        // It moved together with Inglenook: still the same model, and no word about it.
        const QString moved = m_folder.filePath("elsewhere/guide.gguf");
        QVERIFY(QDir(m_folder.path()).mkdir("elsewhere") && QFile::rename(guide, moved));
        {
            Run run(data, {}, moved);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(run.model.models()->guiding());
            QCOMPARE(run.model.models()->rowCount(), 1);
            QVERIFY(run.model.notices()->banner().isEmpty());
            // Another model takes its place …
            QVERIFY(run.drop(other.fileName()));
            QTRY_VERIFY_WITH_TIMEOUT(run.model.models()->rowCount() == 2 && run.ready(), kPatienceMs);
            QVERIFY(!run.model.models()->guiding());
            QVERIFY(!run.shownItem("suggestion-0")->isVisible());
        }
        {
            Run run(data, {}, moved);  // … and keeps it.
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(!run.model.models()->guiding());
        }
    }

    void theStatusLineSaysWhichDeviceComputesAndWhy() {
        Run run(freshDataDir(),
                {"--tokens", "5", "--move-at", "2", "--device-note", "No GPU can be used here."});
        const auto status = [&] { return run.item("statusLine")->property("text").toString(); };
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY2(status().contains("No GPU can be used here."), qPrintable(status()));
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(QString::fromStdString(run.messages()[1].text), QString("0 1 2 3 4 "));
        QVERIFY2(status().contains("a fake failed.  ·  another fake"), qPrintable(status()));
        QVERIFY2(!status().contains("No GPU can be used here."), qPrintable(status()));
    }

    void theDeviceIsChosenInTheSettings() {
        const QString data = freshDataDir();
        const QString log = m_folder.filePath("devices");
        const auto loads = [&log] {
            QFile file(log);
            QStringList devices;
            if (!file.open(QIODevice::ReadOnly)) return devices;
            while (!file.atEnd()) {
                const QJsonObject request = QJsonDocument::fromJson(file.readLine()).object();
                const QJsonObject options = request["options"].toObject();
                if (request["op"] == "load")
                    devices << options["backend"].toString() + " " + options["device"].toString();
            }
            return devices;
        };
        const auto names = [](Run& run) {
            QStringList found;
            for (const QVariant& choice : run.model.devices()->choices())
                found << choice.toMap()["name"].toString();
            return found;
        };
        const QStringList host{"--graphics", "Some GPU", "--graphics", "an old GPU",
                               "--pace-ms",  "30",       "--log",      log};
        {
            Run run(data, host);
            QCOMPARE(names(run), (QStringList{"Automatic", "Processor"}));
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QCOMPARE(loads(), QStringList{"auto "});
            run.model.devices()->refresh();
            QTRY_COMPARE_WITH_TIMEOUT(names(run), (QStringList{"Automatic", "Processor", "Some GPU"}),
                                      kPatienceMs);
            // At once, when nothing is being answered.
            run.model.settings()->setProperty("device", "Some GPU");
            QTRY_COMPARE_WITH_TIMEOUT(loads(), (QStringList{"auto ", "auto Some GPU"}), kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            // Else the answer ends first.
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.chat().generation() == ChatController::Streaming, kPatienceMs);
            run.model.settings()->setProperty("device", "processor");
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
            QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
            QTRY_COMPARE_WITH_TIMEOUT(loads(), (QStringList{"auto ", "auto Some GPU", "cpu "}), kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.model.settings()->setProperty("device", "Some GPU");
            QTRY_COMPARE_WITH_TIMEOUT(loads().size(), 4, kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        }
        // What is set can be seen, although nobody has listed it yet.
        Run again(data, host);
        QTRY_VERIFY_WITH_TIMEOUT(again.ready(), kPatienceMs);
        QCOMPARE(loads().last(), QString("auto Some GPU"));
        QCOMPARE(names(again), (QStringList{"Automatic", "Processor", "Some GPU"}));
    }

    void aRefusedFileIsOneSentence() {
        Run run(freshDataDir(), {});
        QVERIFY(run.drop("/somewhere/broken.gguf"));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(),
                                  QString("/somewhere/broken.gguf is not a model."), kPatienceMs);
        QCOMPARE(run.model.models()->state(), ModelListModel::NoModel);
    }

    void aFileWithoutATokenizerCannotChat() {
        const QString sentence = "This file has no tokenizer, so it cannot chat.";
        const QString data = freshDataDir();
        {
            Run run(data, {"--tokenizer", "none"});
            run.drop(m_modelFile);
            QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(), sentence, kPatienceMs);
            QCOMPARE(run.model.models()->state(), ModelListModel::NoModel);
            run.chat().send("count");
            QVERIFY(run.idle());
        }
        {
            Run run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QTRY_COMPARE(run.model.models()->rowCount(), 1);
        }
        // The file was fine when it was dropped.
        Run run(data, {"--tokenizer", "none"});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->failure(), sentence, kPatienceMs);
        QCOMPARE(run.model.models()->state(), ModelListModel::Failed);
        run.chat().send("count");
        QVERIFY(run.idle());
    }

    void aDamagedHistoryIsSetAside() {
        const QString data = freshDataDir();
        QFile history(data + "/history.sqlite");
        QVERIFY(history.open(QIODevice::WriteOnly));
        history.write(QByteArray(8192, 'x'));
        history.close();
        Run run(data, {});
        // Models do not depend on the history.
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->bannerAction().isEmpty(), kPatienceMs);
        QVERIFY(run.model.notices()->banner().contains("damaged"));
        run.model.notices()->runBannerAction();
        QVERIFY(run.model.notices()->banner().isEmpty());
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
        const QStringList aside = QDir(data).entryList({"history.sqlite.damaged-*"});
        QCOMPARE(aside.size(), 1);
        QCOMPARE(QFileInfo(data + '/' + aside.first()).size(), 8192);
    }

    void aDamagedHistoryLeavesTheModelsUsable() {
        const QString data = freshDataDir();
        QFile history(data + "/history.sqlite");
        QVERIFY(history.open(QIODevice::WriteOnly));
        history.write(QByteArray(8192, 'x'));
        history.close();
        Run run(data, {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_COMPARE(run.model.models()->rowCount(), 1);
    }

    void enterSendsUnlessAnInputMethodComposes() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QQuickItem* composer = run.item("composerInput");
        QVERIFY(composer != nullptr);
        composer->forceActiveFocus();

        run.inputMethod("にほん", {});
        QVERIFY(composer->property("inputMethodComposing").toBool());
        QTest::keyClick(run.window, Qt::Key_Return);
        QTest::qWait(100);
        QVERIFY(run.idle());
        QVERIFY(run.messages().empty());

        run.inputMethod({}, "日本");
        QTest::keyClick(run.window, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(composer->property("text").toString(), QString("日本\n"));
        QVERIFY(run.messages().empty());

        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QCOMPARE(run.messages()[0].text, std::string("日本\n"));
        QTRY_COMPARE(composer->property("text").toString(), QString());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
    }

    void draftsStayWithTheirConversation() {
        const QString data = freshDataDir();
        {
            Run run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("first");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            run.inputMethod({}, "half a thought");
            const auto first = static_cast<qint64>(run.chat().conversationId());
            run.chat().newConversation();
            QCOMPARE(run.item("composerInput")->property("text").toString(), QString());
            run.inputMethod({}, "another");
            run.chat().open(first);
            QTRY_COMPARE(run.item("composerInput")->property("text").toString(), QString("half a thought"));
        }
        Run again(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(again.item("composerInput")->property("text").toString(),
                                  QString("half a thought"), kPatienceMs);
    }

    void whatIsSentIsNoDraftAnyMore() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("first");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const auto first = static_cast<qint64>(run.chat().conversationId());
        run.inputMethod({}, "second");
        QTest::keyClick(run.window, Qt::Key_Return);
        QCOMPARE(run.composerText(), QString());
        run.chat().newConversation();
        run.inputMethod({}, "for a new one");
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        run.chat().open(first);
        run.inputMethod({}, ", typed on");  // while the other conversation is being read
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{4}, kPatienceMs);
        QCOMPARE(run.composerText(), QString());
        run.chat().newConversation();
        QTRY_COMPARE_WITH_TIMEOUT(run.composerText(), QString("for a new one, typed on"), kPatienceMs);
    }

    void aMessageThatCannotBeStoredIsADraftAgain() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.inputMethod({}, "a question");
        const FullDisk full;
        QTest::keyClick(run.window, Qt::Key_Return);
        run.inputMethod({}, " and more");
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().isEmpty(), kPatienceMs);
        QVERIFY(run.idle());
        QVERIFY(run.messages().empty());
        QCOMPARE(run.composerText(), QString("a question and more"));
    }

    void textTypedBeforeTheHistoryIsReadStays() {
        const QString data = freshDataDir();
        {
            Run run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("first");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            run.inputMethod({}, "stored");
        }
        Run again(data, {});
        again.inputMethod({}, " and early");
        QTRY_COMPARE_WITH_TIMEOUT(again.composerText(), QString("stored and early"), kPatienceMs);
        QCOMPARE(again.messages().size(), size_t{2});
    }

    void aFailedAnswerWithoutTextIsNotShownToTheModel() {
        QFile crashes(m_folder.filePath("crashes"));
        QVERIFY(crashes.open(QIODevice::WriteOnly));
        crashes.write("3");
        crashes.close();
        const QString log = m_folder.filePath("failed");
        Run run(freshDataDir(), {"--crash-at", "0", "--crash-file", crashes.fileName(), "--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Failed);
        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[3].status, history::MessageStatus::Complete);
        run.chat().send("once more");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 6 && run.idle(), kPatienceMs);
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        // Only the last request shows the model an answer: the one that was given.
        QCOMPARE(requests.readAll().count("\"assistant\""), 1);
    }

    void stoppedAnswersContinueBehindTheirIds() {
        Run run(freshDataDir(), {"--tokens", "300", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.messages()[1].text.size() > 40,
                                 kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        const std::string stopped = run.messages()[1].text;
        QVERIFY(stopped.size() < 1000);

        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].status, history::MessageStatus::Complete, kPatienceMs);
        std::string expected;
        for (int i = 0; i < 300; ++i) expected += std::to_string(i) + " ";
        QCOMPARE(run.messages()[1].text, expected);
    }

    void continuingWaitsForTheModelThatIsBeingLoaded() {
        const QString data = freshDataDir();
        {
            Run run(data, {"--tokens", "300", "--pace-ms", "5"});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.messages()[1].text.size() > 40,
                                     kPatienceMs);
            run.chat().stop();
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        }
        const QString log = m_folder.filePath("continued");
        Run run(data, {"--tokens", "300", "--load-ms", "200", "--log", log});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->state(), ModelListModel::Loading, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].status, history::MessageStatus::Complete, kPatienceMs);
        QCOMPARE(requests(log, "load"), 1);
    }

    void anotherAnswerIsASibling() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const history::RowId first = run.messages()[1].id;
        run.chat().regenerate(first);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages()[1].id != first && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].siblingCount, 2);
        QCOMPARE(run.messages()[1].siblingIndex, 1);
        run.chat().showSibling(run.messages()[1].id, -1);
        QTRY_COMPARE(run.messages()[1].id, first);

        run.chat().edit(run.messages()[0].id, "count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages()[0].text == "count again" && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].siblingCount, 2);
        QCOMPARE(run.messages().size(), size_t{2});
    }

    void anAnswerGoesOnWhileAnotherConversationIsShown() {
        Run run(freshDataDir(), {"--tokens", "100", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.messages()[1].text.empty(), kPatienceMs);
        const auto first = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        QVERIFY(run.messages().empty());
        QVERIFY(!run.chat().writingHere());
        QTest::qWait(100);
        run.chat().open(first);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        std::string expected;
        for (int i = 0; i < 100; ++i) expected += std::to_string(i) + " ";
        QCOMPARE(run.messages()[1].text, expected);
    }

    void stopIsHeardBeforeTheEngineHasTheQuestion() {
        const QString log = m_folder.filePath("stopped");
        Run run(freshDataDir(), {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QCOMPARE(run.chat().generation(), ChatController::Starting);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QVERIFY(run.messages()[1].text.empty());
        QCOMPARE(requests(log, "generate"), 0);

        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[3].status, history::MessageStatus::Complete);
        QCOMPARE(requests(log, "generate"), 1);

        // A conversation deleted in that moment gets no answer either, nor one dropped model in place of
        // another.
        run.chat().send("and again");
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        run.chat().send("something else");
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QCOMPARE(requests(log, "generate"), 1);
    }

    void stopHoldsWhileTheDiskIsFull() {
        Run run(freshDataDir(), {"--tokens", "100000", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.messages()[1].text.size() > 40,
                                 kPatienceMs);
        {
            const FullDisk full;
            QTRY_VERIFY_WITH_TIMEOUT(run.chat().stalled(), kPatienceMs);
            QVERIFY(!run.model.notices()->banner().isEmpty());
            run.chat().stop();
            QTest::qWait(2500);  // the writer has tried again
            QVERIFY(run.chat().stalled());
            QCOMPARE(run.chat().generation(), ChatController::Stopping);
        }
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QVERIFY(!run.chat().stalled());
        QVERIFY(run.model.notices()->banner().isEmpty());
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
    }

    void aConversationPurgedWhileItsHostHangsLeavesTheWindowUsable() {
        Run run(freshDataDir(), {"--tokens", "2000", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.messages()[1].text.size() > 40,
                                 kPatienceMs);
        QCOMPARE(::kill(run.hostPid, SIGSTOP), 0);
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->canUndo(), kPatienceMs);  // gone for good
        QTest::qWait(300);
        QCOMPARE(run.chat().generation(), ChatController::Stopping);
        QCOMPARE(::kill(run.hostPid, SIGCONT), 0);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QVERIFY2(run.model.notices()->banner().isEmpty(), qPrintable(run.model.notices()->banner()));
        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.messages()[1].text.empty(), kPatienceMs);
    }

    void deletedConversationsComeBackByUndo() {
        Run run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 0);
        QVERIFY(run.messages().empty());
        QVERIFY(run.model.notices()->canUndo());
        run.model.notices()->undo();
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
    }
};

QTEST_MAIN(WindowTest)
#include "window_test.moc"
