/// The branch of one conversation as the window shows it, oldest message first.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include <memory>
#include <optional>
#include <vector>

#include "app/desktop/viewmodels/block_list_model.h"
#include "app/history/history.h"

namespace ingle::desktop {

class MessageListModel : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by ChatController")
    Q_PROPERTY(int count READ rowCount NOTIFY countChanged)
    Q_PROPERTY(double lastMessageId READ lastId NOTIFY countChanged)
  public:
    /// history::MessageStatus for QML, in the same order.
    enum MessageState { Complete, Streaming, Stopped, Interrupted, Failed };
    Q_ENUM(MessageState)

    enum Role {
        MessageIdRole = Qt::UserRole,
        IsUserRole,
        TextRole,
        BlocksRole,
        StatusRole,
        ErrorRole,
        ErrorDetailsRole,
        ModelNameRole,
        NewTokensRole,
        TokensPerSecondRole,
        SiblingIndexRole,
        SiblingCountRole,
        ForgottenAboveRole,
    };

    using QAbstractListModel::QAbstractListModel;

    /// Shows another branch. Messages it shares with the one shown stay as they are on screen.
    void setBranch(const std::vector<history::Message>& messages);

    /// These ignore messages that are not in the branch shown.
    void append(history::RowId message, const std::vector<PartPiece>& pieces);
    void setStatus(history::RowId message, const history::AnswerEnd& end);
    /// The oldest message the model still sees; a quiet line above it says so. 0: nothing was dropped.
    void setFirstKept(history::RowId message);

    const std::vector<history::Message>& messages() const { return m_messages; }
    const history::Message* find(history::RowId message) const;
    history::RowId lastId() const { return m_messages.empty() ? 0 : m_messages.back().id; }

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void countChanged();

  private:
    std::optional<size_t> rowOf(history::RowId message) const;
    BlockListModel* blocksOf(size_t row) const;
    void changed(size_t row, const QList<int>& roles);

    std::vector<history::Message> m_messages;
    /// Made when a delegate first asks, so that opening a long conversation parses only what is visible.
    mutable std::vector<std::unique_ptr<BlockListModel>> m_blocks;
    history::RowId m_firstKept = 0;
};

}  // namespace ingle::desktop
