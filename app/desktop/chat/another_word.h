/// Other words for a place of an answer: what else was likely there, and a version of the answer that goes on
/// with one of them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QObject>
#include <QString>
#include <QVariantList>

#include <optional>
#include <string>
#include <vector>

#include "app/desktop/chat/chat_controller.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/picture_courier.h"
#include "app/desktop/services/storage_thread.h"

namespace ingle::desktop {

/// One place at a time; nothing is stored until a word is chosen. GUI thread.
class AnotherWord : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// The likeliest first; of each "word", "percent", "stands" (it is the answer's own) and "mayChoose".
    Q_PROPERTY(QVariantList words READ words NOTIFY changed)
    /// What is said in place of words.
    Q_PROPERTY(QString sentence READ sentence NOTIFY changed)
    /// Nothing is being written in the conversation.
    Q_PROPERTY(bool mayLook READ mayLook NOTIFY mayLookChanged)
  public:
    AnotherWord(StorageThread& storage, EngineClient& engine, ChatController& chat, ModelInUse& models,
                Notices& notices)
        : m_storage(storage),
          m_engine(engine),
          m_courier(storage, engine),
          m_chat(chat),
          m_models(models),
          m_notices(notices) {
        connect(&chat, &ChatController::generationChanged, this, &AnotherWord::mayLookChanged);
    }

    QVariantList words() const;
    QString sentence() const { return m_sentence; }

    /// The row shows words of an answer.
    Q_INVOKABLE bool isAnswer(int row) const;
    bool mayLook() const { return m_chat.mayAnswer(); }
    /// What else might stand where the word begins that is at `offset` (UTF-16) of the row's text.
    Q_INVOKABLE void look(int row, int offset);
    /// A version of the answer goes on with the word of that index.
    Q_INVOKABLE void choose(int index);
    /// Nobody looks any more.
    Q_INVOKABLE void leave();

  signals:
    void changed();
    void mayLookChanged();

  private:
    /// A word that was pointed at.
    struct Place {
        history::RowId message = 0;
        size_t byte = 0;  ///< of the answer's text
    };
    std::optional<Place> placeOf(int row, int offset) const;
    void say(const QString& sentence);
    void refuse(const Error& error);
    void score(const ScoreRequest& request, void (AnotherWord::*then)(const Scores&));
    void onFound(const Scores& scores);
    void onBegun(const Scores& scores);

    StorageThread& m_storage;
    EngineClient& m_engine;
    PictureCourier m_courier;
    ChatController& m_chat;
    ModelInUse& m_models;
    Notices& m_notices;
    quint64 m_numAsked = 0;
    protocol::RequestId m_request = 0;
    history::RowId m_message = 0;
    std::string m_text;       ///< of the answer
    ScoreRequest m_question;  ///< its ids end with the token that was chosen, once one is
    TokenId m_stored = 0;
    std::vector<ScoredToken> m_tokens;
    QString m_sentence;
};

}  // namespace ingle::desktop
