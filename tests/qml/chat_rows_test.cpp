/// The rows of a conversation: branches, streaming, pieces of long messages, and what is selected across
/// them.
#include "app/desktop/content/chat_rows.h"

#include <QAbstractItemModelTester>
#include <QFile>
#include <QSignalSpy>
#include <QtTest>

#include "app/content/block_kind.h"
#include "app/desktop/content/text_selection.h"
#include "tests/qml/messages.h"
#include "tests/qml/suite.h"

using namespace ingle;
using namespace ingle::desktop;
using history::MessageStatus;

namespace {

history::Message question(history::RowId id, const std::string& text) {
    return message(id, Role::User, text);
}

history::Message answer(history::RowId id, const std::string& text,
                        MessageStatus status = MessageStatus::Complete) {
    return message(id, Role::Assistant, text, status);
}

/// A model whose every signal is checked, also against what it says by itself.
struct Rows : ChatRows {
    Rows() : tester(this, QAbstractItemModelTester::FailureReportingMode::QtTest) {
        connect(this, &QAbstractItemModel::dataChanged, this,
                [this](const QModelIndex& from, const QModelIndex& to) {
                    numChanged += to.row() - from.row() + 1;
                });
        connect(this, &QAbstractItemModel::rowsInserted, this,
                [this](const QModelIndex&, int from, int to) { numInserted += to - from + 1; });
        connect(this, &QAbstractItemModel::rowsRemoved, this,
                [this](const QModelIndex&, int from, int to) { numRemoved += to - from + 1; });
    }

    using ChatRows::append;
    void append(history::RowId message, PartKind kind, std::string text) {
        append(message, std::vector<PartPiece>{{kind, std::move(text), {}}});
    }
    void append(history::RowId message, std::string_view text) {
        append(message, PartKind::Text, std::string(text));
    }
    QVariant at(int row, int role) const { return data(index(row), role); }
    QStringList kinds() const {
        QStringList all;
        for (int row = 0; row < rowCount(); ++row) all << at(row, KindRole).toString();
        return all;
    }

    QAbstractItemModelTester tester;
    int numChanged = 0;
    int numInserted = 0;
    int numRemoved = 0;
};

}  // namespace

class ChatRowsTest : public QObject {
    Q_OBJECT

  private slots:
    void aMessageIsItsBlocksAndWhatCanBeDone() {
        Rows rows;
        rows.setBranch(
            {question(1, "*q*"), answer(2, "# Head\n\ntext\n\n```cpp\nx\n```", MessageStatus::Stopped)});
        QCOMPARE(rows.kinds(),
                 (QStringList{"question", "actions", "heading", "paragraph", "code", "state", "actions"}));
        QCOMPARE(rows.at(0, ChatRows::TextRole).toString(), QString("*q*"));
        QCOMPARE(rows.at(2, ChatRows::LevelRole).toInt(), 1);
        QVERIFY(rows.at(2, ChatRows::LeadsRole).toBool() && !rows.at(3, ChatRows::LeadsRole).toBool());
        QCOMPARE(rows.at(4, ChatRows::LabelRole).toString(), QString("cpp"));
        QCOMPARE(rows.at(5, ChatRows::SentenceRole).toString(), QString("Stopped"));
        QVERIFY(!rows.at(1, ChatRows::LastRole).toBool() && rows.at(6, ChatRows::LastRole).toBool());
        QCOMPARE(rows.firstRow(2), 2);
        QCOMPARE(rows.messageAt(6), 2.0);
        rows.setFirstKept(2);
        QCOMPARE(rows.kinds()[2], QString("forgotten"));
        rows.setFirstKept(0);
        QCOMPARE(rows.kinds()[2], QString("heading"));
    }

    void aTimeThatIsNotKnownIsNotSaid() {
        Rows rows;
        history::Message known = question(1, "q");
        known.createdMs = 1'700'000'000'000;
        rows.setBranch({known, answer(2, "a")});
        QVERIFY(rows.at(1, ChatRows::TimeRole).toString().contains("2023"));
        QCOMPARE(rows.at(3, ChatRows::TimeRole).toString(), QString());
    }

    void whatTheModelDoesNotSeeIsSaidUntilANewPlanSaysOtherwise() {
        const auto forgotten = [](const Rows& rows) {
            return static_cast<int>(rows.kinds().indexOf("forgotten"));
        };
        std::vector<history::Message> branch{question(1, "a"), answer(2, "b"), question(3, "c"),
                                             answer(4, "d")};
        branch[3].firstKept = 3;
        branch[3].stats.promptTokens = 9;
        Rows rows;
        rows.setBranch(branch);
        QCOMPARE(forgotten(rows), rows.firstRow(3));
        // An answer that begins has no plan yet, and one that was stopped before it has none for ever.
        branch.push_back(question(5, "e"));
        branch.push_back(answer(6, "", MessageStatus::Streaming));
        rows.setBranch(branch);
        QCOMPARE(forgotten(rows), rows.firstRow(3));
        rows.setStatus(6, {.status = MessageStatus::Stopped});
        branch.back().status = MessageStatus::Stopped;
        Rows later;
        later.setBranch(branch);
        QCOMPARE(forgotten(rows), rows.firstRow(3));
        QCOMPARE(forgotten(later), later.firstRow(3));
        // The plan of another model may have room for all of it.
        branch.back().stats.promptTokens = 12;
        later.setBranch(branch);
        QCOMPARE(forgotten(later), -1);
        rows.setFirstKept(0);
        QCOMPARE(forgotten(rows), -1);
    }

    void everyKindOfBlockHasADelegate() {
        for (const content::BlockKind* kind : content::allBlockKinds()) {
            QString name;
            for (const QString& word :
                 QString::fromLatin1(kind->name.data(), qsizetype(kind->name.size())).split('_'))
                name += word.left(1).toUpper() + word.mid(1);
            QVERIFY2(QFile::exists(":/qt/qml/Inglenook/content/" + name + "Block.qml"), qPrintable(name));
        }
        QVERIFY(!QFile::exists(":/qt/qml/Inglenook/content/NoBlock.qml"));
    }

    void sharedMessagesStayWhenTheBranchChanges() {
        Rows rows;
        rows.setBranch({question(1, "q"), answer(2, "first")});
        const QPersistentModelIndex shared(rows.index(0));
        QSignalSpy removed(&rows, &QAbstractItemModel::rowsRemoved);
        rows.setBranch({question(1, "q"), answer(3, "second")});
        QCOMPARE(rows.kinds(), (QStringList{"question", "actions", "paragraph", "actions"}));
        QCOMPARE(removed.size(), 1);
        QCOMPARE(removed[0][1].toInt(), 2);
        QVERIFY(shared.isValid() && shared.row() == 0);
        QCOMPARE(rows.at(2, ChatRows::TextRole).toString(), QString("second"));
        // One that is shown already does not move when those above it come.
        const QPersistentModelIndex last(rows.index(2));
        rows.setBranch({question(7, "before"), answer(8, "b"), question(1, "q"), answer(3, "second")});
        QTRY_COMPARE(rows.rowCount(), 8);
        QVERIFY(last.isValid());
        QCOMPARE(last.row(), 6);
    }

    void aLongBranchIsReadFromItsEnd() {
        std::vector<history::Message> branch;
        for (int i = 0; i < 500; ++i) {
            branch.push_back(question(2 * i + 1, "q" + std::to_string(i)));
            branch.push_back(answer(2 * i + 2, std::string(500, 'x') + "\n\n" + std::to_string(i)));
        }
        Rows rows;
        rows.setBranch(branch);
        const int first = rows.rowCount();
        QVERIFY2(first < 400, qPrintable(QString::number(first)));
        QCOMPARE(rows.at(first - 2, ChatRows::TextRole).toString(), QString("499"));
        const QPersistentModelIndex shown(rows.index(first - 2));
        QSignalSpy inserted(&rows, &QAbstractItemModel::rowsInserted);
        QTRY_COMPARE(rows.rowCount(), 500 * 5);
        for (const auto& slice : inserted) {
            QCOMPARE(slice[1].toInt(), 0);
            QVERIFY(slice[2].toInt() < 400);
        }
        QCOMPARE(shown.row(), 500 * 5 - 2);
        QCOMPARE(rows.numChanged, 0);
        // Or at once, down to what is asked for.
        Rows again;
        again.setBranch(branch);
        QCOMPARE(again.firstRow(2), 0);
        QVERIFY(again.rowCount() < 500 * 5 && again.rowCount() > 499 * 5);
    }

    void anUpdateChangesWhatIsNewHoweverLongTheAnswerIs() {
        const std::string prose = "Some words of an answer that goes on and on. ";
        const std::pair<const char*, std::string> texts[] = {
            {"paragraph", prose},
            {"list", "- " + prose + "\n"},
            {"code", ""},
            {"table", ""},
        };
        for (const auto& [name, unit] : texts) {
            Rows rows;
            rows.setBranch({question(1, "q"), answer(2, "", MessageStatus::Streaming)});
            const bool code = std::string_view(name) == "code";
            const bool table = std::string_view(name) == "table";
            if (code) rows.append(2, "```py\n");
            if (table) rows.append(2, "| a | b |\n|---|---|\n");
            int most = 0;
            for (int update = 0; update < 1000; ++update) {
                const int before = rows.numChanged + rows.numInserted + rows.numRemoved;
                rows.append(2, code    ? "x = " + std::to_string(update) + " + some_function(y)\n"
                               : table ? "| " + std::to_string(update) + " | some words of a cell |\n"
                                       : unit);
                most = std::max(most, rows.numChanged + rows.numInserted + rows.numRemoved - before);
            }
            QVERIFY2(rows.rowCount() > 8, name);
            // The code's box grows once for all its pieces when a line is longer than all before.
            QVERIFY2(most <= (code ? 20 : 6), qPrintable(QString("%1: %2").arg(name).arg(most)));
            QVERIFY2(rows.numChanged + rows.numInserted + rows.numRemoved < 5000, name);
        }
    }

    void streamingEndsInTheSameRows() {
        const std::string text =
            "# A\n\n1. one\n2. **two**\n\n   ```c\n   int x;\n   ```\n> q\n\n| a | b |\n|---|---|\n| 1 | 2 "
            "|\n\nend";
        Rows whole;
        whole.setBranch({question(1, "q"), answer(2, text)});
        Rows streamed;
        streamed.setBranch({question(1, "q"), answer(2, "", MessageStatus::Streaming)});
        QCOMPARE(streamed.kinds(), (QStringList{"question", "actions", "state"}));
        QVERIFY(streamed.at(2, ChatRows::EmptyRole).toBool());
        for (const char c : text) streamed.append(2, std::string_view(&c, 1));
        QVERIFY(!streamed.at(streamed.rowCount() - 1, ChatRows::EmptyRole).toBool());
        QVERIFY(streamed.at(streamed.rowCount() - 2, ChatRows::GrowingRole).toBool());
        streamed.setStatus(2, {});
        QCOMPARE(streamed.kinds(), whole.kinds());
        for (int row = 0; row < whole.rowCount(); ++row) {
            for (const int role : {ChatRows::TextRole, ChatRows::ContainersRole, ChatRows::MarksRole,
                                   ChatRows::GrowingRole, ChatRows::SpacedRole, ChatRows::LevelRole})
                QCOMPARE(streamed.at(row, role), whole.at(row, role));
        }
        QCOMPARE(whole.at(3, ChatRows::MarksRole).toStringList(), QStringList{"1."});
        QCOMPARE(whole.at(6, ChatRows::ContainersRole).toStringList(), QStringList{"quote"});
    }

    void whatIsAddedElsewhereIsIgnored() {
        Rows rows;
        rows.setBranch({question(1, "q"), answer(2, "a")});
        rows.append(99, "another conversation");
        rows.setStatus(99, {});
        QCOMPARE(rows.numChanged + rows.numInserted, 4);
        QVERIFY(rows.find(99) == nullptr);
    }

    void anAnswerGoesOnWhereItEnded() {
        Rows rows;
        rows.setBranch({question(1, "q"), answer(2, "one two", MessageStatus::Stopped)});
        rows.setBranch({question(1, "q"), answer(2, "one two", MessageStatus::Streaming)});
        rows.append(2, " three");
        QCOMPARE(rows.kinds(), (QStringList{"question", "actions", "paragraph", "state"}));
        QCOMPARE(rows.at(2, ChatRows::TextRole).toString(), QString("one two three"));
    }

    void aThoughtSaysHowLongItTook() {
        Rows rows;
        rows.setBranch({question(1, "q"), answer(2, "", MessageStatus::Streaming)});
        rows.append(2, PartKind::Thought, "hmm");
        rows.append(2, std::vector<PartPiece>{{PartKind::Thought, "", "12400"}, {PartKind::Text, "So", ""}});
        QCOMPARE(rows.at(2, ChatRows::LabelRole).toString(), QString("Thought for 12 s"));
        rows.append(
            2, std::vector<PartPiece>{{PartKind::Thought, "again", ""}, {PartKind::Thought, "", "125000"}});
        rows.setStatus(2, {});
        QCOMPARE(rows.at(4, ChatRows::LabelRole).toString(), QString("Thought for 2 min 5 s"));
    }

    void whatTheModelThinksIsFoldedAndOpensWithAllItsPieces() {
        Rows rows;
        std::string thought;
        for (int i = 0; i < 300; ++i) thought += "I think of something, line " + std::to_string(i) + "\n";
        rows.setBranch({question(1, "q"), answer(2, "", MessageStatus::Streaming)});
        rows.append(2, PartKind::Thought, thought);
        QVERIFY(rows.at(rows.rowCount() - 2, ChatRows::GrowingRole).toBool());
        QCOMPARE(rows.at(2, ChatRows::LabelRole).toString(), QString("Thinking…"));
        QSignalSpy changes(&rows, &QAbstractItemModel::dataChanged);
        rows.append(2, "Hello");
        QCOMPARE(rows.at(2, ChatRows::LabelRole).toString(), QString("Thoughts"));
        QVERIFY2(std::ranges::any_of(changes,
                                     [](const QList<QVariant>& change) {
                                         return change[0].toModelIndex().row() == 2 &&
                                                change[2].value<QList<int>>().contains(ChatRows::LabelRole);
                                     }),
                 "the head of the thought still says that the model thinks");
        rows.setStatus(2, {});
        const int pieces = static_cast<int>(rows.kinds().count("thought"));
        QVERIFY(pieces > 1);
        QCOMPARE(rows.at(2 + pieces, ChatRows::TextRole).toString(), QString("Hello"));
        QCOMPARE(rows.words(2), QString("Hello"));
        rows.toggle(3);
        for (int piece = 0; piece < pieces; ++piece) {
            QVERIFY(rows.at(2 + piece, ChatRows::OpenRole).toBool());
            QCOMPARE(rows.at(2 + piece, ChatRows::GoesOnRole).toBool(), piece > 0);
        }
        rows.toggle(2);
        QVERIFY(!rows.at(3, ChatRows::OpenRole).toBool());
    }

    void aLongQuestionIsPieces() {
        std::string text;
        for (int i = 0; i < 1000; ++i) text += "line " + std::to_string(i) + "\n";
        Rows rows;
        rows.setBranch({question(1, text)});
        QVERIFY(rows.rowCount() > 2);
        QString joined = rows.wholeText(1);
        QCOMPARE(joined, QString::fromStdString(text));
        rows.edit(1);
        QCOMPARE(rows.kinds(), QStringList{"editor"});
        QCOMPARE(rows.editedText(), QString::fromStdString(text));
        rows.edit(0);
        QVERIFY(rows.rowCount() > 2);
    }

    void anOpenEditorStaysWhileTheRestOfTheBranchComes() {
        Rows rows;
        rows.setBranch({question(3, "three"), answer(4, "four")});
        rows.edit(3);
        rows.setEditedText("changed");
        rows.setBranch({question(1, "one"), answer(2, "two"), question(3, "three"), answer(4, "four")});
        QCOMPARE(rows.edited(), 3.0);
        QCOMPARE(rows.editedText(), QString("changed"));
        QVERIFY(rows.kinds().contains("editor"));
        // Another version in its place: there is nothing to edit any more.
        rows.setBranch({question(1, "one"), answer(2, "two"), question(5, "five")});
        QCOMPARE(rows.edited(), 0.0);
        QCOMPARE(rows.editedText(), QString());
        QVERIFY(!rows.kinds().contains("editor"));
    }

    void codeIsAsWideAsItsLongestLine() {
        Rows rows;
        std::string code = "```\n";
        for (int i = 0; i < 500; ++i) code += "short line\n";
        rows.setBranch({question(1, "q"), answer(2, code, MessageStatus::Streaming)});
        QCOMPARE(rows.at(2, ChatRows::LongestLineRole).toInt(), 10);
        rows.append(2, std::string(70, 'w') + "\nx\n```\n\n```\nother\n```");
        QCOMPARE(rows.at(2, ChatRows::LongestLineRole).toInt(), 70);
        QCOMPARE(rows.at(rows.rowCount() - 2, ChatRows::LongestLineRole).toInt(), 5);
        rows.setScroll(3, 40);
        QCOMPARE(rows.at(2, ChatRows::ScrollRole).toDouble(), 40.0);
        QCOMPARE(rows.at(rows.rowCount() - 2, ChatRows::ScrollRole).toDouble(), 0.0);
    }

    void directionIsDecidedByTheText() {
        Rows rows;
        rows.setBranch({question(1, "q"), answer(2, "שלום world\n\nhello שלום\n\n42: سلام")});
        QVERIFY(rows.at(2, ChatRows::RightToLeftRole).toBool());
        QVERIFY(!rows.at(3, ChatRows::RightToLeftRole).toBool());
        QVERIFY(rows.at(4, ChatRows::RightToLeftRole).toBool());
    }

    void whatIsFoundIsTheBeginningOfAWord() {
        Rows rows;
        rows.setBranch(
            {question(1, QString::fromUtf8("we restart art in tiếng Việt; 학교, 한국어").toStdString())});
        TextSelection selection;
        selection.setRows(&rows);
        const std::pair<const char*, int> cases[] = {{"art", 11}, {"tieng", 18}, {"VIET", 24}, {"한국", 34}};
        for (const auto& [words, begin] : cases) {
            QCOMPARE(selection.find(1, QString::fromUtf8(words)), 0);
            QCOMPARE(selection.inRow(0).x(), static_cast<double>(begin));
            QCOMPARE(selection.inRow(0).y(), static_cast<double>(begin + QString::fromUtf8(words).size()));
        }
    }

    void ofAnAddressThatIsFoundTheLinkIsMarked() {
        Rows rows;
        rows.setBranch({answer(1,
                               "nothing here\n\nsee [the über page](https://example.org/hidden) now\n\n"
                               "| a | b |\n|---|---|\n| é | [other](https://example.org/cell) |")});
        TextSelection selection;
        selection.setRows(&rows);
        QCOMPARE(selection.find(1, "hidden"), 1);
        QCOMPARE(selection.inRow(1), QPointF(4, 17));
        QCOMPARE(selection.find(1, "cell"), 2);
        QCOMPARE(selection.inRow(2), QPointF(6, 11));
        // What can be seen is marked before.
        QCOMPARE(selection.find(1, "https page"), 1);
        QCOMPARE(selection.inRow(1), QPointF(13, 17));
    }

    void aSelectionGoesAcrossBlocksAndMessages() {
        Rows rows;
        rows.setBranch({question(1, "my question"), answer(2, "# Head\n\nsome **strong** words\n\n- item")});
        TextSelection selection;
        selection.setRows(&rows);
        selection.begin(0, 3, TextSelection::Character);
        QVERIFY(selection.empty());
        selection.extend(3, 11);
        QCOMPARE(selection.text({}), QString("question\n\nHead\n\nsome strong"));
        QCOMPARE(selection.text("Markdown"), QString("question\n\n# Head\n\nsome **strong**"));
        QCOMPARE(selection.inRow(0).x(), 3.0);
        QCOMPARE(selection.inRow(3), QPointF(0, 11));
        QVERIFY(selection.inRow(4).x() == selection.inRow(4).y());
        // Backwards it is the same text.
        selection.begin(3, 11, TextSelection::Character);
        selection.extend(0, 3);
        QCOMPARE(selection.text({}), QString("question\n\nHead\n\nsome strong"));
        // By words, and by blocks.
        selection.begin(3, 7, TextSelection::Word);
        QCOMPARE(selection.text({}), QString("strong"));
        selection.extend(3, 14);
        QCOMPARE(selection.text({}), QString("strong words"));
        selection.extend(3, 1);
        QCOMPARE(selection.text({}), QString("some strong"));
        selection.begin(3, 7, TextSelection::Block);
        QCOMPARE(selection.text({}), QString("some strong words"));
        selection.selectAll();
        QCOMPARE(selection.text("Markdown"),
                 QString("my question\n\n# Head\n\nsome **strong** words\n\n- item"));
        selection.clear();
        QVERIFY(selection.empty() && selection.text({}).isEmpty());
    }

    void aSelectionSurvivesStreamingAndOlderRows() {
        std::vector<history::Message> branch;
        for (int i = 0; i < 300; ++i) branch.push_back(answer(i + 1, std::string(600, 'x')));
        branch.push_back(answer(1000, "one two", MessageStatus::Streaming));
        Rows rows;
        rows.setBranch(branch);
        TextSelection selection;
        selection.setRows(&rows);
        const int row = rows.rowCount() - 2;
        selection.begin(row, 0, TextSelection::Character);
        selection.extend(row, 3);
        QTRY_COMPARE(rows.rowCount(), 602);
        rows.append(1000, " three\n\nanother\n\n# more");
        QCOMPARE(selection.text({}), QString("one"));
        QCOMPARE(selection.inRow(600), QPointF(0, 3));
        // It goes with the branch.
        rows.setBranch({answer(5000, "x")});
        QVERIFY(selection.empty());
    }

    void theKeyboardMovesTheEndOfASelection() {
        Rows rows;
        history::Message thoughtful = answer(1, "a\U0001F469‍\U0001F680b c\n\nnext");
        thoughtful.parts.insert(thoughtful.parts.begin(), {PartKind::Thought, "hidden", {}});
        rows.setBranch({thoughtful});
        TextSelection selection;
        selection.setRows(&rows);
        selection.begin(1, 0, TextSelection::Character);
        selection.move(TextSelection::Character, 1);
        selection.move(TextSelection::Character, 1);
        QCOMPARE(selection.text({}), QString("a\U0001F469‍\U0001F680"));  // one character to a reader
        selection.move(TextSelection::Block, 1);
        selection.move(TextSelection::Character, 1);
        selection.move(TextSelection::Word, 1);
        QCOMPARE(selection.text({}), QString("a\U0001F469‍\U0001F680b c\n\nnext"));
        selection.move(TextSelection::Block, -1);
        selection.move(TextSelection::Character, -1);
        QCOMPARE(selection.endRow(), 1);
        // What is folded away is passed over, and not copied.
        selection.move(TextSelection::Block, -1);
        selection.move(TextSelection::Character, -1);
        QCOMPARE(selection.endRow(), 1);
        selection.selectAll();
        QVERIFY(!selection.text({}).contains("hidden"));
        rows.toggle(0);
        QVERIFY(selection.text({}).contains("hidden"));
    }
};

WINDOW_SUITE(ChatRowsTest)
#include "chat_rows_test.moc"
