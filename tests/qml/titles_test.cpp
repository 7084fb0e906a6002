/// Titles that the model makes.
#include "app/desktop/chat/chat_title.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class TitlesTest : public QObject, WindowFiles {
    Q_OBJECT

    static constexpr const char* kQuestion = "Which trees grow here?";

    /// One where models make titles.
    struct Run : WindowRun {
        Run(const QString& dataDir, const QString& modelFile, const QStringList& hostArguments,
            const char* titles = "here")
            : WindowRun(dataDir, hostArguments) {
            model.settings()->setProperty("titles", titles);
            model.opener()->openPath(modelFile);
        }
        /// Asks, and waits for the end of the answer.
        bool ask(const QString& question) {
            const size_t before = messages().size();
            const bool isReady = QTest::qWaitFor([this] { return ready() && idle(); }, kPatienceMs);
            chat().send(question);
            return isReady &&
                   QTest::qWaitFor([&] { return messages().size() == before + 2 && idle(); }, kPatienceMs);
        }
    };

    /// Requests for a title in what the host was sent.
    static int titlesAsked(const QString& log) {
        QFile file(log);
        return file.open(QIODevice::ReadOnly) ? static_cast<int>(file.readAll().count("Write a title")) : -1;
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void whatAModelSaysBecomesATitle_data() {
        QTest::addColumn<QString>("answer");
        QTest::addColumn<QString>("title");
        QTest::newRow("plain") << "Oaks and beeches"
                               << "Oaks and beeches";
        QTest::newRow("in marks") << "\n**\"Oaks and beeches.\"**\nThis title says it."
                                  << "Oaks and beeches";
        QTest::newRow("with its name") << "# Titel: „Eichen und Buchen“"
                                       << "Eichen und Buchen";
        QTest::newRow("too long") << QString("a word ").repeated(20)
                                  << "a word a word a word a word a word a word a…";
        QTest::newRow("nothing") << " \"\" "
                                 << "";
    }
    void whatAModelSaysBecomesATitle() {
        QFETCH(QString, answer);
        QTEST(madeTitle(answer), "title");
    }

    void theModelNamesAConversationAfterItsFirstAnswer() {
        Run run(freshDataDir(), m_modelFile, {"--title", "\"Oaks and beeches.\""});
        QVERIFY(run.ask(kQuestion));
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().title(), QString("Oaks and beeches"), kPatienceMs);
        QTRY_COMPARE(run.model.conversations()->titleOf(run.chat().conversationId()),
                     QString("Oaks and beeches"));
        QCOMPARE(run.messages().size(), size_t{2});
        run.model.notices()->undoLast();
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().title(), QString(kQuestion), kPatienceMs);
    }

    void onlyTheFirstAnswerAndNoNameThatSomebodyGave() {
        const QString log = m_folder.filePath("first.log");
        Run run(freshDataDir(), m_modelFile,
                {"--title", "Oaks", "--tokens", "40", "--pace-ms", "5", "--log", log});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send(kQuestion);
        QTRY_VERIFY_WITH_TIMEOUT(run.chat().conversationId() != 0, kPatienceMs);
        run.model.conversations()->rename(static_cast<qint64>(run.chat().conversationId()), "Mine");
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QVERIFY(run.ask("And which flowers?"));
        QTest::qWait(100);
        QCOMPARE(titlesAsked(log), 0);
        QCOMPARE(run.chat().title(), QString("Mine"));
    }

    void theNextMessageDoesNotWait() {
        Run run(freshDataDir(), m_modelFile, {"--title", "Too late", "--title-ms", "60000"});
        QVERIFY(run.ask(kQuestion));
        QElapsedTimer time;
        time.start();
        QVERIFY(run.ask("And which flowers?"));
        QVERIFY2(time.elapsed() < kPatienceMs / 2, qPrintable(QString::number(time.elapsed())));
        QTest::qWait(100);
        QCOMPARE(run.chat().title(), QString(kQuestion));
    }

    void aPrivateAnswerIsNotHeldUp() {
        const QString log = m_folder.filePath("beside.log");
        Run run(freshDataDir(), m_modelFile,
                {"--title", "Oaks", "--tokens", "40", "--pace-ms", "40", "--log", log});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send(kQuestion);
        QTRY_VERIFY_WITH_TIMEOUT(run.chat().conversationId() != 0, kPatienceMs);
        RunningAnswers* answers = run.model.page()->answers();
        QTest::qWait(300);
        run.model.secret()->show();
        run.model.chat()->send("Between us: which trees?");
        RunningAnswers* secrets = run.model.secret()->page()->answers();
        QVERIFY(!answers->none() && !secrets->none());
        QTRY_VERIFY_WITH_TIMEOUT(answers->none(), kPatienceMs);
        QVERIFY(!secrets->none());
        QTRY_VERIFY_WITH_TIMEOUT(secrets->none(), kPatienceMs);
        QTest::qWait(100);
        QCOMPARE(titlesAsked(log), 0);
    }

    void aHistoryThatIsReplacedTakesNone() {
        const QString log = m_folder.filePath("replaced.log");
        Run run(freshDataDir(), m_modelFile, {"--title", "Oaks", "--title-ms", "500", "--log", log});
        QVERIFY(run.ask(kQuestion));
        QTRY_COMPARE_WITH_TIMEOUT(titlesAsked(log), 1, kPatienceMs);
        emit run.model.services()->historyReplaced();
        QTest::qWait(1000);
        QCOMPARE(run.model.conversations()->titleOf(run.chat().conversationId()), QString(kQuestion));
    }

    void noneWhereItIsNotWanted() {
        const QString log = m_folder.filePath("unwanted.log");
        Run run(freshDataDir(), m_modelFile, {"--title", "Oaks", "--log", log}, "question");
        QVERIFY(run.ask(kQuestion));
        QTest::qWait(100);
        QCOMPARE(titlesAsked(log), 0);
        // Of a private chat nothing is asked that its person did not ask.
        run.model.settings()->setProperty("titles", "any");
        run.model.secret()->show();
        QVERIFY(run.model.secret()->isShown());
        run.model.chat()->send("Between us: which trees?");
        QTRY_COMPARE_WITH_TIMEOUT(run.model.chat()->messages()->messages().size(), size_t{2}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.model.chat()->generation() == ChatController::Idle, kPatienceMs);
        QTest::qWait(100);
        QCOMPARE(titlesAsked(log), 0);
    }

    void theGuideMakesNone() {
        const QString log = m_folder.filePath("guide.log");
        WindowRun run(freshDataDir(), {"--title", "Oaks", "--log", log}, m_modelFile);
        run.model.settings()->setProperty("titles", "any");
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->guiding(), kPatienceMs);
        run.chat().send(kQuestion);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTest::qWait(100);
        QCOMPARE(titlesAsked(log), 0);
    }
};

WINDOW_SUITE(TitlesTest)
#include "titles_test.moc"
