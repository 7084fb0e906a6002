/// What an answer quotes from the documents of its chat, and where that stands. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/shown_chat.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/documents/quotes.h"

namespace ingle::desktop {

class QuoteFinder : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// In the order of the answer; of each "words", "place" (empty: they stand in no document) and "passage",
    /// HTML with the words in bold.
    Q_PROPERTY(QVariantList quotes READ quotes NOTIFY changed)
    /// What is said above them, or in their place.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
  public:
    QuoteFinder(StorageThread& storage, ShownChat& chat, Notices& notices, QObject* parent = nullptr)
        : QObject(parent), m_storage(storage), m_chat(chat), m_notices(notices) {}

    QVariantList quotes() const;
    QString sentence() const;

    bool canFind(history::RowId message) const;
    /// found() follows.
    void find(history::RowId message);

  signals:
    void changed();
    void found();

  private:
    StorageThread& m_storage;
    ShownChat& m_chat;
    Notices& m_notices;
    quint64 m_numAsked = 0;
    std::vector<history::Quote> m_quotes;
};

}  // namespace ingle::desktop
