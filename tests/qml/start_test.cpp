/// What a start is told: arguments, the files they name, and what is handed to a window that is open already.
#include <QLocalSocket>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <thread>

#include "app/desktop/shell/arguments.h"
#include "app/desktop/shell/file_argument.h"
#include "app/desktop/shell/single_instance.h"
#include "ingle/version.h"
#include "tests/full_disk.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class StartTest : public QObject, WindowFiles {
    Q_OBJECT

    static Result<Arguments> parse(std::vector<const char*> words) {
        words.insert(words.begin(), "inglenook");
        return parseArguments(static_cast<int>(words.size()), words.data());
    }
    static std::string atOnce(std::vector<const char*> words) {
        words.insert(words.begin(), "inglenook");
        return answerAtOnce(static_cast<int>(words.size()), words.data()).value_or("");
    }

  private slots:
    void initTestCase() {
        QVERIFY(prepare());
        qputenv("XDG_RUNTIME_DIR", m_folder.path().toLocal8Bit());
    }

    void argumentsAreUnderstood() {
        const auto arguments = parse({"--new-chat", "a b.gguf", "--data-dir", "here", "--", "-c.gguf"});
        QVERIFY(arguments);
        QVERIFY(arguments->newChat);
        QCOMPARE(arguments->dataDir, std::string("here"));
        QCOMPARE(arguments->files, (std::vector<std::string>{"a b.gguf", "-c.gguf"}));
        QVERIFY(parse({})->files.empty());
        QVERIFY(QString::fromStdString(parse({"--portable"})->dataDir).endsWith("/data"));
    }

    void wrongArgumentsAreNamed() {
        QVERIFY(parse({"--nonsense"}).error().message.find("--nonsense") != std::string::npos);
        QVERIFY(!parse({"--data-dir"}));
        QVERIFY(!parse({"--portable", "--data-dir", "x"}));
    }

    void versionAndHelpAreAnsweredAtOnce() {
        QCOMPARE(atOnce({"--version"}), "inglenook " + std::string(version()) + "\n");
        QVERIFY(atOnce({"--help"}).find("--portable") != std::string::npos);
        QVERIFY(atOnce({"-platform", "offscreen", "--version"}).find("inglenook ") == 0);
        QVERIFY(atOnce({"model.gguf"}).empty());
    }

    void filesAreFoundHoweverTheyAreWritten_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("path");
        const QString home = QDir::homePath();
        QTest::newRow("absolute") << "/m/a b.gguf"
                                  << "/m/a b.gguf";
        QTest::newRow("relative") << "sub/../a.gguf"
                                  << "/work folder/a.gguf";
        QTest::newRow("address") << "file:///m/a%20b%25.gguf"
                                 << "/m/a b%.gguf";
        QTest::newRow("address of this computer") << "file://localhost/m/a.gguf"
                                                  << "/m/a.gguf";
        QTest::newRow("short address") << "file:/m/a.gguf"
                                       << "/m/a.gguf";
        QTest::newRow("home") << "~/a.gguf" << home + "/a.gguf";
        QTest::newRow("quotes") << "'/m/a b.gguf'"
                                << "/m/a b.gguf";
        QTest::newRow("quoted home") << "\"~/a b.gguf\"" << home + "/a b.gguf";
        QTest::newRow("quoted address") << "'file:///m/a%20b.gguf'"
                                        << "/m/a b.gguf";
        QTest::newRow("white space around") << " /m/a.gguf\n"
                                            << "/m/a.gguf";
        QTest::newRow("one quote") << "/m/it's.gguf"
                                   << "/m/it's.gguf";
        QTest::newRow("colon") << "a:b.gguf"
                               << "/work folder/a:b.gguf";
    }
    void filesAreFoundHoweverTheyAreWritten() {
        QFETCH(QString, text);
        QFETCH(QString, path);
        const QUrl url = fileOfArgument(text, "/work folder");
        QVERIFY(url.isLocalFile());
        QCOMPARE(url.toLocalFile(), path);
    }

    void aFileThatIsReallyCalledSoComesFirst() {
        for (const char* name : {"'quoted'", "~", "file:x", " a", "100%25.gguf"}) {
            QFile file(m_folder.filePath(name));
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(fileOfArgument(name, m_folder.path()).toLocalFile(), m_folder.filePath(name));
        }
        QVERIFY(!fileOfArgument("https://example.org/a.gguf", m_folder.path()).isLocalFile());
        QVERIFY(!fileOfArgument("file://elsewhere/a.gguf", m_folder.path()).host().isEmpty());
    }

    void requestsCrossUnchanged() {
        const StartRequest request{{QUrl::fromLocalFile("/m/ä \"b\"\n%.gguf"), QUrl("https://example.org/x")},
                                   true,
                                   "token \"\x01 of a start"};
        const auto decoded = decode(encode(request));
        QVERIFY(decoded);
        QCOMPARE(decoded->files, request.files);
        QVERIFY(decoded->newChat);
        QCOMPARE(decoded->activationToken, request.activationToken);
    }

    void manyFilesAreCutToWhatFits() {
        StartRequest request{{}, false, QString(100'000, QChar(1))};
        for (int i = 0; i < 3000; ++i)
            request.files.append(
                QUrl::fromLocalFile(QString("/models/a rather long name of a model %1.gguf").arg(i)));
        const QByteArray line = encode(request);
        QVERIFY(line.size() <= kMaxStartRequestBytes);
        const auto decoded = decode(line);
        QVERIFY(decoded && decoded->files.size() > 500);
        QCOMPARE(decoded->files.first(), request.files.first());
    }

    void strangeRequestsAreNone() {
        const QByteArray line = encode({{QUrl::fromLocalFile("/m/a.gguf")}, false});
        for (qsizetype length = 0; length < line.size(); ++length) QVERIFY(!decode(line.left(length)));
        for (const char* text :
             {"\n", "[]\n", "{}\n", "{\"files\":1,\"newChat\":true}\n",
              "{\"files\":[\"file:///a b\"],\"newChat\":false}\n", "{\"files\":[7],\"newChat\":false}\n"})
            QVERIFY2(!decode(text), text);
        QVERIFY(!decode(QByteArray(kMaxStartRequestBytes + 1, ' ') + line));
    }

    void aSecondStartHandsOverAndStrangersDoNoHarm() {
        const QString data = freshDataDir();
        SingleInstance first(data);
        QCOMPARE(*first.claim({}), SingleInstance::Claim::Ours);
        QList<StartRequest> heard;
        connect(&first, &SingleInstance::requested, this,
                [&](const StartRequest& request) { heard << request; });

        const QString socket =
            QDir(socketFolder() + "/window").entryInfoList(QDir::System, QDir::Time).value(0).filePath();
        for (const QByteArray& nonsense :
             {QByteArray("{\"files\":"), QByteArray("nonsense\n"), QByteArray(300'000, 'x'), QByteArray()}) {
            QLocalSocket stranger;
            stranger.connectToServer(socket);
            QVERIFY(stranger.waitForConnected());
            stranger.write(nonsense);
            stranger.flush();
            QTest::qWait(20);
        }
        QVERIFY(heard.isEmpty());

        const StartRequest request{{QUrl::fromLocalFile("/m/a.gguf")}, true};
        Result<SingleInstance::Claim> claim = SingleInstance::Claim::Ours;
        std::thread second([&] { claim = SingleInstance(data + "/.").claim(request); });
        QTRY_COMPARE_WITH_TIMEOUT(heard.size(), 1, kPatienceMs);
        second.join();
        QVERIFY(claim && *claim == SingleInstance::Claim::HandedOver);
        QCOMPARE(heard.first().files, request.files);
        QVERIFY(heard.first().newChat);
    }

    void onAFullDiskAKilledWindowIsNotOpen() {
        const QString data = freshDataDir();
        QFile left(data + "/window.lock");
        QVERIFY(left.open(QIODevice::WriteOnly));
        left.write("999999999\ninglenook\nthis-computer\n");
        left.close();
        const FullDisk full;
        const auto claim = SingleInstance(data).claim({});
        QVERIFY2(claim && *claim == SingleInstance::Claim::Ours,
                 claim ? "it was handed over" : claim.error().message.c_str());
    }

    void aFolderThatCannotBeWrittenIsAnError() {
        // Nobody, not even root, makes files there.
        const auto claim = SingleInstance("/proc/self/fdinfo").claim({});
        QVERIFY(!claim);
        QCOMPARE(claim.error().code, ErrorCode::Io);
        QVERIFY(claim.error().message.find("/proc/self/fdinfo") != std::string::npos);
    }

    void whyItDoesNotStartIsSaidInAWindow() {
        QQmlApplicationEngine engine;
        engine.addImportPath("qrc:/qt/qml");
        engine.setInitialProperties(
            {{"sentence", "The folder cannot be made: /nowhere. " + QString(300, 'x')}});
        engine.load(QUrl("qrc:/qt/qml/Inglenook/shell/Refusal.qml"));
        auto* window = qobject_cast<QQuickWindow*>(engine.rootObjects().value(0));
        QVERIFY(window != nullptr);
        QVERIFY(QTest::qWaitForWindowExposed(window));
        const auto* sentence = window->findChild<QQuickItem*>("refusal");
        QVERIFY(sentence != nullptr);
        QVERIFY(sentence->property("text").toString().startsWith("The folder cannot be made: /nowhere."));
        QTRY_VERIFY(sentence->y() + sentence->height() <= window->height());
        QVERIFY(sentence->width() <= window->width());
        QVERIFY(QTest::qWaitForWindowActive(window));
        QTest::keyClick(window, Qt::Key_Escape);
        QTRY_VERIFY(!window->isVisible());
    }

    void aFileNamedAtTheStartTakesThePlaceOfTheModelUsedLast() {
        const QString data = freshDataDir();
        const QString log = m_folder.filePath("starts");
        const QString other = m_folder.filePath("other model.gguf");
        QVERIFY(QFile::copy(m_modelFile, other));
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        }
        QFile changed(other);
        QVERIFY(changed.open(QIODevice::Append) && changed.write("of another content") > 0);
        changed.close();
        WindowRun run(data, {"--log", log});
        run.model.serve({{QUrl::fromLocalFile(other)}, false});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.library()->rowCount() == 2, kPatienceMs);
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), other);
        QCOMPARE(requests(log, "load"), 1);
    }

    void aFileThatIsNotThereLeavesTheModelUsedLast() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        }
        WindowRun run(data, {});
        run.model.serve({{QUrl::fromLocalFile("/m/broken.gguf")}, false});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(!run.model.notices()->banner().isEmpty());
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_modelFile);
    }

    void aNewChatBeginsThoughOneWasOpen() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        }
        {
            WindowRun run(data, {});
            QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        }
        WindowRun run(data, {});
        run.model.serve({{}, true});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(run.messages().empty());
    }
};

WINDOW_SUITE(StartTest)
#include "start_test.moc"
