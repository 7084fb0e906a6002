/// The models of the library: what their cards say, and how one rests.
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
    static QString said(WindowRun& run, const QString& path, ModelListModel::Role role) {
        ModelListModel& models = *run.model.models();
        for (int row = 0; row < models.rowCount(); ++row) {
            if (models.data(models.index(row), ModelListModel::PathRole).toString() == path)
                return models.data(models.index(row), role).toString();
        }
        return "no such model";
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

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
        QCOMPARE(said(run, m_modelFile, ModelListModel::DetailsRole),
                 QString("llama · 0.0M · about 9 words a second"));
        run.chat().send("how fast?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(
            said(run, m_modelFile, ModelListModel::DetailsRole),
            QString("llama · 0.0M · about 9 words a second · 20,000 tokens per second measured"),
            kPatienceMs);
        QVERIFY(QFile::remove(gone));
        QVERIFY(QFile::remove(other));
        makeModel("three.gguf");
        QVERIFY(QFile::rename(m_folder.filePath("three.gguf"), other));
        run.model.actions()->run("models");
        QTRY_COMPARE_WITH_TIMEOUT(said(run, gone, ModelListModel::TroubleRole),
                                  QString("The file is missing."), kPatienceMs);
        QTRY_COMPARE(said(run, other, ModelListModel::TroubleRole),
                     QString("The file has changed since it was last used."));
        QTRY_VERIFY_WITH_TIMEOUT(said(run, huge, ModelListModel::DetailsRole).contains("needs"), kPatienceMs);
        QVERIFY(said(run, m_modelFile, ModelListModel::TroubleRole).isEmpty());
        QVERIFY(!said(run, other, ModelListModel::DetailsRole).contains("needs"));
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
        QCOMPARE(run.model.models()->state(), ModelListModel::Ready);
        run.chat().send("again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(requests(log, "load"), 2);
        QCOMPARE(run.said(1).substr(0, 6), std::string("0 1 2 "));
    }
};

QTEST_MAIN(ModelsTest)
#include "models_test.moc"
