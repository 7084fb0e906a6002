/// What is done to several conversations of the sidebar at once: selecting, archiving, moving into folders.
#include <QDateTime>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/desktop/services/text.h"
#include "app/desktop/sidebar/conversation_list_model.h"
#include "app/history/chats/conversations.h"
#include "app/history/chats/folders.h"

namespace ingle::desktop {

using history::RowId;

std::vector<RowId> ConversationListModel::affected(qint64 conversation) const {
    return std::ranges::find(m_selected, conversation) != m_selected.end() ? m_selected
                                                                           : std::vector<RowId>{conversation};
}

double ConversationListModel::firstSelected() const {
    return m_selected.empty() ? 0 : static_cast<double>(m_selected.front());
}

void ConversationListModel::tellSelection() {
    if (!m_rows.empty()) emit dataChanged(index(0), index(rowCount() - 1), {SelectedRole});
    emit selectionChanged();
}

void ConversationListModel::toggleSelected(qint64 conversation) {
    if (std::erase(m_selected, conversation) == 0) m_selected.push_back(conversation);
    tellSelection();
}

void ConversationListModel::selectTo(qint64 conversation, qint64 shown) {
    int from = rowOf(static_cast<double>(m_selected.empty() ? shown : m_selected.back()));
    const int to = rowOf(static_cast<double>(conversation));
    if (to < 0) return;
    if (from < 0) from = to;
    for (int row = from;; row += from < to ? 1 : -1) {
        const RowId each = m_rows[static_cast<size_t>(row)].conversation;
        if (each != 0 && std::ranges::find(m_selected, each) == m_selected.end()) m_selected.push_back(each);
        if (row == to) break;
    }
    tellSelection();
}

void ConversationListModel::clearSelection() {
    if (m_selected.empty()) return;
    m_selected.clear();
    tellSelection();
}

QString ConversationListModel::sentence(const std::vector<RowId>& conversations, const QString& one,
                                        const QString& several) const {
    if (conversations.size() > 1) return several.arg(conversations.size());
    const auto row = find(conversations.front());
    return one.arg(row == m_rows.end() ? QString() : row->title);
}

bool ConversationListModel::isArchived(qint64 conversation) const {
    const auto row = find(conversation);
    return row != m_rows.end() && row->archived;
}

void ConversationListModel::archive(qint64 conversation) {
    const std::vector<RowId> all = affected(conversation);
    const QString done = sentence(all, tr("“%1” archived"), tr("%1 conversations archived"));
    const auto set = [all](int64_t archivedMs) {
        return [all, archivedMs](history::History& history) {
            return history::setArchived(history, all, archivedMs);
        };
    };
    change(set(QDateTime::currentMSecsSinceEpoch()), [this, done, set] {
        clearSelection();
        m_notices.showUndo(this, done, [this, set] { change(set(0)); });
    });
}

void ConversationListModel::unarchive(qint64 conversation) {
    const auto work = [all = affected(conversation)](history::History& history) {
        return history::setArchived(history, all, 0);
    };
    change(work, [this] { clearSelection(); });
}

void ConversationListModel::moveTo(qint64 conversation, qint64 folder) {
    const auto work = [all = affected(conversation), folder](history::History& history) {
        return history::moveToFolder(history, all, folder);
    };
    change(work, [this] {
        clearSelection();
        emit foldersChanged();
    });
}

void ConversationListModel::moveToNewFolder(qint64 conversation, const QString& name) {
    const auto made = std::make_shared<RowId>(0);
    const auto work = [all = affected(conversation), name = name.toStdString(),
                       made](history::History& history) -> Status {
        return history.atOnce([&]() -> Status {
            INGLE_TRY_ASSIGN(*made, history::createFolder(history, name));
            return history::moveToFolder(history, all, *made);
        });
    };
    change(work, [this, made] {
        clearSelection();
        emit foldersChanged();
        emit folderMade(static_cast<double>(*made));
    });
}

void ConversationListModel::renameFolder(qint64 folder, const QString& name) {
    const QString trimmed = name.simplified();
    if (trimmed.isEmpty()) return;
    const auto work = [folder, trimmed = trimmed.toStdString()](history::History& history) {
        return history::renameFolder(history, folder, trimmed);
    };
    change(work, [this] { emit foldersChanged(); });
}

void ConversationListModel::removeFolder(qint64 folder) {
    const auto removed = std::make_shared<history::RemovedFolder>();
    const auto work = [folder, removed](history::History& history) -> Status {
        INGLE_TRY_ASSIGN(*removed, history::removeFolder(history, folder));
        return {};
    };
    const auto undo = [this, removed] {
        change([removed](history::History& history) { return history::restoreFolder(history, *removed); },
               [this] { emit foldersChanged(); });
    };
    change(work, [this, removed, undo] {
        emit foldersChanged();
        m_notices.showUndo(
            this, tr("Folder “%1” deleted; its conversations are kept").arg(toQString(removed->folder.name)),
            undo, Notices::Done::Deletion);
    });
}

void ConversationListModel::setOpen(qint64 folder, bool open) {
    change([folder, open](history::History& history) { return desktop::setOpen(history, folder, open); });
}

void ConversationListModel::continueInNew(qint64 message) {
    const auto copied = std::make_shared<RowId>(0);
    const auto work = [message, copied](history::History& history) -> Status {
        INGLE_TRY_ASSIGN(*copied, history::copyBranch(history, message));
        return {};
    };
    change(work, [this, copied] {
        tellSet();
        emit made(*copied);
    });
}

}  // namespace ingle::desktop
