/// The table of actions, what is said to the person, and the keyboard outside of the text.
#include <QClipboard>

#include <algorithm>

#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

class ActionsTest : public QObject, WindowFiles {
    Q_OBJECT

    /// Three conversations; the last one is shown.
    static void fill(WindowRun& run) {
        for (const char* title : {"one", "two", "three"}) {
            run.chat().newConversation();
            run.chat().send(title);
            QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        }
        QTRY_COMPARE(run.model.conversations()->rowCount(), 3);
    }
    static QString titleOf(WindowRun& run, int row) {
        auto* list = run.model.conversations();
        return list->data(list->index(row), ConversationListModel::TitleRole).toString();
    }
    /// Shortcuts belong to the active window.
    static void press(const WindowRun& run, Qt::Key key, Qt::KeyboardModifiers modifiers) {
        QVERIFY(QTest::qWaitForWindowActive(run.window));
        QTest::keyClick(run.window, key, modifiers);
    }
    static QQuickItem* focused(const WindowRun& run) { return run.window->activeFocusItem(); }
    /// What can be clicked or written into, from the top: their objects' names.
    static void collect(const QQuickItem* item, QStringList& names) {
        if (!item->isVisible() || item->opacity() == 0 || item->objectName() == "startPage") return;
        if (item->inherits("QQuickAbstractButton") || item->inherits("QQuickTextInput") ||
            item->inherits("QQuickTextEdit"))
            names.append(item->objectName());
        for (const QQuickItem* child : item->childItems()) collect(child, names);
    }

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void everyActionHasItsOwnNameWordsAndKeys() {
        WindowRun run(freshDataDir(), {});
        QSet<QString> ids, words, keys;
        for (const Action& action : run.model.actions()->all()) {
            QVERIFY2(!ids.contains(action.id), action.id);
            QVERIFY2(!words.contains(action.words), action.words);
            ids.insert(action.id);
            words.insert(action.words);
            if (action.keys[0] == 0) continue;
            QVERIFY2(!keys.contains(action.keys), action.keys);
            keys.insert(action.keys);
            QVERIFY2(action.scope == ActionScope::Field || !QKeySequence(action.keys).isEmpty(), action.keys);
        }
    }

    void anOpenEmptyChatShowsTwelveThings() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        const auto shown = [&run] {
            QStringList names;
            collect(run.window->contentItem(), names);
            names.sort();
            return names;
        };
        QTRY_COMPARE(shown(), (QStringList{"attachButton", "composerInput", "entry-documents", "entry-help",
                                           "entry-privateChat", "entry-prompts", "entry-trash", "modelButton",
                                           "newChatButton", "searchField", "sendButton", "settingsButton"}));
    }

    void thePaletteRunsWhatWasFound() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        press(run, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY(run.shownItem("paletteField") != nullptr);
        QTRY_VERIFY(run.shownItem("paletteField")->hasActiveFocus());
        for (const char key : std::string("sett")) QTest::keyClick(run.window, key);
        // Those of this chat, and all; there is no model.
        QTRY_COMPARE(run.shownItem("paletteList")->property("count").toInt(), 2);
        QTest::keyClick(run.window, Qt::Key_Down);
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_VERIFY(run.shownItem("restoreDefaults") != nullptr);
    }

    void aCheckedAnswerIsIdenticalOrDiffersInWords() {
        const auto check = [this](const QStringList& arguments, bool identical, double temperature = 0) {
            WindowRun run(freshDataDir(), arguments);
            run.drop(m_modelFile);
            if (!QTest::qWaitFor([&] { return run.ready(); }, kPatienceMs)) return QString("not ready");
            run.chat().send("count");
            const auto ended = [&] { return run.messages().size() == 2 && run.idle(); };
            if (!QTest::qWaitFor(ended, kPatienceMs)) return QString("not answered");
            const auto answer = static_cast<qint64>(run.messages().back().id);
            QStringList offered;
            for (const QVariant& each : run.model.actions()->ofMessage(answer))
                offered += each.toMap()["id"].toString();
            if (!offered.contains("checkAnswer")) return QString("not offered");
            if (temperature > 0) run.model.settings()->setProperty("temperature", temperature);
            press(run, Qt::Key_P, Qt::ControlModifier | Qt::ShiftModifier);
            const auto opened = [&] {
                return run.shownItem("paletteField") != nullptr &&
                       run.shownItem("paletteField")->hasActiveFocus();
            };
            if (!QTest::qWaitFor(opened)) return QString("no palette");
            for (const char key : std::string("check the")) QTest::keyClick(run.window, key);
            QTest::keyClick(run.window, Qt::Key_Return);
            const auto said = [&] {
                return identical ? run.model.notices()->toast() : run.model.notices()->banner();
            };
            if (!QTest::qWaitFor([&] { return !said().isEmpty(); }, kPatienceMs))
                return QString("nothing said");
            return said();
        };
        QCOMPARE(check({}, true), QString("Identical: 20 tokens."));
        QCOMPARE(check({"--other-at", "3"}, false),
                 QString("Not identical: from word 4 on the model now writes “else”."));
        QCOMPARE(check({"--model-hash", QString(32, 'b')}, false),
                 QString("Identical: 20 tokens. The model file is another one now."));
        QCOMPARE(
            check({}, false, 1.25),
            QString("Identical: 20 tokens. It was checked with the settings that it was written with; new "
                    "answers have others."));
        QCOMPARE(check({"--prompt-hash", "8"}, false),
                 QString("Identical: 20 tokens. What stands before the answer is not what the model was "
                         "given then."));
    }

    void anotherWordBeginsAVersionThatGoesOnWithIt() {
        WindowRun run(freshDataDir(), {"--thinking", "2", "--pace-ms", "20"});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("count");
        const auto answer = [&run]() -> QQuickItem* {
            run.window->grabWindow();
            for (QQuickItem* each : run.shownItems("SelectableText")) {
                QString begins;
                QMetaObject::invokeMethod(each, "getText", Q_RETURN_ARG(QString, begins), Q_ARG(int, 0),
                                          Q_ARG(int, 8));
                if (begins == "2 3 4 5 ") return each;
            }
            return nullptr;
        };
        const auto openMenu = [&run, &answer] {
            QRectF at;
            QMetaObject::invokeMethod(answer(), "positionToRectangle", Q_RETURN_ARG(QRectF, at),
                                      Q_ARG(int, 6));  // the 5
            run.click(answer(), at.center() + QPointF(2, 0), Qt::RightButton);
        };
        const auto entry = [&run] {
            const auto items = run.shownItems("anotherWord");
            return items.isEmpty() ? nullptr : items.first();
        };
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2, kPatienceMs);
        QVERIFY2(!run.model.words()->mayLook(), "an answer is being written");
        QTRY_VERIFY_WITH_TIMEOUT(run.idle(), kPatienceMs);
        QTRY_VERIFY_WITH_TIMEOUT(answer() != nullptr, kPatienceMs);
        const std::string before = run.said(1);

        openMenu();
        QTRY_VERIFY(entry() != nullptr && entry()->isEnabled());
        run.click(entry(), {20, 10});
        QTRY_COMPARE_WITH_TIMEOUT(run.shownItems("otherWord").size(), 3, kPatienceMs);
        const QVariantList words = run.model.words()->words();
        QCOMPARE(words[0].toMap()["word"].toString(), QString("5"));
        QVERIFY(words[0].toMap()["stands"].toBool());
        QCOMPARE(words[1].toMap()["word"].toString(), QString("105"));
        QCOMPARE(words[1].toMap()["percent"].toString(), QString("25%"));
        QCOMPARE(words[2].toMap()["percent"].toString(), QString("< 1%"));
        QVERIFY(!words[2].toMap()["mayChoose"].toBool());
        run.click(run.shownItems("otherWord")[1], {20, 10});
        QTRY_VERIFY_WITH_TIMEOUT(run.messages()[1].siblingCount == 2 && run.idle(), kPatienceMs);
        QCOMPARE(run.messages()[1].siblingIndex, 1);
        QCOMPARE(run.said(1), std::string("0 1 2 3 4 105 6 7 8 9 10 11 12 13 14 15 16 17 18 19 "));
        run.chat().showSibling(run.messages()[1].id, -1);
        QTRY_COMPARE(run.messages()[1].siblingIndex, 0);
        QCOMPARE(run.said(1), before);
    }

    void theModelsBeginInTheFilterAndBrowseWithoutAPortal() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        press(run, Qt::Key_L, Qt::ControlModifier);
        QTRY_VERIFY(run.shownItem("modelFilter") != nullptr);
        QTRY_VERIFY(run.shownItem("modelFilter")->hasActiveFocus());
        run.shownItem("browseButton")->forceActiveFocus(Qt::TabFocusReason);
        QTest::keyClick(run.window, Qt::Key_Space);
        auto* dialog = run.window->findChild<QObject*>("openDialog");
        QTRY_VERIFY(dialog->property("visible").toBool());
        QTRY_VERIFY(run.shownItem("fileDialogListView") != nullptr);
    }

    void theKeyboardActsOnTheRowThatHasIt() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        fill(run);
        const double shown = run.chat().conversationId();
        // The list's first row is the newest; the keyboard begins at the one in view.
        run.item("conversationList")->forceActiveFocus(Qt::TabFocusReason);
        QTRY_COMPARE(run.model.conversations()->focused(), shown);
        QTest::keyClick(run.window, Qt::Key_Down);
        QTRY_COMPARE(run.model.conversations()->rowOf(run.model.conversations()->focused()), 1);
        QCOMPARE(titleOf(run, 1), QString("two"));

        QTest::keyClick(run.window, Qt::Key_F2);
        QTRY_VERIFY(focused(run)->inherits("QQuickTextInput"));
        QTest::keyClick(run.window, 'x');
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE(titleOf(run, 1), QString("x"));
        QTRY_COMPARE(run.model.conversations()->rowOf(run.model.conversations()->focused()), 1);

        // The Menu key opens its menu, whose first entry is ready.
        QTest::keyClick(run.window, Qt::Key_Menu);
        QTRY_COMPARE(run.model.conversations()->focused(), 0.0);
        QTest::keyClick(run.window, Qt::Key_Down);  // from "Rename" to "Pin"
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE(titleOf(run, 0), QString("x"));
        QCOMPARE(run.chat().conversationId(), shown);

        QTRY_VERIFY(run.model.conversations()->focused() != 0);
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY(run.item("composerInput")->hasActiveFocus());
    }

    void keysRestWhileSomethingLiesOverTheChat() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        fill(run);
        const double shown = run.chat().conversationId();
        const auto pressAll = [&run] {
            press(run, Qt::Key_R, Qt::ControlModifier);
            press(run, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
            press(run, Qt::Key_D, Qt::ControlModifier);
            QTest::qWait(100);
        };
        const auto untouched = [&] {
            return run.chat().conversationId() == shown && run.messages()[1].siblingCount == 1 &&
                   run.model.conversations()->rowCount() == 3 && titleOf(run, 0) == "three" &&
                   !run.model.conversations()->isPinned(static_cast<qint64>(shown));
        };
        for (const auto& [view, there] :
             {std::pair("settings", "restoreDefaults"), std::pair("models", "modelFilter"),
              std::pair("palette", "paletteField")}) {
            run.model.actions()->run(view);
            QTRY_VERIFY2(!run.shownItems(there).isEmpty(), view);
            pressAll();
            // A card lies over everything; from a page a new conversation leads back to the chat.
            if (view == QLatin1String("palette")) press(run, Qt::Key_N, Qt::ControlModifier);
            QVERIFY2(untouched(), view);
            QTest::keyClick(run.window, Qt::Key_Escape);
            QTRY_VERIFY2(run.shownItems(there).isEmpty(), view);
        }
        // A menu of a row as well.
        run.click(run.item("conversationList"), {60, 110}, Qt::RightButton);
        QTRY_VERIFY(!run.shownItems("PopupMenuItem").isEmpty());
        pressAll();
        QVERIFY(untouched());
        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY(run.shownItems("PopupMenuItem").isEmpty());
        press(run, Qt::Key_Backspace, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_COMPARE(run.model.conversations()->rowCount(), 2);
    }

    void oneRingShowsWhereTheKeyboardIs() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        fill(run);
        QVERIFY(QTest::qWaitForWindowActive(run.window));
        run.item("composerInput")->forceActiveFocus();
        QSet<QQuickItem*> ringed;
        for (int i = 0; i < 30; ++i) {
            QTest::keyClick(run.window, Qt::Key_Tab);
            const QList<QQuickItem*> rings = run.shownItems("FocusRing");
            QVERIFY2(rings.size() <= 1, qPrintable(focused(run)->objectName()));
            if (rings.isEmpty()) continue;
            ringed.insert(focused(run));
            QQuickItem* around = rings[0];
            while (around != nullptr && around != focused(run)) around = around->parentItem();
            QVERIFY2(around != nullptr, qPrintable(focused(run)->objectName()));
        }
        QVERIFY2(ringed.size() >= 6, qPrintable(QString::number(ringed.size())));
        // A click shows none.
        run.click(run.item("composerInput"), {20, 10});
        QTRY_VERIFY(run.shownItems("FocusRing").isEmpty());
    }

    void copyingSaysThatItDid() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        fill(run);
        QTRY_VERIFY(!run.shownItems("copyButton").isEmpty());
        // Rows may still be on their way to their places.
        const auto isCopied = [&run] {
            // The answer's stands lowest, whichever row was made last.
            QList<QQuickItem*> buttons = run.shownItems("copyButton");
            QQuickItem* button = *std::ranges::max_element(
                buttons, {}, [](const QQuickItem* each) { return each->mapToScene({}).y(); });
            run.click(button, {button->width() / 2, button->height() / 2});
            return QGuiApplication::clipboard()->text().toStdString() == run.said(1);
        };
        QTRY_VERIFY(isCopied());
        QTRY_VERIFY(!run.shownItems("toast").isEmpty());
        QCOMPARE(run.model.notices()->toast(), QString("Copied"));
    }

    void aBannerIsSeenAgainOnceTheOneOverItIsRead() {
        using Topic = Notices::Topic;
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        const auto shown = [&run] {
            for (const QQuickItem* text : run.shownItems("bannerText"))
                return text->property("text").toString();
            return QString();
        };
        run.model.notices()->showBanner({Topic::Stall, "the disk"});
        run.model.notices()->showBanner({Topic::Model, "the model"});
        QTRY_COMPARE(shown(), QString("the disk"));
        run.click(run.shownItems("dismissBanner").first(), {10, 10});
        QTRY_COMPARE(shown(), QString("the model"));
        run.click(run.shownItems("dismissBanner").first(), {10, 10});
        QTRY_COMPARE(shown(), QString());
    }

    void toastsStayInsideTheChat() {
        WindowRun run(freshDataDir(), {});
        QTRY_VERIFY(run.window->isVisible());
        run.window->resize(run.window->minimumSize());
        run.chat().begin(QString("line\n").repeated(12));
        for (int i = 0; i < 4; ++i)
            run.model.notices()->showUndo(
                &run.model, QString("A title that is much longer than the window ").repeated(4), [] {});
        QTRY_VERIFY(!run.shownItems("toast").isEmpty());
        const auto outside = [&run] {
            const QRectF window({}, run.window->size());
            const qreal composer = run.item("composerInput")->parentItem()->parentItem()->mapToScene({}).y();
            for (QQuickItem* toast : run.shownItems("toast")) {
                const QRectF at = toast->mapRectToScene({0, 0, toast->width(), toast->height()});
                if (!window.contains(at) || at.bottom() > composer) return true;
            }
            return false;
        };
        QTRY_COMPARE(run.window->size(), run.window->minimumSize());
        QTRY_VERIFY(!outside());
        QVERIFY(!run.shownItems("toast").isEmpty());
    }

    void aRightClickOpensTheMenuAndNotTheConversation() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        fill(run);
        const double shown = run.chat().conversationId();
        run.click(run.item("conversationList"), {60, 110}, Qt::RightButton);
        QTest::qWait(100);
        QCOMPARE(run.chat().conversationId(), shown);
        QTest::keyClick(run.window, Qt::Key_Escape);
        run.click(run.item("conversationList"), {60, 110});
        QTRY_VERIFY(run.chat().conversationId() != shown);
    }

    void noticesLeaveEachOtherAlone() {
        using Topic = Notices::Topic;
        Notices notices;
        notices.showBanner({Topic::Model, "the model"});
        notices.showBanner({Topic::Stall, "the disk"});
        notices.showBanner({Topic::Arrival, "a file"});
        notices.showBanner({Topic::Model, "another model"});
        QCOMPARE(notices.bannerCount(), 3);
        QCOMPARE(notices.banner(), QString("the disk"));
        notices.clearBanner(Topic::Stall);
        QCOMPARE(notices.banner(), QString("another model"));
        notices.dismissBanner();
        QCOMPARE(notices.banner(), QString("a file"));

        QString undone;
        notices.showUndo(&notices, "first gone", [&] { undone += "1"; });
        notices.showToast("Copied");
        notices.showToast("Copied");
        notices.showUndo(&notices, "second gone", [&] { undone += "2"; });
        QCOMPARE(notices.toasts().size(), 3);
        // Its button undoes what the toast speaks of; the key what was done last.
        notices.undo(notices.toasts()[0].toMap()["key"].toInt());
        notices.undoLast();
        QCOMPARE(undone, QString("12"));
        QVERIFY(!notices.canUndo());
    }

    void thePaletteKnowsOtherWords() {
        WindowRun run(freshDataDir(), {});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.chat().send("hello");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        const std::pair<const char*, const char*> wanted[]{
            {"dark", "settings"},        {"theme", "settings"},
            {"language", "settings"},    {"import", "importChats"},
            {"attach", "attach"},        {"regenerate", "regenerate"},
            {"branch", "continueInNew"}, {"system prompt", "chatSettings"},
            {"ZOOM big", "largerText"}};
        for (const auto& [text, id] : wanted) {
            QStringList found;
            for (const QVariant& action : run.model.actions()->find(text))
                found << action.toMap()["id"].toString();
            QVERIFY2(found.contains(id), qPrintable(QString(text) + ": " + found.join(' ')));
        }
        // A name comes before other words.
        QCOMPARE(run.model.actions()->find("trash")[0].toMap()["id"].toString(), QString("trash"));
        QVERIFY(run.model.actions()->find("no such thing").isEmpty());
    }

    void defaultsAreRestoredAndThatIsUndone() {
        WindowRun run(freshDataDir(), {});
        Settings& settings = *run.model.settings();
        QSignalSpy loaded(&settings, &Settings::loaded);
        QTRY_COMPARE(loaded.size(), 1);
        settings.setProperty("systemPrompt", "Be brief.");
        settings.setProperty("maxTokens", 12);
        press(run, Qt::Key_Comma, Qt::ControlModifier);
        QTRY_VERIFY(run.shownItem("restoreDefaults") != nullptr);
        run.shownItem("restoreDefaults")->forceActiveFocus(Qt::TabFocusReason);
        QTest::keyClick(run.window, Qt::Key_Return);
        QTRY_COMPARE(settings.systemPrompt(), std::string());
        QTest::keyClick(run.window, Qt::Key_Escape);
        press(run, Qt::Key_Z, Qt::ControlModifier);
        QTRY_COMPARE(settings.systemPrompt(), std::string("Be brief."));
        QCOMPARE(*settings.profile().maxTokens, 12u);
    }

    void anAnswerIsNoLongerThanItMayBe() {
        const QString log = m_folder.filePath("limit");
        WindowRun run(freshDataDir(), {"--log", log});
        run.drop(m_modelFile);
        QTRY_VERIFY_WITH_TIMEOUT(run.ready(), kPatienceMs);
        run.model.settings()->setProperty("maxTokens", 12);
        run.chat().send("count");
        QTRY_VERIFY_WITH_TIMEOUT(run.messages().size() == 2 && run.idle(), kPatienceMs);
        QFile requests(log);
        QVERIFY(requests.open(QIODevice::ReadOnly));
        QVERIFY(requests.readAll().contains("\"maxTokens\":12"));
    }

    void theWindowIsWhereItWas() {
        const QString data = freshDataDir();
        {
            WindowRun run(data, {});
            QTRY_VERIFY(run.window->isVisible());
            run.window->setGeometry(20, 30, 640, 600);
            run.model.place()->setSidebarWidth(240);
            press(run, Qt::Key_Plus, Qt::ControlModifier);
            QTRY_COMPARE(run.model.settings()->textScale(), 110);
            QTest::qWait(50);
        }
        WindowRun run(data, {});
        QTRY_VERIFY(run.window->isVisible());
        QCOMPARE(run.window->geometry(), QRect(20, 30, 640, 600));
        QCOMPARE(run.model.place()->sidebarWidth(), 240);
        QTRY_COMPARE(run.model.settings()->textScale(), 110);
    }

    /// Also where it was stored on a larger screen.
    void theWindowAndItsFrameAreOnTheScreen() {
        const QSize larger(640, 4000), small(640, 600);
        for (const QRect& stored :
             {QRect({30, -500}, small), QRect({3000, 3000}, small), QRect({0, 0}, larger)}) {
            const QString data = freshDataDir();
            QMargins frame;
            {
                const WindowRun run(data, {});
                QTRY_VERIFY(run.window->isVisible());
                frame = run.window->frameMargins();
                QVERIFY(frame.top() > 0);
                run.window->setGeometry(stored);
                QTest::qWait(50);
            }
            const WindowRun run(data, {});
            QTRY_VERIFY(run.window->isVisible());
            const QRect shown = run.window->geometry().marginsAdded(frame);
            const QRect screen = run.window->screen()->availableGeometry();
            QVERIFY2(screen.contains(shown), qPrintable(QDebug::toString(shown)));
            // What fits keeps its size, and the rest is as large as the screen.
            const int height = std::min(stored.height() + frame.top() + frame.bottom(), screen.height());
            QCOMPARE(shown.size(), QSize(stored.width() + frame.left() + frame.right(), height));
        }
    }

    void theWindowFitsItsScreen() {
        const QRect laptop(0, 0, 1366, 728), scaled(0, 0, 683, 364), second(1366, 40, 1920, 1040);
        QCOMPARE(fittedInto(laptop, {100, 50, 1080, 640}), QRect(100, 50, 1080, 640));
        QCOMPARE(fittedInto(laptop, {1000, 600, 1080, 760}), QRect(286, 0, 1080, 728));
        QCOMPARE(fittedInto(scaled, {-40, -10, 1080, 760}), scaled);
        QCOMPARE(fittedInto(second, {0, 0, 1080, 760}), QRect(1366, 40, 1080, 760));
    }
};

WINDOW_SUITE(ActionsTest)
#include "actions_test.moc"
