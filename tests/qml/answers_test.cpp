/// Answers that fail, are stopped, go on or are given again.
#include <csignal>
#include <thread>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/opening.h"
#include "tests/full_disk.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class AnswersTest : public QObject, WindowFiles {
    Q_OBJECT

    /// Its number and its messages', in the order of the only branch.
    static std::pair<history::RowId, std::vector<history::RowId>> makeLongChat(const QString& data,
                                                                               size_t count) {
        std::pair<history::RowId, std::vector<history::RowId>> chat;
        std::thread([&] {  // files are not this thread's
            const auto history = history::openHistory((data + "/history.sqlite").toStdString()).value();
            const Status stored = history->atOnce([&]() -> Status {
                INGLE_TRY_ASSIGN(chat.first, history::createConversation(*history, "long", "m"));
                for (history::RowId parent = 0; chat.second.size() < count; chat.second.push_back(parent)) {
                    const std::vector<Part> parts{{PartKind::Text, "message", ""}};
                    INGLE_TRY_ASSIGN(parent, history::addUserMessage(*history, chat.first, parent, parts));
                }
                return {};
            });
            QVERIFY(stored);
        })
            .join();
        return chat;
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aLongAnswerThatNobodySeesIsTold() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        QSignalSpy told(run.model.longAnswers(), &LongAnswers::told);
        const auto ask = [&run](const QString& question) {
            run.chat().newConversation();
            run.chat().send(question);
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        };
        using namespace std::chrono_literals;
        run.model.longAnswers()->pretend(0ms, /*isSeen=*/true);
        ask("Seen");
        QCOMPARE(told.size(), 0);
        run.model.longAnswers()->pretend(0ms, false);
        ask("Unseen");
        QTRY_COMPARE(told.size(), 1);
        QCOMPARE(told[0][0].toString(), QString("Answer ready"));
        QCOMPARE(told[0][1].toString(), QString("Unseen"));
        // Not of what was short, nor where it is not wanted, nor of what is private.
        run.model.longAnswers()->pretend(LongAnswers::kLong, false);
        ask("Short");
        run.model.longAnswers()->pretend(0ms, false);
        run.model.settings()->setProperty("notifies", false);
        ask("Unwanted");
        run.model.settings()->setProperty("notifies", true);
        run.model.secret()->show();
        ask("Private");
        run.model.secret()->close();
        QCOMPARE(told.size(), 1);
    }

    void aFailedAnswerWithoutTextIsNotShownToTheModel() {
        QFile crashes(m_folder.filePath("crashes"));
        QVERIFY(crashes.open(QIODevice::WriteOnly));
        crashes.write("3");
        crashes.close();
        const QString log = m_folder.filePath("failed");
        WindowRun run(freshDataDir(), {"--crash-at", "0", "--crash-file", crashes.fileName(), "--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Failed);
        QTRY_VERIFY(run.shownItem("continueButton"));
        QCOMPARE(run.shownItem("continueButton")->property("text").toString(), QString("Try again"));
        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[3].status, history::MessageStatus::Complete);
        run.chat().send("once more");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 6 && run.idle(), kPatienceMs);
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        // Only the last request shows the model an answer: the one that was given.
        QCOMPARE(requests.readAll().count("\"assistant\""), 1);
    }

    void whatTheModelNoLongerSeesIsSaidAlsoAfterARestartAndOfTheGuide() {
        const QString guide = m_folder.filePath("guide.gguf");
        QVERIFY(QFile::copy(m_modelFile, guide));
        const auto forgotten = [](WindowRun& run) {
            const ChatRows& rows = *run.chat().messages();
            for (int row = 0; row < rows.rowCount(); ++row)
                if (rows.data(rows.index(row), ChatRows::KindRole).toString() == "forgotten") return row;
            return -1;
        };
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--forget"}, guide);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            QVERIFY(run.model.models()->guiding());
            run.chat().send("one");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            QCOMPARE(forgotten(run), -1);
            run.chat().send("two");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
            QCOMPARE(forgotten(run), run.chat().messages()->firstRow(run.messages()[2].id));
            QTRY_COMPARE(run.shownItems("ForgottenRow").size(), 1);
        }
        WindowRun run(data, {}, guide);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4, kPatienceMs);
        QCOMPARE(forgotten(run), run.chat().messages()->firstRow(run.messages()[2].id));
        QTRY_COMPARE(run.shownItems("ForgottenRow").size(), 1);
    }

    void figuresBelongToTheModelThatMadeThem() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("one");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTRY_VERIFY(run.chat().tokensPerSecond() > 0);
        // Its own row says so; the line under the composer does while it is written.
        QVERIFY(!run.model.status()->text().contains("tokens per second"));
        QVERIFY(run.model.status()->contextShare() > 0);
        const QString other = m_folder.filePath("other.gguf");
        QFile file(other);
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write("another, longer file") > 0);
        file.close();
        run.drop(other);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && toQString(run.model.models()->current().path) == other,
                                 kPatienceMs);
        QCOMPARE(run.chat().tokensPerSecond(), 0.0);
        QCOMPARE(run.model.status()->contextShare(), 0.0);
        run.chat().send("two");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        QTRY_VERIFY(run.model.status()->contextShare() > 0);
    }

    void stoppedAnswersContinueBehindTheirIds() {
        WindowRun run(freshDataDir(), {"--tokens", "300", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).size() > 40, kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        const std::string stopped = run.said(1);
        QVERIFY(stopped.size() < 1000);

        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].status, history::MessageStatus::Complete, kPatienceMs);
        std::string expected;
        for (int i = 0; i < 300; ++i) expected += std::to_string(i) + " ";
        QCOMPARE(run.said(1), expected);
    }

    void continuingWaitsForTheModelThatIsBeingLoaded() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--tokens", "300", "--pace-ms", "5"});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).size() > 40, kPatienceMs);
            run.chat().stop();
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        }
        const QString log = m_folder.filePath("continued");
        WindowRun run(data, {"--tokens", "300", "--load-ms", "200", "--log", log});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->state(), ModelInUse::Loading, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{2}, kPatienceMs);
        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].status, history::MessageStatus::Complete, kPatienceMs);
        QCOMPARE(requests(log, "load"), 1);
    }

    void continuingLoadsTheModelThatBegan() {
        const QString other = m_folder.filePath("other.gguf");
        QVERIFY(QFile::exists(other) || QFile::copy(m_modelFile, other));
        const QString log = m_folder.filePath("continued-by-the-first");
        WindowRun run(freshDataDir(), {"--tokens", "300", "--pace-ms", "5", "--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).size() > 40, kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        const std::string first = run.model.models()->current().id;
        run.drop(other);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready() && run.model.models()->current().id != first, kPatienceMs);
        run.chat().continueAnswer(run.messages()[1].id);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].status, history::MessageStatus::Complete, kPatienceMs);
        QCOMPARE(run.model.models()->current().id, first);
        QCOMPARE(requests(log, "load"), 3);
    }

    void aModelThatIsGoneIsNotTheOneThatIsBeingLoaded() {
        const QString gone = m_folder.filePath("soon-away.gguf");
        QVERIFY(QFile::copy(m_modelFile, gone));
        WindowRun run(freshDataDir(), {"--load-ms", "500"});
        run.drop(gone);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const std::string away = run.model.models()->current().id;
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.model.models()->current().id != away, kPatienceMs);
        QCOMPARE(run.model.models()->state(), ModelInUse::Loading);
        QVERIFY(QFile::remove(gone));
        run.model.models()->use(QString::fromStdString(away));
        QTRY_COMPARE_WITH_TIMEOUT(run.model.models()->state(), ModelInUse::Missing, kPatienceMs);
        // The other one has been loaded by then; it is not this one.
        QTest::qWait(1500);
        QCOMPARE(run.model.models()->state(), ModelInUse::Missing);
    }

    void anotherAnswerIsASibling() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const history::RowId first = run.messages()[1].id;
        run.chat().regenerate(first);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages()[1].id != first && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].siblingCount, 2);
        QCOMPARE(run.messages()[1].siblingIndex, 1);
        run.chat().showSibling(run.messages()[1].id, -1);
        QTRY_COMPARE(run.messages()[1].id, first);

        run.chat().edit(run.messages()[0].id, "count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "count again" && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[0].siblingCount, 2);
        QCOMPARE(run.messages().size(), size_t{2});
    }

    void anAnswerGoesOnWhileAnotherConversationIsShown() {
        WindowRun run(freshDataDir(), {"--tokens", "100", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.said(1).empty(), kPatienceMs);
        const auto first = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        QVERIFY(run.messages().empty());
        QVERIFY(run.idle());
        QTest::qWait(100);
        run.chat().open(first);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        std::string expected;
        for (int i = 0; i < 100; ++i) expected += std::to_string(i) + " ";
        QCOMPARE(run.said(1), expected);
    }

    /// What is read beside the journal may be older or newer than what the window was told.
    void anAnswerIsWholeHoweverOftenItsConversationIsOpened() {
        constexpr size_t kMessages = 900;  // which take longer to read than a token to come
        const QString data = freshDataDir();
        const history::RowId chat = makeLongChat(data, kMessages).first;
        WindowRun run(data, {"--tokens", "250", "--pace-ms", "2"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().open(chat);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), kMessages, kPatienceMs);
        run.chat().send("count");
        const auto isWhole = [&] { return run.messages().size() == kMessages + 2; };
        QTRY_VERIFY_WITH_TIMEOUT(isWhole() && !run.said(kMessages + 1).empty(), kPatienceMs);
        std::string told;
        for (int i = 0; i < 250; ++i) told += std::to_string(i) + " ";
        while (!run.idle() || !isWhole()) {
            run.chat().newConversation();
            run.chat().open(chat);
            QTRY_VERIFY_WITH_TIMEOUT(isWhole(), kPatienceMs);
            QTest::qWait(3);
            QVERIFY2(told.starts_with(run.said(kMessages + 1)), run.said(kMessages + 1).c_str());
        }
        QCOMPARE(run.said(kMessages + 1), told);
        QCOMPARE(run.messages().back().status, history::MessageStatus::Complete);
    }

    /// Around it first, then what stands above, and below it piece by piece; what is asked follows the end
    /// all the same.
    void aHitInALongChatIsShownAtOnceAndTheRestFollows() {
        constexpr size_t kMessages = 900;
        const QString data = freshDataDir();
        const auto [conversation, ids] = makeLongChat(data, kMessages);
        const history::RowId hit = ids[200];

        WindowRun run(data, {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        size_t shownFirst = 0;
        QObject context;
        connect(&run.chat(), &ChatController::found, &context, [&] { shownFirst = run.messages().size(); });
        run.chat().openAt(conversation, hit, "message");
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), kMessages, kPatienceMs);
        QCOMPARE(shownFirst, size_t{60});
        for (size_t index = 0; index < kMessages; ++index) QCOMPARE(run.messages()[index].id, ids[index]);

        run.chat().newConversation();
        connect(&run.chat(), &ChatController::found, &context, [&] { run.chat().send("count"); });
        run.chat().openAt(conversation, hit, "message");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == kMessages + 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[kMessages].parent, ids.back());
    }

    void whatIsUndoneDoesNotHideTheAnswerBeingWritten() {
        WindowRun run(freshDataDir(), {"--tokens", "200", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const history::RowId old = run.messages()[1].id;
        run.chat().remove(old);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{1}, kPatienceMs);
        run.chat().regenerate(run.messages()[0].id);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.said(1).empty(), kPatienceMs);
        const history::RowId running = run.messages()[1].id;
        run.model.notices()->undoLast();
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].siblingCount, 2, kPatienceMs);
        QCOMPARE(run.messages()[1].id, running);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        run.chat().showSibling(running, -1);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[1].id, old, kPatienceMs);
    }

    /// The answer to the changed question goes with it; one below the wording of before goes on.
    void undoingAChangeStopsOnlyTheAnswerThatItTakesAway() {
        WindowRun run(freshDataDir(), {"--tokens", "200", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const auto isWriting = [&run](size_t row, const char* question) {
            return run.messages().size() == row + 1 && run.said(row - 1) == question &&
                   !run.said(row).empty() && run.chat().generation() == ChatController::Streaming;
        };
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(isWriting(1, "count"), kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        const history::RowId question = run.messages()[0].id;

        run.chat().edit(question, "count again");
        QTRY_VERIFY_WITH_TIMEOUT(isWriting(1, "count again"), kPatienceMs);
        const history::RowId changed = run.messages()[0].id;
        run.model.notices()->undoLast();
        QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "count" && run.idle(), kPatienceMs);
        run.chat().showSibling(question, 1);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[0].id, changed, kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        run.chat().showSibling(changed, -1);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[0].id, question, kPatienceMs);

        // Changed once more; then the person goes back by hand, and asks there.
        run.chat().edit(question, "count once more");
        QTRY_VERIFY_WITH_TIMEOUT(isWriting(1, "count once more"), kPatienceMs);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        run.chat().showSibling(run.messages()[0].id, -2);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages()[0].id, question, kPatienceMs);
        run.chat().send("go on");
        QTRY_VERIFY_WITH_TIMEOUT(isWriting(3, "go on"), kPatienceMs);
        const auto conversation = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        run.model.notices()->undoLast();
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<qint64>(run.chat().conversationId()), conversation,
                                  kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(run.messages().size(), size_t{4}, kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[3].status, history::MessageStatus::Complete);
    }

    void changesUndoneQuicklyAreAllUndone() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--tokens", "200", "--pace-ms", "5"});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("one");
            const auto isWriting = [&run](const char* question) {
                return run.messages().size() == 2 && run.said(0) == question && !run.said(1).empty();
            };
            QTRY_VERIFY_WITH_TIMEOUT(isWriting("one"), kPatienceMs);
            for (const char* next : {"two", "three"}) {
                run.chat().stop();
                QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
                run.chat().edit(run.messages()[0].id, next);
                QTRY_VERIFY_WITH_TIMEOUT(isWriting(next), kPatienceMs);
            }
            run.model.notices()->undoLast();
            run.model.notices()->undoLast();
            QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "one" && run.idle(), kPatienceMs);
        }
        WindowRun run(data, {});
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2, kPatienceMs);
        QCOMPARE(run.said(0), std::string("one"));
    }

    void theFieldOfAMessageKeepsItsWordsUntilTheyAreStored() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {"--tokens", "100", "--pace-ms", "5"});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.chat().send("question");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
            run.chat().messages()->edit(run.messages()[0].id);
            QTRY_VERIFY(run.shownItem("messageEditor") != nullptr);
            QQuickItem* editor = run.shownItem("messageEditor");
            editor->setProperty("text", "another question");
            editor->forceActiveFocus();
            // While an answer is being written it cannot be sent, and stays.
            run.chat().send("meanwhile");
            QTRY_COMPARE_WITH_TIMEOUT(run.chat().generation(), ChatController::Streaming, kPatienceMs);
            QTest::keyClick(run.window, Qt::Key_Return);
            QCOMPARE(run.chat().messages()->editedText(), QString("another question"));
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
            // Sent: the field closes, and its words are nowhere else.
            run.shownItem("messageEditor")->forceActiveFocus();
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_COMPARE_WITH_TIMEOUT(run.said(0), std::string("another question"), kPatienceMs);
            QCOMPARE(run.chat().messages()->edited(), 0.0);
            QCOMPARE(run.chat().draft(), QString());
            QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
            // Left for another conversation it is the draft.
            run.chat().messages()->edit(run.messages()[0].id);
            run.chat().messages()->setEditedText("a third one");
            const auto conversation = static_cast<qint64>(run.chat().conversationId());
            run.chat().newConversation();
            QTRY_COMPARE(run.chat().draft(), QString());
            run.chat().open(conversation);
            QTRY_COMPARE_WITH_TIMEOUT(run.chat().draft(), QString("a third one"), kPatienceMs);
            run.chat().setDraft({});
            // And so it is when the window closes.
            run.chat().messages()->edit(run.messages()[0].id);
            run.chat().messages()->setEditedText("a fourth one");
        }
        WindowRun run(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(run.chat().draft(), QString("a fourth one"), kPatienceMs);
    }

    void answersOfTwoConversationsAreWrittenBesideEachOther() {
        WindowRun run(freshDataDir(), {"--tokens", "400", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const auto isMarked = [&run](qint64 conversation) {
            const auto name = "answering-" + QByteArray::number(conversation);
            const QQuickItem* mark = run.shownItem(name.constData());
            return mark != nullptr && mark->isVisible();
        };
        const auto writesHere = [&run] {
            return run.messages().size() == 2 && !run.said(1).empty() && !run.idle();
        };
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(writesHere(), kPatienceMs);
        const auto first = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        run.chat().send("count as well");
        QTRY_VERIFY_WITH_TIMEOUT(writesHere(), kPatienceMs);
        const auto second = static_cast<qint64>(run.chat().conversationId());
        QVERIFY(second != first);
        QTRY_VERIFY(isMarked(first) && isMarked(second));

        // Esc ends the answer that is in view, and no other.
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QTRY_VERIFY(!isMarked(second));
        QVERIFY(isMarked(first));
        run.chat().open(first);
        QTRY_COMPARE(static_cast<qint64>(run.chat().conversationId()), first);
        QVERIFY(!run.idle());
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
        std::string expected;
        for (int i = 0; i < 400; ++i) expected += std::to_string(i) + " ";
        QCOMPARE(run.said(1), expected);
    }

    void stopIsHeardBeforeTheEngineHasTheQuestion() {
        const QString log = m_folder.filePath("stopped");
        WindowRun run(freshDataDir(), {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QCOMPARE(run.chat().generation(), ChatController::Starting);
        run.chat().stop();
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QVERIFY(run.said(1).empty());
        QCOMPARE(requests(log, "generate"), 0);

        run.chat().send("count again");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[3].status, history::MessageStatus::Complete);
        QCOMPARE(requests(log, "generate"), 1);

        // A conversation deleted in that moment gets no answer either, nor one dropped model in place of
        // another.
        run.chat().send("and again");
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        run.chat().send("something else");
        run.model.models()->loadAgain({});
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
        QCOMPARE(requests(log, "generate"), 1);
    }

    void aFileThatIsNoModelLeavesAnswersAlone() {
        WindowRun run(freshDataDir(), {"--tokens", "60", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.said(1).empty(), kPatienceMs);
        QVERIFY(run.drop(m_folder.filePath("broken.gguf")));
        QTRY_VERIFY_WITH_TIMEOUT(!run.model.notices()->banner().isEmpty(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Complete);
    }

    void stopHoldsWhileTheDiskIsFull() {
        WindowRun run(freshDataDir(), {"--tokens", "100000", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).size() > 40, kPatienceMs);
        {
            const FullDisk full;
            QTRY_VERIFY_WITH_TIMEOUT(run.chat().stalled(), kPatienceMs);
            QVERIFY(!run.model.notices()->banner().isEmpty());
            run.chat().stop();
            QTest::qWait(2500);  // the writer has tried again
            QVERIFY(run.chat().stalled());
            QCOMPARE(run.chat().generation(), ChatController::Stopping);
        }
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QVERIFY(!run.chat().stalled());
        QVERIFY(run.model.notices()->banner().isEmpty());
        QCOMPARE(run.messages()[1].status, history::MessageStatus::Stopped);
    }

    void aConversationDeletedWhileItsHostHangsLeavesTheWindowUsable() {
        WindowRun run(freshDataDir(), {"--tokens", "2000", "--pace-ms", "5"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.said(1).size() > 40, kPatienceMs);
        QCOMPARE(::kill(run.hostPid, SIGSTOP), 0);
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 0);
        // What the host does about it does not matter to others.
        QVERIFY(run.idle());
        run.chat().send("count again");
        QTRY_COMPARE(run.messages().size(), size_t{2});
        QCOMPARE(::kill(run.hostPid, SIGCONT), 0);
        QVERIFY2(run.model.notices()->banner().isEmpty(), qPrintable(run.model.notices()->banner()));
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && !run.said(1).empty(), kPatienceMs);
    }
};

WINDOW_SUITE(AnswersTest)
#include "answers_test.moc"
