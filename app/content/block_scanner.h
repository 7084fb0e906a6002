/// Which lines belong to which block: quotations, lists, and where a block begins and ends. Every line is
/// looked at once. md4c reads whole texts only, so this part of CommonMark is done here (0.30, appendix A,
/// phase 1); what stands inside a block is md4c's, and tests hold the two together.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/content/block_kind.h"

namespace ingle::content {

/// Deeper quotations and lists are text.
constexpr size_t kMaxContainers = 40;

/// A line of the part's text, or a piece of a long one.
struct LinePiece {
    std::string_view text;  ///< any bytes, without the line end
    size_t sourceBegin = 0;
    size_t sourceEnd = 0;  ///< behind the line end
    enum class Place { Whole, First, Middle, Last } place = Place::Whole;
};

/// Reads one part. A copy reads on by itself, which is how an open block is shown. One thread.
class BlockScanner {
  public:
    /// `definitions` outlives the scanner.
    BlockScanner(size_t part, PartKind kind, std::string label, Definitions& definitions);

    void take(const LinePiece& piece);
    /// A scanner that reads on from here while this one stays where it is: to show a line that has only
    /// begun.
    BlockScanner ahead() const;
    /// Whether so little of a line says nothing yet: only characters that are marks, or might be.
    bool undecided(std::string_view text) const;

    /// Ends the block that is open, and all containers.
    void finish(Stage stage);
    /// The blocks that have ended since the last call.
    std::vector<Block> takeBlocks() { return std::exchange(m_blocks, {}); }

  private:
    struct OpenContainer {
        enum class Kind { Quote, List, Item };
        Kind kind;
        Container shown;    ///< Quote, Item: what blocks say; List: mark, and the number of the next item
        int indent = 0;     ///< Item: columns before what belongs to it
        bool empty = true;  ///< Item: no block has begun in it
        bool fresh = true;  ///< no block in it was shown
    };
    struct ItemMark {
        Container container;
        size_t bytes;
    };

    static std::optional<ItemMark> itemMark(std::string_view text);

    size_t match(Line& line) const;
    void leave(size_t matched);
    void leaveList(const ItemMark* next);
    void enter(OpenContainer container);
    void enterItem(Line& line, const ItemMark& mark);
    bool openContainer(Line& line, size_t& matched, bool below);
    bool beginLeaf(const Line& line, size_t matched);
    void takeParagraph(Leaf leaf);
    void openLeaf(Leaf leaf);
    void beginParagraph(Line line, bool inNewContainer);
    void takeWhole(std::string_view text);
    void takeRest(std::string_view text);
    bool addLine(const Line& line);
    void added(size_t before);
    void cutIfLong();
    void closeLeaf(Stage stage);
    bool build(const Leaf& leaf, Stage stage);
    void show(Block block);
    bool isParagraph() const { return m_leaf && m_leaf->kind == markdownKinds().back(); }

    size_t m_part;
    Definitions* m_definitions;
    std::vector<OpenContainer> m_stack;
    std::optional<Leaf> m_leaf;
    bool m_blank = false;     ///< an empty line stands above
    bool m_anything = false;  ///< a block has been shown
    bool m_ahead = false;     ///< what is read is only shown, and not kept
    LinePiece m_piece;        ///< the one being read
    std::vector<Block> m_blocks;
};

}  // namespace ingle::content
