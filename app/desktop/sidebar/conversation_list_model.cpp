#include "app/desktop/sidebar/conversation_list_model.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/history/chats/conversations.h"
#include "app/history/documents/documents.h"
#include "app/history/trash/trash.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kSearchDelay = 150ms;
}  // namespace

ConversationListModel::ConversationListModel(StorageThread& storage, const RunningAnswers& answers,
                                             Notices& notices, QObject* parent)
    : QAbstractListModel(parent),
      m_storage(storage),
      m_answers(answers),
      m_notices(notices),
      m_searchDelay(this),
      m_filters(storage) {
    m_searchDelay.setSingleShot(true);
    m_searchDelay.setInterval(kSearchDelay);
    connect(&m_searchDelay, &QTimer::timeout, this, &ConversationListModel::refresh);
    connect(&m_filters, &SearchFilters::changed, this, &ConversationListModel::refresh);
    connect(&answers, &RunningAnswers::stateChanged, this, [this](history::RowId conversation) {
        // A search may have found several places of it.
        for (size_t row = 0; row < m_rows.size(); ++row) {
            const QModelIndex at = index(static_cast<int>(row));
            if (m_rows[row].conversation == conversation)
                emit dataChanged(at, at, {AnsweringRole, SpokenRole});
        }
    });
    refresh();
    tellSet();
}

void ConversationListModel::setSearchText(const QString& text) {
    if (text == m_searchText) return;
    if (m_searchText.isEmpty()) m_filters.refresh();
    if (text.isEmpty()) m_filters.clear();
    clearSelection();
    m_searchText = text;
    emit searchTextChanged();
    emit emptySentenceChanged();
    m_searchDelay.start();
}

void ConversationListModel::refresh() {
    // Rows are made where they are read: thousands of dates would hold up the window.
    const QString text = m_searchText.trimmed();
    const auto work = [query = text.toStdString(),
                       filter = m_filters.filter()](history::HistoryReader& history) {
        return query.empty() ? rowsOfAll(history) : rowsOfHits(history, query, filter);
    };
    m_storage.cancel(m_reading);  // nobody waits for what was asked before
    m_reading = m_storage.run(this, work, [this, text](const Result<Rows>& rows) {
        if (text != m_searchText.trimmed()) return;  // a newer search follows
        if (std::exchange(m_firstReading, false)) emit emptySentenceChanged();
        if (rows)
            setRows(*rows);
        else if (rows.error().code != ErrorCode::Cancelled)
            m_notices.showError(Notices::Topic::History, rows.error());
    });
}

void ConversationListModel::tellSet() {
    const auto work = [](history::HistoryReader& history) -> Result<protocol::Retain> {
        INGLE_TRY_ASSIGN(const auto conversations, history::conversations(history));
        INGLE_TRY_ASSIGN(const auto documents, history::documentsRead(history));
        protocol::Retain kept;
        for (const history::Conversation& each : conversations)
            kept.conversations.push_back(std::to_string(each.id));
        for (const history::RowId each : documents) kept.documents.push_back(std::to_string(each));
        return kept;
    };
    m_storage.run(this, work, [this](const Result<protocol::Retain>& kept) {
        if (kept) emit setChanged(*kept);
    });
}

void ConversationListModel::setPinned(qint64 conversation, bool isPinned) {
    change([all = affected(conversation), isPinned](history::History& history) {
        return history.atOnce([&]() -> Status {
            for (const history::RowId each : all) INGLE_TRY(history::setPinned(history, each, isPinned));
            return {};
        });
    });
}

QString ConversationListModel::emptySentence() const {
    if (m_firstReading) return {};
    return m_searchText.isEmpty() ? tr("No conversations yet") : tr("Nothing found");
}

bool ConversationListModel::isPinned(qint64 conversation) const {
    const auto row = find(conversation);
    return row != m_rows.end() && row->pinned;
}

double ConversationListModel::neighbour(qint64 conversation, int step) const {
    const auto row = find(conversation);
    auto target = row == m_rows.end() ? -1 : row - m_rows.begin();
    do target += step;
    while (target >= 0 && target < std::ssize(m_rows) &&
           m_rows[static_cast<size_t>(target)].conversation == 0);
    return target >= 0 && target < std::ssize(m_rows)
               ? static_cast<double>(m_rows[static_cast<size_t>(target)].conversation)
               : 0;
}

std::vector<ConversationListModel::Row>::const_iterator ConversationListModel::find(
    qint64 conversation) const {
    return std::find_if(m_rows.begin(), m_rows.end(),
                        [conversation](const Row& row) { return row.conversation == conversation; });
}

int ConversationListModel::rowOf(double conversation) const {
    const auto row = find(static_cast<qint64>(conversation));
    return row == m_rows.end() ? -1 : static_cast<int>(row - m_rows.begin());
}

QString ConversationListModel::titleOf(double conversation) const {
    const auto row = find(static_cast<qint64>(conversation));
    return row == m_rows.end() ? QString() : row->title;
}

void ConversationListModel::rename(qint64 conversation, const QString& title) {
    const QString trimmed = title.simplified();
    if (trimmed.isEmpty()) return;
    change(
        [=, name = trimmed.toStdString()](history::History& history) {
            return history::renameConversation(history, conversation, name);
        },
        [=, this] { emit renamed(conversation, trimmed); });
}

void ConversationListModel::remove(qint64 conversation) {
    const std::vector<history::RowId> all = affected(conversation);
    const QString done = sentence(all, tr("“%1” deleted"), tr("%1 conversations deleted"));
    const auto undo = [this, all] {
        const auto work = [all](history::History& history) {
            return history.atOnce([&]() -> Status {
                for (const history::RowId each : all) INGLE_TRY(history::restoreConversation(history, each));
                return {};
            });
        };
        change(work, [this, all] {
            tellSet();
            emit restored(all.front());
        });
    };
    for (const history::RowId each : all) emit removing(each);
    const auto work = [all](history::History& history) {
        return history.atOnce([&]() -> Status {
            for (const history::RowId each : all) INGLE_TRY(history::trashConversation(history, each));
            return {};
        });
    };
    change(work, [this, all, done, undo] {
        clearSelection();
        for (const history::RowId each : all) emit removed(each);
        tellSet();
        m_notices.showUndo(this, done, undo, Notices::Done::Deletion);
    });
}

void ConversationListModel::change(std::function<Status(history::History&)> work,
                                   std::function<void()> then) {
    m_storage.run(this, std::move(work), [this, then = std::move(then)](const Status& status) {
        if (!status)
            m_notices.showError(Notices::Topic::History, status.error());
        else if (then)
            then();
        refresh();
    });
}

void ConversationListModel::setRows(const Rows& rows) {
    if (rows == m_rows) return;
    // Step by step instead of a reset, so that the view keeps its place and the keyboard its row.
    const auto keyOf = [](const Row& row) { return row.key(); };
    std::set<decltype(Row().key())> wanted, known;
    for (const Row& row : rows) wanted.insert(keyOf(row));
    for (const Row& row : m_rows) known.insert(keyOf(row));
    for (size_t end = m_rows.size(); end > 0;) {
        size_t begin = end;
        while (begin > 0 && !wanted.contains(keyOf(m_rows[begin - 1]))) --begin;
        if (begin == end) {
            --end;
            continue;
        }
        beginRemoveRows({}, static_cast<int>(begin), static_cast<int>(end) - 1);
        m_rows.erase(m_rows.begin() + static_cast<std::ptrdiff_t>(begin),
                     m_rows.begin() + static_cast<std::ptrdiff_t>(end));
        endRemoveRows();
        end = begin;
    }
    for (size_t i = 0; i < rows.size(); ++i) {
        const auto here = static_cast<std::ptrdiff_t>(i);
        if (!known.contains(keyOf(rows[i]))) {
            size_t end = i + 1;
            while (end < rows.size() && !known.contains(keyOf(rows[end]))) ++end;
            beginInsertRows({}, static_cast<int>(i), static_cast<int>(end) - 1);
            m_rows.insert(m_rows.begin() + here, rows.begin() + here,
                          rows.begin() + static_cast<std::ptrdiff_t>(end));
            endInsertRows();
            i = end - 1;
            continue;
        }
        if (keyOf(m_rows[i]) != keyOf(rows[i])) {
            const auto old = std::find_if(m_rows.begin() + here, m_rows.end(),
                                          [&](const Row& row) { return keyOf(row) == keyOf(rows[i]); });
            const auto from = static_cast<int>(old - m_rows.begin());
            beginMoveRows({}, from, from, {}, static_cast<int>(i));
            std::rotate(m_rows.begin() + here, old, old + 1);
            endMoveRows();
        }
        if (m_rows[i] != rows[i]) {
            m_rows[i] = rows[i];
            // Not its kind: the view would make another row, without the keyboard.
            emit dataChanged(index(static_cast<int>(i)), index(static_cast<int>(i)),
                             {TitleRole, SnippetRole, SectionRole, PinnedRole, FolderRole, CountRole,
                              OpenRole, ArchivedRole, SpokenRole});
        }
    }
    emit listChanged();
}

int ConversationListModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_rows.size());
}

QVariant ConversationListModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Row& row = m_rows[static_cast<size_t>(index.row())];
    switch (role) {
        case ConversationIdRole:
            return static_cast<qint64>(row.conversation);
        case TitleRole:
            return row.title;
        case SnippetRole:
            return row.snippet;
        case SectionRole:
            return row.section;
        case PinnedRole:
            return row.pinned;
        case MessageRole:
            return static_cast<qint64>(row.message);
        case KindRole:
            return row.kind == Row::Kind::Folder    ? QStringLiteral("folder")
                   : row.kind == Row::Kind::Archive ? QStringLiteral("archive")
                                                    : QStringLiteral("conversation");
        case FolderRole:
            return static_cast<qint64>(row.folder);
        case CountRole:
            return row.count;
        case OpenRole:
            return row.open;
        case ArchivedRole:
            return row.archived;
        case SelectedRole:
            return row.conversation != 0 &&
                   std::ranges::find(m_selected, row.conversation) != m_selected.end();
        case AnsweringRole:
            return isAnswering(row);
        case SpokenRole: {
            const QString name = row.pinned ? tr("%1, pinned").arg(row.title) : row.title;
            return isAnswering(row) ? tr("%1, an answer is being written").arg(name) : name;
        }
        default:
            return {};
    }
}

QHash<int, QByteArray> ConversationListModel::roleNames() const {
    return {{ConversationIdRole, "conversationId"},
            {TitleRole, "title"},
            {SnippetRole, "snippet"},
            {SectionRole, "section"},
            {PinnedRole, "pinned"},
            {MessageRole, "message"},
            {AnsweringRole, "answering"},
            {KindRole, "kind"},
            {FolderRole, "folder"},
            {CountRole, "count"},
            {OpenRole, "open"},
            {ArchivedRole, "archived"},
            {SelectedRole, "selected"},
            {SpokenRole, "spoken"}};
}

}  // namespace ingle::desktop
