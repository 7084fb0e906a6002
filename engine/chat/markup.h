/// Telling apart what a model thinks, what it answers and which tools it calls, by the marks it puts around
/// them.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/chat/dialects/call_reader.h"
#include "engine/formats/model_file.h"
#include "ingle/types.h"

namespace ingle::chat {

/// What one mark begins, and what ends it. Marks themselves are not part of any text.
struct Markup {
    std::string_view begin;
    std::string_view end;  ///< empty: it lasts until another mark begins
    PartKind kind;
    /// The mark counts wherever it stands, for models whose template writes it. Others count where the answer
    /// begins: behind that they may be what the answer speaks of.
    bool isAnywhere = false;

    /// What a template of such a model has in its text.
    std::string_view sign() const { return begin.substr(0, begin.find('>') + 1); }
};

std::span<const Markup> allMarkups();

/// What ends the thought that a prompt's end has begun, on lines of its own where the beginning is on one.
/// Empty: it has begun none.
std::string thoughtEnding(std::string_view promptEnd);

/// Control tokens that marks are spelled with: they decode to nothing, but the splitter must see their text.
/// `calls`, `thought`: forms beside the rows; may be null.
std::unordered_map<TokenId, std::string> markTokens(const formats::TokenizerData& data,
                                                    const InferredForm* calls,
                                                    const InferredThought* thought);

/// Takes an answer as it is streamed. What comes behind a mark begins a part. A call of a tool is a part by
/// itself, {"name", "arguments"}, which comes when it is whole. Text that may still become a mark or a call
/// is held back, never lost: what turns out to be neither is text, with its marks. The pieces do not depend
/// on how the text was cut into pushes, but for being cut themselves. The work is linear in the text. One
/// thread.
class MarkupSplitter {
  public:
    /// `promptEnd`: the end of the prompt's text, which may have begun to think for the model, or a call.
    explicit MarkupSplitter(std::string_view promptEnd = {}, CallReading calls = {});

    std::vector<PartPiece> push(std::string_view text);
    /// What was held back, at the end of an answer.
    std::vector<PartPiece> finish();
    std::string_view withheld() const { return m_pending; }

  private:
    /// What a place in the text begins.
    struct Found {
        enum class Kind {
            Text,
            Open,  ///< more text tells
            Mark,
            Calls,
        };
        Kind kind = Kind::Text;
        size_t size = 0;                 ///< of the mark
        const Markup* begins = nullptr;  ///< by the mark; null: it ends something
        ReadCalls calls = {};
    };

    void read(bool isEnd, std::vector<PartPiece>& out);
    /// `isFirst`: nothing but blanks stands before `rest` in the answer.
    Found look(std::string_view rest, bool isFirst, bool isEnd);
    Found lookForCalls(std::string_view rest, bool isFirst, bool isEnd);
    Found lookForMarks(std::string_view rest, bool isFirst, bool isEnd) const;
    void emit(std::string_view text, std::vector<PartPiece>& out);
    void emitCalls(const std::vector<ReadCall>& calls, std::vector<PartPiece>& out);
    /// Follows the fences of Markdown in the answer's text.
    void followFences(std::string_view text);

    CallReading m_calls;
    std::shared_ptr<const Markup> m_ownThought;  ///< that no row describes; may be null
    std::vector<const Markup*> m_markups;
    std::array<bool, 256> m_mayBegin{};  ///< a mark, by its first byte
    const Markup* m_inside = nullptr;    ///< null: in the answer itself
    std::string_view m_lateEnd;          ///< of a thought that a call has ended, until there is text
    bool m_begins = false;               ///< there was a mark, and no text since
    bool m_isBeginning = true;           ///< nothing but blanks was written yet
    bool m_isCallOpen = false;           ///< what is pending may become a call
    bool m_isInFence = false;
    size_t m_fenceTicks = 0;   ///< at the beginning of the line; more than a fence has: none is there
    size_t m_credit = 0;       ///< of bytes that may be read once more
    size_t m_failedBytes = 0;  ///< that were read for calls, and were none
    std::string m_pending;
};

}  // namespace ingle::chat
