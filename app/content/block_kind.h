/// One row per kind of block: how it is found in lines, what is made of them, and how it is written as
/// Markdown. A file in kinds/ defines `extern const BlockKind kind` in the namespace `<name>_kind`; the table
/// of all is generated from the folder.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "app/content/block.h"
#include "app/content/definitions.h"
#include "app/content/line.h"
#include "ingle/part.h"

namespace ingle::content {

/// A longer block is cut as soon as it is: what an update costs does not grow with the text.
constexpr size_t kMaxBlockBytes = 4096;
constexpr size_t kMaxBlockLines = 200;

/// Whether more may follow: what is open is then shown as if it were closed.
enum class Stage { Growing, Finished };

/// The block that lines are being added to.
struct Leaf {
    const BlockKind* kind = nullptr;
    std::string text;  ///< its lines without the marks of containers, and with '\n' between them
    size_t lines = 0;
    std::string mark;   ///< what ends it, where the kind has such: a fence, a formula's closing mark
    std::string label;  ///< see Block::label
    std::vector<Alignment> columns;
    int indent = 0;      ///< code: columns of white space before the fence
    int level = 0;       ///< headings: known by the line below
    bool ended = false;  ///< the line that ends it has come
    bool spaced = false;
    Seam seam = Seam::None;
    size_t sourceBegin = 0;
    size_t sourceEnd = 0;
    /// Where its lines begin: in `text`, and in the part's text.
    std::vector<std::pair<size_t, size_t>> sources;

    void addLine(std::string_view line);
    /// Of a leaf that is shown now: what is open at its end is closed while it grows.
    std::string shown(Stage stage) const;
};

/// Whether a line begins a block.
enum class Begins {
    No,
    Here,  ///< and the line's text is in the leaf, as far as it belongs there
    /// And the end of the paragraph above is its beginning: the leaf has that text (a heading's, a table's
    /// head).
    WithParagraph,
};

/// What of a leaf's text is shown as a block of its own: it ends at `end`, and the next goes on at `next`.
struct Cut {
    size_t end;
    size_t next;
    Seam seam;
};

/// Who sees a line first.
enum class Hold {
    Loose,  ///< other kinds, which may end the block
    Firm,   ///< the block, as long as the line is in all of its containers
};

struct Context {
    const Definitions& definitions;
    Stage stage;
};

struct BlockKind {
    /// The view has a delegate of that name.
    std::string_view name;
    /// Kinds are asked in this order whether a line begins them; the last one is the paragraph.
    int order = 0;
    Hold hold = Hold::Loose;
    size_t maxLines = kMaxBlockLines;  ///< see there
    /// Made of all lines of parts of this kind; unset: found in Markdown.
    std::optional<PartKind> part;

    /// `paragraph`: the one that the line stands below, or null. Null function: never (parts).
    Begins (*begins)(const Line& line, const Leaf* paragraph, Leaf& leaf) = nullptr;
    /// Whether the line belongs to the block; if so it has been added. Null: the block is one line long.
    bool (*takes)(Leaf& leaf, const Line& line) = nullptr;
    /// Fills text, rows, level and label. False: there is nothing to show.
    bool (*build)(const Leaf& leaf, const Context& context, Block& block) = nullptr;
    /// Where a leaf that is too long is cut. Null: behind all that it has.
    Cut (*cut)(const Leaf& leaf) = nullptr;

    /// The block as Markdown, without the marks of its containers, and without a line end at its end.
    std::string (*markdown)(const Block& block) = nullptr;
    /// Null: its text.
    std::string (*plain)(const Block& block) = nullptr;
};

std::span<const BlockKind* const> allBlockKinds();

/// Kinds of Markdown blocks in the order in which they are asked.
std::span<const BlockKind* const> markdownKinds();
/// Of parts that are not Markdown; null for those that are.
const BlockKind* kindOfPart(PartKind part);

}  // namespace ingle::content
