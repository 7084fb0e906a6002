/// The backups of the history: each was opened and read through before it is called good. Read when somebody
/// looks. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QAbstractListModel>

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/store/copies.h"

namespace ingle::desktop {

class BackupList : public QAbstractListModel {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(int count READ rowCount NOTIFY listChanged)
    /// How many there are, and when one comes by itself.
    Q_PROPERTY(QString sentence READ sentence NOTIFY listChanged)
    /// One is being made or taken back.
    Q_PROPERTY(bool busy READ busy NOTIFY busyChanged)
  public:
    enum Role {
        TitleRole = Qt::UserRole,  ///< when it was made
        DetailRole,                ///< its size, and whether it can be restored
        GoodRole,
    };

    BackupList(StorageThread& storage, RunningAnswers& answers, Notices& notices, QObject* parent = nullptr);

    QString sentence() const;
    bool busy() const { return m_busy; }
    Q_INVOKABLE void refresh();
    Q_INVOKABLE void backUp();
    /// Ends the answers that are being written first; restored() follows.
    Q_INVOKABLE void restore(int row);

    int rowCount(const QModelIndex& parent = {}) const override;
    QVariant data(const QModelIndex& index, int role) const override;
    QHash<int, QByteArray> roleNames() const override;

  signals:
    void listChanged();
    void busyChanged();
    /// Whatever is shown is to be left now.
    void restoring();
    void restored();

  private:
    /// What reading it through said; none: not yet.
    using Verdict = std::optional<Status>;

    void show(std::vector<history::Backup> backups);
    void checkNext();
    void setBusy(bool busy);
    void restoreWanted();

    StorageThread& m_storage;
    RunningAnswers& m_answers;
    Notices& m_notices;
    std::vector<history::Backup> m_backups;
    std::map<std::string, Verdict> m_verdicts;  ///< by path: a backup is never changed
    bool m_checking = false;
    bool m_busy = false;
    std::optional<history::Backup> m_wanted;  ///< to be restored, once no answer is being written
};

}  // namespace ingle::desktop
