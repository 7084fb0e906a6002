#include "app/desktop/viewmodels/conversation_list_model.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <chrono>
#include <set>
#include <utility>

#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

using namespace std::chrono_literals;

constexpr auto kSearchDelay = 150ms;
constexpr int kMaxHits = 100;

QString sectionOf(const history::Conversation& conversation, const QDate& today) {
    if (conversation.pinned) return ConversationListModel::tr("Pinned");
    const QDate date = QDateTime::fromMSecsSinceEpoch(conversation.updatedMs).date();
    const qint64 days = date.daysTo(today);
    if (days <= 0) return ConversationListModel::tr("Today");
    if (days == 1) return ConversationListModel::tr("Yesterday");
    if (days <= 7) return ConversationListModel::tr("Last 7 days");
    if (days <= 30) return ConversationListModel::tr("Last 30 days");
    return QLocale().toString(date, date.year() == today.year() ? "MMMM" : "MMMM yyyy");
}

/// The history marks each match with U+0001 … U+0002.
QString highlighted(const std::string& snippet) {
    return toQString(snippet)
        .toHtmlEscaped()
        .replace(QChar(1), QLatin1String("<b>"))
        .replace(QChar(2), QLatin1String("</b>"))
        .replace('\n', ' ');
}

}  // namespace

ConversationListModel::ConversationListModel(StorageThread& storage, const RunningAnswers& answers,
                                             Notices& notices, QObject* parent)
    : QAbstractListModel(parent),
      m_storage(storage),
      m_answers(answers),
      m_notices(notices),
      m_searchDelay(this) {
    m_searchDelay.setSingleShot(true);
    m_searchDelay.setInterval(kSearchDelay);
    connect(&m_searchDelay, &QTimer::timeout, this, &ConversationListModel::refresh);
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
    m_searchText = text;
    emit searchTextChanged();
    emit emptySentenceChanged();
    m_searchDelay.start();
}

Result<ConversationListModel::Rows> ConversationListModel::readAll(history::HistoryReader& history) {
    INGLE_TRY_ASSIGN(const auto conversations, history.conversations());
    const QDate today = QDate::currentDate();
    Rows rows;
    rows.reserve(conversations.size());
    for (const history::Conversation& each : conversations) {
        rows.push_back({.conversation = each.id,
                        .title = toQString(each.title),
                        .snippet = {},
                        .section = sectionOf(each, today),
                        .pinned = each.pinned});
    }
    return rows;
}

Result<ConversationListModel::Rows> ConversationListModel::readHits(history::HistoryReader& history,
                                                                    const std::string& text) {
    INGLE_TRY_ASSIGN(const auto hits, history.search(text, kMaxHits));
    Rows rows;
    for (const history::SearchHit& hit : hits) {
        rows.push_back({.conversation = hit.conversation,
                        .message = hit.message,
                        .title = toQString(hit.title),
                        .snippet = highlighted(hit.snippet),
                        .section = tr("Found")});
    }
    return rows;
}

void ConversationListModel::refresh() {
    // Rows are made where they are read: thousands of dates would hold up the window.
    const QString text = m_searchText.trimmed();
    const auto work = [query = text.toStdString()](history::HistoryReader& history) {
        return query.empty() ? readAll(history) : readHits(history, query);
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
    using Names = std::vector<std::string>;
    const auto work = [](history::HistoryReader& history) -> Result<Names> {
        INGLE_TRY_ASSIGN(const auto conversations, history.conversations());
        Names names;
        for (const history::Conversation& each : conversations) names.push_back(std::to_string(each.id));
        return names;
    };
    m_storage.run(this, work, [this](const Result<Names>& names) {
        if (names) emit setChanged(*names);
    });
}

void ConversationListModel::pin(qint64 conversation) {
    change([=](history::History& history) { return history.setPinned(conversation, true); });
}

void ConversationListModel::unpin(qint64 conversation) {
    change([=](history::History& history) { return history.setPinned(conversation, false); });
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
    const auto target = (row == m_rows.end() ? -1 : row - m_rows.begin()) + step;
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

void ConversationListModel::rename(qint64 conversation, const QString& title) {
    const QString trimmed = title.simplified();
    if (trimmed.isEmpty()) return;
    change([=, name = trimmed.toStdString()](
               history::History& history) { return history.renameConversation(conversation, name); },
           [=, this] { emit renamed(conversation, trimmed); });
}

void ConversationListModel::remove(qint64 conversation) {
    const auto row = find(conversation);
    const QString title = row == m_rows.end() ? QString() : row->title;
    const auto undo = [this, conversation] {
        change([=](history::History& history) { return history.restoreConversation(conversation); },
               [this, conversation] {
                   tellSet();
                   emit restored(conversation);
               });
    };
    emit removing(conversation);
    change([=](history::History& history) { return history.trashConversation(conversation); },
           [this, conversation, title, undo] {
               emit removed(conversation);
               tellSet();
               m_notices.showUndo(tr("“%1” deleted").arg(title), undo, Notices::Done::Deletion);
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
    using Key = std::pair<history::RowId, history::RowId>;
    const auto keyOf = [](const Row& row) { return Key{row.conversation, row.message}; };
    std::set<Key> wanted, known;
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
            emit dataChanged(index(static_cast<int>(i)), index(static_cast<int>(i)));
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
            {SpokenRole, "spoken"}};
}

}  // namespace ingle::desktop
