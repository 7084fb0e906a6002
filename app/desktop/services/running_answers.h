/// The answers being written, any number of conversations' at once: from a question that is being stored to
/// the last word in the history. GUI thread.
#pragma once

#include <QElapsedTimer>
#include <QObject>

#include <functional>
#include <string>
#include <vector>

#include "app/desktop/services/answer_writer.h"
#include "app/desktop/services/engine_client.h"
#include "app/desktop/services/library_models.h"
#include "app/desktop/services/picture_courier.h"
#include "app/desktop/services/storage_thread.h"
#include "app/history/turns.h"

namespace ingle::desktop {

/// How far an answer is.
struct AnswerProgress {
    enum class State {
        Starting,  ///< the question is being made durable
        Waiting,   ///< others are being written first
        Reading,   ///< the model reads the prompt
        Streaming,
        Stopping,  ///< until both the engine and the history are done with it
    };
    State state = State::Starting;
    bool stalled = false;        ///< the history cannot be written; what arrives waits
    double pictureFraction = 0;  ///< of its pictures, which the model looks at before there is a plan
    double promptFraction = 0;   ///< of the prompt that was read
    PromptPlan plan;             ///< once it is made
    uint32_t newTokens = 0;
    double tokensPerSecond = 0;  ///< 0: too early to tell
};

/// One answer of a conversation at a time.
class RunningAnswers : public QObject {
    Q_OBJECT
  public:
    using Work = std::function<Result<history::Turn>(history::History&)>;
    using Started = std::function<void(const Result<history::Turn>&)>;

    RunningAnswers(StorageThread& storage, EngineClient& engine, QObject* parent = nullptr);
    ~RunningAnswers() override;

    /// Null when no answer of that conversation is being written. 0: a conversation that has no number yet.
    const AnswerProgress* of(history::RowId conversation) const;
    bool none() const { return m_answers.empty(); }
    /// The answer that is being written in that conversation follows that question, at once or further down.
    bool follows(history::RowId conversation, history::RowId question) const;
    /// Another connection may have read less of an answer, or more, than was told of it: here its message
    /// gets what was told. False: it was read before the end of its answer, which was told already.
    bool complete(history::RowId conversation, std::vector<history::Message>& branch) const;

    /// Runs `work`, which stores what is needed and begins an answer, has that answer written, and calls
    /// `started` in between. Not for a conversation that has one. `usual`: see history::promptOf().
    void start(history::RowId conversation, history::AnswerTerms usual, Work work, Started started);
    /// Of all answers that begin from now on.
    void setGuesses(Guesses guesses) { m_guesses = guesses; }
    /// Of all questions from now on.
    void setEmbeddingModel(EmbeddingModel model) { m_embeddingModel = std::move(model); }
    /// It ends with what it has.
    void stop(history::RowId conversation);
    void stopAll();
    /// As stop(), without waiting for the engine: the conversation may be gone before that.
    void abandon(history::RowId conversation);

    /// Why an answer ended as it did, for people; empty when there is nothing to say.
    static QString endSentence(const history::Message& message);
    /// The engine's own words about that, where they say more.
    static QString endDetails(const history::Message& message);

  signals:
    /// The state, or whether it is stalled; after the last one of() is null.
    void stateChanged(ingle::history::RowId conversation);
    /// The figures.
    void progressed(ingle::history::RowId conversation);
    void committed(ingle::history::RowId message, const std::vector<ingle::PartPiece>& pieces);
    /// Before anything of its answer: the question has other passages of documents than when it was stored.
    void chosenAgain(const ingle::history::Turn& turn);
    /// `firstKept`: see history::firstKept().
    void planned(ingle::history::RowId conversation, ingle::history::RowId firstKept);
    void ended(ingle::history::RowId conversation, ingle::history::RowId message,
               const ingle::history::AnswerEnd& ending);
    /// The disk refuses an answer; empty when it works again.
    void stalled(const QString& sentence);

  private:
    struct Answer;

    Answer* find(history::RowId conversation) const;
    void onStarted(Answer& answer, const Result<history::Turn>& turn);
    /// Has the passages of the question chosen anew, by what it means; where that is not known in time, those
    /// that its words found stay.
    void seek(Answer& answer, const std::string& question);
    void generate(Answer& answer);
    void stop(Answer& answer);
    void onPlanned(Answer& answer, const PromptPlan& plan);
    void onTokens(Answer& answer, const TokenChunk& chunk);
    /// Where a picture is needed, brings it and begins again. False: that is not so.
    bool bringPicture(Answer& answer, const Error& error);
    void onEngineDone(Answer& answer, history::AnswerEnd ending);
    void onFinished(Answer& answer, const history::AnswerEnd& ending);
    void remove(Answer& answer);
    void setState(Answer& answer, AnswerProgress::State state);

    StorageThread& m_storage;
    EngineClient& m_engine;
    PictureCourier m_courier;
    Guesses m_guesses = Guesses::LookUp;
    EmbeddingModel m_embeddingModel;
    std::vector<Answer*> m_answers;  ///< children of this
};

}  // namespace ingle::desktop
