#include "app/content/block_scanner.h"

#include <algorithm>
#include <charconv>

namespace ingle::content {
namespace {

constexpr size_t kMaxDigits = 9;  // CommonMark 0.30, section 5.2

bool isPlain(std::string_view text) {
    return std::all_of(text.begin(), text.end(),
                       [](char c) { return c != 0 && static_cast<unsigned char>(c) < 0x80; });
}

/// "[ ] " and "[x] " where an item begins.
TaskState takeTask(Line& line) {
    const std::string_view text = line.content();
    if (text.size() < 3 || text[0] != '[' || text[2] != ']' ||
        (text.size() > 3 && text[3] != ' ' && text[3] != '\t'))
        return TaskState::None;
    const TaskState state = text[1] == ' '                     ? TaskState::Open
                            : text[1] == 'x' || text[1] == 'X' ? TaskState::Done
                                                               : TaskState::None;
    if (state != TaskState::None) line.dropMark(3);
    return state;
}

/// The line below a head of so many cells, as somebody would write it.
std::string delimiterRow(std::string_view head) {
    const auto pipes = static_cast<size_t>(std::count(head.begin(), head.end(), '|'));
    const size_t columns = pipes - (head.size() > 1 && head.ends_with('|') ? 1 : 0);
    std::string out = "|";
    for (size_t column = 0; column < std::max<size_t>(columns, 1); ++column) out.append("-|");
    return out;
}

}  // namespace

BlockScanner::BlockScanner(size_t part, PartKind kind, std::string label, Definitions& definitions)
    : m_part(part), m_definitions(&definitions) {
    if (const BlockKind* whole = kindOfPart(kind)) {
        m_leaf.emplace();
        m_leaf->kind = whole;
        m_leaf->label = std::move(label);
    }
}

std::optional<BlockScanner::ItemMark> BlockScanner::itemMark(std::string_view text) {
    ItemMark mark{};
    const size_t digits = std::min(text.find_first_not_of("0123456789"), text.size());
    const std::string_view marks = digits > 0 ? ".)" : "-+*";
    if (digits > kMaxDigits || digits == text.size() || marks.find(text[digits]) == std::string_view::npos)
        return std::nullopt;
    mark.bytes = digits + 1;
    if (mark.bytes < text.size() && text[mark.bytes] != ' ' && text[mark.bytes] != '\t') return std::nullopt;
    mark.container.kind = digits > 0 ? ContainerKind::Number : ContainerKind::Bullet;
    mark.container.mark = text[digits];
    std::from_chars(text.data(), text.data() + digits, mark.container.number);
    return mark;
}

/// How many of the open containers the line belongs to; their marks are taken off it.
size_t BlockScanner::match(Line& line) const {
    size_t matched = 0;
    for (; matched < m_stack.size(); ++matched) {
        const OpenContainer& container = m_stack[matched];
        if (container.kind == OpenContainer::Kind::Quote) {
            if (line.blank() || line.indented() || line.content()[0] != '>') break;
            line.dropMark(1);
            line.dropIndent(1);
        } else if (container.kind == OpenContainer::Kind::Item) {
            if (line.blank()) {
                // An item may begin with one empty line, not with two.
                if (container.empty) break;
            } else if (line.indent() >= container.indent) {
                line.dropIndent(container.indent);
            } else {
                break;
            }
        }
    }
    return matched;
}

/// Ends the open block, and what is open behind the first `matched` containers.
void BlockScanner::leave(size_t matched) {
    closeLeaf(Stage::Finished);
    while (m_stack.size() > matched) {
        if (m_stack.back().kind == OpenContainer::Kind::Item && m_stack.back().fresh) {
            Block block;
            block.kind = markdownKinds().back();
            block.spaced = std::exchange(m_blank, false) && m_anything;
            block.sourceBegin = m_piece.sourceBegin;
            block.sourceEnd = m_piece.sourceBegin;
            show(std::move(block));
        }
        m_stack.pop_back();
    }
}

/// Ends a list of which the items have ended, unless what comes next is an item of it.
void BlockScanner::leaveList(const ItemMark* next) {
    if (!m_stack.empty() && m_stack.back().kind == OpenContainer::Kind::List &&
        (next == nullptr || next->container.mark != m_stack.back().shown.mark))
        m_stack.pop_back();
}

void BlockScanner::enter(OpenContainer container) {
    for (OpenContainer& outer : m_stack) outer.empty = false;
    m_stack.push_back(container);
}

void BlockScanner::enterItem(Line& line, const ItemMark& mark) {
    if (m_stack.empty() || m_stack.back().kind != OpenContainer::Kind::List)
        enter({OpenContainer::Kind::List, mark.container});
    OpenContainer& list = m_stack.back();
    OpenContainer item{OpenContainer::Kind::Item, list.shown};
    if (list.shown.kind == ContainerKind::Number) ++list.shown.number;
    item.indent = line.indent() + static_cast<int>(mark.bytes);
    line.dropMark(mark.bytes);
    // More than four columns behind the mark are one, and then code.
    const int space = line.blank() || line.indent() > kCodeIndent ? 1 : line.indent();
    item.indent += space;
    line.dropIndent(space);
    enter(item);
}

/// Whether the line begins a quotation or an item, which is then entered. `below`: a paragraph stands above
/// it.
bool BlockScanner::openContainer(Line& line, size_t& matched, bool below) {
    if (line.blank() || line.indented() || m_stack.size() >= kMaxContainers) return false;
    if (line.content()[0] == '>') {
        leave(matched);
        leaveList(nullptr);
        enter({OpenContainer::Kind::Quote, {}});
        line.dropMark(1);
        line.dropIndent(1);
    } else {
        const auto mark = itemMark(line.content());
        if (!mark) return false;
        const bool empty = line.content().find_first_not_of(" \t", mark->bytes) == std::string_view::npos;
        if (below &&
            (empty || (mark->container.kind == ContainerKind::Number && mark->container.number != 1)))
            return false;
        leave(matched);
        leaveList(&*mark);
        enterItem(line, *mark);
    }
    matched = m_stack.size();
    return true;
}

/// Whether the line begins a block that is no paragraph.
bool BlockScanner::beginLeaf(const Line& line, size_t matched) {
    const Leaf* paragraph = isParagraph() ? &*m_leaf : nullptr;
    for (const BlockKind* kind : markdownKinds().first(markdownKinds().size() - 1)) {
        Leaf leaf;
        const Begins begins = kind->begins(line, paragraph, leaf);
        leaf.kind = kind;
        if (begins == Begins::Here) {
            leave(matched);
            leaveList(nullptr);
            openLeaf(std::move(leaf));
            return true;
        }
        if (begins == Begins::WithParagraph && matched == m_stack.size()) {
            takeParagraph(std::move(leaf));
            added(m_leaf->text.size());
            return true;
        }
    }
    return false;
}

/// The leaf takes the open paragraph's last lines. What stands above them is a paragraph by itself.
void BlockScanner::takeParagraph(Leaf leaf) {
    Leaf above = *std::exchange(m_leaf, std::nullopt);
    const size_t begin = above.text.size() - leaf.text.size();
    const auto first = std::find_if(above.sources.begin(), above.sources.end(),
                                    [begin](const auto& line) { return line.first >= begin; });
    for (auto line = first; line != above.sources.end(); ++line)
        leaf.sources.emplace_back(line->first - begin, line->second);
    leaf.sourceBegin = leaf.sources.front().second;
    leaf.sourceEnd = above.sourceEnd;
    if (begin == 0) {
        leaf.spaced = above.spaced;
        leaf.seam = above.seam;
    } else {
        above.text.resize(begin - 1);
        above.sources.erase(first, above.sources.end());
        above.sourceEnd = leaf.sourceBegin;
        build(above, m_ahead ? Stage::Growing : Stage::Finished);
    }
    m_leaf = std::move(leaf);
}

void BlockScanner::openLeaf(Leaf leaf) {
    for (OpenContainer& container : m_stack) container.empty = false;
    leaf.spaced = std::exchange(m_blank, false) && m_anything;
    leaf.sourceBegin = m_piece.sourceBegin;
    m_leaf = std::move(leaf);
    added(0);
}

void BlockScanner::beginParagraph(Line line, bool inNewContainer) {
    if (inNewContainer && m_stack.back().kind == OpenContainer::Kind::Item)
        m_stack.back().shown.task = takeTask(line);
    Leaf leaf;
    leaf.kind = markdownKinds().back();
    // Behind the box of a task there may be nothing yet.
    if (!line.blank()) leaf.kind->begins(line, nullptr, leaf);
    openLeaf(std::move(leaf));
}

bool BlockScanner::addLine(const Line& line) {
    const size_t before = m_leaf->text.size();
    if (!m_leaf->kind->takes(*m_leaf, line)) return false;
    added(std::min(before + 1, m_leaf->text.size()));
    return true;
}

/// The piece has been added to the leaf, and its text stands there from `begin` on.
void BlockScanner::added(size_t begin) {
    m_leaf->sources.emplace_back(begin, m_piece.sourceBegin);
    m_leaf->sourceEnd = m_piece.sourceEnd;
    if (m_leaf->kind->takes == nullptr || m_leaf->ended)
        closeLeaf(m_ahead ? Stage::Growing : Stage::Finished);
    else if (m_leaf->text.size() >= kMaxBlockBytes || m_leaf->lines >= m_leaf->kind->maxLines)
        cutIfLong();
}

void BlockScanner::take(const LinePiece& piece) {
    m_piece = piece;
    const std::string valid = isPlain(piece.text) ? std::string() : validText(piece.text);
    const std::string_view text = valid.empty() ? piece.text : valid;
    if (piece.place == LinePiece::Place::Whole || piece.place == LinePiece::Place::First)
        takeWhole(text);
    else
        takeRest(text);
}

void BlockScanner::takeWhole(std::string_view text) {
    Line line(text);
    size_t matched = match(line);
    if (m_leaf && m_leaf->kind->hold == Hold::Firm) {
        if (matched == m_stack.size() && addLine(line)) return;
        closeLeaf(Stage::Finished);
    }
    bool inNewContainer = false;
    while (!line.blank()) {
        if (beginLeaf(line, matched)) return;
        if (!openContainer(line, matched, isParagraph() && matched == m_stack.size())) break;
        inNewContainer = true;
    }
    if (line.blank()) {
        if (inNewContainer) return;
        leave(matched);
        m_blank = true;
    } else if (m_leaf && (matched == m_stack.size() || isParagraph())) {
        addLine(line);
    } else {
        leave(matched);
        leaveList(nullptr);
        beginParagraph(line, inNewContainer);
    }
}

/// What follows on a line of which the beginning has been read.
void BlockScanner::takeRest(std::string_view text) {
    if (m_leaf && (m_leaf->kind->hold == Hold::Firm || isParagraph())) {
        const size_t before = m_leaf->text.size();
        m_leaf->text.append(text);
        return added(before);
    }
    if (text.empty()) return;
    closeLeaf(Stage::Finished);
    Leaf leaf;
    leaf.kind = markdownKinds().back();
    leaf.seam = m_anything && !m_blank ? Seam::Glued : Seam::None;
    leaf.addLine(text);
    openLeaf(std::move(leaf));
}

BlockScanner BlockScanner::ahead() const {
    BlockScanner out = *this;
    out.m_ahead = true;
    return out;
}

bool BlockScanner::undecided(std::string_view text) const {
    Line line(text);
    const size_t matched = match(line);
    if (line.blank()) return true;
    std::string_view content = line.content();
    if (m_leaf && m_leaf->kind->hold == Hold::Firm && matched == m_stack.size())
        return !m_leaf->mark.empty() && content.find_first_not_of(m_leaf->mark) == std::string_view::npos;
    if (content.ends_with("[x") || content.ends_with("[X")) content.remove_suffix(1);
    return content.find_first_not_of("`~#*-_=+>|:.)0123456789 \t$\\[]") == std::string_view::npos;
}

void BlockScanner::finish(Stage stage) {
    // The head of a table is drawn as one before the line below it says so.
    if (stage == Stage::Growing && isParagraph() && m_leaf->lines == 1 && m_leaf->text.starts_with('|')) {
        const std::string line = delimiterRow(m_leaf->text);
        beginLeaf(Line(line), m_stack.size());
    }
    closeLeaf(stage);
    leave(0);
}

void BlockScanner::cutIfLong() {
    Leaf& head = *m_leaf;
    const size_t size = head.text.size();
    Cut cut{size, size, Seam::Line};
    if (head.kind->cut != nullptr) cut = head.kind->cut(head);
    const bool midLine =
        m_piece.place == LinePiece::Place::First || m_piece.place == LinePiece::Place::Middle;
    if (cut.end == size) cut.seam = midLine ? Seam::Glued : Seam::Line;

    Leaf rest = head;
    rest.text.erase(0, cut.next);
    rest.lines = cut.end == size
                     ? (midLine ? 1 : 0)
                     : 1 + static_cast<size_t>(std::count(rest.text.begin(), rest.text.end(), '\n'));
    rest.spaced = false;
    rest.seam = cut.seam;
    const auto behind = std::find_if(head.sources.begin(), head.sources.end(),
                                     [&](const auto& line) { return line.first > cut.next; });
    const auto& [text, source] = *(behind - 1);
    rest.sourceBegin =
        cut.next == size ? head.sourceEnd : std::min(source + (cut.next - text), head.sourceEnd);
    rest.sources = {{0, rest.sourceBegin}};
    for (auto line = behind; line != head.sources.end(); ++line)
        rest.sources.emplace_back(line->first - cut.next, line->second);
    head.sourceEnd = rest.sourceBegin;
    head.text.resize(cut.end);
    // What was no block at all (definitions) has nothing to go on with.
    if (!build(head, Stage::Finished)) rest.seam = head.seam;
    m_leaf = std::move(rest);
}

void BlockScanner::closeLeaf(Stage stage) {
    if (!m_leaf) return;
    const Leaf leaf = *std::exchange(m_leaf, std::nullopt);
    build(leaf, stage);
    // Empty lines behind indented code do not belong to it.
    const size_t last = leaf.text.find_last_not_of(" \t");
    if (leaf.kind->hold == Hold::Firm && leaf.mark.empty() && last != std::string::npos &&
        leaf.text[last] == '\n')
        m_blank = true;
}

/// Whether there was anything to show.
bool BlockScanner::build(const Leaf& leaf, Stage stage) {
    Block block;
    block.kind = leaf.kind;
    block.sourceBegin = leaf.sourceBegin;
    block.sourceEnd = leaf.sourceEnd;
    block.spaced = leaf.spaced;
    block.seam = leaf.seam;
    const bool shown = leaf.kind->build(leaf, {*m_definitions, stage}, block);
    if (shown)
        show(std::move(block));
    else if (leaf.text.starts_with('[') && stage == Stage::Finished && !m_ahead)
        m_definitions->add(leaf.text);
    return shown;
}

void BlockScanner::show(Block block) {
    block.part = m_part;
    for (OpenContainer& container : m_stack) {
        if (container.kind == OpenContainer::Kind::List) continue;
        block.containers.push_back(container.shown);
        block.opened += container.fresh ? 1 : 0;
        container.fresh = false;
    }
    m_anything = true;
    m_blocks.push_back(std::move(block));
}

}  // namespace ingle::content
