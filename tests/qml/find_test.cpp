/// Finding: in the conversation shown and its branches, and how what was found is marked.
#include <algorithm>
#include <thread>

#include "app/desktop/content/text_selection.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/opening.h"
#include "app/history/store/settings.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;
using history::RowId;

namespace {

/// A conversation of which two branches hold words that are looked for; the second one is shown.
struct Branches {
    RowId conversation = 0, question = 0, first = 0, second = 0;

    explicit Branches(const QString& dataDir) {
        // No file on the thread that paints.
        std::thread([&] { fill(dataDir); }).join();
    }

  private:
    void fill(const QString& dataDir) {
        const auto file = history::openHistory(dataDir.toStdString() + "/history.sqlite").value();
        const auto say = [&](RowId parent, const std::string& text) {
            return history::addUserMessage(*file, conversation, parent, {{PartKind::Text, text, ""}}).value();
        };
        conversation = history::createConversation(*file, "Trees", "model").value();
        question = say(0, "Which trees grow here? An oak perhaps.");
        std::string filler;
        for (int line = 0; line < 60; ++line)
            filler += "A line that only fills the page, and another one.\n\n";
        first =
            say(question, "Oaks and beeches.\n\n" + filler + "At the end an oak, a `beech`, and oaks again.");
        second = say(question, "No such thing.");
        (void)history::setSetting(*file, "openConversation", std::to_string(conversation));
    }
};

struct View : WindowRun {
    explicit View(const QString& dataDir) : WindowRun(dataDir, {}) {
        window->resize(1000, 760);
        window->requestActivate();
        (void)QTest::qWaitForWindowActive(window);
        list = item("chatList");
    }
    void press(Qt::Key key, Qt::KeyboardModifiers modifiers = {}) const {
        QTest::keyClick(window, key, modifiers);
    }
    void type(const std::string& text) const {
        for (const char key : text) QTest::keyClick(window, key);
    }
    QString selected() const { return list->property("selection").value<TextSelection*>()->text({}); }
    QString sentence() { return shownItem("findSentence")->property("text").toString(); }
    /// The texts under the marks that can be seen, however often.
    QStringList marked() {
        window->grabWindow();
        QStringList texts;
        for (QQuickItem* mark : shownItems("foundMark")) {
            QQuickItem* text = mark->parentItem();
            while (text != nullptr && !text->inherits("QQuickTextEdit")) text = text->parentItem();
            const QRectF seen = list->mapRectFromItem(mark, {0, 0, mark->width(), mark->height()});
            if (text == nullptr || !seen.intersects({0, 0, list->width(), list->height()})) continue;
            const QPointF left = text->mapFromItem(mark, {2, mark->height() / 2});
            const QPointF right = text->mapFromItem(mark, {mark->width() - 1, mark->height() / 2});
            int begin = 0, end = 0;
            QMetaObject::invokeMethod(text, "positionAt", Q_RETURN_ARG(int, begin), Q_ARG(qreal, left.x()),
                                      Q_ARG(qreal, left.y()));
            QMetaObject::invokeMethod(text, "positionAt", Q_RETURN_ARG(int, end), Q_ARG(qreal, right.x()),
                                      Q_ARG(qreal, right.y()));
            QString said;
            QMetaObject::invokeMethod(text, "getText", Q_RETURN_ARG(QString, said), Q_ARG(int, begin),
                                      Q_ARG(int, end));
            texts << said;
        }
        texts.sort();
        return texts;
    }
    /// What is selected stands in view.
    bool isSeen() const {
        QRectF caret;
        QMetaObject::invokeMethod(list, "caret", Q_RETURN_ARG(QRectF, caret));
        const qreal top = list->property("contentY").toReal();
        return caret.top() >= top && caret.bottom() <= top + list->height();
    }

    QQuickItem* list = nullptr;
};

}  // namespace

class FindTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void stepsGoThroughAllBranches() {
        const QString folder = freshDataDir();
        const Branches made(folder);
        View view(folder);
        QTRY_COMPARE(view.messages().size(), size_t{2});
        QCOMPARE(view.messages().back().id, made.second);
        view.press(Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(view.shownItem("findField")->hasActiveFocus());
        view.type("oak");
        // The newest one of the branch in view comes first.
        QTRY_COMPARE(view.sentence(), QString("Message 1 of 2"));
        QTRY_COMPARE(view.selected(), QString("oak"));
        QCOMPARE(view.messages().back().id, made.second);
        // The other one is in another branch, which is shown.
        view.press(Qt::Key_Return);
        QTRY_COMPARE(view.sentence(), QString("Message 2 of 2"));
        QTRY_COMPARE(view.messages().back().id, made.first);
        QTRY_COMPARE(view.selected(), QString("Oaks"));
        QTRY_VERIFY(view.isSeen());
        // Then from place to place in it, also far below, and to the first message again.
        for (const char* place : {"oak", "oaks"}) {
            view.press(Qt::Key_Return);
            QTRY_COMPARE(view.selected(), QString(place));
            QCOMPARE(view.sentence(), QString("Message 2 of 2"));
            QTRY_VERIFY(view.isSeen());
        }
        view.press(Qt::Key_F3);
        QTRY_COMPARE(view.sentence(), QString("Message 1 of 2"));
        QTRY_COMPARE(view.selected(), QString("oak"));
        // And back, to the last place of the message before.
        view.press(Qt::Key_F3, Qt::ShiftModifier);
        QTRY_COMPARE(view.selected(), QString("oaks"));
        QTRY_VERIFY(view.isSeen());
        view.press(Qt::Key_Return, Qt::ShiftModifier);
        QTRY_COMPARE(view.selected(), QString("oak"));
        view.press(Qt::Key_Escape);
        QTRY_VERIFY(!view.shownItem("findBar")->isVisible());
        QVERIFY(view.shownItem("composerInput")->hasActiveFocus());
    }

    void everyWordInViewIsMarkedUntilTheBarIsClosed() {
        const QString folder = freshDataDir();
        const Branches made(folder);
        View view(folder);
        QTRY_COMPARE(view.messages().size(), size_t{2});
        view.press(Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(view.shownItem("findField")->hasActiveFocus());
        view.type("beech oak");
        QTRY_COMPARE(view.sentence(), QString("Message 1 of 1"));
        QTRY_COMPARE(view.messages().back().id, made.first);
        view.press(Qt::Key_Return, Qt::ShiftModifier);
        QTRY_VERIFY(view.isSeen());
        // `beeches` is no word that was typed whole.
        QTRY_COMPARE(view.marked(), (QStringList{"beech", "oak", "oaks"}));
        // Wherever they go when lines break elsewhere.
        view.window->resize(520, 760);
        QTRY_COMPARE(view.marked(), (QStringList{"beech", "oak", "oaks"}));
        view.press(Qt::Key_Escape);
        QTRY_COMPARE(view.marked(), QStringList());
    }

    void ofASearchInAllConversationsEveryWordIsMarked() {
        const QString folder = freshDataDir();
        const Branches made(folder);
        View view(folder);
        QTRY_COMPARE(view.messages().size(), size_t{2});
        view.chat().openAt(made.conversation, made.question, "oak trees");
        QTRY_COMPARE(view.marked(), (QStringList{"oak", "trees"}));
        // Until the person turns to something else.
        QRectF caret;
        QMetaObject::invokeMethod(view.list, "caret", Q_RETURN_ARG(QRectF, caret));
        view.click(view.list,
                   {caret.x() - 30, caret.center().y() - view.list->property("contentY").toReal()});
        QTRY_COMPARE(view.marked(), QStringList());
    }

    void whatIsNowhereIsSaid() {
        const QString folder = freshDataDir();
        const Branches made(folder);
        View view(folder);
        QTRY_COMPARE(view.messages().size(), size_t{2});
        view.press(Qt::Key_F, Qt::ControlModifier);
        QTRY_VERIFY(view.shownItem("findField")->hasActiveFocus());
        view.type("willow");
        QTRY_COMPARE(view.sentence(), QString("Nothing found"));
        QVERIFY(!view.shownItem("findNextButton")->isEnabled());
        // Of another conversation nothing is looked for.
        view.chat().newConversation();
        QTRY_VERIFY(!view.shownItem("findBar")->isVisible());
        view.press(Qt::Key_F, Qt::ControlModifier);
        QVERIFY(!view.shownItem("findBar")->isVisible());
    }
};

WINDOW_SUITE(FindTest)
#include "find_test.moc"
