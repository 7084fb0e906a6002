#include "app/desktop/viewmodels/message_list_model.h"

#include <QQmlEngine>

#include <algorithm>

#include "app/desktop/text.h"

namespace ingle::desktop {

using history::MessageStatus;

static_assert(static_cast<int>(MessageStatus::Complete) == MessageListModel::Complete);
static_assert(static_cast<int>(MessageStatus::Failed) == MessageListModel::Failed);

void MessageListModel::setBranch(const std::vector<history::Message>& messages) {
    const auto sameMessage = [](const history::Message& a, const history::Message& b) {
        return a.id == b.id && a.text == b.text;
    };
    const size_t limit = std::min(messages.size(), m_messages.size());
    size_t kept = 0;
    while (kept < limit && sameMessage(messages[kept], m_messages[kept])) ++kept;
    setFirstKept(0);
    if (kept < m_messages.size()) {
        beginRemoveRows({}, static_cast<int>(kept), rowCount() - 1);
        m_messages.resize(kept);
        m_blocks.resize(kept);
        endRemoveRows();
    }
    for (size_t row = 0; row < kept; ++row) {
        m_messages[row] = messages[row];
        changed(row, {StatusRole, ErrorRole, NewTokensRole, TokensPerSecondRole, SiblingIndexRole,
                      SiblingCountRole});
    }
    if (kept < messages.size()) {
        beginInsertRows({}, static_cast<int>(kept), static_cast<int>(messages.size()) - 1);
        m_messages.insert(m_messages.end(), messages.begin() + static_cast<std::ptrdiff_t>(kept),
                          messages.end());
        m_blocks.resize(m_messages.size());
        endInsertRows();
    }
    emit countChanged();
}

void MessageListModel::appendText(history::RowId message, std::string_view text) {
    const std::optional<size_t> row = rowOf(message);
    if (!row || text.empty()) return;
    m_messages[*row].text.append(text);
    if (m_blocks[*row]) m_blocks[*row]->append(text);
    changed(*row, {TextRole});
}

void MessageListModel::setStatus(history::RowId message, MessageStatus status, const std::string& error,
                                 const GenerateStats& stats) {
    const std::optional<size_t> row = rowOf(message);
    if (!row) return;
    m_messages[*row].status = status;
    m_messages[*row].error = error;
    m_messages[*row].stats = stats;
    changed(*row, {StatusRole, ErrorRole, NewTokensRole, TokensPerSecondRole});
}

void MessageListModel::setFirstKept(history::RowId message) {
    const history::RowId before = std::exchange(m_firstKept, message);
    for (const history::RowId id : {before, message}) {
        if (const std::optional<size_t> row = rowOf(id)) changed(*row, {ForgottenAboveRole});
    }
}

const history::Message* MessageListModel::find(history::RowId message) const {
    const std::optional<size_t> row = rowOf(message);
    return row ? &m_messages[*row] : nullptr;
}

int MessageListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_messages.size());
}

QVariant MessageListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const auto row = static_cast<size_t>(index.row());
    const history::Message& message = m_messages[row];
    switch (role) {
        case MessageIdRole:
            return static_cast<qint64>(message.id);
        case IsUserRole:
            return message.role == ingle::Role::User;
        case TextRole:
            return toQString(message.text);
        case BlocksRole:
            return QVariant::fromValue(blocksOf(row));
        case StatusRole:
            return static_cast<int>(message.status);
        case ErrorRole:
            return toQString(message.error);
        case ModelNameRole:
            return toQString(message.modelName);
        case NewTokensRole:
            return message.stats.newTokens;
        case TokensPerSecondRole:
            return message.stats.decodeMs > 0 ? message.stats.newTokens * 1000.0 / message.stats.decodeMs
                                              : 0.0;
        case SiblingIndexRole:
            return message.siblingIndex;
        case SiblingCountRole:
            return message.siblingCount;
        case ForgottenAboveRole:
            return m_firstKept != 0 && message.id == m_firstKept;
        default:
            return {};
    }
}

QHash<int, QByteArray> MessageListModel::roleNames() const {
    return {{MessageIdRole, "messageId"},
            {IsUserRole, "isUser"},
            {TextRole, "messageText"},
            {BlocksRole, "blocks"},
            {StatusRole, "status"},
            {ErrorRole, "error"},
            {ModelNameRole, "modelName"},
            {NewTokensRole, "newTokens"},
            {TokensPerSecondRole, "tokensPerSecond"},
            {SiblingIndexRole, "siblingIndex"},
            {SiblingCountRole, "siblingCount"},
            {ForgottenAboveRole, "forgottenAbove"}};
}

std::optional<size_t> MessageListModel::rowOf(history::RowId message) const {
    // From the end: it is nearly always the answer being written.
    const auto found = std::find_if(m_messages.rbegin(), m_messages.rend(),
                                    [message](const history::Message& each) { return each.id == message; });
    if (found == m_messages.rend()) return std::nullopt;
    return static_cast<size_t>(m_messages.rend() - found) - 1;
}

BlockListModel* MessageListModel::blocksOf(size_t row) const {
    if (!m_blocks[row]) {
        m_blocks[row] = std::make_unique<BlockListModel>();
        QQmlEngine::setObjectOwnership(m_blocks[row].get(), QQmlEngine::CppOwnership);
        m_blocks[row]->append(m_messages[row].text);
    }
    return m_blocks[row].get();
}

void MessageListModel::changed(size_t row, const QList<int>& roles) {
    const QModelIndex at = index(static_cast<int>(row));
    emit dataChanged(at, at, roles);
}

}  // namespace ingle::desktop
