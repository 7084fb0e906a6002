#include "app/desktop/content/shown_message.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "app/content/block_kind.h"
#include "app/content/question.h"
#include "app/desktop/services/assert.h"

namespace ingle::desktop {
namespace {

using content::Block;
using history::Message;
using history::MessageStatus;

/// In characters.
int longestLineOf(std::string_view text) {
    int longest = 0;
    int here = 0;
    for (const char c : text) {
        if (c == '\n') {
            longest = std::max(longest, here);
            here = 0;
        } else if ((static_cast<unsigned char>(c) & 0xC0U) != 0x80U) {
            ++here;
        }
    }
    return std::max(longest, here);
}

}  // namespace

void ShownMessage::read(const Message& message) {
    m_isQuestion = message.role == ingle::Role::User;
    if (m_isQuestion) {
        m_question = content::questionBlocks(message.parts);
        return;
    }
    for (const Part& part : message.parts) {
        m_answer.begin(part.kind, part.data);
        m_answer.append(part.text);
    }
    if (message.status != MessageStatus::Streaming) m_answer.finish();
    measureCode(0);
}

ShownMessage::Before ShownMessage::open() const {
    INGLE_ASSERT(!m_isQuestion, "a question does not grow");
    const size_t frozen = m_answer.frozenCount();
    const std::vector<Block>& all = m_answer.blocks();
    return {frozen, {all.begin() + static_cast<ptrdiff_t>(frozen), all.end()}};
}

ShownMessage::Before ShownMessage::append(std::vector<Part>& parts, const std::vector<PartPiece>& pieces) {
    Before before = open();
    for (const PartPiece& piece : pieces) {
        if (beginsPart(parts.empty() ? nullptr : &parts.back(), piece))
            m_answer.begin(piece.kind, piece.data);
        m_answer.append(piece.text);
        ingle::append(parts, piece);
    }
    return before;
}

ShownMessage::Before ShownMessage::finish() {
    // A definition at the end may make links of what stands above.
    Before before{0, m_answer.blocks()};
    m_answer.finish();
    return before;
}

ShownMessage::Before ShownMessage::readAgain(const Message& message) {
    Before before{0, blocks()};
    m_answer = {};
    read(message);
    return before;
}

bool ShownMessage::goesOn(size_t block) const {
    const std::vector<Block>& all = blocks();
    return block > 0 && block < all.size() && all[block].seam != content::Seam::None &&
           all[block].kind == all[block - 1].kind;
}

size_t ShownMessage::firstPiece(size_t block) const {
    while (goesOn(block)) --block;
    return block;
}

size_t ShownMessage::lastPiece(size_t block) const {
    while (goesOn(block + 1)) ++block;
    return block;
}

void ShownMessage::toggle(size_t block) {
    const size_t first = firstPiece(block);
    if (m_open.erase(first) == 0) m_open.insert(first);
}

double ShownMessage::scrolled(size_t block) const {
    const auto found = m_scrolled.find(firstPiece(block));
    return found == m_scrolled.end() ? 0.0 : found->second;
}

int ShownMessage::longestLine(size_t block) const {
    const auto found = m_longestLine.find(firstPiece(block));
    return found == m_longestLine.end() ? 0 : found->second;
}

// The box of a code block is as wide as its longest line, in whichever piece that stands.
std::vector<size_t> ShownMessage::measureCode(size_t from) {
    std::vector<size_t> wider;
    const std::vector<Block>& all = blocks();
    for (size_t block = from; block < all.size(); ++block) {
        if (all[block].kind->name != "code") continue;
        const size_t first = firstPiece(block);
        int& longest = m_longestLine[first];
        const int here = longestLineOf(all[block].text.text);
        if (here <= longest) continue;
        longest = here;
        for (size_t piece = first; piece <= block; ++piece) wider.push_back(piece);
    }
    return wider;
}

}  // namespace ingle::desktop
