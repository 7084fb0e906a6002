/// Models as they were published: the card, what it makes, and what a drop of several things comes to.
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class SmallerTest : public QObject, WindowFiles {
    Q_OBJECT

    QString m_published;  ///< a folder

    static SmallerModel& smaller(WindowRun& run) { return *run.model.smaller(); }
    /// Whether a button of the card is there to be pressed.
    static QQuickItem* button(WindowRun& run, const char* name) {
        QQuickItem* item = run.shownItem(name);
        return item && item->isVisible() ? item : nullptr;
    }
    static QString focus(WindowRun& run) {
        return run.window->activeFocusItem() ? run.window->activeFocusItem()->objectName() : QString();
    }
    /// Drops the folder and waits for the card.
    void ask(WindowRun& run) {
        QVERIFY(run.drop(m_published));
        QTRY_VERIFY_WITH_TIMEOUT(button(run, "smallerAsItIs"), kPatienceMs);
        QCOMPARE(smaller(run).state(), SmallerModel::Asking);
    }
    static QStringList filesIn(const QString& folder) {
        return QDir(folder).entryList(QDir::AllEntries | QDir::NoDotAndDotDot | QDir::Hidden);
    }

  private slots:
    void initTestCase() {
        QVERIFY(prepare());
        m_published = m_folder.filePath("published");
        QDir().mkpath(m_published);
        QFile weights(m_published + "/model.safetensors");
        QVERIFY(weights.open(QIODevice::WriteOnly) && weights.write("weights") > 0);
    }

    void aFolderIsUsedAsItIs() {
        WindowRun run(freshDataDir(), {});
        ask(run);
        QCOMPARE(smaller(run).sentence(),
                 QString("Qwen3 8B, as published: 16.4 GB. Use it as it is, or make it smaller: 5.0 GB."));
        QVERIFY(smaller(run).place().startsWith("The smaller file takes 5.0 GB in "));
        // By keyboard alone.
        QCOMPARE(focus(run), QString("smallerAsItIs"));
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!button(run, "smallerAsItIs"), kPatienceMs);
        QCOMPARE(run.model.models()->currentName(), QString("Qwen3 8B"));
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_published);
        // From the library it opens without a question.
        run.model.models()->use(QString::fromStdString(run.model.models()->current().id));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QCOMPARE(smaller(run).state(), SmallerModel::Idle);
    }

    void aModelThatIsSmallAnywayOpensWithoutAQuestion() {
        {
            WindowRun run(freshDataDir(), {"--published", "255999999"});
            QSignalSpy wanted(&smaller(run), &SmallerModel::wanted);
            QVERIFY(run.drop(m_published));
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QCOMPARE(wanted.size(), 0);
            QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_published);
        }
        WindowRun run(freshDataDir(), {"--published", "256000000"});
        ask(run);
        QVERIFY(!run.ready());
    }

    void aSmallerModelIsMadeAndLoaded() {
        const QString data = freshDataDir();
        WindowRun run(data, {"--import-ms", "3000"});
        ask(run);
        QTest::keyClick(run.window, Qt::Key_Tab);
        QCOMPARE(focus(run), QString("smallerMake"));
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(button(run, "smallerProgress"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(smaller(run).fraction() > 0, kPatienceMs);
        QVERIFY(smaller(run).progress().startsWith("Making Qwen3 8B smaller: "));
        QVERIFY(run.model.status()->text().startsWith("Making Qwen3 8B smaller: "));
        QTRY_COMPARE_WITH_TIMEOUT(smaller(run).timeLeft(), QString("less than a minute left"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QCOMPARE(run.model.models()->current().path, (data + "/models/Qwen3 8B-Q4_K_M.gguf").toStdString());
        QVERIFY(!button(run, "smallerProgress"));
        QVERIFY(smaller(run).progress().isEmpty());
    }

    void escapeKeepsTheModelThatWas() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        ask(run);
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_COMPARE_WITH_TIMEOUT(smaller(run).state(), SmallerModel::Idle, kPatienceMs);
        QVERIFY(run.ready());
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_modelFile);
        // The library is read beside the load: its one row may come later.
        QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 1, kPatienceMs);
    }

    void whatIsMadeGoesOnBehindAClosedCard() {
        WindowRun run(freshDataDir(), {"--import-ms", "1500"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        ask(run);
        QMetaObject::invokeMethod(button(run, "smallerMake"), "clicked");
        QTRY_COMPARE_WITH_TIMEOUT(focus(run), QString("smallerBackground"), kPatienceMs);
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!button(run, "smallerProgress"), kPatienceMs);
        QCOMPARE(smaller(run).state(), SmallerModel::Making);
        // The model in use stays; the new one is in the library and offered.
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(), QString("The smaller Qwen3 8B is ready."),
                                  kPatienceMs);
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_modelFile);
        QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 2, kPatienceMs);
        run.model.notices()->runBannerAction();
        QTRY_VERIFY_WITH_TIMEOUT(run.model.models()->current().path.ends_with("-Q4_K_M.gguf"), kPatienceMs);
    }

    void aStoppedOneLeavesNothing() {
        const QString data = freshDataDir();
        WindowRun run(data, {"--import-ms", "0"});
        ask(run);
        QMetaObject::invokeMethod(button(run, "smallerMake"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(button(run, "smallerProgress"), kPatienceMs);
        // The library shows the way back to a card that was closed.
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(!button(run, "smallerProgress"), kPatienceMs);
        run.model.actions()->run("models");
        QTRY_VERIFY_WITH_TIMEOUT(button(run, "smallerShow"), kPatienceMs);
        QMetaObject::invokeMethod(button(run, "smallerShow"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(button(run, "smallerProgress"), kPatienceMs);
        QMetaObject::invokeMethod(button(run, "smallerCancel"), "clicked");
        QTRY_COMPARE_WITH_TIMEOUT(smaller(run).state(), SmallerModel::Idle, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(!button(run, "smallerCancel"), kPatienceMs);
        QCOMPARE(run.model.notices()->toast(), QString("Stopped; nothing was kept."));
        QVERIFY(filesIn(data + "/models").isEmpty());
        QCOMPARE(run.model.library()->rowCount(), 0);
    }

    void aDiskWithoutRoomIsSaidAndAnotherFolderChosen() {
        const QString data = freshDataDir();
        WindowRun run(data, {});
        ask(run);
        smaller(run).setFolder(QUrl::fromLocalFile(data + "/full"));
        QMetaObject::invokeMethod(button(run, "smallerMake"), "clicked");
        QTRY_COMPARE_WITH_TIMEOUT(smaller(run).state(), SmallerModel::Failed, kPatienceMs);
        QCOMPARE(smaller(run).sentence(),
                 QString("The smaller model needs 5.0 GB of room on its disk; 1.2 GB are free."));
        QTRY_COMPARE_WITH_TIMEOUT(run.shownItem("smallerSentence")->property("text").toString(),
                                  smaller(run).sentence(), kPatienceMs);
        QCOMPARE(button(run, "smallerMake")->property("text").toString(), QString("Try again"));
        QVERIFY(filesIn(data + "/full").isEmpty());
        smaller(run).setFolder(QUrl::fromLocalFile(data + "/elsewhere"));
        QMetaObject::invokeMethod(button(run, "smallerMake"), "clicked");
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QCOMPARE(filesIn(data + "/elsewhere").size(), 1);
    }

    void severalModelsAreAllKept() {
        WindowRun run(freshDataDir(), {});
        const QString other = m_folder.filePath("other.gguf");
        QVERIFY(QFile::copy(m_modelFile, other));
        run.model.opener()->openUrls({QUrl::fromLocalFile(m_folder.filePath("page.gguf")),
                                      QUrl::fromLocalFile(m_modelFile), QUrl::fromLocalFile(other)});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QCOMPARE(QString::fromStdString(run.model.models()->current().path), m_modelFile);
        QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 2, kPatienceMs);
        QStringList said;
        for (const QVariant& toast : run.model.notices()->toasts()) said << toast.toMap()["text"].toString();
        QVERIFY(said.contains("2 models were recognised; the first is opened."));
        QVERIFY(said.contains("page.gguf is a web page, not the model. Its page may ask to sign in first."));
    }

    void whatIsRefusedOffersAWayToAModel() {
        WindowRun run(freshDataDir(), {});
        QVERIFY(run.drop(m_folder.filePath("page.gguf")));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->bannerAction(), QString("Find a model"), kPatienceMs);
        QCOMPARE(run.model.notices()->banner(),
                 QString("page.gguf is a web page, not the model. Its page may ask to sign in first."));
        run.model.notices()->runBannerAction();
        QTRY_VERIFY_WITH_TIMEOUT(run.shownItem("modelFilter"), kPatienceMs);
    }
};

WINDOW_SUITE(SmallerTest)
#include "smaller_test.moc"
