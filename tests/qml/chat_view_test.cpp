/// The messages as a person sees and handles them: selecting, copying, scrolling, versions, and changing a
/// question.
#include <QClipboard>
#include <QElapsedTimer>
#include <QGlyphRun>
#include <QRawFont>
#include <QScopeGuard>
#include <QTextBlock>
#include <QTextLayout>

#include <algorithm>
#include <functional>
#include <thread>

#include "app/desktop/content/block_document.h"
#include "app/desktop/content/code_colouring.h"
#include "app/desktop/content/emoji.h"
#include "app/desktop/content/text_selection.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "tests/app/content/long_texts.h"
#include "tests/every_case.h"
#include "tests/processor_time.h"
#include "tests/qml/messages.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;

namespace {

std::vector<history::Message> longBranch(int turns) {
    std::vector<history::Message> branch;
    for (int turn = 0; turn < turns; ++turn) {
        const std::string number = std::to_string(turn);
        branch.push_back(message(2 * turn + 1, Role::User, "Question " + number + "?"));
        std::string text = "# Answer " + number + "\n\n";
        for (int line = 0; line <= turn % 7; ++line)
            text += "- some **words** of item " + std::to_string(line) + "\n";
        if (turn % 3 == 0) text += "\n```cpp\nint main() {\n    return " + number + ";\n}\n```\n";
        if (turn % 5 == 0) text += "\n| a | b |\n|---|--:|\n| one | 1 |\n| two | " + number + " |\n";
        text +=
            "\nAnd an end that says what was meant, at some length, so that lines are broken here and "
            "there.\n";
        branch.push_back(message(2 * turn + 2, Role::Assistant, text));
    }
    return branch;
}

/// The longest time for which the event loop did nothing else.
class StallMeter {
  public:
    StallMeter() {
        QObject::connect(&m_timer, &QTimer::timeout, [this] {
            const double stallMs = static_cast<double>(m_since.nsecsElapsed()) * 1e-6 - 1;
            m_since.restart();
            const double now = test::processorSeconds();
            const double busyMs = (now - m_busySince) * 1e3;
            if (busyMs > m_longestBusyMs)
                m_busyAtMs = static_cast<double>(m_all.nsecsElapsed()) * 1e-6 - stallMs;
            m_longestMs = std::max(m_longestMs, stallMs);
            m_longestBusyMs = std::max(m_longestBusyMs, busyMs);
            m_busySince = now;
        });
        m_timer.setTimerType(Qt::PreciseTimer);
        m_all.start();
        m_since.start();
        m_timer.start(1);
    }

    double longestMs() const { return m_longestMs; }
    /// The most that was computed in between: tells the program's part from that of a busy machine.
    double longestBusyMs() const { return m_longestBusyMs; }
    /// When that began.
    double busyAtMs() const { return m_busyAtMs; }

  private:
    QTimer m_timer;
    QElapsedTimer m_all;
    QElapsedTimer m_since;
    double m_longestMs = 0;
    double m_busySince = test::processorSeconds();
    double m_longestBusyMs = 0;
    double m_busyAtMs = 0;
};

/// A window that shows messages of which only its rows know.
struct View : WindowRun {
    explicit View(const QString& dataDir) : WindowRun(dataDir, {}) {
        window->resize(1000, 760);
        window->requestActivate();
        active = QTest::qWaitForWindowActive(window);
        list = item("chatList");
    }

    ChatRows& rows() { return *chat().messages(); }
    void show(std::vector<history::Message> messages) {
        rows().setBranch(std::move(messages));
        settle();
    }
    /// Until nothing moves any more.
    void settle() {
        for (int still = 0; still < 3;) {
            const qreal before = contentY();
            QTest::qWait(20);
            still = contentY() == before ? still + 1 : 0;
        }
    }
    qreal contentY() { return list->property("contentY").toReal(); }
    QQuickItem* row(int index) {
        QQuickItem* found = nullptr;
        QMetaObject::invokeMethod(list, "itemAtIndex", Q_RETURN_ARG(QQuickItem*, found), Q_ARG(int, index));
        return found;
    }
    /// A place in the text of a row, in the window.
    QPoint inText(int index, int offset) {
        QRectF at;
        QQuickItem* shown = row(index);
        if (shown == nullptr) return {};
        QMetaObject::invokeMethod(shown, "caretAt", Q_RETURN_ARG(QRectF, at), Q_ARG(int, offset));
        return shown->mapToScene(at.center()).toPoint();
    }
    void wheel(QQuickItem* over, int turned, Qt::KeyboardModifiers modifiers) {
        const QPointF at = over->mapToScene(QPointF(over->width() / 2, over->height() / 2));
        QWheelEvent event(at, window->mapToGlobal(at), {}, QPoint(0, turned), Qt::NoButton, modifiers,
                          Qt::NoScrollPhase, false);
        QCoreApplication::sendEvent(window, &event);
    }
    QString selected() {
        QString text;
        QMetaObject::invokeMethod(list->property("selection").value<QObject*>(), "text",
                                  Q_RETURN_ARG(QString, text), Q_ARG(QString, QString()));
        return text;
    }
    static QString copied() { return QGuiApplication::clipboard()->text(); }

    QQuickItem* list = nullptr;
    bool active = false;
};

}  // namespace

class ChatViewTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void textIsSelectedAcrossMessagesWithTheMouse() {
        View view(freshDataDir());
        view.show({message(1, Role::User, "my question"),
                   message(2, Role::Assistant, "A first paragraph.\n\nA **second** one.")});
        QTest::mousePress(view.window, Qt::LeftButton, {}, view.inText(0, 3));
        QTest::mouseMove(view.window, view.inText(2, 5));
        QTest::mouseMove(view.window, view.inText(3, 8));
        QTest::mouseRelease(view.window, Qt::LeftButton, {}, view.inText(3, 8));
        QVERIFY(view.active);
        QCOMPARE(view.selected(), QString("question\n\nA first paragraph.\n\nA second"));
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("question\n\nA first paragraph.\n\nA second"));
        // A menu has the same as Markdown.
        QTest::mouseClick(view.window, Qt::RightButton, {}, view.inText(3, 3));
        QTRY_VERIFY(view.shownItem("copyAsMarkdown") != nullptr &&
                    view.shownItem("copyAsMarkdown")->isVisible());
        QVERIFY(!view.shownItem("copyLink") || !view.shownItem("copyLink")->isVisible());
        QMetaObject::invokeMethod(view.shownItem("copyAsMarkdown"), "triggered");
        QCOMPARE(View::copied(), QString("question\n\nA first paragraph.\n\nA **second**"));
        QTRY_VERIFY(view.shownItem("copyAsMarkdown") == nullptr ||
                    !view.shownItem("copyAsMarkdown")->isVisible());
        // Shift extends, the keyboard goes on, and everything can be taken.
        QTest::mouseClick(view.window, Qt::LeftButton, Qt::ShiftModifier, view.inText(2, 7));
        QTest::keyClick(view.window, Qt::Key_Right, Qt::ShiftModifier);
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("question\n\nA first "));
        QTest::keyClick(view.window, Qt::Key_Down, Qt::ShiftModifier);
        QTest::keyClick(view.window, Qt::Key_End, Qt::ShiftModifier);
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("question\n\nA first paragraph.\n\nA second one."));
        QTest::keyClick(view.window, Qt::Key_A, Qt::ControlModifier);
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("my question\n\nA first paragraph.\n\nA second one."));
    }

    void aTableIsCopiedForProgramsThatCalculate() {
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, "Words.\n\n| a | b |\n|---|---|\n| 1 | 2, 3 |")});
        QTest::mouseClick(view.window, Qt::RightButton, {}, view.inText(0, 2));
        QTRY_VERIFY(view.shownItem("copyText") != nullptr && view.shownItem("copyText")->isVisible());
        QVERIFY(!view.shownItem("copyTable") || !view.shownItem("copyTable")->isVisible());
        QTest::keyClick(view.window, Qt::Key_Escape);
        QTRY_VERIFY(!view.shownItem("copyText") || !view.shownItem("copyText")->isVisible());
        QTest::mouseClick(view.window, Qt::RightButton, {}, view.inText(1, 0));
        QTRY_VERIFY(view.shownItem("copyTable") != nullptr && view.shownItem("copyTable")->isVisible());
        QMetaObject::invokeMethod(view.shownItem("copyTable"), "triggered");
        QCOMPARE(View::copied(), QString("a,b\r\n1,\"2, 3\"\r\n"));
    }

    void codeIsSavedAsAFileOfItsLanguage() {
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, "```python\nprint(1)\n```\n\n```\nplain\n```")});
        QTRY_COMPARE(view.shownItems("saveCode").size(), 2);
        QMetaObject::invokeMethod(view.shownItems("saveCode").first(), "clicked");
        auto* dialog = view.window->findChild<QObject*>("saveDialog");
        QTRY_VERIFY(dialog->property("visible").toBool());
        QCOMPARE(dialog->property("proposed").toString(), QString("code.py"));
        const QString saved = m_folder.filePath("mine.py");
        view.model.savePlace()->look(saved);
        QTRY_VERIFY(QFile::exists(saved));
        QFile file(saved);
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(file.readAll(), QByteArray("print(1)"));
        QVERIFY(!dialog->property("visible").toBool());
        TextSaver& saver = *view.model.saver();
        QCOMPARE(saver.codeName("C++"), QString("code.cpp"));
        QCOMPARE(saver.codeName("{.bash}"), QString("code.sh"));
        QCOMPARE(saver.codeName("json"), QString("code.json"));
        QCOMPARE(saver.codeName("../../etc"), QString("code.txt"));
        QCOMPARE(saver.codeName(""), QString("code.txt"));
    }

    void whatIsSelectedIsQuotedInTheMessage() {
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, "One *two* three.\n\nFour.")});
        view.chat().setDraft("I read:");
        QTest::mousePress(view.window, Qt::LeftButton, {}, view.inText(0, 0));
        QTest::mouseMove(view.window, view.inText(1, 2));
        QTest::mouseMove(view.window, view.inText(1, 5));
        QTest::mouseRelease(view.window, Qt::LeftButton, {}, view.inText(1, 5));
        QTest::mouseClick(view.window, Qt::RightButton, {}, view.inText(1, 1));
        QTRY_VERIFY(view.shownItem("quoteText") != nullptr && view.shownItem("quoteText")->isVisible());
        QMetaObject::invokeMethod(view.shownItem("quoteText"), "triggered");
        QCOMPARE(view.chat().draft(), QString("I read:\n\n> One *two* three.\n> \n> Four.\n\n"));
        QCOMPARE(view.composerText(), view.chat().draft());
    }

    void whatIsFoundInAFoldedThoughtIsOpenedAndMarked() {
        View view(freshDataDir());
        std::string thought;
        for (int line = 0; line < 500; ++line)
            thought += (line == 300 ? "a needle" : "hay " + std::to_string(line)) + "\n";
        const auto answer = [&](history::RowId id) {
            history::Message made = message(id, Role::Assistant, "Said is: straw.");
            made.parts.insert(made.parts.begin(), {PartKind::Thought, thought + "straw", {}});
            return made;
        };
        view.show(
            {message(1, Role::User, "a question"), answer(2), message(3, Role::User, "another"), answer(4)});
        const auto* selection = view.list->property("selection").value<TextSelection*>();
        const int foldedHeight = view.list->property("contentHeight").toInt();

        // What can be seen without opening anything comes first.
        view.chat().openAt(0, 2, "straw");
        view.settle();
        QCOMPARE(view.selected(), QString("straw"));
        QCOMPARE(view.list->property("contentHeight").toInt(), foldedHeight);

        view.chat().openAt(0, 2, "needle");
        view.settle();
        QCOMPARE(view.selected(), QString("needle"));
        const auto marked = view.shownItems("SelectableText");
        QVERIFY(std::ranges::any_of(marked, [](const QQuickItem* text) {
            return text->property("selectedText").toString() == "needle";
        }));
        const QPoint at = view.inText(selection->endRow(), selection->endOffset());
        const QRectF seen = view.list->mapRectToScene(QRectF(0, 0, view.list->width(), view.list->height()));
        QVERIFY2(seen.contains(at), qPrintable(QString("the mark is at %1").arg(at.y())));

        // What is nowhere is not what was found before.
        view.chat().openAt(0, 4, "nowhere");
        QCOMPARE(view.selected(), QString());
    }

    void twoClicksTakeAWordAndThreeABlock() {
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, "A first paragraph.\n\n[a link](https://example.org/x)")});
        const QPoint at = view.inText(0, 5);
        QTest::mouseClick(view.window, Qt::LeftButton, {}, at);
        QTest::mouseClick(view.window, Qt::LeftButton, {}, at);
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("first"));
        QTest::mouseClick(view.window, Qt::LeftButton, {}, at);
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("A first paragraph."));
        // A link is clicked, and can be copied.
        QSignalSpy opened(view.list, SIGNAL(linkActivated(QString)));
        QTest::mouseClick(view.window, Qt::LeftButton, {}, view.inText(1, 3));
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened[0][0].toString(), QString("https://example.org/x"));
        QTest::mouseClick(view.window, Qt::RightButton, {}, view.inText(1, 3));
        QTRY_VERIFY(view.shownItem("copyLink") != nullptr && view.shownItem("copyLink")->isVisible());
    }

    void aSelectionStaysWhileTheAnswerGrows() {
        View view(freshDataDir());
        history::Message growing = message(2, Role::Assistant, "one two");
        growing.status = history::MessageStatus::Streaming;
        view.show({message(1, Role::User, "q"), growing});
        QTest::mousePress(view.window, Qt::LeftButton, {}, view.inText(2, 0));
        QTest::mouseMove(view.window, view.inText(2, 2));
        QTest::mouseMove(view.window, view.inText(2, 3));
        QTest::mouseRelease(view.window, Qt::LeftButton, {}, view.inText(2, 3));
        for (int i = 0; i < 30; ++i) view.rows().append(2, {{PartKind::Text, " more\n\n", {}}});
        view.settle();
        QTest::keyClick(view.window, Qt::Key_C, Qt::ControlModifier);
        QCOMPARE(View::copied(), QString("one"));
    }

    void theWheelScrollsCodeSideways() {
        View view(freshDataDir());
        view.show({message(
            1, Role::Assistant,
            "```\n" + std::string(400, 'w') + "\n```\n\n| " + std::string(300, 'a') + " |" +
                [] {
                    std::string cells;
                    for (int i = 0; i < 12; ++i) cells += " a wide cell of a table |";
                    return cells;
                }() +
                "\n|" +
                [] {
                    std::string cells;
                    for (int i = 0; i < 13; ++i) cells += "---|";
                    return cells;
                }() +
                "\n| 1 |")});
        for (const int row : {0, 1}) {
            const auto scrolled = [&] {
                return view.rows().data(view.rows().index(row), ChatRows::ScrollRole).toDouble();
            };
            QCOMPARE(scrolled(), 0.0);
            view.wheel(view.row(row), -120, {});
            QCOMPARE(scrolled(), 0.0);  // that is the list's
            view.wheel(view.row(row), -120, Qt::ShiftModifier);
            QVERIFY(scrolled() > 0);
            view.wheel(view.row(row), 240, Qt::ShiftModifier);
            QCOMPARE(scrolled(), 0.0);
        }
        // What is wider than the column may use the room that there is.
        QVERIFY(view.row(0)->property("bodyWidth").toReal() <= view.list->width());
        view.window->resize(1800, 760);
        QTRY_VERIFY(view.row(0)->property("bodyWidth").toReal() > 1000);
    }

    void theKeyboardScrollsCodeAndTablesSideways() {
        View view(freshDataDir());
        std::string head = "|", line = "|", cells = "|";
        for (int i = 0; i < 14; ++i) {
            head += " a wide head of a table |";
            line += "---|";
            cells += " a cell |";
        }
        view.show(
            {message(1, Role::Assistant,
                     "```\n" + std::string(400, 'w') + "\n```\n\n" + head + "\n" + line + "\n" + cells)});
        for (const int row : {0, 1}) {
            const auto scrolled = [&] {
                return view.rows().data(view.rows().index(row), ChatRows::ScrollRole).toDouble();
            };
            const QList<QQuickItem*> area = view.shownItems("Sideways", view.row(row));
            QCOMPARE(area.size(), 1);
            area[0]->forceActiveFocus(Qt::TabFocusReason);
            QTest::keyClick(view.window, Qt::Key_Right);
            QTRY_VERIFY(scrolled() > 0);
            QTRY_COMPARE(area[0]->property("contentX").toReal(), scrolled());
            QTest::keyClick(view.window, Qt::Key_Left);
            QTRY_COMPARE(scrolled(), 0.0);
        }
    }

    void aLinkIsOpenedOnlyWhereItLeadsOutside() {
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, "[one](https://example.org/x)\n\n[two](file:///etc/passwd)")});
        QSignalSpy opened(view.list, SIGNAL(linkActivated(QString)));
        QTest::mouseClick(view.window, Qt::LeftButton, {}, view.inText(1, 1));
        QTest::mouseClick(view.window, Qt::LeftButton, {}, view.inText(0, 1));
        QCOMPARE(opened.size(), 1);
        QCOMPARE(opened[0][0].toString(), QString("https://example.org/x"));
    }

    void versionsCanBeSeenWithoutThePointer() {
        View view(freshDataDir());
        std::vector<history::Message> branch = longBranch(3);
        branch[1].siblingCount = 2;
        branch[1].siblingIndex = 1;
        view.show(branch);
        QTRY_COMPARE(view.list->property("count").toInt(), view.rows().rowCount());
        QMetaObject::invokeMethod(view.list, "positionViewAtBeginning");
        QTRY_VERIFY(view.shownItem("previousVersion") != nullptr);
        QList<QQuickItem*> seen;
        const std::function<void(QQuickItem*)> collect = [&](QQuickItem* item) {
            if (item->objectName() == "previousVersion" && item->isVisible()) seen << item;
            for (QQuickItem* child : item->childItems()) collect(child);
        };
        collect(view.list);
        QCOMPARE(seen.size(), 1);
        for (QQuickItem* item = seen[0]; item != view.list; item = item->parentItem())
            QVERIFY(item->opacity() > 0.9);
    }

    void upInTheEmptyComposerShowsTheLastQuestion() {
        View view(freshDataDir());
        std::vector<history::Message> branch = longBranch(4);
        for (int i = 0; i < 60; ++i)
            branch.back().parts[0].text += "\nA paragraph below which the question is far away.\n";
        view.show(branch);
        view.item("composerInput")->forceActiveFocus();
        QTest::keyClick(view.window, Qt::Key_Up);
        QTRY_VERIFY(view.shownItem("messageEditor") != nullptr);
        QTRY_VERIFY(view.shownItem("messageEditor")->hasActiveFocus());
        QQuickItem* editor = view.shownItem("messageEditor");
        QCOMPARE(editor->property("text").toString(), QString("Question 3?"));
        QTRY_VERIFY(editor->mapToItem(view.list, QPointF()).y() >= 0);
        QVERIFY(editor->mapToItem(view.list, QPointF()).y() + editor->height() <= view.list->height());
        QTest::keyClick(view.window, Qt::Key_Escape);
        QTRY_VERIFY(!editor->isVisible());
        QVERIFY(view.item("composerInput")->hasActiveFocus());
    }

    void emojiThatBelongTogetherAreOnePicture() {
        QVERIFY2(!emojiFamily().isEmpty(), "no font with coloured emoji (./dev deps)");
        const QString woman = QString::fromUcs4(U"\U0001F469\u200D\U0001F4BB"),
                      thumb = QString::fromUcs4(U"\U0001F44D\U0001F3FD"),
                      flag = QString::fromUcs4(U"\U0001F1E9\U0001F1EA"),
                      key = QString::fromUcs4(U"1\uFE0F\u20E3");
        const QString text = "At " + woman + ", " + thumb + " and " + flag + " \u00A9 2026, key " + key;
        QStringList found;
        for (const EmojiPlace& place : emojiIn(text)) found << text.mid(place.begin, place.length);
        QCOMPARE(found, (QStringList{woman, thumb, flag, key}));
        // As the chat shows them: one glyph each, of that font.
        View view(freshDataDir());
        view.show({message(1, Role::Assistant, text.toStdString())});
        auto* document =
            view.row(0)->property("text").value<QQuickItem*>()->property("document").value<BlockDocument*>();
        QCOMPARE(document->document()->toPlainText(), text);
        const QTextBlock block = document->document()->firstBlock();
        for (const QString& emoji : {woman, thumb, flag}) {
            const auto at = static_cast<int>(text.indexOf(emoji));
            int numGlyphs = 0;
            for (const QGlyphRun& run : block.layout()->glyphRuns(at, static_cast<int>(emoji.size()))) {
                QCOMPARE(run.rawFont().familyName(), emojiFamily());
                numGlyphs += static_cast<int>(run.glyphIndexes().size());
            }
            QCOMPARE(numGlyphs, 1);
        }
    }

    void whatIsReadFromRightToLeftStandsSo_data() {
        QTest::addColumn<Qt::LayoutDirection>("window");
        QTest::newRow("in a window from left to right") << Qt::LeftToRight;
        QTest::newRow("in a window from right to left") << Qt::RightToLeft;
    }
    void whatIsReadFromRightToLeftStandsSo() {
        QFETCH(Qt::LayoutDirection, window);
        QGuiApplication::setLayoutDirection(window);
        const auto back = qScopeGuard([] { QGuiApplication::setLayoutDirection(Qt::LeftToRight); });
        View view(freshDataDir());
        view.show({message(1, Role::Assistant,
                           "\u0645\u0631\u062D\u0628\u0627\n\nAn English paragraph.\n\n"
                           "| \u0627\u0644\u0627\u0633\u0645 | \u0627\u0644\u0639\u062F\u062F |\n|---|---|\n"
                           "| \u062A\u0641\u0627\u062D | 3 |\n\n```\ncode\n```")});
        const auto text = [&](int row) { return view.row(row)->property("text").value<QQuickItem*>(); };
        const auto x = [&](int row, int offset) {
            QRectF at;
            QMetaObject::invokeMethod(view.row(row), "caretAt", Q_RETURN_ARG(QRectF, at), Q_ARG(int, offset));
            return view.row(row)->mapToItem(view.list, at.topLeft()).x();
        };
        const qreal begin = view.list->property("columnX").toReal(),
                    end = begin + view.list->property("columnWidth").toReal();
        QVERIFY2(std::abs(x(0, 0) - end) < 12, "Arabic begins at the right");
        QVERIFY2(std::abs(x(1, 0) - begin) < 12, "English begins at the left");
        QVERIFY2(x(3, 0) < begin + 40, "code begins at the left");
        // The first column stands at the right.
        auto* table = text(2)->property("document").value<BlockDocument*>();
        const auto second = static_cast<int>(table->plain().indexOf(QChar(0x0639)) - 2);
        QVERIFY2(x(2, 1) > x(2, second), qPrintable(QString("%1, %2").arg(x(2, 1)).arg(x(2, second))));
        for (int offset = 0; offset < table->plain().size(); ++offset)
            QCOMPARE(table->offsetAt(table->positionOf(offset)), offset);
    }

    void pastedTextStandsWhereTheQuestionStands() {
        View view(freshDataDir());
        history::Message question = message(1, Role::User, "What is this?");
        question.parts.insert(question.parts.begin(), {PartKind::Attachment, "many\nlines", "Pasted text"});
        view.show({question, message(2, Role::Assistant, "Lines.")});
        QQuickItem* head = nullptr;
        const std::function<void(QQuickItem*)> look = [&](QQuickItem* item) {
            if (item->inherits("QQuickAbstractButton") && item->property("text") == "Pasted text")
                head = item;
            for (QQuickItem* child : item->childItems()) look(child);
        };
        look(view.row(0));
        QVERIFY(head != nullptr);
        const qreal columnEnd =
            view.list->property("columnX").toReal() + view.list->property("columnWidth").toReal();
        const qreal headEnd = head->mapToItem(view.list, QPointF(head->width(), 0)).x();
        QVERIFY2(std::abs(headEnd - columnEnd) < 8,
                 qPrintable(QString("%1 of %2").arg(headEnd).arg(columnEnd)));
    }

    void theKeyboardOpensTheMenuAndGoesToBothEnds() {
        View view(freshDataDir());
        view.show(longBranch(60));
        view.list->forceActiveFocus();
        QTest::keyClick(view.window, Qt::Key_Home, Qt::ControlModifier);
        QTRY_VERIFY(view.list->property("atYBeginning").toBool());
        QTest::keyClick(view.window, Qt::Key_End, Qt::ControlModifier);
        QTRY_VERIFY(view.list->property("atYEnd").toBool());
        QTest::keyClick(view.window, Qt::Key_F10, Qt::ShiftModifier);
        QTRY_VERIFY(!view.shownItems("PopupMenuItem").isEmpty());
    }

    void whatTheModelNoLongerSeesIsReadEasily() {
        View view(freshDataDir());
        for (const char* theme : {"light", "dark"}) {
            view.model.settings()->setProperty("theme", theme);
            view.show(longBranch(2));
            view.rows().setFirstKept(3);
            view.settle();
            QVERIFY(view.rows().data(view.rows().index(view.rows().firstRow(3)), ChatRows::KindRole) ==
                    "forgotten");
            const QQuickItem* line = nullptr;
            for (const QQuickItem* each : view.row(view.rows().firstRow(3))->childItems())
                if (each->property("text").isValid()) line = each;
            QVERIFY(line != nullptr);
            QCOMPARE(line->opacity(), 1.0);
            const auto brightness = [](const QColor& colour) {
                const auto linear = [](double c) {
                    return c <= 0.04045 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4);
                };
                return 0.2126 * linear(colour.redF()) + 0.7152 * linear(colour.greenF()) +
                       0.0722 * linear(colour.blueF());
            };
            double light = brightness(line->property("color").value<QColor>()),
                   dark = brightness(view.window->property("color").value<QColor>());
            if (light < dark) std::swap(light, dark);
            QVERIFY2((light + 0.05) / (dark + 0.05) >= 4.5, theme);
        }
    }

    void scrollingUpThroughALongChatNeverJumps() {
        View view(freshDataDir());
        view.show(longBranch(150));
        view.list->setProperty("following", false);
        int numSteps = 0;
        for (; numSteps < 400 && !view.list->property("atYBeginning").toBool(); ++numSteps) {
            int middle = -1;
            const qreal y = view.contentY() + view.list->height() / 2;
            QMetaObject::invokeMethod(view.list, "indexAt", Q_RETURN_ARG(int, middle),
                                      Q_ARG(qreal, view.list->width() / 2), Q_ARG(qreal, y));
            const QPersistentModelIndex at(view.rows().index(std::max(middle, 0)));
            const qreal before = view.row(at.row())->mapToItem(view.list, QPointF()).y();
            view.list->setProperty("contentY", view.contentY() - 97);
            QTest::qWait(1);
            if (view.list->property("atYBeginning").toBool()) break;
            QVERIFY(view.row(at.row()) != nullptr);
            const qreal moved = view.row(at.row())->mapToItem(view.list, QPointF()).y() - before;
            QVERIFY2(std::abs(moved - 97) < 0.5, qPrintable(QString("step %1: %2").arg(numSteps).arg(moved)));
        }
        QVERIFY2(numSteps > 100, qPrintable(QString::number(numSteps)));
    }

    void aTableThatGrowsIsPainted() {
        View view(freshDataDir());
        history::Message growing = message(2, Role::Assistant, "");
        growing.status = history::MessageStatus::Streaming;
        view.show({message(1, Role::User, "q"), growing});
        std::string text;
        for (int i = 0; i < 60; ++i) text += "| a | b |\n" + std::string(i == 0 ? "|---|---|\n" : "");
        for (size_t at = 0; at < text.size(); at += 5) {
            view.rows().append(2, {{PartKind::Text, text.substr(at, 5), {}}});
            view.window->grabWindow();
        }
        QVERIFY(view.rows().rowCount() > 2);
    }

    void aLongConversationIsShownWholeFromItsEnd() {
        const QString data = freshDataDir();
        history::RowId conversation = 0;
        // Files are not this thread's.
        std::thread([&] {
            auto opened = history::openHistory((data + "/history.sqlite").toStdString());
            QVERIFY(opened.has_value());
            conversation = history::createConversation(**opened, "long", "m").value();
            history::RowId parent = 0;
            for (int i = 0; i < 150; ++i) {
                const std::vector<Part> parts{{PartKind::Text, "message " + std::to_string(i), {}}};
                parent = history::addUserMessage(**opened, conversation, parent, parts).value();
            }
        }).join();
        View view(data);
        QSignalSpy removed(&view.rows(), &QAbstractItemModel::rowsRemoved);
        size_t shownFirst = 0;
        connect(&view.rows(), &QAbstractItemModel::rowsInserted, this, [&] {
            if (shownFirst == 0) shownFirst = view.messages().size();
        });
        view.chat().open(conversation);
        QTRY_VERIFY(shownFirst > 0);
        QVERIFY(shownFirst < 100);
        QCOMPARE(view.said(view.messages().size() - 1), std::string("message 149"));
        QTRY_COMPARE(view.rows().rowCount(), 300);
        QCOMPARE(view.said(0), std::string("message 0"));
        QCOMPARE(removed.size(), 0);
    }

    void coloursFollowCodeThatGrows() {
        if (findTypesetter().isEmpty()) {
            QVERIFY2(qEnvironmentVariableIsEmpty("CI"), "nobody would notice that colours are not tested");
            QSKIP("built without Prism");
        }
        View view(freshDataDir());
        history::Message growing = message(2, Role::Assistant, "");
        growing.status = history::MessageStatus::Streaming;
        view.show({message(1, Role::User, "q"), growing});
        const auto add = [&](const std::string& text) {
            view.rows().append(2, {{PartKind::Text, text, {}}});
        };
        add("```python\nx = 1\n\"\"\"\ny = 2\n");
        CodeColouring* colouring = nullptr;
        const std::function<void(QQuickItem*)> look = [&](QQuickItem* item) {
            if (auto* found = item->findChild<CodeColouring*>()) colouring = found;
            for (QQuickItem* child : item->childItems()) look(child);
        };
        QTRY_VERIFY_WITH_TIMEOUT((look(view.list), colouring != nullptr), kPatienceMs);
        // As it is drawn, of the digit at the end of a line.
        const auto drawn = [&](const QString& line) {
            const auto* target = colouring->property("target").value<QQuickTextDocument*>();
            for (QTextBlock at = target->textDocument()->begin(); at.isValid(); at = at.next()) {
                if (at.text() != line) continue;
                for (const QTextLayout::FormatRange& range : at.layout()->formats())
                    if (range.start + range.length == line.size()) return range.format.foreground().color();
            }
            return QColor();
        };
        const auto number = colouring->property("number").value<QColor>();
        const auto string = colouring->property("string").value<QColor>();
        QTRY_COMPARE_WITH_TIMEOUT(drawn("x = 1"), number, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(drawn("y = 2"), number, kPatienceMs);
        // What comes later may mean another thing above.
        add("\"\"\"\nz = 3\n");
        QTRY_COMPARE_WITH_TIMEOUT(drawn("y = 2"), string, kPatienceMs);
        QTRY_COMPARE_WITH_TIMEOUT(drawn("z = 3"), number, kPatienceMs);
        QCOMPARE(drawn("x = 1"), number);
    }

    // The figures of docs/benchmarks.md.

    void openingIsQuick() {
        if (!test::triesEveryCase()) QSKIP("a measurement; INGLE_EVERY_CASE=1 asks for it");
        const QString data = freshDataDir();
        history::RowId many = 0;
        history::RowId large = 0;
        // Files are not this thread's.
        std::thread([&] {
            auto opened = history::openHistory((data + "/history.sqlite").toStdString());
            QVERIFY(opened.has_value());
            history::History& history = **opened;
            const auto add = [&](history::RowId conversation, const std::vector<history::Message>& branch) {
                history::RowId parent = 0;
                for (const history::Message& each : branch) {
                    if (each.role == Role::User) {
                        parent = history::addUserMessage(history, conversation, parent, each.parts).value();
                        continue;
                    }
                    parent = history::beginAnswer(history, conversation, parent, "m", "model", {}).value();
                    history::AnswerEnd end;
                    end.pieces = {{PartKind::Text, each.parts[0].text, {}}};
                    QVERIFY(history::finishAnswer(history, parent, end).has_value());
                }
            };
            many = history::createConversation(history, "many", "m").value();
            add(many, longBranch(5000));
            large = history::createConversation(history, "large", "m").value();
            std::string text;
            for (const auto& [name, piece] : content::longTexts(8000)) text += piece + "\n\n";
            add(large, {message(0, Role::User, "q"), message(0, Role::Assistant, text.substr(0, 80 * 1024))});
        }).join();
        int numQuick = 0;
        for (int run = 0; run < 5; ++run) {
            View view(data);
            view.rowsTester.reset();
            view.settle();
            for (const auto& [name, conversation, hit] :
                 {std::tuple("10,000 messages", many, history::RowId{0}),
                  std::tuple("one of the first 10,000", many, history::RowId{100}),
                  std::tuple("80 KB", large, history::RowId{0})}) {
                view.chat().newConversation();
                view.settle();
                double firstFrameMs = 0;
                const StallMeter stalls;
                QElapsedTimer since;
                since.start();
                const auto connection = QObject::connect(view.window, &QQuickWindow::frameSwapped, [&] {
                    if (firstFrameMs == 0 && view.rows().rowCount() > 0)
                        firstFrameMs = static_cast<double>(since.nsecsElapsed()) * 1e-6;
                });
                if (hit != 0)
                    view.chat().openAt(conversation, hit, "words");
                else
                    view.chat().open(conversation);
                QTRY_VERIFY_WITH_TIMEOUT(firstFrameMs > 0, kPatienceMs);
                QTest::qWait(3000);
                QObject::disconnect(connection);
                qInfo(
                    "%s: first frame after %.0f ms, longest stall %.0f ms (computing: %.0f, after %.0f ms), "
                    "%d rows",
                    name, firstFrameMs, stalls.longestMs(), stalls.longestBusyMs(), stalls.busyAtMs(),
                    view.rows().rowCount());
                // What other programs took of the machine is no fault of this one.
                if (conversation == many && stalls.longestBusyMs() <= 33) ++numQuick;
            }
        }
        QVERIFY2(numQuick >= 8, qPrintable(QString("%1 of 10 without a stall").arg(numQuick)));
    }

    void streamingCostsTheSameToTheEnd_data() {
        QTest::addColumn<QString>("text");
        for (const auto& [name, text] : content::longTexts(138 * 1024))
            if (name == "prose" || name == "paragraph" || name == "list" || name == "code" || name == "table")
                QTest::newRow(name.c_str()) << QString::fromStdString(text);
    }

    void streamingCostsTheSameToTheEnd() {
        if (!test::triesEveryCase()) QSKIP("a measurement; INGLE_EVERY_CASE=1 asks for it");
        constexpr int kUpdates = 1380;  // at 30 a second: 100 bytes each
        QFETCH(const QString, text);
        const std::string bytes = text.toStdString();
        View view(freshDataDir());
        view.rowsTester.reset();
        history::Message growing = message(2, Role::Assistant, "");
        growing.status = history::MessageStatus::Streaming;
        view.show({message(1, Role::User, "q"), growing});
        double loads[10] = {};
        double longestMs = 0;
        QElapsedTimer time;
        time.start();
        for (int update = 0; update < kUpdates; ++update) {
            const double before = test::processorSeconds();
            const size_t from = bytes.size() * static_cast<size_t>(update) / kUpdates;
            const size_t to = bytes.size() * static_cast<size_t>(update + 1) / kUpdates;
            view.rows().append(2, {{PartKind::Text, bytes.substr(from, to - from), {}}});
            QEventLoop loop;
            QTimer::singleShot(std::max<qint64>(0, (update + 1) * 1000 / 30 - time.elapsed()), &loop,
                               &QEventLoop::quit);
            loop.exec();
            const double seconds = test::processorSeconds() - before;
            loads[update * 10 / kUpdates] += seconds * 30 / (kUpdates / 10);
            longestMs = std::max(longestMs, seconds * 1000);
        }
        qInfo(
            "%s: load %.1f %% in the first tenth, %.1f %% in the last (%.2f times); longest update "
            "%.0f "
            "ms",
            QTest::currentDataTag(), loads[0] * 100, loads[9] * 100, loads[9] / loads[0], longestMs);
        QVERIFY(view.rows().rowCount() > 10);
        // A coarse limit: what grows with the text doubles and more. The goal is 1.2.
        QVERIFY(loads[9] <= 1.6 * loads[0]);
    }
};

WINDOW_SUITE(ChatViewTest)
#include "chat_view_test.moc"
