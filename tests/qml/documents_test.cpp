/// Documents: from a dropped file to an answer about it, what reading costs, and what stays.
#include "app/history/documents/documents.h"
#include "app/history/chats/messages.h"
#include "app/history/opening.h"

#include <QSignalSpy>

#include <thread>

#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class DocumentsTest : public QObject, WindowFiles {
    Q_OBJECT

    using Shelf = DocumentShelf;

    QString write(const QString& name, const QByteArray& text) {
        const QString path = m_folder.filePath(name);
        QFile file(path);
        if (!file.open(QIODevice::WriteOnly) || file.write(text) != text.size()) qFatal("cannot write");
        return path;
    }
    static QVariant role(WindowRun& run, int row, int role) {
        return run.model.documents()->index(row, 0).data(role);
    }
    static int stateOf(WindowRun& run, int row = 0) { return role(run, row, Shelf::StateRole).toInt(); }
    static QString progressOf(WindowRun& run, int row = 0) {
        return role(run, row, Shelf::ProgressRole).toString();
    }
    static qint64 idOf(WindowRun& run, int row = 0) {
        return role(run, row, Shelf::DocumentRole).toLongLong();
    }
    static int inChat(WindowRun& run) { return run.model.chatDocuments()->rowCount(); }
    static bool cardIsOpen(WindowRun& run) { return run.isOpen("documentsPage"); }
    /// A window with a model and one document, whose cost is known.
    void open(WindowRun& run, const QString& document) {
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.drop(document);
        QTRY_COMPARE_WITH_TIMEOUT(run.model.documents()->rowCount(), 1, kPatienceMs);
    }

    /// A model that sees is in use.
    void useSeeing(WindowRun& run) {
        const QString path = m_folder.filePath("sees.gguf");
        QFile::copy(m_modelFile, path);
        run.drop(path);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->seesPictures(), kPatienceMs);
    }
    /// A PDF of pages without text. It has no table of objects: readers look for them then.
    static QByteArray blankPages(int count) {
        QByteArray pages, kids;
        for (int i = 0; i < count; ++i) {
            kids += QByteArray::number(3 + i) + " 0 R ";
            pages +=
                QByteArray::number(3 + i) + " 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 99 99]>>endobj\n";
        }
        return "%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[" + kids +
               "]/Count " + QByteArray::number(count) + ">>endobj\n" + pages + "trailer<</Root 1 0 R>>\n";
    }
    static std::string textOf(const QString& data, qint64 document) {
        std::string text;
        std::thread([&] {
            const auto file = history::openReader(data.toStdString() + "/history.sqlite").value();
            text = history::documentText(*file, document).value();
        }).join();
        return text;
    }
    /// Its chapter 42 says something.
    static QByteArray novel(const QByteArray& words) {
        QByteArray text;
        for (int chapter = 1; chapter < 60; ++chapter)
            text += "# Chapter " + QByteArray::number(chapter) + "\n\n" +
                    (chapter == 42 ? words : QByteArray("Nothing happens.")) + "\n\n";
        return text;
    }
    static bool hasChapter42(const history::Message& question) {
        return std::ranges::any_of(question.parts, [](const Part& part) {
            return part.kind == PartKind::Source && part.data.ends_with("Chapter 42");
        });
    }
    /// The embedding model has said what every passage of that document means.
    static bool isUnderstood(WindowRun& run, const QString& data, qint64 document) {
        const std::string model = run.model.models()->embeddingModel().id;
        bool isAll = false;
        std::thread([&] {
            const auto file = history::openReader(data.toStdString() + "/history.sqlite").value();
            isAll = history::haveVectors(*file, std::vector{history::RowId{document}}, {}).value() &&
                    history::passagesWithoutVector(*file, model, 1).value().empty();
        }).join();
        return isAll;
    }
    void askInNewChat(WindowRun& run, const QString& question) {
        run.chat().newConversation();
        QTRY_VERIFY(run.messages().empty() && inChat(run) == 0);
        run.model.documents()->ask(idOf(run));
        QCOMPARE(inChat(run), 1);
        run.chat().send(question);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aDroppedTextIsReadAndAskedAbout() {
        const QString log = m_folder.filePath("read.log");
        const QString report = write("report.txt", "# Bees\n\nBees make honey.\n");
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--log", log, "--read-ms", "50"});
            open(run, report);
            QTRY_VERIFY(cardIsOpen(run));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
            QVERIFY2(
                progressOf(run).contains("read. The rest: less than a minute here, 2.0 MB kept on the disk"),
                qPrintable(progressOf(run)));
            QCOMPARE(requests(log, "cancel"), 1);  // only a page was read so far
            QCOMPARE(inChat(run), 0);
            run.click(run.shownItem("ask-0"), QPointF(5, 5));
            QTRY_VERIFY(!cardIsOpen(run));
            QCOMPARE(inChat(run), 1);
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Reading}, kPatienceMs);
            QVERIFY(run.shownItem("stripProgress-0")->isVisible());
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
            QCOMPARE(progressOf(run), QString("Read with fake: 1,000 tokens, 2.0 MB kept on the disk"));
            run.chat().send("What do bees make?");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QFile file(log);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray said = file.readAll();
            // The question's prompt begins as what was read.
            const QByteArray before = R"("messages":[{"parts":[{"data":"report.txt","kind":"attachment",)"
                                      R"("text":"# Bees\n\nBees make honey."}],"role":"system"})";
            QCOMPARE(said.count(before), 3);
            QVERIFY(said.contains(R"("op":"retain")"));
            QVERIFY(said.contains(R"("documents":["1"])"));
        }
        // Another window knows what is read, and which chat it stands in.
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_COMPARE(stateOf(run), int{Shelf::Read});
        QTRY_COMPARE(inChat(run), 1);
        run.chat().newConversation();
        QTRY_COMPARE(inChat(run), 0);
        run.model.documents()->ask(idOf(run));
        QTRY_COMPARE(inChat(run), 1);
        run.click(run.shownItem("stripAway-0"), QPointF(5, 5));
        QTRY_COMPARE(inChat(run), 0);
    }

    void aScanIsReadByAModelThatSees() {
        const QString log = m_folder.filePath("seen.log"), data = freshDataDir();
        WindowRun run(data, {"--log", log, "--say", "```\nSeen words\n```"});
        useSeeing(run);
        QStringList told;
        connect(run.model.documents(), &Shelf::openingChanged, run.model.documents(),
                [&] { told << run.model.documents()->opening(); });
        run.drop(write("scan.pdf", blankPages(3)));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.documents()->rowCount(), 1, kPatienceMs);
        QCOMPARE(textOf(data, idOf(run)), std::string("Seen words\n\nSeen words\n\nSeen words"));
        QCOMPARE(requests(log, "picture"), 3);
        QCOMPARE(requests(log, "generate"), 3);
        const QString name = run.model.models()->currentName();
        QVERIFY2(told.contains(QString("Reading scan.pdf with %1: page 1 of 3").arg(name)),
                 qPrintable(told.join('\n')));
        QVERIFY2(!told.filter("page 3 of 3").isEmpty(), qPrintable(told.join('\n')));
        QVERIFY(told.last().isEmpty());
        QCOMPARE(run.messages().size(), size_t{0});
    }

    void aModelThatFailsOverAPageIsToldAndCanBeCancelled() {
        {
            WindowRun run(freshDataDir(), {"--fail-at", "0"});
            useSeeing(run);
            run.drop(write("failing.pdf", blankPages(2)));
            QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->banner().startsWith("failing.pdf: "), kPatienceMs);
            QCOMPARE(run.model.documents()->rowCount(), 0);
            QVERIFY(run.model.documents()->opening().isEmpty());
        }
        const QString log = m_folder.filePath("cancelled.log");
        WindowRun run(freshDataDir(), {"--log", log, "--tokens", "1000", "--pace-ms", "20"});
        useSeeing(run);
        run.drop(write("slow.pdf", blankPages(2)));
        QTRY_VERIFY_WITH_TIMEOUT(run.model.documents()->opening().contains("page 1 of 2"), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(requests(log, "generate"), 1, kPatienceMs);
        run.model.documents()->cancelOpening();
        QTRY_VERIFY(run.model.documents()->opening().isEmpty());
        QTRY_COMPARE_WITH_TIMEOUT(requests(log, "cancel"), 1, kPatienceMs);
        QCOMPARE(run.model.documents()->rowCount(), 0);
        QCOMPARE(run.model.notices()->banner(), QString());
    }

    void aPictureThatIsDroppedOnTheDocumentsBecomesOne() {
        const QString data = freshDataDir();
        WindowRun run(data, {"--say", "A sign"});
        useSeeing(run);
        QImage image(40, 30, QImage::Format_RGB32);
        image.fill(Qt::white);
        const QString path = m_folder.filePath("sign.png");
        QVERIFY(image.save(path, "PNG"));
        run.model.actions()->run("documents");
        QTRY_VERIFY(cardIsOpen(run));
        run.drop(path);
        QTRY_COMPARE_WITH_TIMEOUT(run.model.documents()->rowCount(), 1, kPatienceMs);
        QCOMPARE(textOf(data, idOf(run)), std::string("A sign"));
        QVERIFY(role(run, 0, Shelf::DetailRole).toString().startsWith("picture"));
        QVERIFY(run.chat().attachedPictures().isEmpty());
        // Dropped on the chat it belongs to the message.
        QTRY_VERIFY(cardIsOpen(run));
        emit run.model.actions()->pageWanted("composer");
        QTRY_VERIFY(!cardIsOpen(run));
        run.drop(path);
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().attachedPictures().size(), 1, kPatienceMs);
        QCOMPARE(run.model.documents()->rowCount(), 1);
    }

    void aPausedReadingWaitsAndAnUnfinishedOneGoesOn() {
        const QString data = freshDataDir();
        const QString report = write("long.txt", "A long report.\n");
        {
            WindowRun run(data, {"--read-ms", "200"});
            open(run, report);
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
            run.model.documents()->ask(idOf(run));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Reading}, kPatienceMs);
            QTRY_VERIFY_WITH_TIMEOUT(progressOf(run).contains("left"), kPatienceMs);
            run.model.documents()->pause(idOf(run));
            QTRY_COMPARE(stateOf(run), int{Shelf::Unread});
            const double before = role(run, 0, Shelf::FractionRole).toDouble();
            QTest::qWait(600);
            QCOMPARE(role(run, 0, Shelf::FractionRole).toDouble(), before);
            run.model.documents()->read(idOf(run));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Reading}, kPatienceMs);
        }
        WindowRun run(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.documents()->rowCount(), 1, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
        QCOMPARE(inChat(run), 1);  // of the chat that was still to begin
    }

    void whatWasReadInAnotherFormIsNotRead() {
        const QString data = freshDataDir();
        const auto setTemplate = [](WindowRun& run, const std::string& text) {
            history::Profile profile;
            profile.chatTemplate = text;
            run.model.models()->setProfile(run.model.models()->current().id, history::profileJson(profile));
        };
        {
            WindowRun run(data, {});
            open(run, write("form.txt", "A report.\n"));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
            run.model.documents()->read(idOf(run));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
            setTemplate(run, "[]");
            QCOMPARE(stateOf(run), int{Shelf::Unread});
        }
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QTRY_COMPARE(stateOf(run), int{Shelf::Unread});
        run.model.documents()->read(idOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
        setTemplate(run, "[]");
        QCOMPARE(stateOf(run), int{Shelf::Read});
    }

    void whatIsLeftForADraftFollowsTheDocumentsOfTheChat() {
        WindowRun run(freshDataDir(), {});
        open(run, write("short.txt", "Twenty four characters.\n"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
        run.model.documents()->ask(idOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
        const auto figures = [&run] { return run.item("draftFigures")->property("text").toString(); };
        run.item("composerInput")->setProperty("text", "ten, ten, ten");
        QTRY_VERIFY_WITH_TIMEOUT(figures().startsWith("13 tokens, "), kPatienceMs);
        const QString before = figures();
        run.model.documents()->putAway(idOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(figures(), QString("13 tokens, 34 left"), kPatienceMs);
        QVERIFY2(before != figures(), qPrintable(before));
    }

    void whatAQuestionMeansFindsPassagesWithoutItsWords() {
        const QString data = freshDataDir();
        const QStringList tooLong{"--read-tokens", "500", "--read-room", "200"};
        const QString question = "Who kept the lighthouse?";
        {
            const QString log = m_folder.filePath("meaning.log");
            WindowRun run(data, tooLong + QStringList{"--log", log});
            open(run, write("meaning.md", novel("Ann lit a lamp every night.")));
            QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::TooLong}, kPatienceMs);
            askInNewChat(run, question);
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
            QVERIFY2(!hasChapter42(run.messages()[0]), "its words alone find it");
            QCOMPARE(requests(log, "embed"), 0);
            run.drop(write("bge.gguf", "not really a model"));
            QTRY_VERIFY_WITH_TIMEOUT(isUnderstood(run, data, idOf(run)), kPatienceMs);
            QCOMPARE(run.model.models()->currentName(), QString("fake"));
            askInNewChat(run, question);
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
            QVERIFY(hasChapter42(run.messages()[0]));
            QCOMPARE(run.messages()[0].parts.back().text, question.toStdString());
            // The model has got what is shown.
            QFile file(log);
            QVERIFY(file.open(QIODevice::ReadOnly));
            const QByteArray said = file.readAll();
            QByteArray asked;
            for (const QByteArray& line : said.split('\n'))
                if (line.contains("\"op\":\"generate\"")) asked = line;
            QVERIFY(asked.contains("Ann lit a lamp"));
        }
        // What was understood once is not looked at again; one that does not answer in time keeps nobody
        // waiting.
        const QString log = m_folder.filePath("again.log");
        WindowRun run(data, tooLong + QStringList{"--log", log, "--embed-ms", "60000"});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.documents()->rowCount() == 1, kPatienceMs);
        QTRY_COMPARE(stateOf(run), int{Shelf::TooLong});
        QElapsedTimer sinceAsked;
        sinceAsked.start();
        askInNewChat(run, question);
        QVERIFY2(sinceAsked.elapsed() < 2000, "the question is not stored first");
        QVERIFY(!run.idle());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QVERIFY(!hasChapter42(run.messages()[0]));
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        QCOMPARE(requests(log, "embed"), 1);
        QCOMPARE(requests(log, "cancel"), 1);
    }

    void aQuestionThatIsStoppedWhileItsPassagesAreSoughtEndsAtOnce() {
        const QString data = freshDataDir();
        const QStringList tooLong{"--read-tokens", "500", "--read-room", "200"};
        {
            WindowRun run(data, tooLong);
            open(run, write("stopped.md", novel("Ann lit a lamp every evening.")));
            run.drop(write("bge.gguf", "not really a model"));
            QTRY_VERIFY_WITH_TIMEOUT(isUnderstood(run, data, idOf(run)), kPatienceMs);
        }
        const QString log = m_folder.filePath("stopped.log");
        WindowRun run(data, tooLong + QStringList{"--log", log, "--embed-ms", "60000"});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.documents()->rowCount() == 1, kPatienceMs);
        askInNewChat(run, "Who kept the lighthouse?");
        QTRY_COMPARE_WITH_TIMEOUT(requests(log, "embed"), 1, kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), 1500);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QCOMPARE(requests(log, "generate"), 0);
    }

    void ofALongOneThePassagesAreShownWithTheQuestion() {
        const QByteArray text = novel("The keeper of the lighthouse was Ann.");
        WindowRun run(freshDataDir(), {"--read-tokens", "500", "--read-room", "200"});
        open(run, write("novel.md", text));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::TooLong}, kPatienceMs);
        QVERIFY(progressOf(run).startsWith("Too long for this model (500 tokens)"));
        run.model.documents()->ask(idOf(run));
        QCOMPARE(inChat(run), 1);
        run.chat().send("Who kept the lighthouse?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const std::vector<Part>& parts = run.messages()[0].parts;
        QVERIFY(parts.size() >= 2);
        QCOMPARE(parts.front().kind, PartKind::Source);
        const auto isIt = [](const Part& part) {
            return part.kind == PartKind::Source && part.data.ends_with("Chapter 42") &&
                   part.text.find("Ann") != std::string::npos;
        };
        QVERIFY(std::any_of(parts.begin(), parts.end(), isIt));
        emit run.model.actions()->pageWanted("composer");  // from the page of documents
        QTRY_VERIFY(!run.shownItems("SourceBlock").isEmpty());
    }

    void quotesAreFoundInTheDocuments() {
        WindowRun run(freshDataDir(), {"--say", "It says “bees make honey” and “wasps make bread too”."});
        open(run, write("report.md", "# Bees\n\nBees make\nhoney.\n"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
        run.chat().send("What does it say?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QVERIFY(!run.model.actions()->can("findQuotes", 0));  // the chat has no document
        run.model.documents()->ask(idOf(run));
        QTRY_VERIFY(run.model.actions()->can("findQuotes", 0));
        QVERIFY(!run.model.actions()->can("findQuotes", run.messages()[0].id));
        run.model.actions()->run("findQuotes", 0);
        QTRY_VERIFY(run.isOpen("quotesCard"));
        const QVariantList quotes = run.model.quotes()->quotes();
        QCOMPARE(quotes.size(), 2);
        QCOMPARE(quotes[0].toMap()["place"].toString(), QString("Bees"));
        QVERIFY(quotes[0].toMap()["passage"].toString().contains("<b>Bees make honey</b>"));
        QCOMPARE(quotes[1].toMap()["place"].toString(), QString());
        QCOMPARE(run.model.quotes()->sentence(),
                 QString("Of its quotes (2), so many stand in the documents: 1."));
    }

    void whatCannotBeReadIsSaidOnce() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.drop(write("bad-pdf.txt", "%PDF-1.7\nnothing of a PDF"));
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().isEmpty(), kPatienceMs);
        QCOMPARE(run.model.notices()->banner(), QString("bad-pdf.txt: it is damaged and cannot be read."));
        run.drop(write("image.txt", QByteArray("\x89PNG\r\n\x1a\n\0\0\0\rIHDR", 16)));
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().startsWith("bad-pdf"), kPatienceMs);
        QCOMPARE(run.model.documents()->rowCount(), 0);
        QVERIFY(run.model.documents()->opening().isEmpty());
        QVERIFY(run.ready());
    }

    void forgettingAndRemovingAsk() {
        WindowRun run(freshDataDir(), {});
        open(run, write("notes.txt", "Some notes.\n"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
        run.model.documents()->read(idOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
        QTRY_VERIFY(cardIsOpen(run));
        run.click(run.shownItem("forget-0"), QPointF(5, 5));
        QCOMPARE(stateOf(run), int{Shelf::Read});
        run.click(run.shownItem("confirm-0"), QPointF(5, 5));
        QTRY_COMPARE(stateOf(run), int{Shelf::Unplanned});
        run.click(run.shownItem("remove-0"), QPointF(5, 5));
        QCOMPARE(run.model.documents()->rowCount(), 1);
        // A list that is read anew, as after forgetting, takes no question back.
        QSignalSpy read(run.model.documents(), &Shelf::listChanged);
        run.model.documents()->refresh();
        QVERIFY(read.wait(kPatienceMs));
        run.click(run.shownItem("confirm-0"), QPointF(5, 5));
        QTRY_COMPARE(run.model.documents()->rowCount(), 0);
    }

    void aNewChatBeginsWithoutTheDocumentsOfTheOneBefore() {
        WindowRun run(freshDataDir(), {});
        open(run, write("notes.txt", "Some notes.\n"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
        QTRY_VERIFY(cardIsOpen(run));
        run.click(run.shownItem("ask-0"), QPointF(5, 5));
        QTRY_COMPARE(inChat(run), 1);
        const auto isIn = [&run] {
            const Shelf& shelf = *run.model.documents();
            return shelf.data(shelf.index(0), Shelf::InChatRole).toBool();
        };
        run.chat().send("What is it?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle() && isIn(), kPatienceMs);
        // Before anything is read: what is added now would carry the others along.
        QSignalSpy moved(&run.chat(), &ChatController::conversationChanged);
        run.model.actions()->run("newConversation");
        QVERIFY(!moved.isEmpty() || moved.wait(kPatienceMs));
        QVERIFY(!isIn());
    }

    void anotherModelHasNotReadIt() {
        WindowRun run(freshDataDir(), {"--load-ms", "300"});
        open(run, write("notes.txt", "Some notes.\n"));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Unread}, kPatienceMs);
        run.model.documents()->ask(idOf(run));
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
        run.drop(write("other.gguf", "another model"));
        QTRY_VERIFY_WITH_TIMEOUT(stateOf(run) == Shelf::NoModel, kPatienceMs);
        // It stands in the chat in view, so what it costs is found out at once.
        QTRY_COMPARE_WITH_TIMEOUT(stateOf(run), int{Shelf::Read}, kPatienceMs);
    }
};

WINDOW_SUITE(DocumentsTest)
#include "documents_test.moc"
