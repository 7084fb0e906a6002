/// A question and the answer to it as the history has them: what a chat begins, continues and shows. Each
/// function is one step of whoever writes the history.
#pragma once

#include <string>
#include <vector>

#include "app/history/chats/conversations.h"
#include "app/history/chats/messages.h"
#include "app/history/documents/passage_vectors.h"
#include "ingle/result.h"
#include "ingle/score.h"
#include "ingle/types.h"

namespace ingle::history {

/// A conversation and one branch of it, or a part of that, oldest message first.
struct Turn {
    Conversation conversation;
    Profile profile;  ///< the layer of its folder, and over it its own
    std::vector<Message> branch;
    RowId leaf = 0;               ///< where all of the branch ends; 0: there is no message
    std::vector<Part> documents;  ///< before all messages; only readAnswer() looks for them
    /// The question, where what it means would find passages of its documents, too; only ask() says so.
    std::string sought;

    bool isWhole() const {
        return branch.empty() || (branch.front().parent == 0 && branch.back().id == leaf);
    }
};

/// What is to write an answer.
struct Answerer {
    std::string modelId;
    std::string modelName;
    SamplerParams sampler;  ///< what no profile sets, with its seed
    Profile profile;        ///< what lies below those of folder and conversation
};

/// The conversation that was shown last; 0: none, or a new one.
Result<RowId> lastShown(HistoryReader& history);
Status setLastShown(History& history, RowId conversation);

/// The unsent text of a conversation; of a new one: 0.
Result<std::string> newDraft(HistoryReader& history);
/// What is set for a conversation in that folder, and over it for itself; 0: for the next new one.
Result<Profile> profileOf(HistoryReader& history, RowId conversation);
Status storeDraft(History& history, RowId conversation, const std::string& text);

/// `leaf` 0: the branch that was shown last. Of a long branch the last `limit` messages.
Result<Turn> readTurn(HistoryReader& history, RowId conversation, RowId leaf, int limit = kWholeBranch);
/// The branch that ends with that answer, with all that the prompt of the answer is made of.
Result<Turn> readAnswer(HistoryReader& history, RowId conversation, RowId answer);
/// As though `question` had been asked behind `leaf` (0: nothing stands before it) and its answer begun, of
/// that model.
Result<Turn> readNext(HistoryReader& history, RowId conversation, RowId leaf,
                      const std::vector<Part>& question, const std::string& modelId);
/// The newest branch through a message; of a long one `limit` messages around that.
Result<Turn> readAround(HistoryReader& history, RowId conversation, RowId message, int limit);
/// The version of a message that stands `step` places beside it. Errors: InvalidArgument, when there is none.
Result<RowId> siblingOf(HistoryReader& history, RowId message, int step);

struct Question {
    RowId conversation = 0;  ///< 0: a new one
    std::string title;       ///< of a new one
    RowId parent = 0;        ///< what it follows; 0: it is the first
    std::vector<Part> parts;
};

/// Stores the question, with passages of those documents that the model has no room for, and begins an
/// answer; the draft it was is gone then. One transaction: when anything of it fails, it is as if nobody had
/// asked.
Result<Turn> ask(History& history, Question question, const Answerer& answerer);
/// Chooses the passages of the question that `answer` answers anew, now that what it means is known. Nothing
/// of the answer may have been written.
Result<Turn> chooseAgain(History& history, RowId answer, const TextVector& meaning);
/// Begins another answer to a message of the person.
Result<Turn> answerAgain(History& history, RowId conversation, RowId question, const Answerer& answerer);
/// Begins to continue an answer that has ended.
Result<Turn> resume(History& history, RowId conversation, RowId answer);

/// The beginning of an answer, as the engine tells it.
struct AnswerBeginning {
    std::vector<TokenId> ids;
    std::vector<PartPiece> pieces;  ///< what they say
    std::string withheld;
};
/// Begins another version of an answer, by the same model, sampler and terms, that begins so. One
/// transaction.
Result<Turn> branchAnswer(History& history, RowId answer, const AnswerBeginning& beginning);

/// Documents stand in the conversation, or passages of some in the branch that ends with `leaf` (0: there is
/// none).
Result<bool> holdsDocuments(HistoryReader& history, RowId conversation, RowId leaf);

/// What the model is to be asked for the answer that `turn` ends with, and which message each part of it is.
struct Prompt {
    GenerateRequest request;
    std::vector<RowId> messages;  ///< one for each of request.messages; 0: the system prompt
};
/// `usual`: the terms of an answer that has none of its own.
Prompt promptOf(const Turn& turn, const AnswerTerms& usual);

/// The answer that `turn` ends with, asked again as it was, to be compared with its ids.
ScoreRequest replayOf(const Turn& turn, const AnswerTerms& usual);

/// The oldest message that the model sees when some were dropped; 0: it sees all.
RowId firstKept(const Prompt& prompt, const PromptPlan& plan);

}  // namespace ingle::history
