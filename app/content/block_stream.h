/// A message as blocks, while it grows and when it is whole.
///
/// Blocks before frozenCount() change no more while the message grows. An update reads what is new, and reads
/// the one block again that is open: at most kMaxBlockBytes and a line of kMaxPieceBytes, however long the
/// message is.
///
/// The blocks depend on the text alone, never on how it was cut into updates. They are what md4c makes of the
/// whole text, but for what bounds an update:
///  - a link reference definition reaches what stands above it only when the message is whole: finish() may
///    change blocks that were frozen;
///  - a block of more than kMaxBlockBytes or its kind's maxLines is cut into several (Block::seam); emphasis
///  that goes across
///    a cut is lost there, and a block that was long already becomes no heading by a line below it;
///  - of a line of more than kMaxPieceBytes only that much says what block it begins;
///  - deeper than kMaxContainers, and in tables of more than 100 columns, marks are text.
/// And where md4c 0.4.8 is not CommonMark (or GitHub's tables): a fence, a heading or indented code ends a
/// table; a fence in a quotation does not end behind it.
///
/// While a block is open it is shown as if it were whole: emphasis, code, links and formulas that are open at
/// its end are closed, the head of a table is one, and a line of which only marks have come is not shown yet.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/content/block.h"
#include "app/content/block_scanner.h"
#include "ingle/part.h"

namespace ingle::content {

/// Longer lines are read in pieces.
constexpr size_t kMaxPieceBytes = 2048;

/// From block `first` on so many went, and so many came in their place.
struct BlockChange {
    size_t first = 0;
    size_t removed = 0;
    size_t added = 0;
};

/// One thread.
class BlockStream {
  public:
    /// A part begins; the one before has ended. `data`: see PartKind.
    BlockChange begin(PartKind kind, std::string data = {});
    /// `text` belongs to the part that has begun last. Any bytes; also half a character.
    BlockChange append(std::string_view text);
    /// The message is whole, until another part begins.
    BlockChange finish();

    const std::vector<Block>& blocks() const { return m_blocks; }
    size_t frozenCount() const { return m_frozen; }

  private:
    void readPieces();
    void endPart();
    std::vector<Block> openBlocks() const;
    BlockChange update();
    void readAgain();

    std::vector<Block> m_blocks;
    std::vector<Block> m_ended;  ///< of the part before
    size_t m_frozen = 0;
    size_t m_numParts = 0;
    std::vector<Part> m_parts;  ///< as they came
    Definitions m_definitions;
    std::optional<BlockScanner> m_scanner;
    std::string m_pending;   ///< text of the part that no scanner has read for good
    size_t m_read = 0;       ///< bytes of the part before it
    bool m_midLine = false;  ///< a piece of the line has been read
};

/// All of a message at once.
std::vector<Block> blocksOf(std::span<const Part> parts);

}  // namespace ingle::content
