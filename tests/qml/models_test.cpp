/// The models of the library: what their cards say, and how one rests.
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class ModelsTest : public QObject, WindowFiles {
    Q_OBJECT

    QString makeModel(const QString& name) {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) file.write(name.toUtf8());
        return path;
    }
    /// What the library says about the model in that file.
    static QString said(WindowRun& run, const QString& path, ModelLibrary::Role role) {
        ModelLibrary& models = *run.model.library();
        for (int row = 0; row < models.rowCount(); ++row) {
            if (models.data(models.index(row), ModelLibrary::PathRole).toString() == path)
                return models.data(models.index(row), role).toString();
        }
        return "no such model";
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aModelThatComparesTextsStandsInTheLibraryAndIsNotForChats() {
        const QString data = freshDataDir();
        const QString bge = makeModel("bge.gguf"), newer = makeModel("newer bge.gguf");
        {
            WindowRun run(data, {});
            ModelInUse& models = *run.model.models();
            QVERIFY(!models.embeddingModel().isThere());
            run.drop(bge);
            QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->toast(),
                                      QString("bge finds passages in documents from now on. It cannot chat."),
                                      kPatienceMs);
            QTRY_COMPARE(run.model.library()->rowCount(), 1);
            QVERIFY(!run.model.opener()->isLooking());
            QCOMPARE(models.state(), ModelInUse::NoModel);
            QVERIFY(said(run, bge, ModelLibrary::DetailsRole).contains("finds passages in documents"));
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(!said(run, m_modelFile, ModelLibrary::DetailsRole).contains("passages"));
            run.drop(newer);
            QTRY_COMPARE_WITH_TIMEOUT(run.model.library()->rowCount(), 3, kPatienceMs);
            QVERIFY2(run.ready() && models.current().path == m_modelFile.toStdString(), "it goes on");
            QCOMPARE(models.embeddingModel().path, newer.toStdString());
            models.use(said(run, bge, ModelLibrary::ModelIdRole));
            QCOMPARE(run.model.notices()->toast(),
                     QString("bge finds passages in documents; it writes nothing, so it cannot chat."));
            QVERIFY(run.ready() && models.current().path == m_modelFile.toStdString());
            for (const QVariant& each : models.guessChoices())
                QVERIFY(!each.toMap()["name"].toString().contains("bge"));
            run.model.library()->forget(said(run, newer, ModelLibrary::ModelIdRole));
            QTRY_COMPARE(models.embeddingModel().path, bge.toStdString());
            run.drop(newer);
            QTRY_COMPARE(models.embeddingModel().path, newer.toStdString());
        }
        // The one that chats was used before the other was added, and is loaded all the same.
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QCOMPARE(run.model.models()->current().path, m_modelFile.toStdString());
    }

    void aModelThatGuessesIsLoadedBesideAndLeftOutWhereItDoesNotSuit() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        const auto says = [&log](const QByteArray& words) {
            QFile file(log);
            return file.open(QIODevice::ReadOnly) ? file.readAll().count(words) : -1;
        };
        WindowRun run(folder, {"--log", log, "--guessed", "7"});
        const QString small = makeModel("guesser.gguf"), other = makeModel("other.gguf");
        for (const QString& path : {small, other, m_modelFile}) {
            run.drop(path);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->current().path == path.toStdString(),
                                     kPatienceMs);
        }
        const auto answer = [&run](const char* words) {
            const size_t before = run.messages().size();
            run.chat().send(words);
            return QTest::qWaitFor([&] { return run.messages().size() == before + 2 && run.idle(); },
                                   kPatienceMs);
        };
        // By a model's file, or by its own name.
        const auto choose = [&run](const QString& what) {
            const QString id = said(run, what, ModelLibrary::ModelIdRole);
            for (const QVariant& each : run.model.models()->guessChoices())
                if (each.toMap()["value"] == id || each.toMap()["name"] == what)
                    run.model.settings()->setProperty("guesses", each.toMap()["value"]);
            run.model.models()->use(QString::fromStdString(run.model.models()->current().id));
            // It is looked up first, and the one before is still ready meanwhile.
            return QTest::qWaitFor([&] { return run.ready() && !run.model.models()->choosing(); },
                                   kPatienceMs);
        };
        QVERIFY(answer("by itself"));
        QCOMPARE(says("\"guesses\":\"lookUp\""), 1);
        QTRY_VERIFY2(
            run.model.chat()
                ->messages()
                ->data(run.model.chat()->messages()->index(run.model.chat()->messages()->rowCount() - 1),
                       ChatRows::FiguresRole)
                .toString()
                .endsWith(" · 7 tokens predicted ahead"),
            "how many were right");
        QVERIFY(choose(small));
        QCOMPARE(says("\"draft\":\"" + small.toUtf8()), 1);
        QVERIFY(answer("with it"));
        QCOMPARE(says("\"guesses\":\"draft\""), 1);
        // Another vocabulary: one sentence, and the model is loaded without it.
        QVERIFY(choose(other));
        QVERIFY(run.model.notices()->toast().contains("cannot predict"));
        QVERIFY(answer("without it"));
        QCOMPARE(says("\"guesses\":\"lookUp\""), 2);
        QVERIFY(choose("Never"));
        QVERIFY(answer("never"));
        QCOMPARE(says("\"guesses\":\"off\""), 1);
    }

    void cardsSayWhatIsKnown() {
        WindowRun run(freshDataDir(), {});
        const QString huge = makeModel("huge.gguf");
        const QString gone = makeModel("one.gguf");
        const QString other = makeModel("two.gguf");
        for (const QString& path : {huge, gone, other, m_modelFile}) {
            run.drop(path);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->current().path == path.toStdString(),
                                     kPatienceMs);
        }
        QTRY_COMPARE_WITH_TIMEOUT(said(run, m_modelFile, ModelLibrary::DetailsRole),
                                  QString("llama · 0.0M · about 9 words a second"), kPatienceMs);
        run.chat().send("how fast?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(said(run, m_modelFile, ModelLibrary::DetailsRole),
                                  QString("llama · 0.0M · 20,000 tokens per second measured"), kPatienceMs);
        QVERIFY(QFile::remove(gone));
        QVERIFY(QFile::remove(other));
        makeModel("three.gguf");
        QVERIFY(QFile::rename(m_folder.filePath("three.gguf"), other));
        run.model.actions()->run("models");
        QTRY_COMPARE_WITH_TIMEOUT(said(run, gone, ModelLibrary::TroubleRole), QString("The file is missing."),
                                  kPatienceMs);
        QTRY_COMPARE(said(run, other, ModelLibrary::TroubleRole),
                     QString("The file has changed since it was last used."));
        QTRY_VERIFY_WITH_TIMEOUT(said(run, huge, ModelLibrary::DetailsRole).contains("needs"), kPatienceMs);
        QVERIFY(said(run, m_modelFile, ModelLibrary::TroubleRole).isEmpty());
        QVERIFY(!said(run, other, ModelLibrary::DetailsRole).contains("needs"));
        // And the cards show it.
        QStringList shown;
        QTRY_VERIFY(!(shown.clear(), run.shownItems("modelTrouble")).isEmpty());
        for (QQuickItem* item : run.shownItems("modelTrouble")) shown << item->property("text").toString();
        for (QQuickItem* item : run.shownItems("modelDetails")) shown << item->property("text").toString();
        QVERIFY(shown.contains("The file is missing."));
        QVERIFY(!shown.filter("tokens per second measured").isEmpty());
    }

    void aModelThatRestedIsLoadedByTheNextQuestion() {
        const QString log = m_folder.filePath("rest.log");
        WindowRun run(freshDataDir(), {"--log", log, "--load-ms", "300"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        // As after half an hour.
        run.model.engine()->restAfter(std::chrono::milliseconds(1));
        QTRY_COMPARE_WITH_TIMEOUT(requests(log, "unload"), 1, kPatienceMs);
        run.model.engine()->restAfter(std::chrono::milliseconds(0));
        QCOMPARE(run.model.models()->state(), ModelInUse::Ready);
        run.chat().send("again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(requests(log, "load"), 2);
        QCOMPARE(run.said(1).substr(0, 6), std::string("0 1 2 "));
    }

    void theModelBeforeStaysInMemory() {
        const QString log = m_folder.filePath("two.log");
        WindowRun run(freshDataDir(), {"--log", log, "--two", "--load-ms", "300"});
        const QString first = makeModel("first.gguf"), large = makeModel("large.gguf");
        const QString words = "In memory: answers at once";
        const auto inMemory = [&] {
            QStringList paths;
            for (const QString& path : {first, large, m_modelFile})
                if (said(run, path, ModelLibrary::DetailsRole).startsWith(words)) paths << path;
            return paths;
        };
        const auto uses = [&run](const QString& path) {
            return QTest::qWaitFor(
                [&] {
                    return run.ready() && run.model.models()->current().path == path.toStdString() &&
                           said(run, path, ModelLibrary::CurrentRole) == "true";
                },
                kPatienceMs);
        };
        QVERIFY(!run.model.actions()->can("modelBefore"));
        for (const QString& path : {first, m_modelFile}) {
            run.drop(path);
            QVERIFY(uses(path));
        }
        QTRY_COMPARE(inMemory(), QStringList{first});
        // Its card says so.
        run.model.actions()->run("models");
        QStringList shown;
        QTRY_VERIFY(!(shown.clear(), run.shownItems("modelDetails")).isEmpty());
        for (QQuickItem* item : run.shownItems("modelDetails")) shown << item->property("text").toString();
        QCOMPARE(shown.filter(words).size(), 1);
        // And so do keys, there and back.
        for (const QString& path : {first, m_modelFile}) {
            QTRY_VERIFY(run.model.actions()->can("modelBefore"));
            run.model.actions()->run("modelBefore");
            QVERIFY(uses(path));
        }
        QTRY_COMPARE(inMemory(), QStringList{first});
        // A third one takes its place, until the memory is needed.
        run.drop(large);
        QVERIFY(uses(large));
        QTRY_COMPARE(inMemory(), QStringList{m_modelFile});
        run.model.models()->use(said(run, m_modelFile, ModelLibrary::ModelIdRole));
        QVERIFY(uses(m_modelFile));
        QTRY_COMPARE(inMemory(), QStringList{large});
        run.chat().send("more");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE(inMemory(), QStringList());
        // Nor does one stay when the model in use rests.
        run.drop(first);
        QVERIFY(uses(first));
        QTRY_COMPARE(inMemory(), QStringList{m_modelFile});
        run.model.engine()->restAfter(std::chrono::milliseconds(1));
        QTRY_COMPARE_WITH_TIMEOUT(requests(log, "unload"), 1, kPatienceMs);
        QTRY_COMPARE(inMemory(), QStringList());
    }
};

WINDOW_SUITE(ModelsTest)
#include "models_test.moc"
