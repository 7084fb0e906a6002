/// Texts that the person writes often, with fields in {braces} that are asked for. GUI thread.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QStringList>
#include <QVariantList>
#include <QVariantMap>

#include <vector>

#include "app/desktop/services/notices.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

class Prompts : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// By name; of each "name" and "text".
    Q_PROPERTY(QVariantList all READ all NOTIFY changed)
    /// What the person is writing; kept here so that it outlasts the page.
    Q_PROPERTY(QVariantMap draft MEMBER m_draft NOTIFY draftChanged)
  public:
    Prompts(StorageThread& storage, Notices& notices, QObject* parent = nullptr);

    QVariantList all() const;
    /// Those whose names hold what is typed behind the "/".
    Q_INVOKABLE QVariantList find(const QString& typed) const;
    /// The names between braces, each once, in their order.
    Q_INVOKABLE static QStringList fieldsOf(const QString& text);
    /// `values`: of fieldsOf(), in their order.
    Q_INVOKABLE static QString filled(const QString& text, const QStringList& values);

    /// In the place of the one called `before`, if there is one. False: without a name and a text there is
    /// nothing to keep.
    Q_INVOKABLE bool store(const QString& before, const QString& name, const QString& text);
    /// Reads them again.
    void load();
    /// Can be undone.
    Q_INVOKABLE void remove(const QString& name);

  signals:
    void changed();
    void draftChanged();

  private:
    struct Prompt {
        QString name;
        QString text;
    };

    void setAll(std::vector<Prompt> prompts);
    void save();

    StorageThread& m_storage;
    Notices& m_notices;
    /// Those to begin with, until the person keeps others.
    static std::vector<Prompt> starters();

    std::vector<Prompt> m_prompts;
    QVariantMap m_draft;
    bool m_read = false;  ///< until then nothing is written over those that are stored
};

}  // namespace ingle::desktop
