/// Writes a text, or bytes, into a file that the person chose. GUI thread; the file is another thread's.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QUrl>

#include <string>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

class TextSaver : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
  public:
    TextSaver(StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    /// As a whole or not at all; says which. A file of that name stays as it is unless it is to be replaced.
    void saveBytes(std::string bytes, const QUrl& file, bool replace);
    Q_INVOKABLE void save(const QString& text, const QUrl& file, bool replace);
    /// A name for code of that language (content::Block::label): "code.py".
    Q_INVOKABLE QString codeName(const QString& label) const;

  private:
    StorageThread& m_storage;
    Notices& m_notices;
};

}  // namespace ingle::desktop
