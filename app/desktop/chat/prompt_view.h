/// What the model would see now: every message and document with its tokens, what is dropped, and the prompt
/// itself.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <map>
#include <string>

#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/picture_courier.h"
#include "app/desktop/services/storage_thread.h"
#include "app/desktop/services/text.h"
#include "app/history/turns.h"

namespace ingle::desktop {

/// Of one chat. GUI thread.
class PromptView : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// How much of the context it takes, or why that is not known.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    /// In the order of the prompt; of each "name" (who says it, or a document's title), "excerpt", "figures",
    /// "dropped", "pinned" and "message" (0: it cannot be pinned). Of a picture also "picture", its hash, and
    /// "tiles", the parts that the model sees: rectangles in a square of length 1.
    Q_PROPERTY(QVariantList rows READ rows NOTIFY changed)
    /// What the model is given, exactly, cut into pieces that are quickly shown; empty: not known.
    Q_PROPERTY(QStringList pieces READ pieces NOTIFY changed)
    /// How full the context would be, 0 to 1; 0: not known, or without end.
    Q_PROPERTY(double share READ share NOTIFY changed)
  public:
    PromptView(StorageThread& storage, EngineClient& engine, ChatController& chat, ModelInUse& models,
               Notices& notices, QObject* parent = nullptr);

    QString sentence() const { return m_sentence; }
    QVariantList rows() const;
    QStringList pieces() const;
    Q_INVOKABLE QString text() const { return toQString(m_preview.text); }
    double share() const;

    /// Looks at the conversation as it is now, with what is being written as the next question; opened()
    /// follows.
    void open();
    Q_INVOKABLE void setPinned(double message, bool pinned);

  signals:
    void changed();
    void opened();

  private:
    void look(bool opens);
    void addPicture(QVariantMap& row, const std::string& hash) const;
    /// Asks how the model sees the pictures of the prompt.
    void lookAtPictures();
    void show(history::Prompt prompt, const Result<PromptPreview>& preview);

    StorageThread& m_storage;
    EngineClient& m_engine;
    PictureCourier m_courier;
    ChatController& m_chat;
    ModelInUse& m_models;
    Notices& m_notices;
    quint64 m_numLooks = 0;
    protocol::RequestId m_asked = 0;
    QString m_sentence;
    history::Prompt m_prompt;
    PromptPreview m_preview;
    std::map<std::string, PictureFacts> m_pictures;  ///< as the model in use sees them
};

}  // namespace ingle::desktop
