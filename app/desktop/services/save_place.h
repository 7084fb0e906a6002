/// Where a file goes that the person saves. The desktop's own dialog asks, and where there is none
/// SaveDialog.qml does. GUI thread; folders are looked at on another.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QUrl>

#include "app/desktop/services/desktop_portal.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

class SavePlace : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// The one looked into last; at first that of the person's documents.
    Q_PROPERTY(QUrl folder READ folder WRITE setFolder NOTIFY folderChanged)
    /// Its path, as people write it.
    Q_PROPERTY(QString folderText READ folderText NOTIFY folderChanged)
  public:
    SavePlace(DesktopPortal& portal, StorageThread& storage, QObject* parent = nullptr);

    QUrl folder() const { return m_folder; }
    void setFolder(const QUrl& folder);
    QString folderText() const;

    /// Asks where a file goes, for which `name` is proposed. chosen() follows, or cancelled(), or
    /// unanswered() where the desktop cannot ask.
    Q_INVOKABLE void ask(const QString& title, const QString& name);
    /// Looks at a name in the folder, or at a path. chosen() follows, taken(), refused(), or entered(), when
    /// it is a folder's.
    Q_INVOKABLE void look(const QString& name);
    Q_INVOKABLE void goUp();
    Q_INVOKABLE QString nameOf(const QUrl& file) const { return file.fileName(); }

  signals:
    void folderChanged();
    /// `replace`: the person was asked whether the file that is there is to be replaced, and said yes.
    void chosen(const QUrl& file, bool replace);
    void cancelled();
    void unanswered();
    /// There is such a file.
    void taken(const QUrl& file);
    void refused(const QString& sentence);
    /// That is the folder now.
    void entered();

  private:
    struct Finding;

    void tell(const Finding& finding);

    StorageThread& m_storage;
    DesktopPortal& m_portal;
    QUrl m_folder;
};

}  // namespace ingle::desktop
