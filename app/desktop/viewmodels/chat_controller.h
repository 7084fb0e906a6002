/// The conversation shown and the answer being written: from a sent message to its last painted word.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QElapsedTimer>
#include <QObject>

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/desktop/answer_writer.h"
#include "app/desktop/engine_client.h"
#include "app/desktop/storage_thread.h"
#include "app/desktop/viewmodels/draft_keeper.h"
#include "app/desktop/viewmodels/message_list_model.h"
#include "app/desktop/viewmodels/model_list_model.h"
#include "app/desktop/viewmodels/notices.h"
#include "app/desktop/viewmodels/settings.h"
#include "ingle/answer_text.h"

namespace ingle::desktop {

class ChatController : public QObject {
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    /// 0: a new conversation, which exists once its first message is sent. (A double holds every id that will
    /// ever be given, and unlike qint64 it is a type QML's tools know.)
    Q_PROPERTY(double conversationId READ conversationId NOTIFY conversationChanged)
    Q_PROPERTY(QString title READ title NOTIFY titleChanged)
    Q_PROPERTY(ingle::desktop::MessageListModel* messages READ messages CONSTANT)
    /// Unsent text of this conversation.
    Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
    Q_PROPERTY(Generation generation READ generation NOTIFY generationChanged)
    /// The history cannot be written; what arrives waits.
    Q_PROPERTY(bool stalled READ stalled NOTIFY generationChanged)
    /// The answer being written belongs to the conversation shown.
    Q_PROPERTY(bool writingHere READ writingHere NOTIFY generationChanged)
    Q_PROPERTY(double promptFraction READ promptFraction NOTIFY progressChanged)
    Q_PROPERTY(int contextUsed READ contextUsed NOTIFY progressChanged)
    Q_PROPERTY(int contextSize READ contextSize NOTIFY progressChanged)
    /// Why the prompt of the last question has another form than the model's template, or empty.
    Q_PROPERTY(QString promptNote READ promptNote NOTIFY progressChanged)
    Q_PROPERTY(double tokensPerSecond READ tokensPerSecond NOTIFY progressChanged)
    Q_PROPERTY(bool readOnly READ readOnly NOTIFY readOnlyChanged)
  public:
    enum Generation {
        Idle,
        Starting,  ///< the message is being made durable
        Reading,   ///< the model reads the prompt
        Streaming,
        Stopping,  ///< until both the engine and the history are done with the answer
    };
    Q_ENUM(Generation)

    ChatController(StorageThread& storage, EngineClient& engine, ModelListModel& models, Settings& settings,
                   Notices& notices, QObject* parent = nullptr);

    double conversationId() const { return static_cast<double>(m_conversation); }
    QString title() const { return m_title; }
    MessageListModel* messages() { return &m_messages; }
    QString draft() const { return m_drafts.text(); }
    void setDraft(const QString& text) { m_drafts.edit(text); }
    Generation generation() const { return m_generation; }
    bool stalled() const { return m_stalled; }
    bool writingHere() const { return m_writing && m_writing->conversation == m_conversation; }
    double promptFraction() const { return m_promptFraction; }
    int contextUsed() const { return m_contextUsed; }
    int contextSize() const { return m_contextSize; }
    QString promptNote() const { return m_promptNote; }
    double tokensPerSecond() const { return m_tokensPerSecond; }
    bool readOnly() const { return m_readOnly; }

    /// Shows the conversation that was open last.
    void start();

    Q_INVOKABLE void newConversation();
    Q_INVOKABLE void open(qint64 conversation);
    /// sent() follows once the message is durable; when it cannot be stored, it is the draft again.
    Q_INVOKABLE void send(const QString& text);
    Q_INVOKABLE void stop();
    /// A stopped, interrupted or failed answer goes on where it ended.
    Q_INVOKABLE void continueAnswer(qint64 message);
    /// Another answer beside this one; for a user message, an answer to it.
    Q_INVOKABLE void regenerate(qint64 message);
    /// Another wording beside this user message, and an answer to it.
    Q_INVOKABLE void edit(qint64 message, const QString& text);
    /// Shows the branch through the sibling `step` places away.
    Q_INVOKABLE void showSibling(qint64 message, int step);
    Q_INVOKABLE QString messageText(qint64 message) const;

    void conversationRemoved(history::RowId conversation);
    void conversationRenamed(history::RowId conversation, const QString& title);

  signals:
    void conversationChanged();
    void titleChanged();
    void draftChanged();
    void generationChanged();
    void progressChanged();
    void readOnlyChanged();
    void sent();
    /// There is no model to answer with.
    void modelNeeded();
    /// Titles, times or order of conversations changed.
    void listOutdated();

  private:
    /// A conversation and the branch of it that is shown or continued.
    struct Turn {
        history::Conversation conversation;
        std::vector<history::Message> branch;
    };
    /// The answer being written.
    struct Writing {
        history::RowId conversation = 0;
        std::vector<history::RowId>
            promptIds;            ///< message of each GenerateRequest::messages; 0: system prompt
        AnswerText text;          ///< brings what the model thinks and answers into one text
        bool engineDone = false;  ///< no more events of this answer will come
        uint32_t promptTokens = 0;
        uint32_t newTokens = 0;
        QElapsedTimer sinceFirstToken;
    };

    // These two run on the storage thread.
    static Result<Turn> readTurn(history::History& history, history::RowId conversation, history::RowId leaf);
    /// Begins an answer to `question` and reads the branch that ends with it.
    static Result<Turn> beginTurn(history::History& history, history::RowId conversation,
                                  history::RowId question, const library::ModelEntry& model,
                                  const SamplerParams& sampler);

    void setGeneration(Generation generation);
    void show(const history::Conversation& conversation, const std::vector<history::Message>& branch);
    bool readyToAnswer();
    /// A damaged history can be set aside for a new one.
    void onUnreadableHistory(const Error& error);
    void startTurn(std::function<Result<Turn>(history::History&)> work, const QString& sentText);
    void generate(const Turn& turn);
    /// The answer ends as the history has it so far, without waiting for the engine.
    void abandonAnswer();
    void endTurn();
    void continueWhenLoaded();

    void onPlanned(const PromptPlan& plan);
    void onTokens(const TokenChunk& chunk);
    void onDone(const GenerateResult& result);
    void onFailed(const Error& error);
    void onEngineDone(history::AnswerEnd ending);
    void onStalled(const QString& sentence);
    void onFinished(history::RowId message, const history::AnswerEnd& ending);

    StorageThread& m_storage;
    EngineClient& m_engine;
    ModelListModel& m_models;
    Settings& m_settings;
    Notices& m_notices;
    MessageListModel m_messages;
    AnswerWriter m_writer;
    DraftKeeper m_drafts;

    history::RowId m_conversation = 0;
    QString m_title;
    bool m_readOnly = false;

    Generation m_generation = Idle;
    bool m_stalled = false;
    history::RowId m_startingIn = 0;  ///< while Starting: the conversation that asked
    std::optional<Writing> m_writing;
    history::RowId m_continueAfterLoad = 0;
    double m_promptFraction = 0;
    int m_contextUsed = 0;
    int m_contextSize = 0;
    QString m_promptNote;
    double m_tokensPerSecond = 0;
};

}  // namespace ingle::desktop
