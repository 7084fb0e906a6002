#include "app/desktop/sidebar/conversation_rows.h"

#include <QDateTime>
#include <QLocale>
#include <QStringList>

#include <map>

#include "app/desktop/services/text.h"
#include "app/desktop/sidebar/conversation_list_model.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"
#include "app/history/search/search.h"
#include "app/history/store/settings.h"

namespace ingle::desktop {
namespace {

constexpr int kMaxHits = 100;
const char* const kClosedFolders = "closedFolders";  // ids
const char* const kOpenArchive = "openArchive";

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

Result<QStringList> closedFolders(history::HistoryReader& history) {
    INGLE_TRY_ASSIGN(const auto stored, history::setting(history, kClosedFolders));
    return stored ? toQString(*stored).split(',', Qt::SkipEmptyParts) : QStringList();
}

ConversationRow rowOf(const history::Conversation& conversation, const QString& section) {
    ConversationRow row;
    row.conversation = conversation.id;
    row.folder = conversation.folder;
    row.title = toQString(conversation.title);
    row.section = section;
    row.pinned = conversation.pinned;
    row.archived = conversation.archivedMs != 0;
    return row;
}

/// A row for several, and below it those, if it is open.
void addGroup(ConversationRow head, const ConversationRows& members, ConversationRows& rows) {
    head.count = static_cast<int>(members.size());
    const QString section = head.section;
    const bool open = head.open;
    rows.push_back(std::move(head));
    if (!open) return;
    for (ConversationRow member : members) {
        member.section = section;
        rows.push_back(std::move(member));
    }
}

}  // namespace

Result<ConversationRows> rowsOfAll(history::HistoryReader& history) {
    INGLE_TRY_ASSIGN(const auto conversations, history::conversations(history));
    INGLE_TRY_ASSIGN(const auto folders, history::folders(history));
    INGLE_TRY_ASSIGN(const auto closed, closedFolders(history));
    INGLE_TRY_ASSIGN(const auto openArchive, history::setting(history, kOpenArchive));
    const QDate today = QDate::currentDate();
    ConversationRows pinned, dated, archived;
    std::map<history::RowId, ConversationRows> inFolder;
    for (const history::Conversation& each : conversations) {
        ConversationRow row = rowOf(each, sectionOf(each, today));
        ConversationRows& place = row.archived       ? archived
                                  : each.folder != 0 ? inFolder[each.folder]
                                  : each.pinned      ? pinned
                                                     : dated;
        place.push_back(std::move(row));
    }
    ConversationRows rows = std::move(pinned);
    for (const history::Folder& each : folders) {
        ConversationRow head;
        head.kind = ConversationRow::Kind::Folder;
        head.folder = each.id;
        head.title = toQString(each.name);
        head.section = ConversationListModel::tr("Folders");
        head.open = !closed.contains(QString::number(each.id));
        addGroup(std::move(head), inFolder[each.id], rows);
    }
    rows.insert(rows.end(), dated.begin(), dated.end());
    if (!archived.empty()) {
        ConversationRow head;
        head.kind = ConversationRow::Kind::Archive;
        head.title = ConversationListModel::tr("Archive");
        head.section = QStringLiteral(" ");  // its own, without words
        head.open = openArchive.has_value() && *openArchive == "1";
        addGroup(std::move(head), archived, rows);
    }
    return rows;
}

Result<ConversationRows> rowsOfHits(history::HistoryReader& history, const std::string& text,
                                    const history::SearchFilter& filter) {
    INGLE_TRY_ASSIGN(const auto hits, history::search(history, text, kMaxHits, filter));
    ConversationRows rows;
    for (const history::SearchHit& hit : hits) {
        ConversationRow row;
        row.conversation = hit.conversation;
        row.message = hit.message;
        row.title = toQString(hit.title);
        row.snippet = highlighted(hit.snippet);
        row.section = ConversationListModel::tr("Found");
        rows.push_back(std::move(row));
    }
    return rows;
}

Status setOpen(history::History& history, history::RowId folder, bool open) {
    if (folder == 0) return history::setSetting(history, kOpenArchive, open ? "1" : "0");
    INGLE_TRY_ASSIGN(QStringList closed, closedFolders(history));
    closed.removeAll(QString::number(folder));
    if (!open) closed << QString::number(folder);
    return history::setSetting(history, kClosedFolders, closed.join(',').toStdString());
}

}  // namespace ingle::desktop
