/// The answer writer against a history that refuses for a while, and one that refuses for good.
#include "app/desktop/services/answer_writer.h"
#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"

#include <QSignalSpy>
#include <QTemporaryDir>
#include <QtTest>

#include <optional>

#include "tests/full_disk.h"
#include "tests/qml/suite.h"

using namespace ingle;
using namespace ingle::desktop;
using history::MessageStatus;
using history::RowId;

namespace {

TokenChunk tokens(TokenId id, const std::string& text) {
    return {{id}, {{PartKind::Text, text, ""}}};
}

history::AnswerEnd complete() {
    history::AnswerEnd end;
    end.status = MessageStatus::Complete;
    return end;
}

}  // namespace

class AnswerWriterTest : public QObject {
    Q_OBJECT

    struct Answer {
        RowId conversation = 0;
        RowId message = 0;
    };
    /// A writer on a fresh history, and what it said.
    struct Bench {
        Bench() : storage(folder.path().toStdString()), writer(storage) {
            QObject::connect(&writer, &AnswerWriter::finished, &writer,
                             [this](RowId, const history::AnswerEnd& end) {
                                 ending = end;
                                 ++endings;
                             });
            QObject::connect(&writer, &AnswerWriter::committed, &writer,
                             [this](RowId, const std::vector<PartPiece>& pieces) {
                                 for (const PartPiece& piece : pieces) painted += piece.text;
                             });
        }
        /// Waits for work on the history; nothing when it failed.
        template <typename Work>
        auto wait(Work work) {
            std::invoke_result_t<Work, history::History&> result;
            bool answered = false;
            storage.run(&writer, work, [&](auto answer) {
                result = std::move(answer);
                answered = true;
            });
            [&] { QTRY_VERIFY_WITH_TIMEOUT(answered, kPatienceMs); }();
            return result;
        }
        Answer begin() {
            const auto begun = wait([](history::History& history) -> Result<Answer> {
                INGLE_TRY_ASSIGN(const RowId id, history::createConversation(history, "title", "model"));
                INGLE_TRY_ASSIGN(const RowId question,
                                 history::addUserMessage(history, id, 0, {{PartKind::Text, "why?", ""}}));
                INGLE_TRY_ASSIGN(const RowId answer,
                                 history::beginAnswer(history, id, question, "model", "Model", {}));
                return Answer{id, answer};
            });
            writer.begin(begun.value_or(Answer{}).message);
            return begun.value_or(Answer{});
        }

        QTemporaryDir folder;
        StorageThread storage;
        AnswerWriter writer;
        std::optional<history::AnswerEnd> ending;
        int endings = 0;
        std::string painted;
    };

  private slots:
    void whatArrivesIsStoredBeforeItIsPainted() {
        Bench bench;
        const Answer answer = bench.begin();
        bench.writer.append(tokens(1, "one "));
        bench.writer.append(tokens(2, "two "));
        bench.writer.end(complete());
        QVERIFY(bench.painted.empty());
        QTRY_VERIFY_WITH_TIMEOUT(bench.ending, kPatienceMs);
        QCOMPARE(bench.painted, std::string("one two "));
        const auto stored =
            bench.wait([&](history::History& history) { return history::message(history, answer.message); });
        QVERIFY(stored);
        QCOMPARE(textOf(stored->parts, PartKind::Text), bench.painted);
        QCOMPARE(stored->status, MessageStatus::Complete);
    }

    void howLongAThoughtTookIsKept() {
        Bench bench;
        const Answer answer = bench.begin();
        bench.writer.append({{1}, {{PartKind::Thought, "hmm", ""}}});
        QTest::qWait(60);
        bench.writer.append({{2}, {{PartKind::Thought, ", well", ""}, {PartKind::Text, "So", ""}}});
        bench.writer.append({{3}, {{PartKind::Thought, "again", ""}}});
        const auto tookMs = [&](size_t part) {
            const auto stored = bench.wait(
                [&](history::History& history) { return history::message(history, answer.message); });
            return stored && part < stored->parts.size()
                       ? QString::fromStdString(stored->parts[part].data).toInt()
                       : 0;
        };
        // While the answer is being written, too.
        QTRY_VERIFY_WITH_TIMEOUT(tookMs(0) >= 60, kPatienceMs);
        QCOMPARE(tookMs(1), 0);
        QTest::qWait(30);
        bench.writer.end(complete());
        QTRY_VERIFY_WITH_TIMEOUT(bench.ending, kPatienceMs);
        QVERIFY(tookMs(0) >= 60);
        QVERIFY(tookMs(2) >= 30);
        const auto stored =
            bench.wait([&](history::History& history) { return history::message(history, answer.message); });
        QCOMPARE(stored->parts.size(), size_t{3});
        QCOMPARE(stored->parts[0].text, std::string("hmm, well"));
    }

    void ofAThoughtThatAnotherRunBeganNobodyKnowsHowLongItTook() {
        Bench bench;
        const Answer answer = bench.begin();
        const Part begun{PartKind::Thought, "hmm", ""};
        bench.writer.begin(answer.message, &begun);
        bench.writer.append({{1}, {{PartKind::Thought, ", well", ""}, {PartKind::Text, "So", ""}}});
        bench.writer.end(complete());
        QTRY_VERIFY_WITH_TIMEOUT(bench.ending, kPatienceMs);
        const auto stored =
            bench.wait([&](history::History& history) { return history::message(history, answer.message); });
        QCOMPARE(stored->parts[0].data, std::string());
    }

    void aFullDiskIsTriedAgain() {
        Bench bench;
        bench.begin();
        QSignalSpy stalls(&bench.writer, &AnswerWriter::stalled);
        {
            const FullDisk full;
            bench.writer.append(tokens(1, "one "));
            QTRY_VERIFY_WITH_TIMEOUT(!stalls.isEmpty(), kPatienceMs);
            bench.writer.append(tokens(2, "two "));
            bench.writer.end(complete());
            QTest::qWait(100);
            QVERIFY(bench.writer.active());
            QVERIFY(bench.painted.empty());
        }
        QTRY_VERIFY_WITH_TIMEOUT(bench.ending, kPatienceMs);
        QCOMPARE(bench.painted, std::string("one two "));
        QCOMPARE(bench.ending->status, MessageStatus::Complete);
        QVERIFY(!stalls.first().first().toString().isEmpty());
        QVERIFY(stalls.last().first().toString().isEmpty());
    }

    void anAnswerThatIsGoneEndsAtOnce() {
        Bench bench;
        const Answer answer = bench.begin();
        const Status purged = bench.wait([&](history::History& history) -> Status {
            INGLE_TRY(history::trashConversation(history, answer.conversation));
            INGLE_TRY(history::emptyTrash(history));
            while (true) {
                INGLE_TRY_ASSIGN(const auto state,
                                 history::shredSlice(history, std::chrono::milliseconds(10)));
                if (state != history::ShredState::Working) return {};
            }
        });
        QVERIFY(purged);
        QSignalSpy stalls(&bench.writer, &AnswerWriter::stalled);
        bench.writer.append(tokens(1, "one "));
        QTRY_VERIFY_WITH_TIMEOUT(bench.ending, kPatienceMs);
        QCOMPARE(bench.ending->status, MessageStatus::Failed);
        QVERIFY(bench.ending->error);
        QVERIFY(stalls.isEmpty());
        QVERIFY(bench.painted.empty());

        // What still arrives changes nothing, and the next answer is written.
        bench.writer.append(tokens(2, "two "));
        bench.writer.end(complete());
        QVERIFY(!bench.writer.active());
        bench.begin();
        bench.writer.append(tokens(3, "three"));
        bench.writer.end(complete());
        QTRY_COMPARE_WITH_TIMEOUT(bench.endings, 2, kPatienceMs);
        QCOMPARE(bench.ending->status, MessageStatus::Complete);
        QCOMPARE(bench.painted, std::string("three"));
    }
};

WINDOW_SUITE(AnswerWriterTest)
#include "answer_writer_test.moc"
