/// The list of messages: branches, streaming and lazy Markdown.
#include "app/desktop/viewmodels/message_list_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QtTest>

using namespace ingle;
using namespace ingle::desktop;
using history::MessageStatus;

namespace {

history::Message message(history::RowId id, Role role, const std::string& text) {
    history::Message made;
    made.id = id;
    made.role = role;
    if (!text.empty()) made.parts.push_back({PartKind::Text, text, ""});
    return made;
}

std::vector<PartPiece> piece(const std::string& text) {
    return {{PartKind::Text, text, ""}};
}

}  // namespace

class MessageListModelTest : public QObject {
    Q_OBJECT

  private slots:
    void sharedMessagesStayWhenTheBranchChanges() {
        MessageListModel model;
        QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::QtTest);
        model.setBranch({message(1, Role::User, "q"), message(2, Role::Assistant, "first")});
        const QVariant blocks = model.data(model.index(0), MessageListModel::BlocksRole);
        QSignalSpy removed(&model, &QAbstractItemModel::rowsRemoved);
        model.setBranch({message(1, Role::User, "q"), message(3, Role::Assistant, "second")});
        QCOMPARE(model.rowCount(), 2);
        QCOMPARE(removed.size(), 1);
        QCOMPARE(removed[0][1].toInt(), 1);
        QCOMPARE(model.data(model.index(0), MessageListModel::BlocksRole), blocks);
        QCOMPARE(model.data(model.index(1), MessageListModel::TextRole).toString(), QString("second"));
    }

    void streamedTextReachesTextAndBlocks() {
        MessageListModel model;
        model.setBranch({message(1, Role::User, "q"), message(2, Role::Assistant, "")});
        auto* blocks = model.data(model.index(1), MessageListModel::BlocksRole).value<BlockListModel*>();
        QCOMPARE(blocks->rowCount(), 0);
        model.append(2, piece("Hello *you"));
        model.append(2, piece("*\n\nAgain"));
        QCOMPARE(model.data(model.index(1), MessageListModel::TextRole).toString(),
                 QString("Hello *you*\n\nAgain"));
        QCOMPARE(blocks->rowCount(), 2);
        QCOMPARE(blocks->data(blocks->index(0), BlockListModel::HtmlRole).toString(),
                 QString("Hello <i>you</i>"));
        model.append(99, piece("another conversation"));
        QCOMPARE(model.rowCount(), 2);
    }

    void onlyChangedBlocksAreAnnounced() {
        MessageListModel model;
        model.setBranch({message(2, Role::Assistant, "one\n\ntwo\n\nthree")});
        auto* blocks = model.data(model.index(0), MessageListModel::BlocksRole).value<BlockListModel*>();
        QAbstractItemModelTester tester(blocks, QAbstractItemModelTester::FailureReportingMode::QtTest);
        QSignalSpy changed(blocks, &QAbstractItemModel::dataChanged);
        model.append(2, piece(" and more"));
        QCOMPARE(changed.size(), 1);
        QCOMPARE(changed[0][0].toModelIndex().row(), 2);
    }

    void statusAndForgottenLine() {
        MessageListModel model;
        model.setBranch({message(1, Role::User, "old"), message(2, Role::User, "new")});
        history::AnswerEnd end;
        end.status = MessageStatus::Failed;
        end.error = "The disk is gone.";
        model.setStatus(2, end);
        QCOMPARE(model.data(model.index(1), MessageListModel::StatusRole).toInt(),
                 int(MessageListModel::Failed));
        model.setFirstKept(2);
        QVERIFY(!model.data(model.index(0), MessageListModel::ForgottenAboveRole).toBool());
        QVERIFY(model.data(model.index(1), MessageListModel::ForgottenAboveRole).toBool());
        model.setFirstKept(0);
        QVERIFY(!model.data(model.index(1), MessageListModel::ForgottenAboveRole).toBool());
    }

    void nulSurvives() {
        MessageListModel model;
        model.setBranch({message(1, Role::Assistant, std::string("a\0b", 3))});
        QCOMPARE(model.data(model.index(0), MessageListModel::TextRole).toString().size(), 3);
    }
};

QTEST_GUILESS_MAIN(MessageListModelTest)
#include "message_list_model_test.moc"
