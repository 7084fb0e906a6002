/// Telling apart what a model thinks, what it answers and which tools it calls, by the marks it puts around
/// them.
#pragma once

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
/// `inferred`: a form of calls beside the rows; may be null.
std::unordered_map<TokenId, std::string> markTokens(const formats::TokenizerData& data,
                                                    const InferredForm* inferred);

/// Takes an answer as it is streamed. What comes behind a mark begins a part. A call of a tool is a part by
/// itself, {"name", "arguments"}, which comes when it is whole. Text that may still become a mark or a call
/// is held back, never lost: what turns out to be neither is text, with its marks. The pieces do not depend
/// on how the text was cut into pushes, but for being cut themselves. One thread.
class MarkupSplitter {
  public:
    /// `promptEnd`: the end of the prompt's text, which may have begun to think for the model, or a call.
    explicit MarkupSplitter(std::string_view promptEnd = {}, CallReading calls = {});

    std::vector<PartPiece> push(std::string_view text);
    /// What was held back, at the end of an answer.
    std::vector<PartPiece> finish();
    std::string_view withheld() const { return m_pending; }

  private:
    struct Mark;

    void read(bool isEnd, std::vector<PartPiece>& out);
    /// The earliest mark or place where calls may begin, from `from` on; of those at one place the longest.
    Mark firstMark(size_t from) const;
    /// Bytes at the end that may still become a mark.
    size_t undecidedTail() const;
    template <typename Visit>
    void eachMark(Visit visit) const;
    /// Takes calls that begin with what is pending. Returns whether it did, or has to wait for more.
    ReadCalls::Outcome readCallsHere(bool isEnd, std::vector<PartPiece>& out);
    /// The first `size` bytes that are pending, if any.
    void emit(size_t size, std::vector<PartPiece>& out);

    CallReading m_calls;
    std::vector<const Markup*> m_markups;
    const Markup* m_inside = nullptr;  ///< null: in the answer itself
    bool m_begins = false;             ///< there was a mark, and no text since
    bool m_isBeginning = true;         ///< nothing but blanks was written yet
    bool m_isCallBegun = false;        ///< what is pending may become a call
    std::string m_pending;
};

}  // namespace ingle::chat
