/// What narrows a search in all conversations.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QVariantList>

#include "app/desktop/services/storage_thread.h"
#include "app/history/search/search.h"

namespace ingle::desktop {

/// Nothing is narrowed until the person chooses, nor after the search has ended. GUI thread.
class SearchFilters : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the list of conversations")
    /// "user", "assistant"; empty: whoever said it.
    Q_PROPERTY(QString role MEMBER m_role NOTIFY changed)
    /// So many days ago at most; 0: whenever.
    Q_PROPERTY(int days MEMBER m_days NOTIFY changed)
    /// 0: wherever.
    Q_PROPERTY(double folder MEMBER m_folder NOTIFY changed)
    /// Only its answers; empty: of all models, and questions.
    Q_PROPERTY(QString model MEMBER m_model NOTIFY changed)
    /// That answered in some conversation: of each "id" and "name".
    Q_PROPERTY(QVariantList models READ models NOTIFY modelsChanged)
  public:
    explicit SearchFilters(StorageThread& storage, QObject* parent = nullptr);

    history::SearchFilter filter() const;
    const QVariantList& models() const { return m_models; }
    /// Looks which models there are.
    void refresh();
    void clear();

  signals:
    void changed();
    void modelsChanged();

  private:
    StorageThread& m_storage;
    QString m_role;
    int m_days = 0;
    double m_folder = 0;
    QString m_model;
    QVariantList m_models;
};

}  // namespace ingle::desktop
