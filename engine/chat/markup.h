/// Telling apart what a model thinks, what it answers and which tools it calls, by the marks it puts around
/// them.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/chat/dialects/call_reader.h"
#include "ingle/types.h"

namespace ingle::chat {

/// What ends the thought that a prompt's end has begun, on lines of its own where the beginning is on one.
/// Empty: it has begun none.
std::string thoughtEnding(std::string_view promptEnd, const CallReading& reading);

/// Takes an answer as it is streamed. What comes behind a mark begins a part. A call of a tool is a part by
/// itself, {"name", "arguments"}, which comes when it is whole. Text that may still become a mark or a call
/// is held back, never lost: what turns out to be neither is text, with its marks. Only a control token that
/// is no part of a mark is left out before the answer's first byte: some models decide there what to write.
/// The pieces do not depend on how the text was cut into pushes, but for being cut themselves. The work is
/// linear in the text. One thread.
class MarkupSplitter {
  public:
    /// `promptEnd`: the end of the prompt's text, which may have begun to think for the model, or a call, or
    /// a mark that the answer goes on with.
    explicit MarkupSplitter(std::string_view promptEnd = {}, CallReading calls = {});

    /// `text`: as ControlTokens::spelled(); what is given out has no signs.
    std::vector<PartPiece> push(std::string_view text);
    /// What was held back, at the end of an answer.
    std::vector<PartPiece> finish();
    std::string withheld() const { return withoutSigns(std::string_view(m_pending).substr(m_fromPrompt)); }

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
    /// Of calls that were read in a thought, of which `rest` is behind them: whether they count.
    Found::Kind inThought(std::string_view rest, bool isFirst, bool isEnd) const;
    void emit(std::string_view text, std::vector<PartPiece>& out);
    void emitCalls(const std::vector<ReadCall>& calls, std::vector<PartPiece>& out);
    /// Follows the fences of Markdown in the answer's text.
    void followFences(std::string_view text);

    CallReading m_calls;
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
    size_t m_fromPrompt = 0;  ///< bytes of it that the prompt has, and the answer has not
};

}  // namespace ingle::chat
