/// What of the model's context is taken by what is being written, before it is sent.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QTimer>

#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/picture_courier.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/turns.h"

namespace ingle::desktop {

/// As the next question of a chat, with all that goes to the model before it. GUI thread.
class DraftMeasure : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// What to say about it; empty: it fits, as far as is known.
    Q_PROPERTY(QString problem READ problem NOTIFY problemChanged)
    /// How many tokens it has and how many are left; empty: it is short, or not counted yet.
    Q_PROPERTY(QString figures READ figures NOTIFY problemChanged)
  public:
    DraftMeasure(StorageThread& storage, EngineClient& engine, const ChatController& chat,
                 const ModelInUse& models, const Settings& settings, QObject* parent = nullptr);

    QString problem() const { return m_problem; }
    QString figures() const { return m_figures; }
    /// It is counted once it has not changed for a moment. `edited`: the message of which it is another
    /// wording; 0: it is a new one.
    void look(std::vector<Part> parts, history::RowId edited = 0);
    /// Something else stands before it now.
    void lookAgain();

  signals:
    void problemChanged();

  private:
    void readChat();
    void count(const history::Turn& turn);
    void show(const Result<PromptPreview>& preview);
    void say(const QString& problem, const QString& figures);

    StorageThread& m_storage;
    EngineClient& m_engine;
    PictureCourier m_courier;
    const ChatController& m_chat;
    const ModelInUse& m_models;
    QTimer m_pause;
    std::vector<Part> m_parts;
    history::RowId m_edited = 0;
    QString m_problem;
    QString m_figures;
    quint64 m_numLooks = 0;
    protocol::RequestId m_asked = 0;
};

}  // namespace ingle::desktop
