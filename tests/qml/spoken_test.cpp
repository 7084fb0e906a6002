/// What of an answer screen readers are told while it is written.
#include "app/desktop/chat/spoken_answer.h"
#include "tests/qml/suite.h"

using namespace ingle::desktop;

class SpokenTest : public QObject {
    Q_OBJECT

    /// What is said of a text that comes in pieces of so many letters.
    static QStringList said(const QString& text, qsizetype size) {
        QStringList said;
        QString rest;
        bool inCode = false;
        for (qsizetype at = 0; at < text.size(); at += size) {
            rest += text.mid(at, size);
            said.append(takeSentences(rest, inCode, false));
        }
        said.append(takeSentences(rest, inCode, true));
        said.removeAll(QString());
        return said;
    }

  private slots:
    void sentencesAreSaidOnceAndWhole() {
        const QString text = QStringLiteral(
            "It costs 3.50 here. **Really?** Yes!\n- one\n- two\n```py\nx = 1. \n```\nSo `a` ends");
        const QString whole = QStringLiteral("It costs 3.50 here. Really? Yes! one two Code. So a ends");
        for (const qsizetype size : {1, 7, 1000}) QCOMPARE(said(text, size).join(u' '), whole);
        QCOMPARE(said(text, 1).first(), QStringLiteral("It costs 3.50 here."));
    }
    void whatIsNotWholeWaits() {
        QString text = QStringLiteral("One. Two");
        bool inCode = false;
        QCOMPARE(takeSentences(text, inCode, false), QStringLiteral("One."));
        QCOMPARE(text, QStringLiteral("Two"));
        QCOMPARE(takeSentences(text, inCode, false), QString());
        QCOMPARE(takeSentences(text, inCode, true), QStringLiteral("Two"));
    }
    void languagesWithoutSpaces() {
        QString text = QStringLiteral("你好。我在");
        bool inCode = false;
        QCOMPARE(takeSentences(text, inCode, false), QStringLiteral("你好。"));
    }
};

WINDOW_SUITE(SpokenTest)
#include "spoken_test.moc"
