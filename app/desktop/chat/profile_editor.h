/// What is set for a conversation, a folder or the model in use, over what holds without that.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>
#include <QVariantList>

#include <functional>
#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/chats/profile.h"

namespace ingle::desktop {

/// One layer at a time. GUI thread.
class ProfileEditor : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString title READ title NOTIFY opened)
    /// Of each "key", "name", "kind" ("text", "code", "number" or "choice"), "pattern" of a number, "choices"
    /// of a choice (each "value" and "name"), what an empty text is called where it may be set ("none"), what
    /// holds without this layer ("usual") and whose value that is ("origin").
    Q_PROPERTY(QVariantList fields READ fields NOTIFY opened)
    /// Changes with every value.
    Q_PROPERTY(int revision READ revision NOTIFY valuesChanged)
    /// Why answers cannot have the form that is set; empty: they can, as far as is known.
    Q_PROPERTY(QString problem READ problem NOTIFY problemChanged)
    /// What a short chat looks like to the model with the template that is set; empty: none is set here.
    Q_PROPERTY(QString sample READ sample NOTIFY problemChanged)
    /// The model's own chat template, to begin with; empty: it has none, or none is loaded.
    Q_PROPERTY(QString ownTemplate READ ownTemplate NOTIFY opened)
  public:
    ProfileEditor(StorageThread& storage, EngineClient& engine, ChatController& chat, ModelInUse& models,
                  const Settings& settings, Notices& notices, QObject* parent = nullptr);
    ~ProfileEditor() override;

    QString title() const { return m_title; }
    QVariantList fields() const;
    int revision() const { return m_revision; }
    QString problem() const { return m_problem; }
    QString sample() const { return m_sample; }
    QString ownTemplate() const { return m_models.chatTemplate(); }

    // opened() follows.
    Q_INVOKABLE void editConversation();
    Q_INVOKABLE void editFolder(qint64 folder, const QString& name);
    Q_INVOKABLE void editModel();

    /// As a person writes it, or a choice's value; empty: not set, or a text set to nothing.
    Q_INVOKABLE QString value(const QString& key) const;
    Q_INVOKABLE bool isSet(const QString& key) const;
    /// Empty: it is not set any more.
    Q_INVOKABLE void setValue(const QString& key, const QString& value);
    /// Sets a text to nothing, in place of one that holds without this layer.
    Q_INVOKABLE void setNone(const QString& key);
    Q_INVOKABLE void unset(const QString& key);
    /// Nothing is changed any more. (What was, is stored a moment after each change.)
    Q_INVOKABLE void close();

  signals:
    void opened();
    void valuesChanged();
    void problemChanged();
    void stored();

  private:
    struct Layer {
        QString origin;
        history::Profile profile;
    };
    using Store = std::function<void(const history::Profile&)>;

    std::vector<Layer> settingsAndModel() const;
    void open(const QString& title, std::vector<Layer> below, history::Profile profile, Store store);
    void storeBy(std::function<Status(history::History&)> work);
    void store();
    void check();
    void changed();
    void show(const QString& problem, const QString& sample);

    StorageThread& m_storage;
    EngineClient& m_engine;
    ChatController& m_chat;
    ModelInUse& m_models;
    const Settings& m_settings;
    Notices& m_notices;
    QTimer m_pause;  ///< until what is being written is stored and checked
    QString m_title;
    std::vector<Layer> m_below;  ///< the lowest first; that sets everything
    history::Profile m_profile;
    Store m_store;
    QString m_problem;
    QString m_sample;
    protocol::RequestId m_asked = 0;
    int m_revision = 0;
};

}  // namespace ingle::desktop
