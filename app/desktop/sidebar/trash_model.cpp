#include "app/desktop/sidebar/trash_model.h"

#include <QDateTime>

#include <algorithm>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/history/trash/trash.h"

namespace ingle::desktop {

using history::TrashEntry;

TrashModel::TrashModel(StorageThread& storage, Notices& notices, QObject* parent)
    : QAbstractListModel(parent), m_storage(storage), m_notices(notices) {}

QString TrashModel::sentence() const {
    return m_entries.empty() ? tr("The trash is empty.") : tr("Gone for good after %1 days.").arg(kTrashDays);
}

void TrashModel::refresh() {
    const auto work = [](history::HistoryReader& history) { return history::trash(history); };
    m_storage.run(this, work, [this](const Result<std::vector<TrashEntry>>& entries) {
        if (entries)
            show(*entries);
        else
            m_notices.showError(Notices::Topic::History, entries.error());
    });
}

void TrashModel::show(std::vector<TrashEntry> entries) {
    beginResetModel();
    m_entries = std::move(entries);
    endResetModel();
    emit listChanged();
}

void TrashModel::restore(int row) {
    if (row < 0 || row >= rowCount()) return;
    const TrashEntry entry = m_entries[static_cast<size_t>(row)];
    const auto work = [entry](history::History& history) -> Status {
        if (entry.message == 0) return history::restoreConversation(history, entry.conversation);
        INGLE_TRY(history::restoreMessage(history, entry.message));
        return {};
    };
    m_storage.run(this, work, [this, entry](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        refresh();
        emit restored(entry.conversation);
    });
}

void TrashModel::empty() {
    const auto work = [](history::History& history) { return history::emptyTrash(history); };
    m_storage.run(this, work, [this](const Status& status) {
        if (!status) return m_notices.showError(Notices::Topic::History, status.error());
        // What could be undone is among what is gone.
        m_notices.forgetDeletions();
        refresh();
        emit emptied();
    });
}

int TrashModel::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_entries.size());
}

QVariant TrashModel::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const TrashEntry& entry = m_entries[static_cast<size_t>(index.row())];
    if (role == TitleRole) return toQString(entry.title);
    if (role != DetailRole) return {};
    const QDate gone = QDateTime::fromMSecsSinceEpoch(entry.trashedMs).date().addDays(kTrashDays);
    const int days = std::max(0, static_cast<int>(QDate::currentDate().daysTo(gone)));
    const QString left = days == 1 ? tr("one day left") : tr("%1 days left").arg(days);
    return entry.message == 0 ? left
                              : tr("From “%1” on · %2").arg(toQString(entry.excerpt).simplified(), left);
}

QHash<int, QByteArray> TrashModel::roleNames() const {
    return {{TitleRole, "title"}, {DetailRole, "detail"}};
}

}  // namespace ingle::desktop
