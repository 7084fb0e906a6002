/// One message as it is shown: its blocks, and what is known of each on screen. Knows nothing of rows.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <vector>

#include "app/content/block_stream.h"
#include "app/history/chats/messages.h"

namespace ingle::desktop {

/// A long block is several pieces (content::Block::seam); what is said of one is said of all of them.
class ShownMessage {
  public:
    /// The blocks from `first` on, as they were before they may have become others.
    struct Before {
        size_t first = 0;
        std::vector<content::Block> blocks;
    };

    explicit ShownMessage(const history::Message& message) { read(message); }

    const std::vector<content::Block>& blocks() const {
        return m_isQuestion ? m_question : m_answer.blocks();
    }
    /// More of an answer; `parts`, what it has said so far, grows with it.
    Before append(std::vector<Part>& parts, const std::vector<PartPiece>& pieces);
    /// The answer is whole.
    Before finish();
    /// The message from its beginning: one that had ended is being written again.
    Before readAgain(const history::Message& message);

    /// The block is a piece of the one above.
    bool goesOn(size_t block) const;
    size_t firstPiece(size_t block) const;
    size_t lastPiece(size_t block) const;

    /// What is folded by itself was opened.
    bool isOpen(size_t block) const { return m_open.contains(firstPiece(block)); }
    void toggle(size_t block);
    /// How far it was scrolled sideways, in pixels.
    double scrolled(size_t block) const;
    void setScrolled(size_t block, double x) { m_scrolled[firstPiece(block)] = x; }
    /// Of code, in characters.
    int longestLine(size_t block) const;
    /// Measures code from that block on. Returns the blocks of which longestLine() is another one now.
    std::vector<size_t> measureCode(size_t from);

  private:
    void read(const history::Message& message);
    Before open() const;

    bool m_isQuestion = false;
    std::vector<content::Block> m_question;
    content::BlockStream m_answer;
    // By the first piece of a block.
    std::set<size_t> m_open;
    std::map<size_t, double> m_scrolled;
    std::map<size_t, int> m_longestLine;
};

}  // namespace ingle::desktop
