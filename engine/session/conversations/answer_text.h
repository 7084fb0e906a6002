/// What the tokens of one answer say.
#pragma once

#include <string>
#include <vector>

#include "engine/chat/markup.h"
#include "engine/session/conversations/prompt_planner.h"
#include "engine/session/loading/model.h"
#include "engine/tokenizer/stream_decoder.h"
#include "ingle/part.h"

namespace ingle::session {

/// Takes the tokens one behind the other and gives out pieces of parts: never half a character, half a mark
/// or half a stop string. Needs a model with a tokenizer.
class AnswerText {
  public:
    AnswerText() : m_decoder({}) {}
    AnswerText(const GenerateRequest& request, const PlannedPrompt& prompt);

    struct Output {
        std::vector<PartPiece> pieces;  ///< that became complete
        bool stopped = false;           ///< by a stop string; nothing may follow
    };
    /// Where marks are text, control tokens are silent.
    enum class Marks { BeginParts, AreText };
    Output push(const OpenedModel& model, TokenId id, Marks marks = Marks::BeginParts);
    /// A token that no model wrote: no stop string begins in it.
    void pass(const OpenedModel& model, TokenId id, Marks marks);
    /// What was held back, at the end of an answer: it is text after all.
    std::vector<PartPiece> finish();
    /// Bytes that are not given out yet.
    std::string withheld() const;
    /// What finish() would give out of them, without the character that the last of them only begin.
    std::vector<PartPiece> unfinished() const;

    /// What a token adds, marks included.
    std::string bytesOf(const OpenedModel& model, TokenId id) const { return written(model, id).text; }

  private:
    struct Written {
        std::string text;
        tokenizer::StreamDecoder::Token token = tokenizer::StreamDecoder::Token::Ordinary;
    };
    Written written(const OpenedModel& model, TokenId id, Marks marks = Marks::BeginParts) const;
    std::vector<PartPiece> piecesOf(std::string text, Marks marks);

    bool m_isChat = false;
    tokenizer::StreamDecoder m_decoder;
    chat::MarkupSplitter m_splitter;
};

}  // namespace ingle::session
