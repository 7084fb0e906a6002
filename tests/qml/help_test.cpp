/// The help: its pages, what a search leaves of them, and the card that shows them.
#include "app/desktop/help/help_model.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle::desktop;

namespace {

QStringList titles(const HelpModel& help) {
    QStringList found;
    for (const QVariant& page : help.pages()) found << page.toMap()["title"].toString();
    return found;
}

QStringList headings(const HelpModel& help) {
    QStringList found;
    for (int row = 0; row < help.rows()->rowCount(); ++row) {
        const QModelIndex at = help.rows()->index(row);
        if (help.rows()->data(at, ChatRows::KindRole) == "heading")
            found << help.rows()->data(at, ChatRows::TextRole).toString();
    }
    return found;
}

}  // namespace

class HelpTest : public QObject, WindowFiles {
    Q_OBJECT

  private slots:
    void initTestCase() { QVERIFY(prepare()); }

    void everyPageIsThere() {
        const HelpModel help;
        QCOMPARE(titles(help), (QStringList{"First steps", "Models", "Documents", "Pictures", "Privacy",
                                            "Memory", "Keys", "Trouble", "In a terminal"}));
        for (const QVariant& page : help.pages()) {
            const QModelIndex at = help.rows()->index(page.toMap()["row"].toInt());
            QCOMPARE(help.rows()->data(at, ChatRows::TextRole), page.toMap()["title"]);
            QCOMPARE(help.rows()->data(at, ChatRows::LevelRole).toInt(), 1);
        }
    }

    /// The files are wrapped; messages would show that.
    void paragraphsAreWhole() {
        const HelpModel help;
        int numTexts = 0;
        for (int row = 0; row < help.rows()->rowCount(); ++row) {
            const QModelIndex at = help.rows()->index(row);
            const QString kind = help.rows()->data(at, ChatRows::KindRole).toString();
            if (kind == "code" || kind == "table") continue;
            const QString text = help.rows()->data(at, ChatRows::TextRole).toString();
            QVERIFY2(!text.contains(u'\n') && !text.contains(QChar::LineSeparator), qPrintable(text));
            numTexts += text.isEmpty() ? 0 : 1;
        }
        QVERIFY(numTexts > 50);
    }

    void aSearchLeavesTheSectionsWithAllItsWords() {
        HelpModel help;
        help.setQuery("GGUF  common");
        QCOMPARE(headings(help), (QStringList{"Models", "What a GGUF is"}));
        QCOMPARE(titles(help), QStringList{"Models"});
        help.setQuery("ctrl+shift+backspace");
        QCOMPARE(titles(help), (QStringList{"First steps", "Keys"}));
        // The title of a page counts for each of its sections.
        help.setQuery("privacy deleting");
        QCOMPARE(headings(help), (QStringList{"Privacy", "Deleting"}));
        help.setQuery("gguf xyzzy");
        QCOMPARE(help.rows()->rowCount(), 0);
        QVERIFY(help.pages().isEmpty());
        help.setQuery(" ");
        QCOMPARE(titles(help).size(), 9);
    }

    void itsKeyOpensItAndTheKeyboardIsEnough() {
        WindowRun run(freshDataDir(), {});
        run.window->requestActivate();
        QVERIFY(QTest::qWaitForWindowActive(run.window));
        QTest::keyClick(run.window, Qt::Key_F1);
        QTRY_VERIFY(run.isOpen("helpPage"));
        QTRY_VERIFY(run.shownItem("helpText") != nullptr);
        QQuickItem* text = run.shownItem("helpText");
        QTRY_VERIFY(run.shownItem("helpSearch")->hasActiveFocus());
        const int everything = text->property("count").toInt();
        QVERIFY(everything > 50);

        QTest::keyClick(run.window, Qt::Key_PageDown);
        QVERIFY(text->property("contentY").toReal() > 0);
        for (const char key : std::string("snapshots")) QTest::keyClick(run.window, key);
        QTRY_VERIFY(text->property("count").toInt() < everything && text->property("count").toInt() > 0);
        for (const char key : std::string("zz")) QTest::keyClick(run.window, key);
        QTRY_COMPARE(text->property("count").toInt(), 0);

        QTest::keyClick(run.window, Qt::Key_Escape);
        QTRY_VERIFY(!run.isOpen("helpPage"));
        // The next look at it begins anew.
        QTest::keyClick(run.window, Qt::Key_F1);
        QTRY_VERIFY(run.shownItem("helpText") != nullptr);
        QTRY_COMPARE(run.shownItem("helpText")->property("count").toInt(), everything);
    }
};

WINDOW_SUITE(HelpTest)
#include "help_test.moc"
