/// Models of other computers, to which the bridge leads.
#include <QProcess>

#include "app/desktop/services/library_models.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class RemoteTest : public QObject, WindowFiles {
    Q_OBJECT

    /// A bridge as the person starts it.
    class Bridge {
      public:
        Bridge(const QString& socket, const QString& log, const QStringList& arguments = {}) : m_log(log) {
            QFile::remove(socket);
            m_process.setProcessChannelMode(QProcess::ForwardedChannels);
            m_process.start(INGLE_PYTHON, QStringList{INGLE_FAKE_HOST, "--listen", socket, "--far",
                                                      "Big model", "--far", "Other model", "--log", log} +
                                              arguments);
            m_isThere = QTest::qWaitFor([&] { return QFile::exists(socket); }, kPatienceMs);
        }
        ~Bridge() {
            m_process.kill();
            m_process.waitForFinished();
        }
        bool isThere() const { return m_isThere; }
        /// How often it was asked for that.
        int asked(const char* operation) const { return std::max(0, requests(m_log, operation)); }
        bool heard(const char* words) const {
            QFile file(m_log);
            return file.open(QIODevice::ReadOnly) && file.readAll().contains(words);
        }

      private:
        const QString m_log;
        QProcess m_process;
        bool m_isThere = false;
    };

    struct Place {
        QString data, socket, bridgeLog, hostLog;
        AppFiles files() const { return {.dataDir = data.toStdString(), .bridge = socket.toStdString()}; }
    };
    Place freshPlace() {
        const QString data = freshDataDir();
        return {data, data + "/bridge.sock", data + "/bridge.log", data + "/host.log"};
    }
    static bool openLocal(WindowRun& run, const QString& file) {
        run.drop(file);
        return QTest::qWaitFor([&] { return run.ready(); }, kPatienceMs);
    }
    static bool useRemote(WindowRun& run) {
        run.model.library()->look();
        if (!QTest::qWaitFor([&] { return run.model.library()->rowCount() == 3; }, kPatienceMs)) return false;
        run.model.models()->use("bridge:Big model");
        return QTest::qWaitFor([&] { return run.ready() && run.model.models()->isRemote(); }, kPatienceMs);
    }
    static bool answered(WindowRun& run, size_t messages) {
        return QTest::qWaitFor([&] { return run.messages().size() == messages && run.idle(); }, kPatienceMs);
    }
    /// Nothing was sent, and nothing lost: the question asks whether it may.
    static void verifyAsked(WindowRun& run, const Bridge& bridge, const QString& words, const char* because) {
        QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->banner().contains(because), kPatienceMs);
        QCOMPARE(run.model.notices()->bannerAction(), QString("Send it this time"));
        QCOMPARE(run.chat().draft(), words);
        QVERIFY(!bridge.heard(words.toUtf8().constData()));
    }
    static void write(WindowRun& run, const QString& words) {
        run.item("composerInput")->setProperty("text", words);
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void withoutABridgeThereIsNothingOfIt() {
        const Place place = freshPlace();
        WindowRun run(place.files(), {});
        QVERIFY(openLocal(run, m_modelFile));
        run.model.library()->look();
        QTest::qWait(200);
        QCOMPARE(run.model.library()->rowCount(), 1);
        QCOMPARE(run.model.library()->remoteTrouble(), QString());
        run.model.models()->use("bridge:Big model");
        QTRY_COMPARE(run.model.models()->state(), ModelInUse::Failed);
        QCOMPARE(run.model.notices()->banner(),
                 QString("The bridge to other computers is not running. Start it, and try again."));
    }

    void itIsMarkedInWordsAndColourAndNeverADefault() {
        const Place place = freshPlace();
        const Bridge bridge(place.socket, place.bridgeLog);
        QVERIFY(bridge.isThere());
        {
            WindowRun run(place.files(), {"--log", place.hostLog});
            QVERIFY(openLocal(run, m_modelFile));
            QCOMPARE(bridge.asked("hello"), 0);  // nobody asked for it
            run.model.actions()->run("models");
            QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 3, kPatienceMs);
            const auto headings = [&run] { return run.shownItems("SectionHeading"); };
            QTRY_VERIFY_WITH_TIMEOUT(!headings().isEmpty(), kPatienceMs);
            QCOMPARE(headings().first()->property("text").toString(), QString("On other computers"));
            const QModelIndex row = run.model.library()->index(1);
            QCOMPARE(row.data(ModelLibrary::NameRole).toString(), QString("Big model"));
            QCOMPARE(row.data(ModelLibrary::DetailsRole).toString(),
                     QString("What you ask is sent to far.example"));
            const QColor usual = run.item("modelButton")
                                     ->findChild<QQuickItem*>("modelButtonText")
                                     ->property("color")
                                     .value<QColor>();
            QVERIFY(useRemote(run));
            QVERIFY(run.model.status()->leaves());
            QCOMPARE(run.model.status()->model(), QString("Big model · sent to far.example"));
            QQuickItem* text = run.item("modelButton")->findChild<QQuickItem*>("modelButtonText");
            QVERIFY(text->property("color").value<QColor>() != usual);
            QCOMPARE(run.chat().placeholder(), QString("Write a message; it is sent to far.example"));
            QCOMPARE(run.model.startPage()->text(), QString("What you ask is sent to far.example."));
            QVERIFY(run.model.status()->everything().contains("sent to far.example"));
            write(run, "How are you?");
            run.chat().send("How are you?");
            QVERIFY(answered(run, 2));
            QVERIFY(bridge.heard("How are you?"));
            QCOMPARE(requests(place.hostLog, "generate"), 0);
            // Nothing of it is checked, nothing of a draft is measured far away.
            run.model.check()->check(run.messages()[1].id);
            QCOMPARE(run.model.notices()->toast(),
                     QString("Not verifiable: another computer wrote this answer."));
            write(run, QString("secret ").repeated(200));
            QTest::qWait(800);
            QVERIFY(!bridge.heard("secret"));
            run.model.actions()->run("prompt");
            QTest::qWait(300);
            QCOMPARE(bridge.asked("preview"), 0);
            // It cannot guess for another, nor have settings, nor be forgotten.
            for (const QVariant& each : run.model.models()->guessChoices())
                QVERIFY(!each.toMap()["name"].toString().contains("model"));
            run.model.library()->forget("bridge:Big model");
            QVERIFY(!run.model.models()->canUseBefore() || run.ready());
            QCOMPARE(run.model.notices()->banner(), QString());
        }
        WindowRun run(place.files(), {"--log", place.hostLog});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QVERIFY(!run.model.models()->isRemote());
        QCOMPARE(run.model.models()->current().path, m_modelFile.toStdString());
        QVERIFY(!run.model.status()->leaves());
        QCOMPARE(run.chat().placeholder(), QString("Write a message"));
        QCOMPARE(run.model.startPage()->text(), QString("It answers on this computer, and nowhere else."));
    }

    void aPrivateChatAsksEachTime() {
        const Place place = freshPlace();
        const Bridge bridge(place.socket, place.bridgeLog);
        WindowRun run(place.files(), {});
        run.rowsTester.reset();
        QVERIFY(openLocal(run, m_modelFile));
        QVERIFY(useRemote(run));
        run.model.secret()->show();
        for (const QString words : {"first secret", "second secret"}) {
            run.chat().setDraft(words);
            run.chat().send(words);
            verifyAsked(run, bridge, words, "This chat is private, and Big model runs on far.example.");
            run.model.notices()->dismissBanner();
            QTest::qWait(100);
            QVERIFY(!bridge.heard(words.toUtf8().constData()));
            run.chat().send(words);
            QTRY_VERIFY(!run.model.notices()->bannerAction().isEmpty());
            const size_t before = run.messages().size();
            run.model.notices()->runBannerAction();
            QVERIFY(answered(run, before + 2));
            QVERIFY(bridge.heard(words.toUtf8().constData()));
        }
        // Neither is another answer, or another wording, written without asking.
        const int asked = bridge.asked("generate");
        run.chat().regenerate(run.messages()[1].id);
        QTRY_VERIFY(run.model.notices()->banner().contains("private"));
        run.chat().edit(run.messages()[0].id, "third secret");
        QTest::qWait(100);
        QCOMPARE(bridge.asked("generate"), asked);
        QVERIFY(!bridge.heard("third secret"));
        // A question that is open is not about another model, nor asked once the chat is gone.
        run.model.models()->use(run.model.library()->index(0).data(ModelLibrary::ModelIdRole).toString());
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && !run.model.models()->isRemote(), kPatienceMs);
        QCOMPARE(run.model.notices()->banner(), QString());
        const size_t before = run.messages().size();
        run.chat().send("stays here");
        QVERIFY(answered(run, before + 2));
        QVERIFY(!bridge.heard("stays here"));
        QVERIFY(useRemote(run));
        run.chat().send("fourth secret");
        QTRY_VERIFY(run.model.notices()->banner().contains("private"));
        run.model.secret()->close();
        QCOMPARE(run.model.notices()->banner(), QString());
    }

    void documentsAreAskedForEachTime() {
        const Place place = freshPlace();
        const Bridge bridge(place.socket, place.bridgeLog);
        WindowRun run(place.files(), {});
        QVERIFY(openLocal(run, m_modelFile));
        QVERIFY(useRemote(run));
        const QString report = m_folder.filePath("bees.txt");
        QFile file(report);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# Bees\n\nBees make honey.\n") > 0);
        file.close();
        run.model.opener()->openPath(report);
        DocumentShelf& shelf = *run.model.documents();
        QTRY_COMPARE_WITH_TIMEOUT(shelf.rowCount(), 1, kPatienceMs);
        const auto of = [&shelf](DocumentShelf::Role role) { return shelf.index(0).data(role); };
        QCOMPARE(of(DocumentShelf::StateRole).toInt(), int{DocumentShelf::Remote});
        QCOMPARE(of(DocumentShelf::ProgressRole).toString(),
                 QString("Stays on this computer: passages of it are sent only when you allow it."));
        shelf.ask(of(DocumentShelf::DocumentRole).toLongLong());
        shelf.read(of(DocumentShelf::DocumentRole).toLongLong());
        const QString words = "What do bees make?";
        write(run, words);
        run.chat().send(words);
        verifyAsked(run, bridge, words, "Documents are in this chat, and Big model runs on far.example.");
        QCOMPARE(bridge.asked("read"), 0);
        run.model.notices()->runBannerAction();
        QVERIFY(answered(run, 2));
        QVERIFY(bridge.heard("Bees make honey."));
        write(run, "And what else?");
        run.chat().send("And what else?");
        verifyAsked(run, bridge, "And what else?", "Documents are in this chat");
        // Put away, its passages still stand in the chat.
        shelf.putAway(of(DocumentShelf::DocumentRole).toLongLong());
        run.model.notices()->dismissBanner();
        run.chat().send("And what else?");
        verifyAsked(run, bridge, "And what else?", "Documents are in this chat");
        // In another chat nothing of it does.
        run.chat().newConversation();
        write(run, "Hello!");
        run.chat().send("Hello!");
        QVERIFY(answered(run, 2));
        QVERIFY(bridge.heard("Hello!"));
    }

    void whatIsAllowedForOneComputerGoesToNoOther() {
        const Place place = freshPlace();
        std::optional<Bridge> bridge(std::in_place, place.socket, place.bridgeLog);
        WindowRun run(place.files(), {});
        QVERIFY(openLocal(run, m_modelFile));
        QVERIFY(useRemote(run));
        run.model.secret()->show();
        run.chat().setDraft("a secret");
        run.chat().send("a secret");
        verifyAsked(run, *bridge, "a secret", "runs on far.example");
        bridge.emplace(place.socket, place.bridgeLog, QStringList{"--far-device", "elsewhere.example"});
        run.model.notices()->runBannerAction();
        QVERIFY(answered(run, 2));
        QVERIFY(!bridge->heard("a secret"));
        QCOMPARE(RunningAnswers::endSentence(run.messages()[1]), QString("far.example cannot be reached."));
        // The list tells where it is now; once it is chosen again it may be asked.
        run.model.library()->look();
        QTRY_VERIFY_WITH_TIMEOUT(run.model.library()
                                     ->index(1)
                                     .data(ModelLibrary::DetailsRole)
                                     .toString()
                                     .endsWith("sent to elsewhere.example"),
                                 kPatienceMs);
        run.model.models()->use("bridge:Big model");
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->device() == "elsewhere.example",
                                 kPatienceMs);
        run.chat().regenerate(run.messages()[1].id);
        QTRY_VERIFY(run.model.notices()->banner().contains("runs on elsewhere.example"));
    }

    void whatIsWrittenWhileAnEditWaitsIsSentToo() {
        const Place place = freshPlace();
        const Bridge bridge(place.socket, place.bridgeLog);
        WindowRun run(place.files(), {});
        QVERIFY(openLocal(run, m_modelFile));
        QVERIFY(useRemote(run));
        run.model.secret()->show();
        run.chat().send("first words");
        QTRY_VERIFY(!run.model.notices()->bannerAction().isEmpty());
        run.model.notices()->runBannerAction();
        QVERIFY(answered(run, 2));
        run.chat().messages()->edit(static_cast<double>(run.messages()[0].id));
        run.chat().messages()->setEditedText("other words");
        run.chat().edit(run.messages()[0].id, "other words");
        QTRY_VERIFY(!run.model.notices()->bannerAction().isEmpty());
        run.chat().messages()->setEditedText("other words and more");
        run.model.notices()->runBannerAction();
        QTRY_COMPARE_WITH_TIMEOUT(run.said(0), std::string("other words and more"), kPatienceMs);
    }

    void namesFromAfarAreMadeLegible() {
        const auto entry =
            remoteEntry("bridge:\u202Eevil\u0007 " + std::string(400, 'x'), "far\u202E.example");
        QVERIFY(!QString::fromStdString(entry.name).contains(QChar(0x202E)));
        QVERIFY(entry.name.starts_with("evil xxx"));
        QVERIFY(entry.name.size() < 80);
        QCOMPARE(entry.summary, std::string("far.example"));
        QCOMPARE(nameOf(remoteEntry("bridge:Qwen3-8B-Q4_K_M", "")), QString("Qwen3-8B-Q4_K_M"));
        QVERIFY2(entry.path.size() > 400, "it is asked for by its own name");
    }

    void anAnswerThatTheBridgeLeftIsContinued() {
        const Place place = freshPlace();
        std::optional<Bridge> bridge(std::in_place, place.socket, place.bridgeLog,
                                     QStringList{"--tokens", "200", "--pace-ms", "20"});
        WindowRun run(place.files(), {});
        QVERIFY(openLocal(run, m_modelFile));
        QVERIFY(useRemote(run));
        run.chat().send("Count.");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).find("9 ") != std::string::npos,
                                 kPatienceMs);
        bridge.reset();
        QVERIFY(answered(run, 2));
        QVERIFY(run.messages()[1].status == history::MessageStatus::Failed);
        QCOMPARE(RunningAnswers::endSentence(run.messages()[1]),
                 QString("The bridge to other computers ended in the middle of this."));
        QVERIFY(run.chat().canContinue(run.messages()[1].id));
        // No model of another computer is chosen by itself.
        run.model.models()->useBefore();
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && !run.model.models()->isRemote(), kPatienceMs);
        QVERIFY(!run.chat().canContinue(run.messages()[1].id));
        bridge.emplace(place.socket, place.bridgeLog);
        QVERIFY(useRemote(run));
        QVERIFY(run.chat().canContinue(run.messages()[1].id));
        bridge.reset();
        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE(RunningAnswers::endSentence(run.messages()[1]),
                     QString("The bridge to other computers is not running. Start it, and try again."));
        QVERIFY(answered(run, 2));
        bridge.emplace(place.socket, place.bridgeLog, QStringList{"--tokens", "30"});
        run.chat().continueAnswer(run.messages()[1].id);
        QVERIFY(answered(run, 2));
        QTRY_COMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        QString counted;
        for (int i = 0; i < 30; ++i) counted += QString("%1 ").arg(i);
        QVERIFY2(QString::fromStdString(run.said(1)).startsWith(counted), run.said(1).c_str());
        QCOMPARE(run.said(1).find("0 1 "), size_t{0});
        QCOMPARE(run.said(1).rfind("0 1 "), size_t{0});
    }
};

WINDOW_SUITE(RemoteTest)
#include "remote_test.moc"
