/// Builds a prompt out of markup and message text, keeping them apart.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/tokenizer/tokenizer.h"

namespace ingle::chat {

class PromptWriter {
  public:
    /// Text of the format itself: special tokens in it count.
    PromptWriter& markup(std::string_view text) { return append(text, true); }
    /// Text that somebody wrote: it can spell nothing but itself.
    PromptWriter& message(std::string_view text) { return append(text, false); }
    std::vector<tokenizer::TextSegment> take() { return std::move(m_segments); }

  private:
    PromptWriter& append(std::string_view text, bool parseSpecial) {
        if (m_segments.empty() || m_segments.back().parseSpecial != parseSpecial)
            m_segments.push_back({"", parseSpecial});
        m_segments.back().text += text;
        return *this;
    }

    std::vector<tokenizer::TextSegment> m_segments;
};

}  // namespace ingle::chat
