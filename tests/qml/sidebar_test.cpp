/// The list of conversations: folders, the archive, several at once, searches that are narrowed.
#include <functional>
#include <thread>

#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/opening.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;
using history::RowId;

namespace {

struct Sidebar : WindowRun {
    explicit Sidebar(const QString& dataDir, const QStringList& hostArguments = {})
        : WindowRun(dataDir, hostArguments) {
        window->resize(1000, 760);
        window->requestActivate();
        (void)QTest::qWaitForWindowActive(window);
        list = model.conversations();
    }
    /// The rows from the top: titles, those of folders in brackets.
    QStringList rows() {
        QStringList all;
        for (int row = 0; row < list->rowCount(); ++row) {
            const auto data = [&](int role) { return list->data(list->index(row), role); };
            const QString title = data(ConversationListModel::TitleRole).toString();
            all << (data(ConversationListModel::KindRole) == "conversation" ? title : "[" + title + "]");
        }
        return all;
    }
    /// Of a conversation or folder.
    QQuickItem* row(const QString& title) {
        window->grabWindow();
        for (const char* kind : {"ConversationRow", "FolderRow"})
            for (QQuickItem* each : shownItems(kind))
                if (each->property("title").toString() == title) return each;
        return nullptr;
    }
    void clickRow(const QString& title, Qt::KeyboardModifiers modifiers = {},
                  Qt::MouseButton button = Qt::LeftButton) {
        QQuickItem* target = row(title);
        QVERIFY2(target != nullptr, qPrintable(title));
        QTest::mouseClick(window, button, modifiers,
                          target->mapToScene({60, target->height() / 2}).toPoint());
    }
    void choose(const char* name) {
        QTRY_VERIFY(!shownItems(name).isEmpty() && shownItems(name)[0]->height() > 0);
        click(shownItems(name)[0], {20, 10});
        QTRY_VERIFY(shownItems(name).isEmpty());
    }
    RowId id(const QString& title) {
        for (int row = 0; row < list->rowCount(); ++row)
            if (list->data(list->index(row), ConversationListModel::TitleRole) == title)
                return list->data(list->index(row), ConversationListModel::ConversationIdRole).toLongLong();
        return 0;
    }

    ConversationListModel* list = nullptr;
};

/// Four conversations, "four" being the newest.
void fill(const QString& dataDir) {
    // No file on the thread that paints.
    std::thread([&] {
        const auto file = history::openHistory(dataDir.toStdString() + "/history.sqlite").value();
        int64_t time = 1;
        for (const char* title : {"one", "two", "three", "four"}) {
            const RowId conversation = history::createConversation(*file, title, "model").value();
            (void)history::addUserMessage(*file, conversation, 0,
                                          {{PartKind::Text, "a needle of " + std::string(title), ""}});
            std::this_thread::sleep_for(std::chrono::milliseconds(++time));
        }
    }).join();
}

}  // namespace

class SidebarTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void severalAreDeletedAndComeBack() {
        const QString folder = freshDataDir();
        fill(folder);
        Sidebar run(folder);
        QTRY_COMPARE(run.rows(), (QStringList{"four", "three", "two", "one"}));
        QVERIFY(!run.item("selectionBar")->isVisible());
        run.clickRow("three", Qt::ControlModifier);
        run.clickRow("one", Qt::ShiftModifier);
        QCOMPARE(run.list->numSelected(), 3);
        run.clickRow("two", Qt::ControlModifier);
        QCOMPARE(run.list->numSelected(), 2);
        QTRY_VERIFY(run.item("selectionBar")->isVisible());
        QVERIFY2(run.chat().conversationId() == 0, "selecting opens nothing");
        run.click(run.shownItem("removeSelected"), {5, 5});
        QTRY_COMPARE(run.rows(), (QStringList{"four", "two"}));
        QCOMPARE(run.model.notices()->toast(), QString("2 conversations deleted"));
        QTRY_VERIFY(!run.item("selectionBar")->isVisible());
        QTest::keyClick(run.window, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(run.rows(), (QStringList{"four", "three", "two", "one"}));
        // A click without a key selects none.
        run.clickRow("two", Qt::ControlModifier);
        run.clickRow("four");
        QCOMPARE(run.list->numSelected(), 0);
        QTRY_COMPARE(run.chat().title(), QString("four"));
    }

    /// Not the one that is open, nor the one that has the keyboard.
    void keysActOnTheSelection() {
        const QString folder = freshDataDir();
        fill(folder);
        Sidebar run(folder);
        QTRY_COMPARE(run.rows().size(), 4);
        run.clickRow("four");
        QTRY_COMPARE(run.chat().title(), QString("four"));
        run.clickRow("three", Qt::ControlModifier);
        run.clickRow("one", Qt::ControlModifier);
        const auto press = [&](Qt::Key key, Qt::KeyboardModifiers modifiers) {
            QTest::keyClick(run.window, key, modifiers);
        };
        press(Qt::Key_D, Qt::ControlModifier);
        QTRY_COMPARE(run.rows(), (QStringList{"three", "one", "four", "two"}));
        press(Qt::Key_D, Qt::ControlModifier);
        QTRY_COMPARE(run.rows(), (QStringList{"four", "three", "two", "one"}));
        press(Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(run.rows(), (QStringList{"four", "two"}));
        QCOMPARE(run.model.notices()->toast(), QString("2 conversations deleted"));
        // Without a selection it is the open one.
        press(Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(run.rows(), QStringList{"two"});
    }

    void menusAreAsWideAsTheirWords() {
        const QString folder = freshDataDir();
        fill(folder);
        Sidebar run(folder);
        QTRY_COMPARE(run.rows().size(), 4);
        run.clickRow("two", {}, Qt::RightButton);
        QTRY_VERIFY(run.shownItems("PopupMenuItem").size() > 3);
        run.window->grabWindow();
        int numTexts = 0;
        const std::function<void(QQuickItem*)> look = [&](QQuickItem* item) {
            const QVariant truncated = item->property("truncated");
            if (truncated.isValid()) ++numTexts;
            QVERIFY2(!truncated.toBool(), qPrintable(item->property("text").toString()));
            for (QQuickItem* child : item->childItems()) look(child);
        };
        for (QQuickItem* item : run.shownItems("PopupMenuItem")) look(item);
        QVERIFY(numTexts > 3);
    }

    void whatIsArchivedLiesFoldedAtTheEnd() {
        const QString folder = freshDataDir();
        fill(folder);
        Sidebar run(folder);
        QTRY_COMPARE(run.rows().size(), 4);
        run.clickRow("two", Qt::ControlModifier);
        run.clickRow("four", Qt::ControlModifier);
        run.click(run.shownItem("archiveSelected"), {5, 5});
        QTRY_COMPARE(run.rows(), (QStringList{"three", "one", "[Archive]"}));
        run.clickRow("Archive");
        QTRY_COMPARE(run.rows(), (QStringList{"three", "one", "[Archive]", "four", "two"}));
        QVERIFY(!run.model.actions()->can("archive", run.id("two")));
        run.model.actions()->run("unarchive", run.id("two"));
        QTRY_COMPARE(run.rows(), (QStringList{"three", "two", "one", "[Archive]", "four"}));
        // Still found.
        run.list->setSearchText("four");
        QTRY_COMPARE(run.rows(), (QStringList{"four"}));
    }

    void foldersHoldConversationsAndWhatHoldsInThem() {
        const QString folder = freshDataDir();
        const QString log = folder + "/host.log";
        fill(folder);
        {
            Sidebar run(folder, {"--log", log});
            QTRY_COMPARE(run.rows().size(), 4);
            run.clickRow("three", Qt::ControlModifier);
            run.clickRow("one", Qt::ControlModifier);
            run.click(run.shownItem("moveSelected"), {5, 5});
            // Beside the bar, and not at one of the rows.
            QTRY_VERIFY(run.shownItem("intoNewFolder") != nullptr &&
                        run.shownItem("intoNewFolder")->mapToScene({}).y() > run.window->height() / 2.0);
            run.choose("intoNewFolder");
            QTRY_COMPARE(run.rows(), (QStringList{"[New folder]", "three", "one", "four", "two"}));
            // Its name is asked for at once.
            QTRY_VERIFY(run.window->activeFocusItem()->objectName() == "folderName");
            for (const char key : std::string("Work")) QTest::keyClick(run.window, key);
            QTest::keyClick(run.window, Qt::Key_Return);
            QTRY_COMPARE(run.rows(), (QStringList{"[Work]", "three", "one", "four", "two"}));
            run.clickRow("Work", {}, Qt::RightButton);
            run.choose("folderRules");
            QTRY_VERIFY(run.shownItem("profile-systemPrompt") != nullptr &&
                        run.shownItem("profile-systemPrompt")->hasActiveFocus());
            for (const char key : std::string("Be kind")) QTest::keyClick(run.window, key);
            run.shownItem("profile-temperature")->forceActiveFocus();
            for (const char key : std::string("0.25")) QTest::keyClick(run.window, key);
            QTest::keyClick(run.window, Qt::Key_Escape);
            run.drop(m_modelFile);
            QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
            run.clickRow("three");
            QTRY_COMPARE(run.chat().title(), QString("three"));
            run.chat().send("hello");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 3 && run.idle(), kPatienceMs);
            QCOMPARE(run.messages().back().sampler.temperature, 0.25F);
            QFile said(log);
            QVERIFY(said.open(QIODevice::ReadOnly));
            QVERIFY(said.readAll().contains("Be kind"));
            // Of no other one.
            run.clickRow("two");
            QTRY_COMPARE(run.chat().title(), QString("two"));
            run.chat().send("hello");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 3 && run.idle(), kPatienceMs);
            QVERIFY(run.messages().back().sampler.temperature != 0.25F);
            // Folded, and so it stays.
            run.clickRow("Work");
            QTRY_COMPARE(run.rows(), (QStringList{"[Work]", "two", "four"}));
        }
        Sidebar run(folder);
        QTRY_COMPARE(run.rows(), (QStringList{"[Work]", "two", "four"}));
        run.clickRow("Work", {}, Qt::RightButton);
        run.choose("removeFolder");
        QTRY_COMPARE(run.rows(), (QStringList{"two", "three", "four", "one"}));
        QTest::keyClick(run.window, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(run.rows(), (QStringList{"[Work]", "two", "four"}));
    }

    void aSearchIsNarrowed() {
        const QString folder = freshDataDir();
        fill(folder);
        Sidebar run(folder);
        QTRY_COMPARE(run.rows().size(), 4);
        QVERIFY(!run.item("filterRow")->isVisible());
        run.model.actions()->run("moveToFolder", run.id("two"));
        run.choose("intoNewFolder");
        QTRY_COMPARE(run.rows().size(), 5);
        run.item("searchField")->forceActiveFocus();
        for (const char key : std::string("needle")) QTest::keyClick(run.window, key);
        QTRY_COMPARE(run.rows().size(), 4);
        QTRY_VERIFY(run.item("filterRow")->isVisible());
        run.click(run.shownItem("filter-role"), {5, 5});
        run.choose("filter-role-assistant");
        QTRY_COMPARE(run.rows().size(), 0);
        run.click(run.shownItem("filter-role"), {5, 5});
        run.choose("filter-role-user");
        QTRY_COMPARE(run.rows().size(), 4);
        run.click(run.shownItem("filter-folder"), {5, 5});
        run.choose("filter-folder-1");
        QTRY_COMPARE(run.rows(), QStringList{"two"});
        run.click(run.shownItem("filter-days"), {5, 5});
        run.choose("filter-days-1");
        QTRY_COMPARE(run.rows(), QStringList{"two"});
        // What was narrowed is not any more when the search has ended.
        run.item("searchField")->forceActiveFocus();
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_COMPARE(run.rows().size(), 5);
        for (const char key : std::string("needle")) QTest::keyClick(run.window, key);
        QTRY_COMPARE(run.rows().size(), 4);
    }

    void aBranchGoesOnInAChatOfItsOwn() {
        Sidebar run(freshDataDir());
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        for (const size_t messages : {2, 4}) {
            run.chat().send("count");
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == messages && run.idle(), kPatienceMs);
        }
        const double old = run.chat().conversationId();
        const RowId answer = run.messages()[1].id;
        bool offered = false;
        for (const QVariant& each : run.model.actions()->ofMessage(answer))
            offered = offered || each.toMap()["id"] == "continueInNew";
        QVERIFY(offered);
        run.model.actions()->run("continueInNew", answer);
        QTRY_VERIFY(run.chat().conversationId() != old);
        QCOMPARE(run.messages().size(), size_t{2});
        QTRY_COMPARE(run.rows(), (QStringList{"count", "count"}));
        run.chat().send("and on");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 4 && run.idle(), kPatienceMs);
        run.chat().open(static_cast<qint64>(old));
        QTRY_VERIFY(run.messages().size() == 4 && run.said(2) == "count");
    }

    void aPrivateChatIsInNoList() {
        Sidebar run(freshDataDir());
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("kept");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QTest::keyClick(run.window, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(run.model.secret()->isShown() && run.messages().empty());
        QTRY_COMPARE(run.shownItems("privateBar").size(), 1);
        run.chat().send("secret");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.window->title(), QString("Private chat — Inglenook"));
        QCOMPARE(run.rows(), QStringList{"kept"});
        // None of the actions on conversations takes another one for it.
        for (const char* action : {"rename", "pin", "remove", "archive", "moveToFolder", "continueInNew"})
            QVERIFY2(!run.model.actions()->can(action), action);
        // It stays behind another one, and is gone once it is closed; also while an answer is being written.
        run.clickRow("kept");
        QTRY_VERIFY(!run.model.secret()->isShown());
        QTRY_COMPARE(run.said(0), std::string("kept"));
        run.click(run.shownItem("privateRow"), {60, 10});
        QTRY_VERIFY(run.model.secret()->isShown());
        QCOMPARE(run.said(0), std::string("secret"));
        run.chat().send("more");
        run.model.actions()->run("closePrivateChat");
        QTRY_COMPARE(run.said(0), std::string("kept"));
        QTest::qWait(200);
        QTest::keyClick(run.window, Qt::Key_N, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(run.model.secret()->isShown());
        QVERIFY(run.messages().empty());
        QVERIFY(run.chat().draft().isEmpty());
        run.chat().send("anew");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
    }
};

WINDOW_SUITE(SidebarTest)
#include "sidebar_test.moc"
