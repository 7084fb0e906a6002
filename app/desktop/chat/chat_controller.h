/// The conversation shown: its messages, its draft, and what the person does with them.
#pragma once

#include <QtQml/qqmlregistration.h>
#include <QByteArray>
#include <QObject>
#include <QTimer>
#include <QUrl>
#include <QVariantList>

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/desktop/chat/draft_keeper.h"
#include "app/desktop/content/chat_rows.h"
#include "app/desktop/services/model_in_use.h"
#include "app/desktop/services/notices.h"
#include "app/desktop/services/pictures.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/settings.h"
#include "app/desktop/services/shown_chat.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/turns.h"

namespace ingle::desktop {

class ChatController : public ingle::desktop::ShownChat {  // whole, as QML's tools want it
    Q_OBJECT
    QML_ELEMENT
    QML_UNCREATABLE("owned by the window")
    Q_PROPERTY(QString title READ title NOTIFY titleChanged)
    Q_PROPERTY(ingle::desktop::ChatRows* messages READ messages CONSTANT)
    /// Unsent text of this conversation.
    Q_PROPERTY(QString draft READ draft WRITE setDraft NOTIFY draftChanged)
    /// What is attached to it: maps of "index", "name" and, of a picture, "picture", its hash.
    Q_PROPERTY(QVariantList attachedTexts READ attachedTexts NOTIFY attachedChanged)
    Q_PROPERTY(QVariantList attachedPictures READ attachedPictures NOTIFY attachedChanged)
    /// So many pictures are being read, to be attached.
    Q_PROPERTY(int attaching READ attaching NOTIFY attachingChanged)
    Q_PROPERTY(ingle::desktop::Pictures* pictures READ pictures CONSTANT)
    /// Of the answer that is being written in this conversation. Others may be written at the same time.
    Q_PROPERTY(Generation generation READ generation NOTIFY generationChanged)
    /// The history cannot be written; what arrives waits.
    Q_PROPERTY(bool stalled READ stalled NOTIFY generationChanged)
    Q_PROPERTY(double promptFraction READ promptFraction NOTIFY progressChanged)
    /// Figures of the last answer, as long as the model that wrote it is the one in use; else 0.
    Q_PROPERTY(int contextUsed READ contextUsed NOTIFY progressChanged)
    Q_PROPERTY(int contextSize READ contextSize NOTIFY progressChanged)
    /// Why the prompt of the last question has another form than the model's template, or empty.
    Q_PROPERTY(QString promptNote READ promptNote NOTIFY progressChanged)
    Q_PROPERTY(double tokensPerSecond READ tokensPerSecond NOTIFY progressChanged)
    /// What stands in the empty field to write in.
    Q_PROPERTY(QString placeholder READ placeholder NOTIFY placeholderChanged)
    /// There is something to send, and it may be sent now.
    Q_PROPERTY(bool maySend READ maySend NOTIFY maySendChanged)
    /// What is being changed may be sent.
    Q_PROPERTY(bool maySendEdit READ maySendEdit NOTIFY maySendChanged)
    Q_PROPERTY(bool mayStop READ mayStop NOTIFY generationChanged)
    /// The draft is sent as soon as the answer that is being written is finished.
    Q_PROPERTY(bool waitsToSend READ waitsToSend NOTIFY waitsToSendChanged)
  public:
    enum Generation {
        Idle,
        Starting,  ///< as AnswerProgress::State from here on
        Waiting,
        Reading,
        Streaming,
        Stopping,
    };
    Q_ENUM(Generation)

    ChatController(StorageThread& storage, RunningAnswers& answers, ModelInUse& models, Settings& settings,
                   Notices& notices, QObject* parent = nullptr);

    double conversationId() const override { return static_cast<double>(m_conversation); }
    QString title() const { return m_title; }
    ChatRows* messages() { return &m_messages; }
    QString draft() const { return m_drafts.text(); }
    void setDraft(const QString& text);
    QVariantList attachedTexts() const;
    QVariantList attachedPictures() const;
    int attaching() const { return m_attaching; }
    Pictures* pictures() { return &m_pictures; }
    /// As what it will be sent.
    std::vector<Part> draftParts() const { return partsOf({draft(), m_drafts.attached()}); }
    /// Of a message: of each "name" and "picture".
    Q_INVOKABLE QVariantList picturesOf(qint64 message) const;
    /// Of a message that is worded anew.
    std::vector<Part> editedParts(qint64 message, const QString& text) const;
    Generation generation() const;
    bool stalled() const;
    double promptFraction() const;
    int contextUsed() const;
    int contextSize() const;
    QString promptNote() const;
    double tokensPerSecond() const;
    bool readOnly() const override { return m_readOnly; }
    const history::Message* message(history::RowId id) const override { return m_messages.find(id); }

    /// Shows the conversation that was open last.
    void start();

    // What the person may do now.
    QString placeholder() const;
    bool maySend() const { return mayAnswer() && (hasDraft() || m_attaching > 0); }
    bool maySendEdit() const { return mayAnswer() && !m_messages.editedText().trimmed().isEmpty(); }
    bool mayStop() const { return progress() != nullptr && generation() != Stopping; }
    bool mayAnswer() const { return progress() == nullptr && !m_readOnly; }
    bool canContinue(qint64 message) const;
    bool canEdit(qint64 message) const;
    bool canRegenerate(qint64 message) const;
    bool canRemove(qint64 message) const override;
    bool isPinned(qint64 message) const;
    bool canShowSibling(qint64 message, int step) const;

    Q_INVOKABLE void newConversation() override;
    Q_INVOKABLE void open(qint64 conversation) override;
    /// Where `words` were found, also in a branch that is not shown; found() follows.
    Q_INVOKABLE void openAt(qint64 conversation, qint64 message, const QString& words);
    /// sent() follows once the message is durable; when it cannot be stored, it is the draft again.
    /// While an answer is written, or a picture is read, the draft is sent behind that.
    Q_INVOKABLE void send(const QString& text);
    bool waitsToSend() const { return m_waitsToSend; }
    Q_INVOKABLE void stopWaiting() { setWaitsToSend(false); }
    /// Attaches what is to be pasted, where that is a picture, a file or long. False: it is not.
    Q_INVOKABLE bool attachPasted();
    /// Attaches a picture from its bytes, as they are in a file.
    Q_INVOKABLE void attachBytes(const QByteArray& bytes);
    void attachFile(const QString& path);
    /// Can be undone.
    Q_INVOKABLE void detach(int index);
    /// Says what an attached picture shows.
    Q_INVOKABLE void describe(int index, const QString& text);
    Q_INVOKABLE void stop();
    /// Puts words into the empty composer.
    Q_INVOKABLE void begin(const QString& text);
    /// Puts words into the composer as a quotation, behind what stands there.
    Q_INVOKABLE void quote(const QString& text);
    /// A stopped, interrupted or failed answer goes on where it ended.
    Q_INVOKABLE void continueAnswer(qint64 message);
    /// Another answer beside this one; for a user message, an answer to it.
    Q_INVOKABLE void regenerate(qint64 message);
    /// The same by another model, which is in use from then on.
    Q_INVOKABLE void regenerateWith(qint64 message, const QString& modelId);
    /// Another wording beside this user message, and an answer to it. Its field closes once it is stored.
    Q_INVOKABLE void edit(qint64 message, const QString& text);
    /// Into the trash, with all that follows it; can be undone.
    Q_INVOKABLE void remove(qint64 message);
    /// The model sees a pinned message however long the conversation gets.
    void setPinned(qint64 message, bool pinned);
    /// Shows the branch through the sibling `step` places away.
    Q_INVOKABLE void showSibling(qint64 message, int step);
    Q_INVOKABLE QString messageText(qint64 message) const;

    void showAgain(history::RowId conversation) override;
    /// Another version of an answer begins so, and goes on being written.
    void branchAnswer(history::RowId answer, const history::AnswerBeginning& beginning);
    void conversationRemoved(history::RowId conversation) override;
    void readProfile() override;
    /// Every layer, as far as is known: the settings, the model in use, the folder, the conversation.
    history::Profile profile() const { return history::layered(usualProfile(), m_profile); }
    history::AnswerTerms terms() const { return history::termsOf(profile()); }
    SamplerParams sampler() const { return history::samplerOf(profile(), m_settings.sampler()); }
    /// What an answer is to follow at the end of the branch.
    history::RowId leaf() const { return m_leaf; }
    void conversationRenamed(history::RowId conversation, const QString& title) override;

  signals:
    /// The person wants to see this chat.
    void wanted();
    void titleChanged();
    void draftChanged();
    void attachedChanged();
    void attachingChanged();
    /// Files were pasted, which are to be opened like dropped ones.
    void filesPasted(const QList<QUrl>& files);
    /// What is set for the conversation or its folder.
    void profileChanged();
    void generationChanged();
    void progressChanged();
    void placeholderChanged();
    void maySendChanged();
    void waitsToSendChanged();
    /// Which model is to answer this message again is asked.
    void otherModelWanted(double message);
    void sent();
    /// A message that was searched for is shown: bring it into view, with these words marked.
    void found(double message, const QString& words);
    /// There is no model to answer with.
    void modelNeeded();

  private:
    /// Of the answer in this conversation; null: none is being written.
    const AnswerProgress* progress() const { return m_answers.of(m_conversation); }
    /// What stands below the answer in this conversation while it is not simply being written.
    QString progressSentence() const;
    /// The answer at the end of the branch, if the model in use wrote it.
    const history::Message* lastOfThisModel() const;
    /// The settings, and over them the model in use.
    history::Profile usualProfile() const;
    history::Answerer answerer() const;
    /// So many messages fill every screen, and are read at once.
    static constexpr int kMessagesShownFirst = 60;
    using Read = std::function<Result<history::Turn>(history::HistoryReader&)>;
    enum class Attempt { First, Second };
    /// Shows what `work` reads, a part of a branch, calls `then` with that conversation and the end of the
    /// branch, and shows the rest when it has been read, too. What is asked for later takes its place.
    void read(history::RowId conversation, const Read& work,
              const std::function<void(history::RowId, history::RowId)>& then = {},
              Attempt attempt = Attempt::First);
    /// False: read it again. Of what was read twice an answer that does not end is one that was interrupted.
    bool isUpToDate(history::RowId conversation, std::vector<history::Message>& branch,
                    Attempt attempt) const;
    void completeBranch(Attempt attempt = Attempt::First);
    void addBelow(const std::shared_ptr<history::Turn>& whole, quint64 shown);
    void show(history::Turn turn);
    /// What only the next start or opening depends on: a full disk keeps nobody from reading.
    void write(std::function<Status(history::History&)> work);
    void showNew();
    void keepLeaf(history::RowId conversation, history::RowId leaf);
    static std::vector<Part> partsOf(const Draft& draft);
    /// The model looks at the pictures of the question, before it reads the prompt.
    bool looksAtPictures() const;
    /// Waits for a picture, which is called so. Returns who takes it.
    Pictures::Done takePicture(const QString& name);
    using PictureFilePtr = std::shared_ptr<const history::PictureFile>;
    void attachPicture(const QString& name, const ReadPicture& picture);
    void attachPicture(const Attached& picture, qsizetype at, const PictureFilePtr& file);
    /// Reads a stored picture into `file`, unless there is none.
    void keepBytes(const QString& hash, const std::shared_ptr<PictureFilePtr>& file);
    void sendAttached();
    bool readyToAnswer();
    /// The message itself, or what it answers; null: it is not shown.
    const history::Message* questionOf(history::RowId message) const;
    /// Whether the model in use sees what is to be asked about; else says so and offers one that does.
    bool canSee(std::span<const Part> asked);
    /// Begins at once, or, where words that are to stay would leave this computer, once the person has
    /// allowed that, for this time.
    void beginWhenAllowed(const std::function<void()>& begin);
    /// Tells later whether chat, model and computer are those of now.
    std::function<bool()> unchanged() const;
    /// `sentence`: what would leave.
    void askToLeave(const QString& sentence, const std::function<void()>& begin);
    void sendNow(const QString& text);
    void editNow(qint64 message, const QString& text);
    void regenerateNow(qint64 message);
    bool hasDraft() const { return !draft().trimmed().isEmpty() || !m_drafts.attached().isEmpty(); }
    /// A damaged history can be set aside for a new one.
    void onUnreadableHistory(const Error& error);
    /// `taken`: what is the draft again when it cannot be stored.
    /// `then`: what else is done once it is stored. `edited`: the message of which it is another wording.
    void startTurn(RunningAnswers::Work work, const Draft& taken = {},
                   const std::function<void(const history::Turn&)>& then = {}, history::RowId edited = 0);
    /// Runs `work`, which chooses a branch of that conversation, shows it and calls `then`; or says why not.
    void showAfter(history::RowId conversation, std::function<Result<history::RowId>(history::History&)> work,
                   std::function<void()> then = {});
    /// Goes back to the wording of before. What was written below the changed one stays beside it; an answer
    /// that is being written there ends. Where another one is being written, it stays what to come back to.
    void undoEdit(history::RowId conversation, history::RowId before, history::RowId changed);
    void setWaitsToSend(bool waits);
    /// Sends the draft that waited, if the answer before it is whole.
    void sendWaiting();
    void continueWhenLoaded();
    void onEnded(history::RowId message, const history::AnswerEnd& ending);

    StorageThread& m_storage;
    RunningAnswers& m_answers;
    ModelInUse& m_models;
    Settings& m_settings;
    Notices& m_notices;
    Pictures m_pictures;
    ChatRows m_messages;
    DraftKeeper m_drafts;
    int m_attaching = 0;  ///< pictures that are being read
    bool m_sendsWhenAttached = false;

    history::RowId m_conversation = 0;
    history::RowId m_leaf = 0;            ///< of the branch, of which only a part may be shown yet
    quint64 m_numShown = 0;               ///< how often show() was called
    storage::RequestId m_completing = 0;  ///< reads the rest of the branch shown
    struct Wanted {
        quint64 number = 0;
        history::RowId conversation = 0;
    };
    Wanted m_wanted;  ///< what is to be shown next, as soon as it has been read
    QString m_title;
    history::Profile m_profile;  ///< of the conversation and its folder
    bool m_readOnly = false;

    QTimer m_silence;         ///< until it is said that a far model is waited for
    QTimer m_opening;         ///< until somebody who waits for the history is told
    QString m_promptNote;     ///< of the last answer
    bool m_isSilent = false;  ///< nothing has come from a far model for a while
    bool m_waitsToSend = false;
    /// What is done once that model is loaded; message 0: nothing.
    struct AfterLoad {
        enum class Act { Continue, Regenerate };

        history::RowId message = 0;
        std::string model = {};
        Act act = Act::Continue;
    };
    AfterLoad m_afterLoad;
};

}  // namespace ingle::desktop
