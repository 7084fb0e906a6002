/// What is deleted or changed, and how it comes back; and the list of all of it.
#include <algorithm>
#include <thread>

#include "app/desktop/content/text_selection.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "tests/every_case.h"
#include "tests/processor_time.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class TrashTest : public QObject, WindowFiles {
    Q_OBJECT

    /// A conversation of one question and its answer.
    static void begin(WindowRun& run, const QString& question) {
        run.chat().newConversation();
        run.chat().send(question);
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
    }
    static void press(const WindowRun& run, Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QVERIFY(QTest::qWaitForWindowActive(run.window));
        QTest::keyClick(run.window, key, modifiers);
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void aDeletedConversationComesBackAndIsShown() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "one");
        begin(run, "two");
        const double two = run.chat().conversationId();
        QTRY_COMPARE(run.model.conversations()->rowCount(), 2);
        press(run, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
        QVERIFY(run.messages().empty());
        QCOMPARE(run.model.notices()->toast(), QString("“two” deleted"));
        press(run, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 2);
        QTRY_COMPARE(run.chat().conversationId(), two);
        QCOMPARE(run.messages().size(), size_t{2});
    }

    void aDeletedMessageAndAChangeAreUndone() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "one");
        run.chat().send("more");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        run.model.actions()->run("removeMessage", run.messages()[2].id);
        QTRY_COMPARE(run.messages().size(), size_t{2});
        run.chat().edit(run.messages()[0].id, "another");
        QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "another" && run.idle(), kPatienceMs);
        // What was done last comes back first.
        press(run, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(run.said(0), std::string("one"));
        QCOMPARE(run.messages()[0].siblingCount, 2);  // the change stays beside it
        press(run, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(run.messages().size(), size_t{4});
        QCOMPARE(run.said(2), std::string("more"));
        QVERIFY(!run.model.notices()->canUndo());
    }

    void theTrashGivesBackAndForgets() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            begin(run, "first secret");
            begin(run, "second secret");
            for (int i = 0; i < 2; ++i)
                run.model.conversations()->remove(
                    static_cast<qint64>(run.model.conversations()->neighbour(0, 1 + i)));
            QTRY_COMPARE(run.model.conversations()->rowCount(), 0);
        }
        WindowRun run(data, {});
        QTRY_VERIFY(run.window->isVisible());
        run.model.actions()->run("trash");
        QTRY_COMPARE(run.model.trash()->rowCount(), 2);
        QTRY_VERIFY(run.shownItem("restore-0") != nullptr);
        const QString kept =
            run.model.trash()->data(run.model.trash()->index(0), TrashModel::TitleRole).toString();
        run.shownItem("restore-0")->forceActiveFocus(Qt::TabFocusReason);
        QTest::keyClick(run.window, Qt::Key_Space);
        QTRY_COMPARE(run.model.trash()->rowCount(), 1);
        QTRY_COMPARE(run.chat().title(), kept);
        // The second time it is meant.
        run.shownItem("emptyTrash")->forceActiveFocus(Qt::TabFocusReason);
        QTest::keyClick(run.window, Qt::Key_Space);
        QTest::qWait(100);
        QCOMPARE(run.model.trash()->rowCount(), 1);
        QTest::keyClick(run.window, Qt::Key_Space);
        QTRY_COMPARE(run.model.trash()->rowCount(), 0);
    }

    void whatWasRestoredOtherwiseIsUndoneWithoutAWord() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "one");
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_VERIFY(run.model.notices()->canUndo());
        run.model.trash()->refresh();
        QTRY_COMPARE(run.model.trash()->rowCount(), 1);
        run.model.trash()->restore(0);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 1);
        press(run, Qt::Key_Z, Qt::ControlModifier);
        QTest::qWait(100);
        QVERIFY2(run.model.notices()->banner().isEmpty(), qPrintable(run.model.notices()->banner()));
        QCOMPARE(run.messages().size(), size_t{2});
    }

    void whatIsTypedIsFoundWithoutAccentsByItsBeginningAndInOtherScripts() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, QString::fromUtf8("Der Müller mahlt"));
        begin(run, QString::fromUtf8("白い鳥が飛ぶ"));
        QTRY_COMPARE(run.model.conversations()->rowCount(), 2);
        auto* list = run.model.conversations();
        auto* selection = run.item("chatList")->property("selection").value<TextSelection*>();
        const auto type = [&run](const QString& text) {
            QQuickItem* field = run.shownItem("searchField");
            field->forceActiveFocus();
            field->setProperty("text", QString());
            QInputMethodEvent event;
            event.setCommitString(text);
            QCoreApplication::sendEvent(field, &event);
        };
        const auto openHit = [&](const QString& snippet) {
            for (int row = 0; row < list->rowCount(); ++row) {
                const QModelIndex at = list->index(row);
                if (list->data(at, ConversationListModel::MessageRole).toLongLong() == 0) continue;
                if (!list->data(at, ConversationListModel::SnippetRole).toString().contains(snippet))
                    continue;
                QQuickItem* item = nullptr;
                QMetaObject::invokeMethod(run.item("conversationList"), "itemAtIndex",
                                          Q_RETURN_ARG(QQuickItem*, item), Q_ARG(int, row));
                if (item == nullptr) return false;
                run.click(item, {60, 20});
                return true;
            }
            return false;
        };
        // Of what is still being typed the whole word is marked, as the list does.
        const std::pair<const char*, const char*> cases[] = {{"mull", "Müller"}, {"鳥", "鳥"}};
        for (const auto& [typed, marked] : cases) {
            run.chat().newConversation();
            type(QString::fromUtf8(typed));
            QTRY_VERIFY2(openHit(QString::fromUtf8(marked)), typed);
            QTRY_COMPARE(selection->text({}), QString::fromUtf8(marked));
        }
        type("no such word");
        QTRY_COMPARE(list->rowCount(), 0);
    }

    void theBlockWithMostOfTheWordsIsMarked() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "the owl\n\nand the crow\n\nand the heron");
        auto* selection = run.item("chatList")->property("selection").value<TextSelection*>();
        for (const char* query : {"the heron", "heron,", "heron the heron"}) {
            run.chat().openAt(static_cast<qint64>(run.chat().conversationId()), run.messages()[0].id, query);
            QCOMPARE(selection->text({}), QString("heron"));
        }
    }

    void emptyingTheTrashForgetsDeletionsOnly() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "before");
        run.chat().edit(run.messages()[0].id, "changed");
        QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "changed" && run.idle(), kPatienceMs);
        const auto kept = static_cast<qint64>(run.chat().conversationId());
        run.chat().newConversation();
        begin(run, "deleted");
        run.model.conversations()->remove(static_cast<qint64>(run.chat().conversationId()));
        QTRY_COMPARE(run.model.notices()->toast(), QString("“deleted” deleted"));
        QSignalSpy emptied(run.model.trash(), &TrashModel::emptied);
        run.model.trash()->empty();
        QTRY_COMPARE(emptied.size(), 1);
        QVERIFY(run.model.notices()->canUndo());
        run.model.notices()->undoLast();
        QTRY_COMPARE_WITH_TIMEOUT(static_cast<qint64>(run.chat().conversationId()), kept, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(run.said(0), std::string("before"), kPatienceMs);
        QVERIFY(!run.model.notices()->canUndo());
    }

    void aHitOpensAtItsMessageInItsBranch() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        begin(run, "where is the Hérón");
        run.chat().edit(run.messages()[0].id, "where is the owl");
        QTRY_VERIFY_WITH_TIMEOUT(run.said(0) == "where is the owl" && run.idle(), kPatienceMs);
        QSignalSpy found(&run.chat(), &ChatController::found);
        auto* list = run.model.conversations();
        list->setSearchText("HERON is");
        const auto isHit = [list](int row) {
            return list->data(list->index(row), ConversationListModel::MessageRole).toLongLong() != 0;
        };
        QTRY_VERIFY(isHit(0));
        QCOMPARE(list->rowCount(), 1);  // its title is the same hit
        run.click(run.item("conversationList"), {60, 65});
        QTRY_COMPARE(run.said(0), std::string("where is the Hérón"));
        QTRY_COMPARE(found.size(), 1);
        QCOMPARE(found[0][0].toDouble(), static_cast<double>(run.messages()[0].id));
        auto* selection = run.item("chatList")->property("selection").value<TextSelection*>();
        QTRY_COMPARE(selection->text({}), QString("Hérón"));
        // Of two hits in one conversation the one that was chosen is marked.
        list->setSearchText("where is");
        QTRY_COMPARE(list->rowCount(), 2);
        run.click(run.item("conversationList"), {60, 65});
        QTRY_COMPARE(run.said(0), std::string("where is the owl"));
        auto rows = run.shownItems("ConversationRow");
        QCOMPARE(rows.size(), 2);
        std::ranges::sort(rows, {}, &QQuickItem::y);
        QTRY_VERIFY(rows[0]->property("shown").toBool());
        QVERIFY(!rows[1]->property("shown").toBool());
    }

    // A figure of docs/benchmarks.md.
    void refreshingAListThatIsTheSameIsQuick() {
        if (!test::triesEveryCase()) QSKIP("a measurement; INGLE_EVERY_CASE=1 asks for it");
        constexpr int kChats = 5000;
        const QString data = freshDataDir();
        std::thread([&] {  // files are not this thread's
            auto history = history::openHistory((data + "/history.sqlite").toStdString()).value();
            for (int i = 0; i < kChats; ++i)
                QVERIFY(
                    history::createConversation(*history, "What is said in chat " + std::to_string(i), "m"));
        })
            .join();
        WindowRun run(data, {});
        QTRY_COMPARE_WITH_TIMEOUT(run.model.conversations()->rowCount(), kChats, kPatienceMs);
        QTest::qWait(500);
        const auto used = [](auto work) {
            const double before = test::processorSeconds();
            work();
            QTest::qWait(100);
            return 1000 * (test::processorSeconds() - before);
        };
        for (int i = 0; i < 5; ++i) {
            const double idle = used([] {});
            const double refresh = used([&] { run.model.conversations()->refresh(); });
            qInfo("a refresh takes %.2f ms of the painting thread (waiting alone: %.2f ms)", refresh - idle,
                  idle);
        }
    }
};

WINDOW_SUITE(TrashTest)
#include "trash_test.moc"
