/// Telling apart what a model thinks, what it answers and which tools it calls, by the marks it puts around
/// them.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "engine/formats/model_file.h"
#include "ingle/types.h"

namespace ingle::chat {

/// What one mark begins, and what ends it. Marks themselves are not part of any text.
struct Markup {
    std::string_view begin;
    std::string_view end;  ///< empty: it lasts until another mark begins
    PartKind kind;
};

std::span<const Markup> allMarkups();

/// Control tokens that marks are spelled with: they decode to nothing, but the splitter must see their text.
std::unordered_map<TokenId, std::string> markTokens(const formats::TokenizerData& data);

/// Takes an answer as it is streamed. What comes behind a mark begins a part. Text that may still become a
/// mark is held back, never lost. The pieces do not depend on how the text was cut into pushes, but for being
/// cut themselves. One thread.
class MarkupSplitter {
  public:
    /// `promptEnd`: the end of the prompt's text, which may have begun to think for the model.
    explicit MarkupSplitter(std::string_view promptEnd = {});

    std::vector<PartPiece> push(std::string_view text);
    /// What was held back, at the end of an answer.
    std::vector<PartPiece> finish();
    std::string_view withheld() const { return m_pending; }

  private:
    /// The first `size` bytes that are pending, if any.
    void emit(size_t size, std::vector<PartPiece>& out);

    const Markup* m_inside = nullptr;  ///< null: in the answer itself
    bool m_begins = false;             ///< there was a mark, and no text since
    std::string m_pending;
};

}  // namespace ingle::chat
