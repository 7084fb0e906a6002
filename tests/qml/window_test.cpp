/// Opening models, choosing devices, and histories that are damaged or deleted.
#include <fcntl.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <QClipboard>
#include <QElapsedTimer>
#include <QGuiApplication>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QProcess>
#include <QThreadPool>

#include "app/crash/crash_report.h"
#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/settings/language.h"
#include "ingle/error_ids.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

/// Permissions count for this thread and those it starts, also where root runs the test.
class PermissionsCount {
  public:
    PermissionsCount() {
        ::syscall(SYS_capget, &m_header, m_before);
        __user_cap_data_struct without[2] = {m_before[0], m_before[1]};
        without[0].effective &= ~(1u << CAP_DAC_OVERRIDE);
        ::syscall(SYS_capset, &m_header, without);
    }
    ~PermissionsCount() { ::syscall(SYS_capset, &m_header, m_before); }
    PermissionsCount(const PermissionsCount&) = delete;
    PermissionsCount& operator=(const PermissionsCount&) = delete;

  private:
    __user_cap_header_struct m_header{_LINUX_CAPABILITY_VERSION_3, 0};
    __user_cap_data_struct m_before[2]{};
};

class WindowTest : public QObject, WindowFiles {
    Q_OBJECT

    static void writeFile(const QString& path, const QByteArray& bytes) {
        QFile file(path);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size());
    }

    /// One question with its answer, of a window that was closed.
    QString dataDirWithAChat() {
        const QString data = freshDataDir();
        WindowRun run(data, {});
        run.drop(m_modelFile);
        [&] {
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        }();
        return data;
    }
    /// Python with that history open as `db`.
    static void startPython(QProcess& python, const QString& data, const char* work) {
        const QString script =
            "import sqlite3, sys\n"
            "db = sqlite3.connect(sys.argv[1], isolation_level=None)\n";
        python.start(INGLE_PYTHON, {"-c", script + work, data + "/history.sqlite"});
    }
    /// The window shows what dataDirWithAChat() made and lets nothing be written.
    void isOnlyRead(WindowRun& run, const QString& sentence) {
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(), sentence, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QCOMPARE(run.said(0), std::string("count"));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
        QTRY_COMPARE(run.shownItems("QuestionBlock").size(), 1);
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.chat().readOnly());
        QQuickItem* composer = run.item("composerInput");
        QVERIFY(!composer->isEnabled());
        QCOMPARE(run.chat().placeholder(), QString("This history can only be read"));
        run.click(composer, {20, 10});
        QTest::keyClick(run.window, Qt::Key_N);
        QTest::keyClick(run.window, Qt::Key_Return);
        run.chat().send("count again");
        run.chat().regenerate(run.messages()[0].id);
        run.chat().edit(run.messages()[0].id, "count differently");
        QVERIFY(!run.chat().maySend());
        QVERIFY(run.idle());
        QCOMPARE(run.composerText(), QString());
        QVERIFY(!run.shownItem("sendButton")->isEnabled());
        QTest::qWait(300);
        QVERIFY(run.idle());
        QCOMPARE(run.messages().size(), size_t{2});
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aHistoryOfANewerVersionIsShownAndNotWritten() {
        const QString data = dataDirWithAChat();
        QProcess python;
        startPython(python, data, "db.execute('PRAGMA user_version = 999')");
        QVERIFY(python.waitForFinished() && python.exitCode() == 0);
        WindowRun run(data, {});
        isOnlyRead(run, "The history was written by a newer Inglenook; it can be read but not changed.");
    }

    void aHistoryThatMayNotBeWrittenIsShownAndNotWritten() {
        const QString data = dataDirWithAChat();
        const QString file = data + "/history.sqlite";
        QVERIFY(QFile::setPermissions(file, QFileDevice::ReadOwner));
        {
            const PermissionsCount permissions;
            WindowRun run(data, {});
            isOnlyRead(run, "Nothing can be kept: " + file + " cannot be written.");
        }
        // Nothing that was made meanwhile keeps it from being written again.
        QVERIFY(QFile::setPermissions(file, QFileDevice::ReadOwner | QFileDevice::WriteOwner));
        const PermissionsCount permissions;
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.messages().size() == 2, kPatienceMs);
        QVERIFY(!run.chat().readOnly());
        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
    }

    void aHistoryThatOpensSlowlyIsWaitedForWithASentence() {
        const QString data = dataDirWithAChat();
        // Somebody keeps the file to themselves.
        QProcess python;
        startPython(python, data,
                    "db.execute('PRAGMA locking_mode = EXCLUSIVE')\n"
                    "db.execute('BEGIN EXCLUSIVE')\n"
                    "print('locked', flush=True)\n"
                    "sys.stdin.read()\n");
        QVERIFY(python.waitForReadyRead() && python.readAll().startsWith("locked"));
        WindowRun run(data, {});
        QTRY_VERIFY(run.window->isVisible());
        run.inputMethod({}, "typed meanwhile");
        QTRY_VERIFY(run.model.notices()->banner().startsWith("Your conversations are being made ready."));
        QTRY_COMPARE(run.shownItems("Banner").size(), 1);
        QVERIFY(run.messages().empty());
        python.closeWriteChannel();
        QVERIFY(python.waitForFinished());
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QCOMPARE(run.model.notices()->banner(), QString());
        QCOMPARE(run.composerText(), QString("typed meanwhile"));
        // Where the history is there at once nobody is told anything.
        WindowRun quick(freshDataDir(), {});
        QSignalSpy banners(quick.model.notices(), &Notices::bannerChanged);
        QTest::qWait(1000);
        QCOMPARE(banners.size(), 0);
    }

    void aDroppedFileAnswers() {
        WindowRun run(freshDataDir(), {});
        QVERIFY(run.window != nullptr);
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("  How far can you count?\nFar?");
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        QCOMPARE(QString::fromStdString(run.said(1)),
                 QString("0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "));
        QCOMPARE(run.chat().title(), QString("How far can you count?"));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
    }

    void aHistoryThatIsTakenAwayIsWrittenAgain() {
        const QString folder = freshDataDir();
        const QString file = folder + "/history.sqlite";
        WindowRun run(folder, {});
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QVERIFY(QFile::copy(file, folder + "/older"));
        QVERIFY(QFile::remove(file));
        QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->banner().contains("nothing is lost"), kPatienceMs);
        QVERIFY(QFile::exists(file));
        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);

        // Another file in its place is left alone.
        run.model.notices()->dismissBanner();
        QCOMPARE(std::rename((folder + "/older").toUtf8().constData(), file.toUtf8().constData()), 0);
        QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->banner().contains("keeps yours in"), kPatienceMs);
        QCOMPARE(QDir(folder).entryList({"history-kept-*.sqlite"}).size(), 1);
        run.chat().send("and again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 6 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[5].status, history::MessageStatus::Complete);
    }

    void whatTheModelThinksIsFolded() {
        WindowRun run(freshDataDir(), {"--tokens", "5", "--thinking", "3", "--pace-ms", "100", "--note",
                                       "There is no chat template."});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        std::vector<Part> parts = run.messages()[1].parts;
        // How long it took.
        QVERIFY(QString::fromStdString(std::exchange(parts[0].data, "")).toInt() >= 200);
        QCOMPARE(parts, (std::vector<Part>{{PartKind::Thought, "0 1 2 ", ""}, {PartKind::Text, "3 4 ", ""}}));
        QTRY_VERIFY(run.shownItem("thought") != nullptr);
        QCOMPARE(run.shownItem("thought")->property("title").toString(), QString("Thought for 1 s"));
        QVERIFY(!run.shownItem("thought")->property("open").toBool());
        QVERIFY(run.model.status()->everything().contains("There is no chat template."));
    }

    /// The engine's sentences are English; these two the window has in its own language.
    void whatAModelFileLacksIsSaidInTheWindowsLanguage() {
        for (const auto& [engine, window] :
             {std::pair<const char*, const char*>{"It has none.", "Die Modelldatei hat keine Chatvorlage"},
              {"It cannot be read.", "Die Chatvorlage des Modells ist nicht lesbar"}}) {
            WindowRun run(freshDataDir(), {"--tokens", "3", "--file-note", engine});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QVERIFY(!run.model.status()->everything().contains(engine));
            useLanguage("de");
            const QString said = run.model.status()->everything();
            useLanguage("en");
            QVERIFY2(said.contains(window), qPrintable(said));
        }
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
            WindowRun run(data, {}, guide);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(run.model.models()->guiding());
            QTRY_VERIFY(run.shownItem("suggestion-3") != nullptr);
            QTRY_VERIFY(run.shownItem("suggestion-3")->isVisible());
            run.click(run.shownItem("suggestion-0"), {20, 10});
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QCOMPARE(QString::fromStdString(run.said(0)), QString("How do I open a model?"));
        }
        // It moved together with Inglenook: still the same model, and no word about it.
        const QString moved = m_folder.filePath("elsewhere/guide.gguf");
        QVERIFY(QDir(m_folder.path()).mkdir("elsewhere") && QFile::rename(guide, moved));
        {
            WindowRun run(data, {}, moved);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(run.model.models()->guiding());
            QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 1, kPatienceMs);
            QVERIFY(run.model.notices()->banner().isEmpty());
            // Another model takes its place …
            QVERIFY(run.drop(other.fileName()));
            QTRY_VERIFY_WITH_TIMEOUT(run.model.library()->rowCount() == 2 && run.ready(), kPatienceMs);
            QVERIFY(!run.model.models()->guiding());
            QVERIFY(!run.shownItem("suggestion-0")->isVisible());
        }
        {
            WindowRun run(data, {}, moved);  // … and keeps it.
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(!run.model.models()->guiding());
        }
    }

    void somebodyWithoutAModelIsToldWhatSuitsThisComputer() {
        const QString data = freshDataDir();
        const QString kept = m_folder.filePath("jan/models/Kept/model.gguf");
        QVERIFY(QDir().mkpath(QFileInfo(kept).path()));
        writeFile(kept, "GGUF of another program");
        const QString catalog = m_folder.filePath("models.json");
        const auto entry = [](const char* name, int memoryGb) {
            return QJsonObject{{"name", name},     {"maker", "m"},
                               {"licence", "MIT"}, {"family", "llama"},
                               {"use", "chat"},    {"memoryGb", memoryGb},
                               {"fileGb", 1},      {"parametersBillion", 1},
                               {"file", "f.gguf"}, {"page", "https://example.org"}};
        };
        const QJsonObject list{{"asOf", "2026-11-22"},
                               {"models", QJsonArray{entry("Small", 4), entry("Huge", 128)}}};
        writeFile(catalog, QJsonDocument(list).toJson());
        WindowRun run(AppFiles{.dataDir = data.toStdString(),
                               .catalog = catalog.toStdString(),
                               .places = {.jan = {m_folder.filePath("jan/models").toStdString()}}},
                      {});
        ModelOffers& offers = *run.model.offers();
        QTRY_COMPARE_WITH_TIMEOUT(offers.rowCount(), 3, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(offers.numGood(), 1, kPatienceMs);
        QVERIFY2(offers.computer().contains("8.6 GB of memory, 5.4 GB free"), qPrintable(offers.computer()));
        QVERIFY2(offers.age().contains("2026"), qPrintable(offers.age()));
        QTRY_VERIFY(run.shownItem("goodChoices") != nullptr && run.shownItem("goodChoices")->isVisible());
        const auto value = [&](int row, int role) { return offers.data(offers.index(row), role).toString(); };
        QCOMPARE(value(0, ModelOffers::NameRole), QString("Kept"));
        QCOMPARE(value(0, ModelOffers::PathRole), kept);
        QCOMPARE(value(1, ModelOffers::NameRole), QString("Small"));
        QVERIFY(offers.data(offers.index(1), ModelOffers::GoodRole).toBool());
        QVERIFY(!offers.data(offers.index(2), ModelOffers::GoodRole).toBool());
        // One that is here already opens in place.
        run.model.opener()->openPath(value(0, ModelOffers::PathRole));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_VERIFY(run.shownItems("goodChoices").isEmpty());
    }

    void theEndWaitsForNoFolderThatHangs() {
        // Opening a pipe that nobody writes to hangs like a file on a network that is gone.
        const std::string pipe = m_folder.filePath("pipe").toStdString();
        QCOMPARE(::mkfifo(pipe.c_str(), 0600), 0);
        QElapsedTimer time;
        {
            const WindowRun run(AppFiles{.dataDir = freshDataDir().toStdString(), .catalog = pipe}, {});
            QTest::qWait(200);
            time.start();
        }
        // The program itself waits for the pool when it ends.
        QVERIFY(QThreadPool::globalInstance()->waitForDone(0));
        QVERIFY2(time.elapsed() < 2000, qPrintable(QString::number(time.elapsed())));
        const int writer = ::open(pipe.c_str(), O_WRONLY);  // what was left behind ends
        QVERIFY(writer >= 0);
        ::close(writer);
    }

    void whatArrivesInTheDownloadsIsOffered() {
        const QString downloads = m_folder.filePath("downloads");
        QVERIFY(QDir().mkpath(downloads));
        writeFile(downloads + "/old.gguf", "GGUF that was there before");
        WindowRun run(AppFiles{.dataDir = freshDataDir().toStdString(),
                               .downloads = downloads,
                               .downloadSettles = std::chrono::milliseconds(150)},
                      {});
        const auto offered = [&] { return run.model.notices()->bannerAction() == "Open"; };
        // Half of one: the host cannot use it.
        writeFile(downloads + "/broken.gguf", "GGUF, but not all of it");
        writeFile(downloads + "/page.gguf", "<html>");
        QTest::qWait(1000);
        QVERIFY(!offered());
        // Written beside its name first, as browsers do.
        writeFile(downloads + "/new.gguf.part", "GGUF");
        QVERIFY(QFile::rename(downloads + "/new.gguf.part", downloads + "/new.gguf"));
        QTRY_VERIFY_WITH_TIMEOUT(offered(), kPatienceMs);
        QCOMPARE(run.model.notices()->banner(), QString("new.gguf finished downloading."));
        QCOMPARE(run.model.library()->rowCount(), 0);
        run.model.notices()->runBannerAction();
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        // It is offered once.
        QTest::qWait(800);
        QVERIFY(!offered());
    }

    void whatWasAskedForOpensAsSoonAsItHasCome() {
        const QString downloads = m_folder.filePath("asked");
        QVERIFY(QDir().mkpath(downloads));
        const QString catalog = m_folder.filePath("asked.json");
        const QJsonObject entry{{"name", "Small"},      {"maker", "m"},
                                {"licence", "MIT"},     {"family", "llama"},
                                {"use", "chat"},        {"memoryGb", 4},
                                {"fileGb", 1.28},       {"parametersBillion", 1},
                                {"file", "asked.gguf"}, {"page", "https://example.org/repo"}};
        writeFile(catalog,
                  QJsonDocument(QJsonObject{{"asOf", "2026-11-22"}, {"models", QJsonArray{entry}}}).toJson());
        WindowRun run(AppFiles{.dataDir = freshDataDir().toStdString(),
                               .catalog = catalog.toStdString(),
                               .downloads = downloads,
                               .downloadSettles = std::chrono::milliseconds(150)},
                      {});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.offers()->numGood(), 1, kPatienceMs);
        run.window->resize(1080, 1200);
        const auto shown = [&run](const char* name) {
            const QList<QQuickItem*> all = run.shownItems(name);
            return all.isEmpty() ? nullptr : all.first();
        };
        QTRY_VERIFY(shown("offerFile") != nullptr);
        // Which file, and how large, is said before; the address is that of the file itself.
        QCOMPARE(shown("offerFile")->property("text").toString(), QString("asked.gguf · 1.28 GB"));
        const QModelIndex row = run.model.offers()->index(0);
        QCOMPARE(row.data(ModelOffers::AddressRole).toString(),
                 QString("https://example.org/repo/resolve/main/asked.gguf"));
        run.click(shown("getOffer"), QPointF(5, 5));
        QTRY_COMPARE(run.model.opener()->awaited(), QString("asked.gguf"));
        QTRY_VERIFY(shown("offerFile")->property("text").toString().startsWith("Waiting for asked.gguf"));
        QVERIFY(run.model.models()->state() == ModelInUse::NoModel);
        // A browser that has one of that name already counts up.
        writeFile(downloads + "/asked (1).gguf", "GGUF");
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.model.models()->current().path.ends_with("asked (1).gguf"));
        QVERIFY(run.model.opener()->awaited().isEmpty());
    }

    void aCrashReportIsShownOnceAndSaved() {
        const QString data = freshDataDir();
        QVERIFY(QDir(data).mkdir("crashes"));
        writeFile(data + "/crashes/new-1700000000-1.txt", "what happened");
        {
            WindowRun run(data, {});
            run.model.serve({.files = {QUrl::fromLocalFile(m_modelFile)}});  // which does not take it away
            QTRY_COMPARE(run.model.notices()->bannerAction(), QString("Show the report"));
            // What else is said meanwhile is shown first, and does not count as an answer.
            run.model.notices()->showBanner({Notices::Topic::Model, "Something else."});
            QCOMPARE(run.model.notices()->banner(), QString("Something else."));
            run.model.notices()->dismissBanner();
            QCOMPARE(run.model.notices()->bannerAction(), QString("Show the report"));
            run.model.notices()->runBannerAction();
            QTRY_VERIFY(run.shownItem("saveCrash") != nullptr);
            QCOMPARE(run.model.crashes()->text(), QString("what happened"));
            const QString saved = m_folder.filePath("saved.txt");
            run.model.saver()->save(run.model.crashes()->text(), QUrl::fromLocalFile(saved), false);
            QTRY_VERIFY(QFile::exists(saved));
            QFile file(saved);
            QVERIFY(file.open(QIODevice::ReadOnly));
            QCOMPARE(file.readAll(), QByteArray("what happened"));
            run.model.saver()->save("report", QUrl::fromLocalFile("/nowhere/at/all.txt"), false);
            QTRY_VERIFY(run.model.notices()->banner().contains("/nowhere/at/all.txt could not be written"));
        }
        QVERIFY(!crash::unseenReport((data + "/crashes").toStdString()));
    }

    void aCrashReportThatNobodyAnsweredIsOfferedAgain() {
        const QString data = freshDataDir();
        QVERIFY(QDir(data).mkdir("crashes"));
        writeFile(data + "/crashes/new-1700000000-1.txt", "what happened");
        for (int start = 0; start < 2; ++start) {
            WindowRun run(data, {});
            run.model.serve({});
            QTRY_COMPARE(run.model.notices()->bannerAction(), QString("Show the report"));
            run.model.notices()->showBanner({Notices::Topic::Model, "The model cannot be loaded."});
        }
        {
            WindowRun run(data, {});
            run.model.serve({});
            QTRY_VERIFY(!run.model.notices()->banner().isEmpty());
            run.model.notices()->dismissBanner();
        }
        QVERIFY(!crash::unseenReport((data + "/crashes").toStdString()));
    }

    void theStatusLineSaysWhichDeviceComputesAndWhy() {
        WindowRun run(freshDataDir(),
                      {"--tokens", "5", "--move-at", "2", "--device-note", "No GPU can be used here."});
        const auto status = [&] { return run.model.status()->everything(); };
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY2(status().contains("No GPU can be used here."), qPrintable(status()));
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(QString::fromStdString(run.said(1)), QString("0 1 2 3 4 "));
        QVERIFY2(status().contains("a fake failed.") && status().contains("another fake"),
                 qPrintable(status()));
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
                if (request["op"] != "load") continue;
                devices << options["backend"].toString() + " " + options["device"].toString();
                if (options.contains("kvMemory")) devices.last() += " " + options["kvMemory"].toString();
            }
            return devices;
        };
        const auto names = [](WindowRun& run) {
            QStringList found;
            for (const QVariant& choice : run.model.devices()->choices())
                found << choice.toMap()["name"].toString();
            return found;
        };
        const QStringList host{"--graphics", "Some GPU", "--graphics", "an old GPU",
                               "--pace-ms",  "30",       "--log",      log};
        {
            WindowRun run(data, host);
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
        WindowRun again(data, host);
        QTRY_VERIFY_WITH_TIMEOUT(again.ready(), kPatienceMs);
        QCOMPARE(loads().last(), QString("auto Some GPU"));
        QCOMPARE(names(again), (QStringList{"Automatic", "Processor", "Some GPU"}));
        // With the next load.
        again.model.settings()->setProperty("kvMemory", "main");
        again.model.settings()->setProperty("device", "");
        QTRY_COMPARE_WITH_TIMEOUT(loads().last(), QString("auto  main"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(again.ready(), kPatienceMs);
    }

    void aRefusedFileIsOneSentence() {
        WindowRun run(freshDataDir(), {});
        QVERIFY(run.drop("/somewhere/broken.gguf"));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(),
                                  QString("/somewhere/broken.gguf is not a model."), kPatienceMs);
        QCOMPARE(run.model.models()->state(), ModelInUse::NoModel);
    }

    void aModelThatDoesNotFitIsMadeToFit() {
        WindowRun run(freshDataDir(), {"--refuse"});
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.shownItem("fitChoice-0"), kPatienceMs);
        FitAdvice* fit = run.model.fit();
        QCOMPARE(fit->sentence(), QString("fake needs 5.1 GB of memory; 4.5 GB of 8.0 GB are free. Closing "
                                          "other programs may help, too."));
        QCOMPARE(fit->choices().size(), 2);
        QCOMPARE(fit->choices()[0], QString("Shorter context: 1,024 tokens, 4.3 GB"));
        QCOMPARE(fit->choices()[1], QString("Make it smaller: 3.0 GB"));
        QCOMPARE(run.model.models()->state(), ModelInUse::Failed);
        QVERIFY(run.model.notices()->banner().isEmpty());
        QCOMPARE(run.model.models()->failure(), QString("fake needs 5.1 GB of memory; 4.5 GB are free."));
        // By keyboard alone: the first choice has the focus.
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!run.shownItem("fitChoice-0"), kPatienceMs);
        const auto speed = [&] {
            const ModelLibrary& models = *run.model.library();
            return models.rowCount() > 0 ? models.data(models.index(0), ModelLibrary::DetailsRole)
                                         : QVariant();
        };
        QTRY_VERIFY_WITH_TIMEOUT(speed().toString().endsWith("about 9 words a second"), kPatienceMs);
    }

    void aModelThatDoesNotFitIsMadeSmaller() {
        const QString data = freshDataDir();
        WindowRun run(data, {"--refuse"});
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.shownItem("fitChoice-1"), kPatienceMs);
        QMetaObject::invokeMethod(run.shownItem("fitChoice-1"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(run.shownItem("smallerMake"), kPatienceMs);
        QCOMPARE(run.model.smaller()->sentence(),
                 QString("fake: 5.1 GB. Use it as it is, or make it smaller: 2.0 GB."));
        QTRY_VERIFY_WITH_TIMEOUT(!run.shownItem("fitChoice-1"), kPatienceMs);
        QMetaObject::invokeMethod(run.shownItem("smallerMake"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(run.model.models()->current().path.ends_with("/fake-Q4_K_M.gguf"),
                                 kPatienceMs);
        QVERIFY(QFile::exists(data + "/models/fake-Q4_K_M.gguf"));
    }

    void loadAnywayLoads() {
        WindowRun run(freshDataDir(), {"--refuse"});
        QVERIFY(run.drop(m_modelFile));
        QTRY_VERIFY_WITH_TIMEOUT(run.shownItem("fitAnyway"), kPatienceMs);
        QMetaObject::invokeMethod(run.shownItem("fitAnyway"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
    }

    void anErrorIsSaidForPeopleWithItsDetailsBehindAButton() {
        WindowRun run(freshDataDir(), {});
        QVERIFY(run.drop("/somewhere/gone.gguf"));
        const auto banner = [&] { return run.model.notices()->banner(); };
        QTRY_COMPARE_WITH_TIMEOUT(
            banner(),
            QString("gone.gguf was not found. It may have been moved, or its disk is not connected."),
            kPatienceMs);
        QVERIFY(run.drop("/somewhere/cut.gguf"));
        QTRY_COMPARE_WITH_TIMEOUT(banner(), QString("The download is incomplete: 2.1 of 4.9 GB."),
                                  kPatienceMs);
        QQuickItem* words = run.shownItem("errorWords");
        QVERIFY(words != nullptr && !words->isVisible());
        QQuickItem* button = run.shownItem("errorDetails");
        QTRY_VERIFY(button->isVisible());
        QTest::mouseClick(run.window, Qt::LeftButton, {}, button->mapToScene({10, 10}).toPoint());
        QTRY_VERIFY(words->isVisible());
        QCOMPARE(words->property("text").toString(), QString("/somewhere/cut.gguf ends past the end."));
        QMetaObject::invokeMethod(run.shownItem("copyDetails"), "clicked");
        QCOMPARE(QGuiApplication::clipboard()->text(), words->property("text").toString());
        // Where the engine's words are all there is, there is nothing to unfold.
        QVERIFY(run.drop("/somewhere/broken.gguf"));
        QTRY_COMPARE_WITH_TIMEOUT(banner(), QString("/somewhere/broken.gguf is not a model."), kPatienceMs);
        QVERIFY(!run.shownItem("errorDetails")->isVisible());
    }

    void anAnswerThatFailsSaysWhyAlsoAfterARestart() {
        const QString data = freshDataDir();
        const QString sentence =
            "The message is too long for this model: it takes 5,000 tokens, and there is room for 3,072.";
        {
            WindowRun run(data, {"--fail-at", "2"});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QCOMPARE(run.messages()[1].status, history::MessageStatus::Failed);
            QCOMPARE(RunningAnswers::endSentence(run.messages()[1]), sentence);
        }
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2, kPatienceMs);
        QCOMPARE(RunningAnswers::endSentence(run.messages()[1]), sentence);
        QCOMPARE(RunningAnswers::endDetails(run.messages()[1]), QString("it needs 5000 tokens"));
    }

    void everyErrorHasASentenceWithItsArguments() {
        for (const ErrorIdInfo& info : kErrorIds) {
            Error error{ErrorCode::Io, "the engine's words", std::string(info.name), {}};
            for (size_t i = 0; i < info.numArguments; ++i)
                error.arguments.push_back(std::to_string(1000000 * (i + 1)));
            const QString sentence = errorSentence(error);
            QVERIFY2(!sentence.isEmpty() && sentence.endsWith('.'), info.name.data());
            QVERIFY2(!sentence.contains('%') && sentence != "the engine's words", info.name.data());
            QCOMPARE(errorDetails(error), QString("the engine's words"));
            // Another version may have given it other arguments.
            error.arguments.push_back("one too many");
            QCOMPARE(errorSentence(error), QString("the engine's words"));
            QVERIFY(errorDetails(error).isEmpty());
        }
        QCOMPARE(shareText(2'100'000'000, 4'900'000'000), QString("2.1 of 4.9 GB"));
        QCOMPARE(shareText(650'000'000, 4'900'000'000), QString("650 MB of 4.9 GB"));
        QCOMPARE(sizeText(2'300'000), QString("2.3 MB"));
        QCOMPARE(shareText(9'000, 800'000), QString("9 of 800 KB"));
        QCOMPARE(sizeText(7), QString("1 KB"));
        QCOMPARE(sizeText(0), QString("0 KB"));
    }

    void aFileWithoutATokenizerCannotChat() {
        const QString sentence = "This file has no tokenizer, so it cannot chat.";
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--tokenizer", "none"});
            run.drop(m_modelFile);
            QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(), sentence, kPatienceMs);
            QCOMPARE(run.model.models()->state(), ModelInUse::NoModel);
            run.chat().send("count");
            QVERIFY(run.idle());
        }
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QTRY_COMPARE(run.model.library()->rowCount(), 1);
        }
        // The file was fine when it was dropped.
        WindowRun run(data, {"--tokenizer", "none"});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->failure(), sentence, kPatienceMs);
        QCOMPARE(run.model.models()->state(), ModelInUse::Failed);
        run.chat().send("count");
        QVERIFY(run.idle());
    }

    void aDamagedHistoryIsSetAside() {
        const QString data = freshDataDir();
        QFile history(data + "/history.sqlite");
        QVERIFY(history.open(QIODevice::WriteOnly));
        history.write(QByteArray(8192, 'x'));
        history.close();
        WindowRun run(data, {});
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
        WindowRun run(data, {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_COMPARE(run.model.library()->rowCount(), 1);
    }
};

WINDOW_SUITE(WindowTest)
#include "window_test.moc"
