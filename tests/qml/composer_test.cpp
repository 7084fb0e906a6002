/// What is typed: sending it, and keeping it while it is not sent.
#include <QClipboard>

#include <thread>

#include "app/history/opening.h"
#include "app/history/turns.h"
#include "tests/full_disk.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class ComposerTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aSlashOffersThePersonsPrompts() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            QVERIFY(QTest::qWaitForWindowActive(run.window));
            QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
            const auto type = [&run](const char* text) {
                for (const char key : std::string(text)) QTest::keyClick(run.window, key);
            };
            const auto menu = [&run] { return run.window->findChild<QObject*>("promptMenu"); };
            // Nobody has to begin with nothing.
            QTRY_COMPARE(run.model.prompts()->all().size(), 12);
            for (const QVariant& each : run.model.prompts()->all()) {
                QVERIFY(!each.toMap()["text"].toString().isEmpty());
                run.model.prompts()->remove(each.toMap()["name"].toString());
            }
            // The empty list leads to the page on which one is written.
            type("/");
            QTRY_VERIFY(menu()->property("visible").toBool());
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_VERIFY(run.shownItem("newPrompt") != nullptr);
            QCOMPARE(run.composerText(), QString());
            run.click(run.shownItem("newPrompt"), QPointF(5, 5));
            QTRY_VERIFY(run.shownItem("promptName")->hasActiveFocus());
            type("Translate");
            run.shownItem("promptText")
                ->setProperty("text", "Into {language}, {language} only: {the text} { return; }");
            // Half of it written, it is there when the page opens again.
            QTest::keyClick(run.window, Qt::Key_Escape);
            QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
            run.model.actions()->run("prompts");
            QTRY_VERIFY(run.shownItem("promptName") && run.shownItem("promptName")->hasActiveFocus());
            QCOMPARE(run.shownItem("promptName")->property("text").toString(), QString("Translate"));
            QVERIFY(run.shownItem("promptText")->property("text").toString().startsWith("Into {language}"));
            run.click(run.shownItem("storePrompt"), QPointF(5, 5));
            QTRY_COMPARE(run.model.prompts()->all().size(), 1);
            QVERIFY(run.model.prompts()->store("", "Short", "Be brief."));
            QVERIFY(!run.model.prompts()->store("", " ", "Nobody could find it."));
            // One that was only looked at is not; one that is discarded neither.
            QTRY_VERIFY(run.shownItem("editPrompt-0") != nullptr);
            run.click(run.shownItem("editPrompt-0"), QPointF(5, 5));
            QTRY_VERIFY(run.shownItem("promptName") != nullptr);
            QTest::keyClick(run.window, Qt::Key_Escape);
            QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
            run.model.actions()->run("prompts");
            QTRY_VERIFY(run.shownItem("newPrompt") != nullptr);
            run.click(run.shownItem("newPrompt"), QPointF(5, 5));
            QTRY_VERIFY(run.shownItem("promptName") && run.shownItem("promptName")->hasActiveFocus());
            type("Nothing");
            run.click(run.shownItem("discardPrompt"), QPointF(5, 5));
            QTRY_VERIFY(run.shownItem("newPrompt") != nullptr);
            QCOMPARE(run.model.prompts()->all().size(), 2);
            QTest::keyClick(run.window, Qt::Key_Escape);
            QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
            // By its name, with the keyboard.
            type("/sho");
            QTRY_VERIFY(menu()->property("visible").toBool());
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_COMPARE(run.composerText(), QString("Be brief."));
            QVERIFY(!menu()->property("visible").toBool());
            run.item("composerInput")->setProperty("text", "");
            // A path is none, and Escape leaves what was typed.
            type("/etc");
            QTRY_VERIFY(!menu()->property("visible").toBool());
            run.item("composerInput")->setProperty("text", "");
            type("/");
            QTRY_VERIFY(menu()->property("visible").toBool());
            QTest::keyClick(run.window, Qt::Key_Escape);
            QTRY_VERIFY(!menu()->property("visible").toBool());
            QCOMPARE(run.composerText(), QString("/"));
            run.item("composerInput")->setProperty("text", "");
            // Fields are asked for, each once; what is filled in is text, also where it looks like a field.
            type("/");
            QTest::keyClick(run.window, Qt::Key_Down);
            QTest::keyClick(run.window, Qt::Key_Down);
            QTest::keyClick(run.window, Qt::Key_Up);
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_VERIFY(!run.composerText().startsWith("Into"));
            QTRY_COMPARE(run.composerText(), QString("/"));
            QTRY_VERIFY(run.shownItem("field-0") != nullptr && run.shownItem("field-0")->hasActiveFocus());
            QVERIFY(run.shownItem("field-2") == nullptr);
            type("German");
            // Its name is still there.
            QVERIFY(run.shownItem("fieldName-0")->isVisible());
            QCOMPARE(run.shownItem("fieldName-0")->property("text").toString(),
                     run.shownItem("field-0")->property("label").toString());
            QTest::keyClick(run.window, Qt::Key_Return);
            run.shownItem("field-1")->setProperty("text", "{language}");
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_COMPARE(run.composerText(), QString("Into German, German only: {language} { return; }"));
            QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
        }
        WindowRun run(data, {});
        QTRY_COMPARE(run.model.prompts()->all().size(), 2);
        run.model.prompts()->remove("Short");
        QCOMPARE(run.model.prompts()->all().size(), 1);
        run.model.actions()->run("undo");
        QCOMPARE(run.model.prompts()->all().size(), 2);
        QVERIFY(run.model.prompts()->store("Short", "Brief", "Be very brief."));
        QCOMPARE(run.model.prompts()->find("brief").size(), 1);
        QCOMPARE(run.model.prompts()->all().size(), 2);
        // Another one of the same name takes its place, and there is a way back.
        QVERIFY(run.model.prompts()->store("", "Brief", "Something else."));
        QCOMPARE(run.model.prompts()->all().size(), 2);
        run.model.actions()->run("undo");
        QCOMPARE(run.model.prompts()->find("brief").first().toMap()["text"].toString(), "Be very brief.");
    }

    void aModelIsOpenedThoughSomethingElseIsDroppedBehindIt() {
        WindowRun run(freshDataDir(), {});
        const QString text = freshDataDir() + "/words.md";
        QVERIFY(QDir().mkpath(QFileInfo(text).path()));
        QFile file(text);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("# Words\n") > 0);
        file.close();
        run.model.opener()->openPath(m_modelFile);
        run.model.opener()->openPath(text);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
    }

    void enterSendsUnlessAnInputMethodComposes() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QQuickItem* composer = run.item("composerInput");
        QVERIFY(composer != nullptr);
        composer->forceActiveFocus();

        run.inputMethod("にほん", {});
        QVERIFY(composer->property("inputMethodComposing").toBool());
        QTest::keyClick(run.window, Qt::Key_Return);
        QTest::qWait(100);
        QVERIFY(run.idle());
        QVERIFY(run.messages().empty());

        run.inputMethod({}, "日本");
        QTest::keyClick(run.window, Qt::Key_Return, Qt::ShiftModifier);
        QCOMPARE(composer->property("text").toString(), QString("日本\n"));
        QVERIFY(run.messages().empty());

        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        QCOMPARE(run.said(0), std::string("日本\n"));
        QTRY_COMPARE(composer->property("text").toString(), QString());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
    }

    void whatIsTooLongIsToldBeforeItIsSent() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const auto problem = [&run] { return run.item("draftProblem")->property("text").toString(); };
        run.inputMethod({}, QString(49, 'x'));
        QTRY_COMPARE_WITH_TIMEOUT(
            problem(),
            QString("The message is too long for this model: it takes 50 tokens, and there is room for 48."),
            kPatienceMs);
        // What is said before every conversation takes room, too.
        run.item("composerInput")->setProperty("text", QString(45, 'x'));
        QTRY_COMPARE_WITH_TIMEOUT(problem(), QString(), kPatienceMs);
        run.model.settings()->setProperty("systemPrompt", "Be brief.");
        QTRY_VERIFY_WITH_TIMEOUT(problem().contains("56 tokens"), kPatienceMs);
        run.item("composerInput")->setProperty("text", "x");
        QTRY_COMPARE(problem(), QString());
    }

    void whatIsLeftOfTheRoomIsSaidWhenItIsLong() {
        WindowRun run(freshDataDir(), {"--tokens", "2"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const auto figures = [&run] { return run.item("draftFigures")->property("text").toString(); };
        run.inputMethod({}, QString(40, 'x'));
        QTRY_COMPARE_WITH_TIMEOUT(figures(), QString("40 tokens, 7 left"), kPatienceMs);
        // What is short is no news, and what is too long is said in another way.
        run.item("composerInput")->setProperty("text", "xxxx");
        QTRY_COMPARE_WITH_TIMEOUT(figures(), QString(), kPatienceMs);
        run.item("composerInput")->setProperty("text", QString(49, 'x'));
        QTRY_VERIFY_WITH_TIMEOUT(!run.item("draftProblem")->property("text").toString().isEmpty(),
                                 kPatienceMs);
        QCOMPARE(figures(), QString());
        // What was said before takes room, too.
        run.item("composerInput")->setProperty("text", "0123456789");
        QTRY_COMPARE_WITH_TIMEOUT(figures(), QString("10 tokens, 37 left"), kPatienceMs);
        run.chat().send("hello");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        run.item("composerInput")->setProperty("text", "0123456789abcdef");
        QTRY_VERIFY_WITH_TIMEOUT(figures().startsWith("16 tokens"), kPatienceMs);
        QVERIFY2(figures() != "16 tokens, 31 left", "the conversation was not counted");
    }

    void longTextThatIsPastedIsAttached() {
        const QString data = freshDataDir();
        const QString longText = QString("A line of a long text.\n").repeated(300);
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QQuickItem* composer = run.item("composerInput");
            composer->forceActiveFocus();
            QGuiApplication::clipboard()->setText("short");
            QTest::keyClick(run.window, Qt::Key_V, Qt::ControlModifier);
            QCOMPARE(run.composerText(), QString("short"));
            QVERIFY(run.shownItems("attachedText").isEmpty());
            QGuiApplication::clipboard()->setText(longText);
            QTest::keyClick(run.window, Qt::Key_V, Qt::ControlModifier);
            QCOMPARE(run.composerText(), QString("short"));
            QTRY_COMPARE(run.shownItems("attachedText").size(), 1);
            // It is taken away, and comes back.
            run.chat().detach(0);
            QTRY_VERIFY(run.shownItems("attachedText").isEmpty());
            run.model.notices()->undoLast();
            QTRY_COMPARE(run.shownItems("attachedText").size(), 1);
            // On the disk while the window is there: a kill takes nothing away.
            std::string stored;
            for (int tries = 0; tries < 100 && stored.size() < 6000; ++tries) {
                QTest::qWait(100);
                std::thread([&] {
                    const auto reader = history::openReader((data + "/history.sqlite").toStdString());
                    if (reader) stored = history::newDraft(**reader).value_or("");
                }).join();
            }
            QCOMPARE(QString::fromStdString(stored), "short" + QString(QChar(0x1D)) + longText);
        }
        WindowRun run(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(run.composerText(), QString("short"), kPatienceMs);
        QTRY_COMPARE(run.shownItems("attachedText").size(), 1);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.item("composerInput")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        // Whole, before what is asked about it, and folded in the chat.
        const std::vector<Part>& parts = run.messages()[0].parts;
        QCOMPARE(parts.size(), size_t{2});
        QVERIFY(parts[0].kind == PartKind::Attachment && parts[0].text == longText.toStdString());
        QVERIFY(parts[1].kind == PartKind::Text && parts[1].text == "short");
        QVERIFY(run.chat().messages()->isFolded({0, 0}));
        QTRY_VERIFY(run.shownItems("attachedText").isEmpty());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        // What is attached stays when the question is worded anew.
        run.chat().edit(run.messages()[0].id, "other words");
        QTRY_COMPARE_WITH_TIMEOUT(run.said(0), longText.toStdString() + "other words", kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
    }

    void aChangeThatIsTooLongIsToldBeforeItIsSent() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("short");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        run.model.actions()->run("editMessage", run.messages()[0].id);
        QTRY_VERIFY(run.shownItem("messageEditor") != nullptr);
        run.shownItem("messageEditor")->setProperty("text", QString(60, 'x'));
        QTRY_VERIFY(!run.shownItems("editProblem").isEmpty());
        QVERIFY(run.shownItem("editProblem")->property("text").toString().contains("61"));
        run.shownItem("messageEditor")->setProperty("text", "short again");
        QTRY_VERIFY(run.shownItems("editProblem").isEmpty());
    }

    void draftsStayWithTheirConversation() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("first");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            run.inputMethod({}, "half a thought");
            const auto first = static_cast<qint64>(run.chat().conversationId());
            run.chat().newConversation();
            QCOMPARE(run.item("composerInput")->property("text").toString(), QString());
            run.inputMethod({}, "another");
            run.chat().open(first);
            QTRY_COMPARE(run.item("composerInput")->property("text").toString(), QString("half a thought"));
        }
        WindowRun again(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(again.item("composerInput")->property("text").toString(),
                                  QString("half a thought"), kPatienceMs);
    }

    void whatIsSentIsNoDraftAnyMore() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("first");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const auto first = static_cast<qint64>(run.chat().conversationId());
        run.inputMethod({}, "second");
        QTest::keyClick(run.window, Qt::Key_Return);
        QCOMPARE(run.composerText(), QString());
        run.chat().newConversation();
        run.inputMethod({}, "for a new one");
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        run.chat().open(first);
        run.inputMethod({}, ", typed on");  // while the other conversation is being read
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{4}, kPatienceMs);
        QCOMPARE(run.composerText(), QString());
        run.chat().newConversation();
        QTRY_COMPARE_WITH_TIMEOUT(run.composerText(), QString("for a new one, typed on"), kPatienceMs);
    }

    /// A copy of the files of a window that is open is what a kill -9 leaves.
    void whatIsBeingChangedSurvivesAKill() {
        const QString data = freshDataDir();
        WindowRun run(data, {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("first");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const auto draftAfterAKill = [&] {
            const QString killed = freshDataDir();
            for (const QString& file : QDir(data).entryList({"history.sqlite*"}, QDir::Files))
                if (!QFile::copy(data + '/' + file, killed + '/' + file)) return QString("no copy");
            WindowRun again(killed, {});
            [&] { QTRY_COMPARE_WITH_TIMEOUT(again.messages().size(), size_t{2}, kPatienceMs); }();
            return again.composerText();
        };
        run.inputMethod({}, "a draft");
        run.chat().messages()->edit(run.messages()[0].id);
        QTRY_VERIFY(run.shownItem("messageEditor") != nullptr);
        run.shownItem("messageEditor")->setProperty("text", "half a change");
        QTRY_COMPARE_WITH_TIMEOUT(draftAfterAKill(), QString("a draft\nhalf a change"), kPatienceMs);
        QCOMPARE(run.composerText(), QString("a draft"));
        QCOMPARE(run.chat().messages()->editedText(), QString("half a change"));
        // Abandoned, it leaves nothing behind.
        run.shownItem("messageEditor")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_Escape);
        QCOMPARE(run.chat().messages()->edited(), 0.0);
        QTRY_COMPARE_WITH_TIMEOUT(draftAfterAKill(), QString("a draft"), kPatienceMs);
        // Sent, it leaves the draft.
        run.chat().messages()->edit(run.messages()[0].id);
        QTRY_VERIFY(run.shownItem("messageEditor") != nullptr);
        run.shownItem("messageEditor")->setProperty("text", "a whole change");
        run.shownItem("messageEditor")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE_WITH_TIMEOUT(run.said(0), std::string("a whole change"), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(draftAfterAKill(), QString("a draft"), kPatienceMs);
    }

    void aMessageThatCannotBeStoredIsADraftAgain() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.inputMethod({}, "a question");
        const FullDisk full;
        QTest::keyClick(run.window, Qt::Key_Return);
        run.inputMethod({}, " and more");
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().isEmpty(), kPatienceMs);
        QVERIFY(run.idle());
        QVERIFY(run.messages().empty());
        QCOMPARE(run.composerText(), QString("a question and more"));
    }

    void textTypedBeforeTheHistoryIsReadStays() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("first");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            run.inputMethod({}, "stored");
        }
        WindowRun again(data, {});
        again.inputMethod({}, " and early");
        QTRY_COMPARE_WITH_TIMEOUT(again.composerText(), QString("stored and early"), kPatienceMs);
        QCOMPARE(again.messages().size(), size_t{2});
    }
};

WINDOW_SUITE(ComposerTest)
#include "composer_test.moc"
