/// The person's data in the window: chats that come, chats that leave, backups, and where everything lies.
#include <QClipboard>
#include <QDir>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "app/exchange/export_chats.h"
#include "app/history/store/copies.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class DataTest : public QObject, WindowFiles {
    Q_OBJECT

    QString write(const QString& name, const QByteArray& text) {
        const QString path = m_folder.filePath(name);
        QDir().mkpath(QFileInfo(path).path());
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
        return path;
    }
    static QByteArray read(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    /// As ChatGPT exports them; the first one has a picture.
    static QByteArray chats(int count) {
        const auto node = [](const QJsonValue& parent, const QJsonArray& children, const char* role,
                             const QJsonArray& parts) {
            return QJsonObject{
                {"parent", parent},
                {"children", children},
                {"message", QJsonObject{{"author", QJsonObject{{"role", role}}},
                                        {"content", QJsonObject{{"content_type", "multimodal_text"},
                                                                {"parts", parts}}}}}};
        };
        QJsonArray all;
        for (int i = 0; i < count; ++i) {
            QJsonArray question{QString("Question %1").arg(i)};
            if (i == 0) question.append(QJsonObject{{"content_type", "image_asset_pointer"}});
            const QJsonArray answer{QString("Unheard answer %1").arg(i)};
            all.append(
                QJsonObject{{"title", QString("Chat %1").arg(i)},
                            {"create_time", 1700000000},
                            {"update_time", 1700000000},
                            {"current_node", "a"},
                            {"mapping", QJsonObject{{"q", node(QJsonValue::Null, {"a"}, "user", question)},
                                                    {"a", node("q", {}, "assistant", answer)}}}});
        }
        return QJsonDocument(all).toJson(QJsonDocument::Compact);
    }
    static ChatImport& importer(WindowRun& run) { return *run.model.chatImport(); }
    static int rows(WindowRun& run) { return run.model.conversations()->rowCount(); }
    static QString lastToast(WindowRun& run) { return run.model.notices()->toast(); }
    void press(WindowRun& run, const char* button) {
        QTRY_VERIFY(run.shownItem(button) != nullptr);
        QTRY_VERIFY(run.shownItem(button)->isVisible());
        run.click(run.shownItem(button), QPointF(5, 5));
    }
    /// A conversation of its own with this question, answered.
    static void ask(WindowRun& run, const QString& question) {
        run.chat().newConversation();
        run.chat().send(question);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
    }
    void open(WindowRun& run) {
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aDroppedExportIsAskedAboutAndComesWhole() {
        WindowRun run(freshDataDir(), {});
        run.drop(write("conversations.json", chats(3)));
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
        QTRY_VERIFY(run.isOpen("importCard"));
        QCOMPARE(run.shownItem("importSentence")->property("text").toString(),
                 QString("conversations.json holds 3 chats of ChatGPT with 6 messages, from 2023."));
        QCOMPARE(importer(run).leftOut(), QStringList{"One picture"});
        press(run, "importLeftOut");
        QTRY_VERIFY(run.shownItem("importLosses")->isVisible());
        QCOMPARE(rows(run), 0);  // nothing before the answer
        press(run, "importStart");
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Done, kPatienceMs);
        QTRY_COMPARE(rows(run), 3);
        QCOMPARE(lastToast(run), QString("Imported: 3 chats of ChatGPT with 6 messages."));
        press(run, "importCancel");
        QTRY_VERIFY(!run.isOpen("importCard"));
        run.model.conversations()->setSearchText("unheard");
        QTRY_COMPARE(rows(run), 3);
        run.model.conversations()->setSearchText({});
        QTRY_VERIFY(run.model.conversations()->rowCount() == 3);
        QVERIFY(run.model.actions()->can("undo"));
        run.model.actions()->run("undo");
        QTRY_COMPARE(rows(run), 0);
        run.model.trash()->refresh();
        QTRY_COMPARE(run.model.trash()->rowCount(), 3);
    }

    void eachImportIsTakenBackByItself() {
        WindowRun run(freshDataDir(), {});
        for (int import = 1; import <= 2; ++import) {
            run.drop(write("conversations.json", chats(2)));
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
            importer(run).start();
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Done, kPatienceMs);
            importer(run).cancel();
            QTRY_COMPARE(rows(run), 2 * import);
        }
        run.model.actions()->run("undo");
        QTRY_COMPARE(rows(run), 2);
        run.model.actions()->run("undo");
        QTRY_COMPARE(rows(run), 0);
    }

    void whatIsDeclinedOrCancelledLeavesNothing() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            const QString file = write("many/conversations.json", chats(3000));
            run.drop(file);
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
            press(run, "importCancel");
            QTRY_COMPARE(importer(run).state(), ChatImport::Idle);
            run.drop(file);
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
            press(run, "importStart");
            QTRY_VERIFY_WITH_TIMEOUT(importer(run).fraction() > 0.05, kPatienceMs);
            QCOMPARE(rows(run), 0);
            importer(run).cancel();
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Idle, kPatienceMs);
            QCOMPARE(lastToast(run), QString("The import was stopped; nothing of it stays."));
            QCOMPARE(rows(run), 0);
            // The window closes in the middle of the next one.
            run.drop(file);
            QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
            importer(run).start();
            QTRY_VERIFY_WITH_TIMEOUT(importer(run).fraction() > 0.05, kPatienceMs);
        }
        WindowRun run(data, {});
        open(run);
        ask(run, "Mine");
        QCOMPARE(rows(run), 1);
    }

    void anExportNamedAtTheStartLeavesTheModelUsedLast() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            open(run);
        }
        WindowRun run(data, {});
        run.drop(write("start/conversations.json", chats(1)));
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
    }

    void anAnswerIsWrittenWhileChatsCome() {
        WindowRun run(freshDataDir(), {"--pace-ms", "5", "--tokens", "60"});
        open(run);
        run.drop(write("while/conversations.json", chats(1500)));
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
        importer(run).start();
        run.chat().send("Go on");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Done, kPatienceMs);
        QTRY_COMPARE(rows(run), 1501);
    }

    void foldersOfProgramsAndFilesByDialogComeToo() {
        const QJsonObject thread{{"id", "t1"},
                                 {"object", "thread"},
                                 {"title", "Rain"},
                                 {"created", 1700000000},
                                 {"updated", 1700000100},
                                 {"assistants", QJsonArray()}};
        const QJsonObject text{{"type", "text"}, {"text", QJsonObject{{"value", "Will it rain?"}}}};
        const QJsonObject message{
            {"id", "m1"},     {"object", "thread.message"},  {"thread_id", "t1"},
            {"role", "user"}, {"content", QJsonArray{text}}, {"created_at", 1700000001}};
        write("jan/threads/t1/thread.json", QJsonDocument(thread).toJson());
        write("jan/threads/t1/messages.jsonl", QJsonDocument(message).toJson(QJsonDocument::Compact) + "\n");
        WindowRun run(freshDataDir(), {});
        run.drop(m_folder.filePath("jan/threads"));
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Asking, kPatienceMs);
        QVERIFY2(importer(run).sentence().contains("one chat of Jan with one message"),
                 qPrintable(importer(run).sentence()));
        importer(run).cancel();
        importer(run).open(QUrl::fromLocalFile(write("letter.txt", "Dear Ann")));
        QTRY_COMPARE(run.model.notices()->banner(),
                     QString("letter.txt holds no chats of a program that is known."));
        importer(run).open(QUrl::fromLocalFile(write("cut/conversations.json", chats(3).chopped(40))));
        QTRY_COMPARE_WITH_TIMEOUT(importer(run).state(), ChatImport::Failed, kPatienceMs);
        QVERIFY2(importer(run).sentence().contains("ends too early"), qPrintable(importer(run).sentence()));
        press(run, "importCancel");
        QTRY_VERIFY(!run.isOpen("importCard"));
    }

    void chatsLeaveInEveryForm() {
        WindowRun run(freshDataDir(), {"--say", "Honey."});
        open(run);
        ask(run, "What do bees make?");
        ask(run, "And wasps?");
        QTRY_COMPARE(rows(run), 2);
        const QString folder = m_folder.filePath("out");
        QDir().mkpath(folder);
        const auto target = [&](const char* name) { return QUrl::fromLocalFile(folder + "/" + name); };
        ChatExport& exporter = *run.model.chatExport();
        QCOMPARE(exporter.forms().size(), 3);
        run.model.actions()->run("exportChat");
        QTRY_VERIFY(run.isOpen("exportCard"));
        QTRY_COMPARE(run.shownItem("exportTitle")->property("text").toString(), QString("And wasps?"));
        const auto shown = static_cast<qint64>(run.chat().conversationId());
        exporter.write(shown, 0, "md", target("one.md"), false);
        QTRY_VERIFY_WITH_TIMEOUT(!exporter.writing(), kPatienceMs);
        QTRY_VERIFY(!run.isOpen("exportCard"));
        QVERIFY(lastToast(run).startsWith("Saved one chat as "));
        const QByteArray markdown = read(folder + "/one.md");
        QVERIFY(markdown.contains("And wasps?") && markdown.contains("Honey."));
        QVERIFY(!markdown.contains("bees"));
        exporter.write(0, 0, "html", target("all.html"), false);
        QTRY_VERIFY_WITH_TIMEOUT(!exporter.writing(), kPatienceMs);
        QVERIFY(read(folder + "/all.html").contains("bees"));
        exporter.write(0, 0, "json", target("all.json"), false);
        QTRY_VERIFY_WITH_TIMEOUT(!exporter.writing(), kPatienceMs);
        // What left comes back, into another history.
        WindowRun other(freshDataDir(), {});
        other.drop(folder + "/all.json");
        QTRY_COMPARE_WITH_TIMEOUT(importer(other).state(), ChatImport::Asking, kPatienceMs);
        QVERIFY2(importer(other).sentence().startsWith("all.json holds 2 chats of Inglenook with 4 messages"),
                 qPrintable(importer(other).sentence()));
        importer(other).start();
        QTRY_COMPARE_WITH_TIMEOUT(importer(other).state(), ChatImport::Done, kPatienceMs);
        other.model.chatExport()->write(0, 0, "json", target("again.json"), false);
        QTRY_VERIFY_WITH_TIMEOUT(!other.model.chatExport()->writing(), kPatienceMs);
        QVERIFY(read(folder + "/all.json").size() > 500);
        QCOMPARE(read(folder + "/again.json"), read(folder + "/all.json"));
        // Where nobody may write, there is one sentence and no file.
        exporter.write(0, 0, "md", QUrl::fromLocalFile("/proc/none.md"), false);
        QTRY_COMPARE(run.model.notices()->banner(), QString("/proc/none.md could not be written."));
        QVERIFY(!run.model.notices()->bannerDetails().isEmpty());
    }

    void backupsAreMadeCheckedAndRestored() {
        WindowRun run(freshDataDir(), {});
        open(run);
        ask(run, "First");
        run.window->resize(1080, 1600);
        run.model.actions()->run("data");
        QTRY_VERIFY(run.isOpen("dataPage"));
        BackupList& backups = *run.model.backups();
        QTRY_VERIFY(backups.sentence().startsWith("There is none yet."));
        press(run, "backUpNow");
        QTRY_COMPARE_WITH_TIMEOUT(backups.rowCount(), 1, kPatienceMs);
        const auto detail = [&] { return backups.index(0).data(BackupList::DetailRole).toString(); };
        QTRY_VERIFY2(detail().endsWith("whole: it can be restored"), qPrintable(detail()));
        ask(run, "Second");
        QTRY_COMPARE(rows(run), 2);
        run.model.conversations()->remove(run.chat().conversationId());
        QTRY_VERIFY(run.model.notices()->canUndo());
        run.model.prompts()->store({}, "Later", "Say it.");
        press(run, "restoreBackup-0");
        QCOMPARE(rows(run), 1);  // it asks first
        press(run, "confirmRestore-0");
        QTRY_COMPARE_WITH_TIMEOUT(rows(run), 1, kPatienceMs);
        QTRY_VERIFY(!backups.busy());
        QVERIFY2(!run.model.notices()->canUndo(), "it would undo in a history that is another one now");
        QTRY_VERIFY2(run.model.prompts()->find("Later").isEmpty(), "those of the backup are there now");
        QVERIFY2(run.model.notices()->banner().contains(".before-restore-"),
                 qPrintable(run.model.notices()->banner()));
        ask(run, "Third");
        QTRY_COMPARE(rows(run), 2);
    }

    void aDamagedBackupIsToldAndCannotBeRestored() {
        const QString data = freshDataDir();
        WindowRun run(data, {});
        open(run);
        ask(run, "First");
        write(QDir(m_folder.path()).relativeFilePath(data + "/history.sqlite.backup-v3-5"), "rubbish");
        run.model.actions()->run("data");
        BackupList& backups = *run.model.backups();
        QTRY_COMPARE_WITH_TIMEOUT(backups.rowCount(), 1, kPatienceMs);
        const auto detail = [&] { return backups.index(0).data(BackupList::DetailRole).toString(); };
        QTRY_VERIFY(!detail().endsWith("being checked…"));
        QVERIFY2(!backups.index(0).data(BackupList::GoodRole).toBool(), qPrintable(detail()));
        QTRY_VERIFY(run.shownItem("restoreBackup-0") != nullptr);
        QVERIFY(!run.shownItem("restoreBackup-0")->isEnabled());
    }

    void everyPlaceIsListedAndRemovedAfterAQuestion() {
        const QString data = freshDataDir();
        QDir().mkpath(data + "/crashes");
        QFile report(data + "/crashes/1.txt");
        QVERIFY(report.open(QIODevice::WriteOnly) && report.write(QByteArray(5000, 'x')) == 5000);
        report.close();
        WindowRun run(data, {});
        open(run);
        ask(run, "First");
        run.window->resize(1080, 1600);  // all of the page is in view
        run.model.actions()->run("data");
        DataPlaces& places = *run.model.dataPlaces();
        const auto rowOf = [&](const QString& path) {
            for (int row = 0; row < places.rowCount(); ++row)
                if (places.index(row).data(DataPlaces::PathRole).toString().endsWith(path)) return row;
            return -1;
        };
        QTRY_VERIFY_WITH_TIMEOUT(rowOf("/crashes") >= 0, kPatienceMs);
        QCOMPARE(places.index(rowOf("/crashes")).data(DataPlaces::SizeRole).toString(), QString("5 KB"));
        const int history = rowOf("/history.sqlite");
        QVERIFY(history >= 0);
        QCOMPARE(places.index(history).data(DataPlaces::PriceRole).toString(), QString());
        press(run, qPrintable("copyPlace-" + QString::number(history)));
        QTRY_COMPARE(QGuiApplication::clipboard()->text(), data + "/history.sqlite");
        const QString row = QString::number(rowOf("/crashes"));
        press(run, qPrintable("removePlace-" + row));
        QVERIFY(QFile::exists(report.fileName()));
        press(run, qPrintable("confirmPlace-" + row));
        QTRY_VERIFY(!QFile::exists(report.fileName()));
        QTRY_COMPARE(rowOf("/crashes"), -1);
    }

    void whatIsThereFitsANarrowWindow() {
        WindowRun run(freshDataDir(), {});
        run.window->resize(360, 480);
        run.model.actions()->run("data");
        QTRY_VERIFY(run.isOpen("dataPage"));
        QTRY_VERIFY(run.model.dataPlaces()->rowCount() > 0);
        run.window->grabWindow();
        for (QQuickItem* button : run.shownItems("TextButton")) {
            const QPointF right = button->mapToScene(QPointF(button->width(), 0));
            QVERIFY2(right.x() <= 360, qPrintable(button->objectName()));
        }
    }
};

WINDOW_SUITE(DataTest)
#include "data_test.moc"
