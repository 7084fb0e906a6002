/// Colours of code, and the child that finds them.
#include "app/desktop/services/code_colours.h"
#include "tests/qml/suite.h"

#include <QFile>
#include <QTemporaryDir>
#include <QtTest>

#include <optional>

using namespace ingle::desktop;
using namespace std::chrono_literals;

class CodeColoursTest : public QObject {
    Q_OBJECT

    QTemporaryDir m_folder;

    QString script(const char* name, const QByteArray& text) {
        QFile file(m_folder.filePath(name));
        if (!file.open(QIODevice::WriteOnly) || file.write("#!/bin/sh\n" + text + "\n") < 0) return {};
        file.setPermissions(QFile::ReadOwner | QFile::ExeOwner);
        return file.fileName();
    }
    static std::optional<CodeColours::Spans> ask(CodeColours& colours, const QString& label,
                                                 const QString& code) {
        std::optional<CodeColours::Spans> answer;
        colours.ask(label, code, &colours, [&](const CodeColours::Spans& spans) { answer = spans; });
        if (!QTest::qWaitFor([&] { return answer.has_value(); }, 20000)) return std::nullopt;
        return answer;
    }

  private slots:
    void codeHasColours() {
        if (findTypesetter().isEmpty()) {
            QVERIFY2(qEnvironmentVariableIsEmpty("CI"), "nobody would notice that colours are not tested");
            QSKIP("built without Prism");
        }
        CodeColours colours(findTypesetter());
        // Of what Qt's engine reads otherwise than others: see app/typeset/v4.js.
        QCOMPARE(ask(colours, "cpp", "int x; // y"),
                 (CodeColours::Spans{{0, 3, CodeColour::Keyword}, {7, 11, CodeColour::Comment}}));
        QCOMPARE(ask(colours, "{.Python}", "\"ü\" # é"),
                 (CodeColours::Spans{{0, 3, CodeColour::String}, {4, 7, CodeColour::Comment}}));
        QCOMPARE(ask(colours, "diff", "-a\n+b\n")->size(), 4);
        QCOMPARE(ask(colours, "no such language", "int x;"), CodeColours::Spans());
        QCOMPARE(ask(colours, "c++", "int y;")->size(), 1);
    }

    void whatIsKnownIsAnsweredAtOnce() {
        CodeColours colours(script("once", "read line; echo '{\"spans\":[0,1,\"name\"]}'; exec sleep 100"));
        QCOMPARE(ask(colours, "c", "x")->size(), 1);
        int answers = 0;
        colours.ask("c", "x", &colours,
                    [&](const CodeColours::Spans& spans) { answers += spans.size() == 1 ? 1 : 0; });
        QCOMPARE(answers, 1);
    }

    void aChildThatHangsOrDiesLeavesCodePlain_data() {
        QTest::addColumn<QByteArray>("child");
        QTest::newRow("hangs") << QByteArray("exec sleep 100");
        QTest::newRow("dies") << QByteArray("exit 1");
        QTest::newRow("lies") << QByteArray("read line; echo nonsense; exec sleep 100");
        QTest::newRow("names what is not there")
            << QByteArray("read line; echo '{\"spans\":[0,9,\"pink\"]}'; exec sleep 100");
    }
    void aChildThatHangsOrDiesLeavesCodePlain() {
        QFETCH(QByteArray, child);
        // One that never answers need not be waited for as long as one on a busy computer.
        CodeColours colours(script(QTest::currentDataTag(), child), nullptr, {.start = 1s, .answer = 1s});
        QCOMPARE(ask(colours, "c", "x"), CodeColours::Spans());
        QCOMPARE(ask(colours, "c", "y"), CodeColours::Spans());
    }

    void withoutAChildCodeIsPlain() {
        CodeColours none{QString()};
        QCOMPARE(ask(none, "c", "x"), CodeColours::Spans());
        CodeColours missing("/nowhere/inglenook-typeset");
        QCOMPARE(ask(missing, "c", "x"), CodeColours::Spans());
    }

    void whoHasGoneIsNotAnswered() {
        CodeColours colours(script("slow", "while read line; do sleep 0.1; echo '{\"spans\":[]}'; done"));
        bool heard = false;
        {
            QObject gone;
            colours.ask("c", "a", &gone, [&](const CodeColours::Spans&) { heard = true; });
        }
        QVERIFY(ask(colours, "c", "b").has_value());
        QVERIFY(!heard);
    }
};

WINDOW_SUITE(CodeColoursTest)
#include "code_colours_test.moc"
