#include "app/desktop/data/backup_list.h"

#include <QDateTime>
#include <QLocale>

#include <algorithm>
#include <utility>

#include "app/desktop/services/error_sentences.h"
#include "app/desktop/services/size_text.h"
#include "app/desktop/services/text.h"

namespace ingle::desktop {
namespace {

using history::Backup;

QString whenText(const Backup& backup) {
    return QLocale().toString(QDateTime::fromMSecsSinceEpoch(backup.madeMs), QLocale::ShortFormat);
}

}  // namespace

BackupList::BackupList(StorageThread& storage, RunningAnswers& answers, Notices& notices, QObject* parent)
    : QAbstractListModel(parent), m_storage(storage), m_answers(answers), m_notices(notices) {
    connect(&answers, &RunningAnswers::stateChanged, this, &BackupList::restoreWanted);
}

QString BackupList::sentence() const {
    const QString rule = tr("Inglenook makes one a day and keeps the last %1.").arg(history::kKeptBackups);
    return m_backups.empty() ? tr("There is none yet. %1").arg(rule) : rule;
}

void BackupList::refresh() {
    m_storage.listBackups(this, [this](const Result<std::vector<Backup>>& backups) {
        if (backups)
            show(*backups);
        else
            m_notices.showError(Notices::Topic::History, backups.error());
    });
}

void BackupList::show(std::vector<Backup> backups) {
    beginResetModel();
    m_backups = std::move(backups);
    endResetModel();
    emit listChanged();
    checkNext();
}

/// One after the other, behind those that are being made.
void BackupList::checkNext() {
    if (m_checking) return;
    const auto next =
        std::ranges::find_if(m_backups, [this](const Backup& each) { return !m_verdicts[each.path]; });
    if (next == m_backups.end()) return;
    m_checking = true;
    m_storage.runBehindBackups(
        this, [path = next->path] { return history::checkBackup(path); },
        [this, path = next->path](const Status& checked) {
            m_checking = false;
            m_verdicts[path] = checked;
            if (!m_backups.empty()) emit dataChanged(index(0), index(rowCount() - 1));
            checkNext();
        });
}

void BackupList::setBusy(bool busy) {
    if (std::exchange(m_busy, busy) != busy) emit busyChanged();
}

void BackupList::backUp() {
    if (m_busy) return;
    setBusy(true);
    m_storage.backUp(this, [this](const Result<Backup>& made) {
        setBusy(false);
        if (!made) return m_notices.showError(Notices::Topic::Files, made.error());
        m_verdicts[made->path] = Status();  // it was read through before it got its name
        m_notices.showToast(tr("Backup made: %1").arg(sizeText(made->bytes)));
        refresh();
    });
}

void BackupList::restore(int row) {
    if (m_busy || row < 0 || row >= rowCount()) return;
    setBusy(true);
    m_wanted = m_backups[static_cast<size_t>(row)];
    emit restoring();
    m_answers.stopAll();
    restoreWanted();
}

void BackupList::restoreWanted() {
    if (!m_wanted || !m_answers.none()) return;
    const Backup backup = *std::exchange(m_wanted, std::nullopt);
    m_storage.restore(this, backup.path, [this, backup](const Result<std::string>& aside) {
        setBusy(false);
        if (!aside) {
            m_verdicts.erase(backup.path);
            m_notices.showError(Notices::Topic::History, aside.error());
        } else {
            m_notices.showBanner(
                {.topic = Notices::Topic::History,
                 .sentence = tr("The conversations are as they were on %1. Those of before are kept as %2.")
                                 .arg(whenText(backup), toQString(*aside))});
        }
        emit restored();
        refresh();
    });
}

int BackupList::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : static_cast<int>(m_backups.size());
}

QVariant BackupList::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const Backup& backup = m_backups[static_cast<size_t>(index.row())];
    const auto found = m_verdicts.find(backup.path);
    const Verdict verdict = found == m_verdicts.end() ? std::nullopt : found->second;
    switch (role) {
        case TitleRole:
            return whenText(backup);
        case DetailRole: {
            const QString state = !verdict   ? tr("being checked…")
                                  : *verdict ? tr("whole: it can be restored")
                                             : errorSentence(verdict->error());
            return tr("%1 · %2").arg(sizeText(backup.bytes), state);
        }
        case GoodRole:
            return verdict.has_value() && verdict->has_value();
        default:
            return {};
    }
}

QHash<int, QByteArray> BackupList::roleNames() const {
    return {{TitleRole, "title"}, {DetailRole, "detail"}, {GoodRole, "good"}};
}

}  // namespace ingle::desktop
