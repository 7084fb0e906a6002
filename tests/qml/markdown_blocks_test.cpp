/// Markdown: what becomes a block, what never becomes markup, and that streaming changes nothing.
#include "app/desktop/viewmodels/markdown_blocks.h"

#include <QtTest>

#include <random>

using namespace ingle::desktop;
using Kind = MarkdownBlock::Kind;

namespace {

QList<MarkdownBlock> streamed(std::string_view text, size_t step) {
    MarkdownStream stream;
    for (size_t at = 0; at < text.size(); at += step) stream.append(text.substr(at, step));
    return stream.blocks();
}

const std::string kDocument =
    "# Title\n\nA *soft* and **strong** `code` [link](https://example.org/a?b=1&c=2).\nSecond line\n\n"
    "1. one\n2. two\n   - inner\n   - inner two\n\n     a paragraph of the item\n3. three\n\n"
    "```python\ndef f():\n\n    return \"\"\"\n# not a heading\n\"\"\"\n```\n"
    "after the fence\n\n> quoted\n> text\n\n| a | b |\n|--:|---|\n| 1 | *2* |\n\n---\n\n"
    "- [x] done\n- [ ] open\n\nText:\n- a\n- b\n\n    indented code\n\n    more\n\nlast ~~words~~";

}  // namespace

class MarkdownBlocksTest : public QObject {
    Q_OBJECT

  private slots:
    void everyKindOfBlock() {
        const auto blocks = parseMarkdown(kDocument);
        QCOMPARE(blocks[0].kind, Kind::Heading);
        QCOMPARE(blocks[0].level, 1);
        QCOMPARE(blocks[1].html,
                 QString("A <i>soft</i> and <b>strong</b> <code>code</code> "
                         "<a href=\"https://example.org/a?b=1&amp;c=2\">link</a>.<br/>Second line"));
        QCOMPARE(blocks[2].marker, QString("1."));
        QCOMPARE(blocks[2].indent, 1);
        QCOMPARE(blocks[4].marker, QString("•"));
        QCOMPARE(blocks[4].indent, 2);
        const auto code =
            std::find_if(blocks.begin(), blocks.end(), [](auto& b) { return b.kind == Kind::Code; });
        QCOMPARE(code->language, QString("python"));
        QCOMPARE(code->plain, QString("def f():\n\n    return \"\"\"\n# not a heading\n\"\"\""));
        const auto table =
            std::find_if(blocks.begin(), blocks.end(), [](auto& b) { return b.kind == Kind::Table; });
        QCOMPARE(table->rows, (QList<QStringList>{{"a", "b"}, {"1", "<i>2</i>"}}));
        QCOMPARE(table->columns, (QList<Qt::Alignment>{Qt::AlignRight, Qt::AlignLeft}));
        const auto quote = std::find_if(blocks.begin(), blocks.end(), [](auto& b) { return b.quote == 1; });
        QCOMPARE(quote->plain, QString("quoted\ntext"));
        QVERIFY(std::any_of(blocks.begin(), blocks.end(), [](auto& b) { return b.marker == "☑"; }));
        QCOMPARE(blocks.last().html, QString("last <s>words</s>"));
    }

    void whatTheModelThinksIsOneBlock() {
        for (size_t step = 1; step < 40; ++step) {
            const auto blocks = streamed("<think>\nI *wonder*\n\n# no heading\n</think>\n\nHello", step);
            QCOMPARE(blocks.size(), 2);
            QCOMPARE(blocks[0].kind, Kind::Reasoning);
            QCOMPARE(blocks[0].level, 0);
            QCOMPARE(blocks[0].plain, QString("I *wonder*\n\n# no heading"));
            QCOMPARE(blocks[1].html, QString("Hello"));
        }
        QCOMPARE(streamed("<think>\nhm", 3)[0].level, 1);
        QCOMPARE(streamed("a <think> b", 3)[0].kind, Kind::Paragraph);
    }

    void htmlIsShownAndNothingIsLoaded() {
        const auto blocks = parseMarkdown(
            "<script>alert(1)</script> <b>x</b> ![picture](https://example.org/p.png) "
            "![local](file:///etc/passwd)\n\n"
            "[evil](javascript:alert(1)) &lt;i&gt;");
        for (const MarkdownBlock& block : blocks) {
            QVERIFY2(!block.html.contains("<script"), qPrintable(block.html));
            QVERIFY2(!block.html.contains("<img"), qPrintable(block.html));
            QVERIFY2(!block.html.contains("<b>"), qPrintable(block.html));
            QVERIFY2(!block.html.contains("href=\"javascript"), qPrintable(block.html));
            QVERIFY2(!block.html.contains("href=\"file"), qPrintable(block.html));
        }
        QVERIFY(blocks[0].plain.contains("(file:///etc/passwd)"));
        QVERIFY(blocks[1].plain.contains("(javascript:alert(1))"));
    }

    void nulAndBrokenUtf8AreHarmless() {
        const std::string text("a\0b \xff\xfe c", 8);
        QCOMPARE(parseMarkdown(text).size(), 1);
        QVERIFY(parseMarkdown(text)[0].plain.contains(QChar(QChar::ReplacementCharacter)));
    }

    void streamingCharByCharEndsInTheSameBlocks() {
        const auto whole = streamed(kDocument, kDocument.size());
        QCOMPARE(streamed(kDocument, 1), whole);
        QCOMPARE(streamed(kDocument, 7), whole);
        // The negative twin: another text does not.
        QVERIFY(streamed(kDocument + "x", 1) != whole);
    }

    void segmentsAreWhatOneParseOfTheWholeSays() {
        QCOMPARE(streamed(kDocument, 1), parseMarkdown(kDocument));
    }

    void randomTextsStreamToTheSameBlocks() {
        const QList<std::string> pieces = {
            "\n",     "\n\n",  "word ", "# h",   "- item", "1. item",
            "```",    "```\n", "    ",  "  ",    "> q",    "| a | b |\n|---|---|\n",
            "*",      "**",    "`",     "~~~\n", "---\n",  "\t",
            "[x](y)", "1) ",   "ü",     "- ",    "\r\n"};
        std::mt19937 random(7);
        for (int round = 0; round < 2000; ++round) {
            std::string text;
            for (int i = 0; i < 12; ++i)
                text += pieces[static_cast<qsizetype>(random() % static_cast<size_t>(pieces.size()))];
            const auto whole = streamed(text, text.size());
            const auto lines = streamed(text, 3);
            QVERIFY2(lines == whole, qPrintable(QString::fromStdString(text)));
        }
    }

    void frozenBlocksNeverChange() {
        MarkdownStream stream;
        QList<MarkdownBlock> frozen;
        for (const char c : kDocument) {
            stream.append(std::string_view(&c, 1));
            QVERIFY(stream.frozenCount() >= frozen.size());
            QCOMPARE(stream.blocks().mid(0, frozen.size()), frozen);
            frozen = stream.blocks().mid(0, stream.frozenCount());
        }
        QVERIFY(frozen.size() > 10);
    }

    void workPerUpdateIsBounded() {
        const std::string paragraph = std::string(200, 'x') + "\n\n";
        MarkdownStream stream;
        for (int i = 0; i < 100; ++i) stream.append(paragraph);
        const size_t before = stream.parsedBytes();
        stream.append("a few words");
        const size_t late = stream.parsedBytes() - before;
        QVERIFY2(late < 3 * paragraph.size(), qPrintable(QString::number(late)));
    }
};

QTEST_GUILESS_MAIN(MarkdownBlocksTest)
#include "markdown_blocks_test.moc"
