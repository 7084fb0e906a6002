#include "app/desktop/viewmodels/message_list_model.h"

#include <QQmlEngine>

#include <algorithm>

#include "app/desktop/marked_text.h"
#include "app/desktop/running_answers.h"
#include "app/desktop/text.h"

namespace ingle::desktop {

using history::MessageStatus;

static_assert(static_cast<int>(MessageStatus::Complete) == MessageListModel::Complete);
static_assert(static_cast<int>(MessageStatus::Failed) == MessageListModel::Failed);

void MessageListModel::setBranch(const std::vector<history::Message>& messages) {
    const auto sameMessage = [](const history::Message& a, const history::Message& b) {
        return a.id == b.id && a.parts == b.parts;
    };
    const size_t limit = std::min(messages.size(), m_messages.size());
    size_t kept = 0;
    while (kept < limit && sameMessage(messages[kept], m_messages[kept])) ++kept;
    const auto answer = std::find_if(messages.rbegin(), messages.rend(), [](const history::Message& each) {
        return each.role == ingle::Role::Assistant;
    });
    setFirstKept(answer != messages.rend() ? answer->firstKept : 0);
    if (kept < m_messages.size()) {
        beginRemoveRows({}, static_cast<int>(kept), rowCount() - 1);
        m_messages.resize(kept);
        m_blocks.resize(kept);
        endRemoveRows();
    }
    for (size_t row = 0; row < kept; ++row) {
        m_messages[row] = messages[row];
        changed(row, {StatusRole, ErrorRole, ErrorDetailsRole, NewTokensRole, TokensPerSecondRole,
                      SiblingIndexRole, SiblingCountRole});
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

void MessageListModel::append(history::RowId message, const std::vector<PartPiece>& pieces) {
    const std::optional<size_t> row = rowOf(message);
    if (!row || pieces.empty()) return;
    std::vector<Part>& parts = m_messages[*row].parts;
    const size_t shown = markedText(parts).size();
    for (const PartPiece& piece : pieces) ingle::append(parts, piece);
    if (m_blocks[*row]) m_blocks[*row]->append(markedText(parts).substr(shown));
    changed(*row, {TextRole});
}

void MessageListModel::setStatus(history::RowId message, const history::AnswerEnd& end) {
    const std::optional<size_t> row = rowOf(message);
    if (!row) return;
    m_messages[*row].status = end.status;
    m_messages[*row].stopReason = end.reason;
    m_messages[*row].error = end.error;
    m_messages[*row].errorId = end.errorId;
    m_messages[*row].errorArguments = end.errorArguments;
    m_messages[*row].stats = end.stats;
    std::string closing;
    (void)markedText(m_messages[*row].parts, &closing);
    if (m_blocks[*row] && end.status == MessageStatus::Complete) m_blocks[*row]->append(closing);
    changed(*row, {StatusRole, ErrorRole, ErrorDetailsRole, NewTokensRole, TokensPerSecondRole});
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
            return toQString(markedText(message.parts));
        case BlocksRole:
            return QVariant::fromValue(blocksOf(row));
        case StatusRole:
            return static_cast<int>(message.status);
        case ErrorRole:
            return RunningAnswers::endSentence(message);
        case ErrorDetailsRole:
            return RunningAnswers::endDetails(message);
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
            {ErrorDetailsRole, "errorDetails"},
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
        std::string closing;
        m_blocks[row]->append(markedText(m_messages[row].parts, &closing));
        if (m_messages[row].status == MessageStatus::Complete) m_blocks[row]->append(closing);
    }
    return m_blocks[row].get();
}

void MessageListModel::changed(size_t row, const QList<int>& roles) {
    const QModelIndex at = index(static_cast<int>(row));
    emit dataChanged(at, at, roles);
}

}  // namespace ingle::desktop
