/// Formulas as drawings: by the real child, by those that hang or lie, and in the window.
#include "app/desktop/services/formula_pictures.h"

#include <QClipboard>
#include <QFile>
#include <QFont>
#include <QFontMetricsF>
#include <QPainter>
#include <QTextBlock>
#include <QTextLayout>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <functional>

#include "app/desktop/content/block_document.h"
#include "app/desktop/content/formula_layer.h"
#include "app/desktop/content/text_selection.h"
#include "tests/qml/suite.h"
#include "tests/qml/window_run.h"

using namespace ingle;
using namespace ingle::desktop;
using namespace std::chrono_literals;

namespace {

history::Message message(history::RowId id, const std::string& text) {
    history::Message made;
    made.id = id;
    made.role = Role::Assistant;
    made.parts.push_back({PartKind::Text, text, {}});
    return made;
}

/// How much of a picture is covered, 0 to 1, in a part of it that is given in fractions.
double inkIn(const QImage& image, const QRectF& part) {
    double ink = 0;
    int count = 0;
    for (int y = int(part.top() * image.height()); y < int(part.bottom() * image.height()); ++y) {
        for (int x = int(part.left() * image.width()); x < int(part.right() * image.width()); ++x, ++count)
            ink += qAlpha(image.pixel(x, y)) / 255.0;
    }
    return count == 0 ? 0 : ink / count;
}

}  // namespace

class FormulasTest : public QObject, WindowFiles {
    Q_OBJECT

    QString script(const QString& name, const QByteArray& body) {
        const QString path = m_folder.filePath(QString(name).replace(' ', '-'));
        QFile file(path);
        if (file.open(QIODevice::WriteOnly)) file.write("#!/bin/sh\n" + body + "\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        return path;
    }

    /// The answer, once there is one.
    static FormulaPicturePtr draw(FormulaPictures& pictures, const QString& source) {
        QObject context;
        bool answered = false;
        FormulaPicturePtr picture = pictures.find(source, &context, [&] { answered = true; });
        if (picture) return picture;
        [&] { QTRY_VERIFY_WITH_TIMEOUT(answered, kPatienceMs); }();
        return pictures.find(source, &context, [] {});
    }

    /// Whether there is a child that can draw; in CI there has to be one.
    bool draws() {
        FormulaPictures pictures(findTypesetter());
        return !findTypesetter().isEmpty() && draw(pictures, "$x$") != nullptr;
    }

  private slots:
    void initTestCase() {
        QVERIFY(prepare());
        m_draws = draws();
        QVERIFY2(m_draws || qEnvironmentVariableIsEmpty("CI"),
                 "nobody would notice that formulas are not drawn: npm or esbuild is missing");
    }

    void formulasHaveTheirShapes() {
        if (!m_draws) QSKIP("built without MathJax");
        FormulaPictures pictures(findTypesetter());
        const auto letter = draw(pictures, "$x$");
        // An x is as high as an x.
        QVERIFY(std::abs(letter->ascent - 1) < 0.05);
        QVERIFY(std::abs(letter->depth) < 0.1);
        const auto fraction = draw(pictures, "$\\frac{a}{b}$");
        const auto displayed = draw(pictures, "$$\\frac{a}{b}$$");
        QVERIFY(fraction->ascent > 1.5 && fraction->depth > 0.5);
        QVERIFY(displayed->ascent > fraction->ascent);
        // The line of a fraction goes all across.
        const QImage painted = paintedFormula(*displayed, Qt::black, 20);
        const double feet = std::ceil(displayed->ascent * 20) / painted.height();
        double line = 0;
        for (int y = 0; y < painted.height(); ++y) {
            const double top = double(y) / painted.height();
            if (top < feet) line = std::max(line, inkIn(painted, {0.2, top, 0.6, 1.01 / painted.height()}));
        }
        QVERIFY(line > 0.6);
        // Limits stand over and under a sum that is displayed, and beside one in a line.
        const auto sum = draw(pictures, "\\[\\sum_{i=1}^{n} i\\]");
        QVERIFY(sum->ascent + sum->depth > 1.3 * (draw(pictures, "\\(\\sum_{i=1}^{n} i\\)")->ascent + 1));
        const auto text = draw(pictures, "$x \\text{ if not}$");
        QVERIFY(text->width > 4 * letter->width);
        QVERIFY(draw(pictures, "$$E = mc^2 \\tag{1}$$")->width > draw(pictures, "$$E = mc^2$$")->width + 3);
        // In the colour of the text.
        QCOMPARE(paintedFormula(*letter, Qt::red, 20).pixelColor(0, 0).alpha(), 0);
        const QImage red = paintedFormula(*letter, Qt::red, 40);
        QColor strongest = Qt::transparent;
        for (int y = 0; y < red.height(); ++y) {
            for (int x = 0; x < red.width(); ++x)
                if (red.pixelColor(x, y).alpha() > strongest.alpha()) strongest = red.pixelColor(x, y);
        }
        QCOMPARE(strongest.rgb(), QColor(Qt::red).rgb());
    }

    void whatIsStretchedAndRuledIsDrawn() {
        if (!m_draws) QSKIP("built without MathJax");
        FormulaPictures pictures(findTypesetter());
        const QString rows = "a\\\\b\\\\c\\\\d\\\\e\\\\f";
        const auto tall = draw(pictures, "$$\\left(\\begin{matrix}" + rows + "\\end{matrix}\\right)$$");
        QVERIFY(tall && !tall->svg.mid(4).contains("<svg"));
        const QImage bracket = paintedFormula(*tall, Qt::black, 12);
        // Ink in every piece of the bracket at the left.
        for (double top = 0.04; top < 0.9; top += 0.05)
            QVERIFY2(inkIn(bracket, {0, top, 0.25, 0.05}) > 0.03, qPrintable(QString::number(top)));
        const auto ruled =
            draw(pictures, "$$\\begin{array}{c|c}\\quad&\\quad\\\\\\hline\\quad&\\quad\\end{array}$$");
        const QImage lines = paintedFormula(*ruled, Qt::black, 12);
        QVERIFY(inkIn(lines, {0.45, 0, 0.1, 0.4}) > 0.1);
        QVERIFY(inkIn(lines, {0, 0.35, 0.4, 0.3}) > 0.05);
        const auto arrow = draw(pictures, "$$\\xrightarrow{\\quad\\quad\\quad\\quad}$$");
        QVERIFY(arrow && inkIn(paintedFormula(*arrow, Qt::black, 12), {0.1, 0, 0.6, 1}) > 0.01);
    }

    void whatCannotBeDrawnStaysAsItWasWritten_data() {
        QTest::addColumn<QString>("source");
        QTest::newRow("unknown word") << "$\\foo$";
        QTest::newRow("open brace") << "$\\frac{a$";
        QTest::newRow("gigantic") << "$$\\rule{10000em}{10000em}$$";
        QTest::newRow("calls itself") << "$\\def\\a{\\a\\a}\\a$";
        QTest::newRow("doubles for ever")
            << "$\\def\\a#1{#1#1}\\def\\b#1{\\a{\\a{\\a{\\a{#1}}}}}\\b{\\b{\\b{\\b{\\b{x}}}}}$";
        QTest::newRow("deep") << '$' + QString("\\sqrt{").repeated(400) + "x" + QString("}").repeated(400) +
                                     '$';
        QTest::newRow("a link") << "$\\href{file:///etc/passwd}{x}$";
        QTest::newRow("a style") << "$\\style{background:url(file:///etc/passwd)}{x}$";
    }
    void whatCannotBeDrawnStaysAsItWasWritten() {
        if (!m_draws) QSKIP("built without MathJax");
        QFETCH(QString, source);
        static FormulaPictures pictures(findTypesetter());
        QElapsedTimer timer;
        timer.start();
        QVERIFY(draw(pictures, source) == nullptr);
        QVERIFY(timer.elapsed() < kPatienceMs);
        // And the next one is.
        static int number = 0;
        QVERIFY(draw(pictures, QString("$y_{%1}$").arg(++number)) != nullptr);
        QVERIFY(pictures.find('$' + QString("x+").repeated(3000) + "x$", this, [] {}) == nullptr);
    }

    void whatAFormulaDefinesIsGoneWithIt() {
        if (!m_draws) QSKIP("built without MathJax");
        FormulaPictures pictures(findTypesetter());
        QVERIFY(draw(pictures, "$\\newcommand{\\mine}{7}\\mine$") != nullptr);
        QVERIFY(draw(pictures, "$\\mine$") == nullptr);
    }

    void aChildThatHangsDiesOrLiesDrawsNothing_data() {
        QTest::addColumn<QByteArray>("child");
        QTest::newRow("hangs") << QByteArray("read line; echo '{}'; exec sleep 100");
        QTest::newRow("lies") << QByteArray("while read line; do echo nonsense; done");
        QTest::newRow("names a gigantic size") << QByteArray(
            "while read line; do echo '{\"svg\":\"<svg/>\",\"width\":1e9,\"ascent\":1,\"depth\":1}'; done");
    }
    void aChildThatHangsDiesOrLiesDrawsNothing() {
        QFETCH(QByteArray, child);
        FormulaPictures pictures(script(QTest::currentDataTag(), child), nullptr,
                                 {.start = 1s, .answer = 1s});
        QVERIFY(draw(pictures, "$a$") == nullptr);
        QVERIFY(draw(pictures, "$b$") == nullptr);
        FormulaPictures none{QString()};
        QVERIFY(none.find("$a$", this, [] {}) == nullptr);
        // One that always dies is not started for ever.
        const QString log = m_folder.filePath("starts");
        FormulaPictures dying(script("dies", "echo x >> " + log.toUtf8() + "; exit 1"));
        for (int i = 0; i < 12; ++i) {
            (void)dying.find(QString("$%1$").arg(i), this, [] {});
            QTest::qWait(60);
        }
        QFile starts(log);
        QVERIFY(starts.open(QIODevice::ReadOnly));
        QVERIFY(starts.readAll().count('x') <= 5);
        QFile::remove(log);
    }

    void theWindowDrawsThem() {
        if (!m_draws) QSKIP("built without MathJax");
        WindowRun run(freshDataDir(), {});
        run.window->resize(1000, 760);
        QVERIFY(QTest::qWaitForWindowExposed(run.window));
        ChatRows& rows = *run.chat().messages();
        rows.setBranch({message(1,
                                "Words $\\frac{a}{b}$ and more.\n\n$$\\sum_{i=1}^n i$$\n\n"
                                "| a | $x^2$ |\n|---|---|\n| 1 | $y$ |\n\n"
                                "\\begin{align}a &= b\\\\ c &= d\\end{align}")});
        const auto row = [&] {
            QQuickItem* found = nullptr;
            QMetaObject::invokeMethod(run.item("chatList"), "itemAtIndex", Q_RETURN_ARG(QQuickItem*, found),
                                      Q_ARG(int, 0));
            return found;
        };
        const auto documentOf = [](const QQuickItem& shown) {
            return shown.property("text").value<QQuickItem*>()->property("document").value<BlockDocument*>();
        };
        // Until it is drawn nothing is seen of how it was written.
        QTRY_VERIFY(row() != nullptr);
        QTextCursor inFormula(documentOf(*row())->document());
        inFormula.setPosition(9);
        QCOMPARE(inFormula.charFormat().foreground().color().alpha(), 0);
        const auto count = [&] {
            QList<int> counts;
            const std::function<void(QQuickItem*)> look = [&](QQuickItem* item) {
                if (auto* layer = qobject_cast<FormulaLayer*>(item)) counts << layer->count();
                for (QQuickItem* child : item->childItems()) look(child);
            };
            look(run.window->contentItem());
            std::ranges::sort(counts);
            return counts;
        };
        QTRY_COMPARE_WITH_TIMEOUT(count(), (QList<int>{1, 1, 1, 2}), kPatienceMs);
        // Selected as a whole, by a place in it, and copied as it was written.
        auto* selection = run.item("chatList")->property("selection").value<TextSelection*>();
        selection->begin(0, 8, TextSelection::Word);
        QCOMPARE(selection->text(""), QString("$\\frac{a}{b}$"));
        selection->begin(0, 0, TextSelection::Block);
        QCOMPARE(selection->text(""), QString("Words $\\frac{a}{b}$ and more."));
        selection->begin(0, 6, TextSelection::Character);
        selection->move(TextSelection::Character, 1);
        QCOMPARE(selection->text(""), QString("$\\frac{a}{b}$"));
        selection->selectAll();
        QVERIFY(selection->text("").contains("$$\\sum_{i=1}^n i$$"));
        // Its picture takes the place of its source.
        auto* document = documentOf(*row());
        QCOMPARE(document->document()->toPlainText(), QString("Words \uFFFC and more."));
        QCOMPARE(document->plain(), QString("Words $\\frac{a}{b}$ and more."));
        for (int position = 0; position < document->document()->characterCount(); ++position)
            QCOMPARE(document->positionOf(document->offsetAt(position)), position);
        QCOMPARE(document->offsetAt(7), 19);
        QCOMPARE(document->beginOf(10), 6);
        QCOMPARE(document->positionOf(10), 7);
        // It stands on the line of the words around it.
        const auto places = document->formulaPlaces();
        QCOMPARE(places.size(), size_t(1));
        const QTextLine line = document->document()->firstBlock().layout()->lineAt(0);
        QVERIFY(std::abs(places[0].feet.y() - (line.y() + line.ascent())) < 1);
        QVERIFY(line.ascent() + 1.5 >= places[0].picture->ascent * places[0].xHeight);
        QVERIFY(line.descent() + 1.5 >= places[0].picture->depth * places[0].xHeight);
    }

    void whatIsBeingWrittenIsDrawnWhenItIsWhole() {
        if (!m_draws) QSKIP("built without MathJax");
        WindowRun run(freshDataDir(), {});
        QVERIFY(QTest::qWaitForWindowExposed(run.window));
        ChatRows& rows = *run.chat().messages();
        history::Message growing = message(1, "");
        growing.parts.clear();
        growing.status = history::MessageStatus::Streaming;
        rows.setBranch({growing});
        const auto shown = [&] {
            QQuickItem* row = nullptr;
            QMetaObject::invokeMethod(run.item("chatList"), "itemAtIndex", Q_RETURN_ARG(QQuickItem*, row),
                                      Q_ARG(int, 0));
            auto* text = row != nullptr ? row->property("text").value<QQuickItem*>() : nullptr;
            return text != nullptr
                       ? text->property("document").value<BlockDocument*>()->document()->toPlainText()
                       : QString();
        };
        const auto add = [&](const std::string& text) { rows.append(1, {{PartKind::Text, text, {}}}); };
        add("So \\(x");
        QTRY_COMPARE_WITH_TIMEOUT(shown(), QString("So \\(x\\)"), kPatienceMs);
        QTest::qWait(300);
        QCOMPARE(shown(), QString("So \\(x\\)"));
        add("^2\\)");
        add(" is");
        QTRY_COMPARE_WITH_TIMEOUT(shown(), QString("So \uFFFC is"), kPatienceMs);
    }

  private:
    bool m_draws = false;
};

WINDOW_SUITE(FormulasTest)
#include "formulas_test.moc"
