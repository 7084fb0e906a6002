/// Pictures: dropped, pasted and removed, kept with the draft, sent, seen as a whole, saved.
#include <QClipboard>
#include <QMimeData>

#include <thread>

#include "app/history/chats/pictures.h"
#include "app/history/opening.h"
#include "app/history/turns.h"
#include "ingle/sha256.h"
#include "tests/full_disk.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class PicturesTest : public QObject, WindowFiles {
    Q_OBJECT

    /// A file of a picture in one colour.
    QString paint(const QString& name, const QColor& colour, const QSize& size = {300, 200}) {
        QImage image(size, QImage::Format_RGB32);
        image.fill(colour);
        const QString path = m_folder.filePath(name);
        if (!image.save(path, "PNG")) qFatal("cannot write");
        return path;
    }
    static QByteArray bytesOf(const QString& path) {
        QFile file(path);
        return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
    }
    static QString hashOf(const QString& path) {
        return QString::fromStdString(sha256Hex(bytesOf(path).toStdString()));
    }
    QString modelNamed(const QString& name) {
        const QString path = m_folder.filePath(name);
        QFile::copy(m_modelFile, path);
        return path;
    }
    /// With a model that sees.
    void open(WindowRun& run) {
        run.drop(modelNamed("sees.gguf"));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
    }
    static qsizetype attached(WindowRun& run) { return run.chat().attachedPictures().size(); }
    void attach(WindowRun& run, const QString& path) {
        const qsizetype before = attached(run);
        QVERIFY(run.drop(path));
        QTRY_COMPARE_WITH_TIMEOUT(attached(run), before + 1, kPatienceMs);
    }
    /// The colour in the middle of what is seen of an item.
    static QColor seen(WindowRun& run, QQuickItem* item) {
        const QImage window = run.window->grabWindow();
        const QPointF at = item->mapToScene(QPointF(item->width() / 2, item->height() / 2));
        return window.pixelColor((at * window.devicePixelRatio()).toPoint());
    }
    static std::string storedDraft(const QString& data) {
        std::string stored;
        std::thread([&] {
            const auto reader = history::openReader((data + "/history.sqlite").toStdString());
            if (reader) stored = history::newDraft(**reader).value_or("");
        }).join();
        return stored;
    }
    static bool anyFileHolds(const QString& folder, const QByteArray& bytes) {
        for (const QString& name : QDir(folder).entryList(QDir::Files))
            if (bytesOf(folder + '/' + name).contains(bytes)) return true;
        return false;
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }
    void cleanup() { QGuiApplication::clipboard()->clear(); }

    void aDroppedPictureIsSentAndSeen() {
        const QString log = m_folder.filePath("sent.log");
        const QString bee = paint("bee.png", Qt::red);
        WindowRun run(freshDataDir(), {"--log", log});
        open(run);
        attach(run, bee);
        QTRY_COMPARE(run.shownItems("attachedPicture").size(), 1);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("attachedTile")), QColor(Qt::red), kPatienceMs);
        QVERIFY(run.chat().maySend());
        run.item("composerInput")->setProperty("text", "What is it?");
        run.item("composerInput")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const std::vector<Part>& parts = run.messages()[0].parts;
        QCOMPARE(parts.size(), size_t{2});
        QVERIFY(parts[0] == (Part{PartKind::Image, "bee.png", hashOf(bee).toStdString()}));
        QVERIFY(bytesOf(log).contains(hashOf(bee).toUtf8()));
        QCOMPARE(attached(run), 0);
        QTRY_VERIFY(run.shownItem("picture-0") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("picture-0")), QColor(Qt::red), kPatienceMs);

        // As a whole, and back with the keyboard.
        run.click(run.shownItem("picture-0"), QPointF(20, 20));
        QTRY_VERIFY(run.shownItem("wholePicture") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("wholePicture")), QColor(Qt::red), kPatienceMs);
        QVERIFY(run.shownItems("pictureName").isEmpty());
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());

        // It stays when the question is worded anew, and in a branch of its own.
        run.chat().edit(run.messages()[0].id, "And now?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages()[0].parts[1].text == "And now?" && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].parts[0].data, hashOf(bee).toStdString());
        run.model.conversations()->setSearchText("bee");
        QTRY_COMPARE(run.model.conversations()->rowCount(), 2);  // both versions
    }

    void draftsKeepPicturesOverARestart() {
        const QString data = freshDataDir();
        const QString bee = paint("kept.png", Qt::green), wasp = paint("wasp.png", Qt::blue);
        {
            WindowRun run(data, {});
            open(run);
            attach(run, bee);
            // On the disk at once: a kill takes nothing away.
            QTRY_VERIFY_WITH_TIMEOUT(storedDraft(data).find(hashOf(bee).toStdString()) != std::string::npos,
                                     kPatienceMs);
            attach(run, wasp);
            run.chat().detach(1);
            run.item("composerInput")->setProperty("text", "Look");
            run.chat().describe(0, "A bee on a flower");
        }
        WindowRun run(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(run.composerText(), QString("Look"), kPatienceMs);
        QCOMPARE(attached(run), 1);
        QCOMPARE(run.chat().attachedPictures()[0].toMap()["name"].toString(), QString("A bee on a flower"));
        QTRY_VERIFY(run.shownItem("attachedTile") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("attachedTile")), QColor(Qt::green), kPatienceMs);
    }

    void fiveAreAttachedAndOneIsRemoved() {
        WindowRun run(freshDataDir(), {});
        open(run);
        for (int i = 0; i < 5; ++i) attach(run, paint(QString("%1.png").arg(i), QColor(40 * i, 0, 0)));
        QTRY_COMPARE(run.shownItems("attachedPicture").size(), 5);
        for (const int width : {360, 1080}) {
            run.window->resize(width, 760);
            run.window->grabWindow();
            for (QQuickItem* each : run.shownItems("attachedPicture"))
                QTRY_VERIFY(QRectF(0, 0, width, 760)
                                .contains(each->mapRectToScene({0, 0, each->width(), each->height()})));
        }
        run.click(run.shownItems("removePicture")[2], QPointF(5, 5));
        QTRY_COMPARE(attached(run), 4);
        QVERIFY(run.chat().attachedPictures()[2].toMap()["name"].toString() == "3.png");
        run.model.notices()->undoLast();
        QTRY_COMPARE(attached(run), 5);
        QCOMPARE(run.chat().attachedPictures()[2].toMap()["name"].toString(), QString("2.png"));
        run.chat().send("");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].parts.size(), size_t{5});
        QCOMPARE(run.chat().title(), QString("0.png"));
        QTRY_VERIFY(run.shownItem("picture-4") != nullptr);
        // From one to the next.
        run.click(run.shownItem("picture-3"), QPointF(20, 20));
        QTRY_VERIFY(run.shownItem("wholePicture") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("wholePicture")), QColor(120, 0, 0), kPatienceMs);
        QTest::keyClick(run.window, Qt::Key_Right);
        QTest::keyClick(run.window, Qt::Key_Right);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("wholePicture")), QColor(160, 0, 0), kPatienceMs);
    }

    void aPastedPictureIsAttached() {
        WindowRun run(freshDataDir(), {});
        open(run);
        const QString bee = paint("pasted.png", Qt::yellow);
        const auto paste = [&run](QMimeData* data) {
            QGuiApplication::clipboard()->setMimeData(data);
            run.item("composerInput")->forceActiveFocus();
            QTest::keyClick(run.window, Qt::Key_V, Qt::ControlModifier);
        };
        auto* data = new QMimeData;
        data->setData("image/png", bytesOf(bee));
        paste(data);
        // Sent before it is read: it goes with the message.
        run.item("composerInput")->setProperty("text", "What is it?");
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].parts.size(), size_t{2});
        QCOMPARE(run.messages()[0].parts[0].data, hashOf(bee).toStdString());

        data = new QMimeData;
        data->setUrls({QUrl::fromLocalFile(bee)});
        paste(data);
        QTRY_COMPARE_WITH_TIMEOUT(attached(run), 1, kPatienceMs);
        // Qt would have to decode this one.
        data = new QMimeData;
        data->setImageData(QImage(8, 8, QImage::Format_RGB32));
        paste(data);
        QTRY_VERIFY(run.model.notices()->toast().startsWith("This picture cannot be pasted."));
        QCOMPARE(attached(run), 1);
    }

    void whatIsNoPictureGivesOneSentence() {
        WindowRun run(freshDataDir(), {});
        open(run);
        const auto write = [this](const QString& name, const QByteArray& bytes) {
            QFile file(m_folder.filePath(name));
            if (!file.open(QIODevice::WriteOnly) || file.write(bytes) != bytes.size()) qFatal("cannot write");
            return m_folder.filePath(name);
        };
        const QByteArray bytes = bytesOf(paint("whole.png", Qt::red));
        QVERIFY(run.drop(write("half.png", bytes.left(bytes.size() / 2))));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.notices()->banner(),
                                  QString("half.png: This picture is damaged and cannot be read."),
                                  kPatienceMs);
        QVERIFY(run.drop(write("phone.heic", QByteArray("\0\0\0\x18"
                                                        "ftypheic\0\0\0\0",
                                                        16))));
        QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->banner().contains("HEIC"), kPatienceMs);
        QCOMPARE(attached(run), 0);
        QCOMPARE(run.chat().attaching(), 0);
    }

    void theEngineIsGivenWhatItLacks() {
        const QString log = m_folder.filePath("given.log");
        const QString bee = paint("given.png", Qt::red), wasp = paint("also.png", Qt::blue);
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--log", log});
            open(run);
            attach(run, bee);
            attach(run, wasp);
            run.chat().send("");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QVERIFY(run.messages()[1].status == history::MessageStatus::Complete);
            QCOMPARE(requests(log, "picture"), 2);
            QCOMPARE(requests(log, "generate"), 3);
            // Once for this engine.
            run.chat().regenerate(run.messages()[1].id);
            QTRY_VERIFY_WITH_TIMEOUT(run.messages()[1].siblingCount == 2 && run.idle(), kPatienceMs);
            QCOMPARE(requests(log, "picture"), 2);
        }
        // The next one has none of them.
        WindowRun run(data, {"--log", log, "--room", "4000"});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.messages().size() == 2, kPatienceMs);
        run.model.actions()->run("prompt");
        QTRY_COMPARE_WITH_TIMEOUT(run.shownItems("seenTile").size(), 4, kPatienceMs);
        QVERIFY(run.model.shownPage()->prompt()->rows()[0].toMap()["figures"].toString().contains("300"));
    }

    void aModelThatCannotSeeSaysSoBeforeAnythingIsSent() {
        const QString bee = paint("unseen.png", Qt::red);
        WindowRun run(freshDataDir(), {});
        open(run);
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && !run.model.models()->seesPictures(), kPatienceMs);
        attach(run, bee);
        QTRY_VERIFY(run.model.notices()->banner().endsWith("cannot see pictures."));
        run.chat().send("What is it?");
        QVERIFY(run.messages().empty() && run.idle());
        QCOMPARE(attached(run), 1);
        // One click leads to one that can.
        QVERIFY(run.model.notices()->bannerAction().startsWith("Use "));
        run.model.notices()->runBannerAction();
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->seesPictures(), kPatienceMs);
        QCOMPARE(run.model.notices()->banner(), QString());
        run.chat().send("What is it?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].parts.size(), size_t{2});
    }

    void whatAModelCannotSeeIsNotTalkedAboutWhenItIsGone() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        attach(run, paint("one.png", Qt::red));
        attach(run, paint("two.png", Qt::blue));
        QTRY_VERIFY(run.model.notices()->banner().contains("cannot see pictures."));
        run.chat().detach(0);
        QVERIFY(run.model.notices()->banner().contains("cannot see pictures."));
        run.chat().detach(0);
        QCOMPARE(run.model.notices()->banner(), QString());
        run.model.notices()->undoLast();
        QTRY_VERIFY(run.model.notices()->banner().contains("cannot see pictures."));
    }

    void aModelIsTriedWithAVisionFileThatMayBeItsOwn() {
        const QString data = freshDataDir(), maybe = modelNamed("maybe.gguf");
        {
            WindowRun run(data, {});
            run.drop(maybe);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(!run.model.models()->seesPictures());
            attach(run, paint("tried.png", Qt::red));
            QTRY_VERIFY(run.model.notices()->banner().contains("maybe.gguf.mmproj.gguf beside it may be"));
            run.model.notices()->runBannerAction();
            QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->seesPictures(), kPatienceMs);
            QCOMPARE(run.model.notices()->banner(), QString());
        }
        // It is remembered, and another one can be chosen.
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->seesPictures(), kPatienceMs);
        const QVariantList files =
            run.model.library()->describe(run.model.library()->currentId())["visionFiles"].toList();
        QCOMPARE(files.size(), 2);
        QVERIFY(files[0].toMap()["chosen"].toBool() && !files[1].toMap()["chosen"].toBool());
        run.model.actions()->run("models");
        QTRY_VERIFY(run.shownItem("seeBy-1") != nullptr);
        // The other one is of another model: it says so, and the model writes without it.
        run.model.models()->seeBy(files[1].toMap()["path"].toString());
        QTRY_VERIFY_WITH_TIMEOUT(run.model.notices()->toast().contains("is the vision file of another model"),
                                 kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && !run.model.models()->seesPictures(), kPatienceMs);
    }

    void aDamagedVisionFileIsNamed() {
        WindowRun run(freshDataDir(), {});
        run.drop(modelNamed("halved.gguf"));
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        attach(run, paint("halved.png", Qt::red));
        QTRY_VERIFY(run.model.notices()->banner().contains("The vision file beside it is damaged"));
        QVERIFY(run.model.notices()->bannerDetails().contains("halved.gguf.mmproj.gguf"));
    }

    void aRemovedPictureComesBackAfterTheTrashWasEmptied() {
        const QString data = freshDataDir();
        const QString bee = paint("removed.png", Qt::red);
        const auto isStored = [&] {
            bool is = false;
            std::thread([&] {
                const auto reader = history::openReader((data + "/history.sqlite").toStdString()).value();
                is = history::picture(*reader, hashOf(bee).toStdString()).has_value();
            }).join();
            return is;
        };
        WindowRun run(data, {});
        open(run);
        run.chat().send("Something to delete");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const auto deleted = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        run.model.conversations()->remove(deleted);
        attach(run, bee);
        QTRY_VERIFY_WITH_TIMEOUT(isStored(), kPatienceMs);
        run.chat().detach(0);
        QTRY_VERIFY_WITH_TIMEOUT(storedDraft(data).empty(), kPatienceMs);
        run.model.trash()->empty();
        QTRY_VERIFY_WITH_TIMEOUT(!isStored(), kPatienceMs);
        run.model.notices()->undoLast();
        QTRY_COMPARE(attached(run), 1);
        QTRY_VERIFY_WITH_TIMEOUT(isStored(), kPatienceMs);
        run.chat().send("What is it?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QVERIFY(isStored());
    }

    void aMessageThatIsEditedShowsItsPictures() {
        WindowRun run(freshDataDir(), {});
        open(run);
        attach(run, paint("edited.png", Qt::red));
        attach(run, paint("as well.png", Qt::blue));
        run.chat().send("What is it?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        run.chat().messages()->edit(static_cast<double>(run.messages()[0].id));
        QTRY_VERIFY(run.shownItem("editedPicture-1") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("editedPicture-0")), QColor(Qt::red), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("editedPicture-1")), QColor(Qt::blue), kPatienceMs);
        QQuickItem* words = run.shownItem("messageEditor");
        QVERIFY(words->y() >= run.shownItem("editedPicture-1")->height());
        run.click(run.shownItem("editedPicture-1"), QPointF(20, 20));
        QTRY_VERIFY(run.shownItem("wholePicture") != nullptr);
    }

    void aTransparentPictureIsSeenOnWhite() {
        QImage image(300, 200, QImage::Format_ARGB32);
        image.fill(QColor(0, 0, 0, 0));
        const QString path = m_folder.filePath("clear.png");
        QVERIFY(image.save(path, "PNG"));
        WindowRun run(freshDataDir(), {});
        open(run);
        attach(run, path);
        QTRY_VERIFY(run.shownItem("attachedTile") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("attachedTile")), QColor(Qt::white), kPatienceMs);
    }

    void aChatOfAPictureIsNamedByTheModel() {
        WindowRun run(freshDataDir(), {"--title", "Bees"});
        run.model.settings()->setProperty("titles", "here");
        open(run);
        attach(run, paint("bees.png", Qt::red));
        run.chat().send("");
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().title(), QString("Bees"), kPatienceMs);
        run.chat().newConversation();
        attach(run, paint("nameless.png", Qt::blue));
        run.chat().describe(0, "");
        run.model.settings()->setProperty("titles", "question");
        run.chat().send("");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.chat().title(), QString("Picture"));
    }

    void aPrivateChatKeepsItInMemory() {
        const QString data = freshDataDir();
        const QString bee = paint("secret.png", Qt::cyan);
        WindowRun run(data, {});
        open(run);
        run.model.actions()->run("privateChat");
        QTRY_VERIFY(run.model.secret()->isShown());
        attach(run, bee);
        run.chat().send("What is it?");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_VERIFY(run.shownItem("picture-0") != nullptr);
        QTRY_COMPARE_WITH_TIMEOUT(seen(run, run.shownItem("picture-0")), QColor(Qt::cyan), kPatienceMs);
        QVERIFY(!anyFileHolds(data, bytesOf(bee).mid(40, 40)));
        QVERIFY(!anyFileHolds(data, hashOf(bee).toUtf8()));
    }

    void aPictureIsSavedAsItCame() {
        const QString bee = paint("original.png", Qt::magenta);
        WindowRun run(freshDataDir(), {});
        open(run);
        attach(run, bee);
        run.click(run.shownItem("attachedTile"), QPointF(10, 60));
        QTRY_VERIFY(run.shownItem("pictureName") != nullptr);
        // What it shows is said here, as long as it is not sent.
        run.shownItem("pictureName")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_A, Qt::ControlModifier);
        for (const char key : std::string("bees")) QTest::keyClick(run.window, key);
        QCOMPARE(run.chat().attachedPictures()[0].toMap()["name"].toString(), QString("bees"));
        PictureViewer& viewer = *run.model.shownPage()->viewer();
        QTRY_COMPARE(viewer.fileName(), QString("original.png"));
        const QString target = m_folder.filePath("saved.png");
        viewer.save(QUrl::fromLocalFile(target), false);
        QTRY_COMPARE_WITH_TIMEOUT(bytesOf(target), bytesOf(bee), kPatienceMs);
    }

    void aFullDiskLosesNothing() {
        const QString data = freshDataDir();
        const QString bee = paint("large.png", Qt::red);
        WindowRun run(data, {});
        open(run);
        run.item("composerInput")->setProperty("text", "Look");
        QTRY_VERIFY_WITH_TIMEOUT(storedDraft(data) == "Look", kPatienceMs);
        {
            const FullDisk full;
            QVERIFY(run.drop(bee));
            QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().isEmpty(), kPatienceMs);
            QCOMPARE(attached(run), 0);
            QCOMPARE(run.composerText(), QString("Look"));
        }
        attach(run, bee);
        QTRY_VERIFY_WITH_TIMEOUT(storedDraft(data).find(hashOf(bee).toStdString()) != std::string::npos,
                                 kPatienceMs);
    }
};

WINDOW_SUITE(PicturesTest)
#include "pictures_test.moc"
