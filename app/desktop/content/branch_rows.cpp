#include "app/desktop/content/branch_rows.h"

#include <algorithm>
#include <iterator>
#include <ranges>
#include <utility>

#include "app/desktop/services/assert.h"

namespace ingle::desktop {
namespace {

using content::Block;
using history::Message;
using history::MessageStatus;
using history::RowId;

/// More than this is read from its end, also where messages above it are shown already.
constexpr size_t kMaxBytesAtOnce = 512 * 1024;

bool saysTheSame(const Message& a, const Message& b) {
    return a.id == b.id && a.parts == b.parts;
}

std::string errorText(const Message& message) {
    return message.error ? message.error->message : std::string();
}

/// What the model saw of it at the last answer of which that is known: one that has just begun has no plan.
RowId firstKeptOf(const std::vector<Message>& branch) {
    for (const Message& each : std::views::reverse(branch)) {
        if (each.role == ingle::Role::Assistant && (each.firstKept != 0 || each.stats.promptTokens > 0))
            return each.firstKept;
    }
    return 0;
}

}  // namespace

size_t bytesOf(const Message& message) {
    size_t bytes = 0;
    for (const Part& part : message.parts) bytes += part.text.size();
    return bytes;
}

struct BranchRows::SliceSize {
    size_t bytes;
    size_t messages;
};

/// A view that begins with its end makes the first rows twice: from their top, and from their end. So these
/// are few.
static constexpr BranchRows::SliceSize kFirstSlice{16 * 1024, 4};
/// Read in about two milliseconds; every frame has time for one.
static constexpr BranchRows::SliceSize kSlice{48 * 1024, 100};

int BranchRows::Entry::begin(RowKind kind) const {
    int row = first;
    for (size_t before = 0; before < static_cast<size_t>(kind); ++before) row += counts[before];
    return row;
}

BranchRows::Entry& BranchRows::entry(size_t message) {
    INGLE_ASSERT(message >= m_read && message - m_read < m_entries.size(), "message {} of {} + {}", message,
                 m_read, m_entries.size());
    return m_entries[message - m_read];
}

const BranchRows::Entry& BranchRows::entry(size_t message) const {
    return const_cast<BranchRows*>(this)->entry(message);
}

/// Between changes.
void BranchRows::check() const {
    INGLE_ASSERT(m_read + m_entries.size() == m_messages.size(), "{} + {} of {} messages", m_read,
                 m_entries.size(), m_messages.size());
    INGLE_ASSERT(m_entries.empty() || m_entries.front().first == 0, "rows begin with {}",
                 m_entries.front().first);
}

void BranchRows::setBranch(std::vector<Message> messages) {
    setFirstKept(firstKeptOf(messages));
    const Shared shared = sharedWith(messages);
    const auto edited = indexOf(m_edited);
    if (!edited || *edited >= shared.count) setEdited(0);
    const size_t end = shared.above + shared.count;
    INGLE_ASSERT(end <= messages.size() && (shared.count > 0 || shared.above == 0), "{} + {} of {} messages",
                 shared.above, shared.count, messages.size());
    dropFrom(shared.count);
    const std::vector<Message> before = std::exchange(m_messages, std::move(messages));
    m_places.clear();
    for (size_t index = 0; index < m_messages.size(); ++index) m_places.emplace(m_messages[index].id, index);
    // With nothing in common there are no rows, and all are read from the end.
    m_read = shared.count > 0 ? m_read + shared.above : m_messages.size();
    for (size_t index = m_read; index < end; ++index) refresh(index, before[index - shared.above]);
    if (shared.count == 0) {
        read(sliceBegin(kFirstSlice));
    } else {
        if (end < m_messages.size() && end > m_read) furnitureChanged(end - 1, RowChange::Last);
        for (size_t index = end; index < m_messages.size(); ++index) {
            m_entries.emplace_back(m_messages[index]);
            placeRows(index);
            updateRows(index);
        }
    }
    check();
}

BranchRows::Shared BranchRows::sharedWith(const std::vector<Message>& messages) const {
    if (m_messages.empty()) return {};
    const auto first = std::ranges::find(messages, m_messages.front().id, &Message::id);
    Shared shared{static_cast<size_t>(first - messages.begin()), 0};
    while (shared.count < m_messages.size() && shared.above + shared.count < messages.size() &&
           saysTheSame(messages[shared.above + shared.count], m_messages[shared.count]))
        ++shared.count;
    if (shared.count == 0) return {};
    size_t numNewBytes = 0;
    for (size_t index = shared.above + shared.count; index < messages.size(); ++index)
        numNewBytes += bytesOf(messages[index]);
    return numNewBytes > kMaxBytesAtOnce ? Shared{} : shared;
}

/// Messages from `index` on go.
void BranchRows::dropFrom(size_t index) {
    if (index >= m_messages.size()) return;
    const size_t firstWithRows = std::max(index, m_read);
    const int first = firstWithRows < m_messages.size() ? entry(firstWithRows).first : 0;
    const int numGone = numRows() - first;
    if (numGone > 0) m_observer.removing(first, numGone);
    m_messages.resize(index);
    m_entries.erase(m_entries.begin() + static_cast<ptrdiff_t>(firstWithRows - m_read), m_entries.end());
    m_read = std::min(m_read, index);
    if (numGone > 0) m_observer.removed();
    if (index > m_read) furnitureChanged(index - 1, RowChange::Last);
    check();
}

/// A message that is shown may stand otherwise now than it did before.
void BranchRows::refresh(size_t index, const Message& before) {
    const Message& now = m_messages[index];
    if (now.status == before.status && errorText(now) == errorText(before) &&
        now.siblingIndex == before.siblingIndex && now.siblingCount == before.siblingCount &&
        now.stats.newTokens == before.stats.newTokens)
        return;
    if (isStreaming(index) && before.status != MessageStatus::Streaming)
        blocksChanged(index, entry(index).shown.readAgain(now));  // what had ended is open again
    updateRows(index);
    furnitureChanged(index, RowChange::Outcome);
}

size_t BranchRows::sliceBegin(const SliceSize& size) const {
    size_t numBytes = 0;
    size_t from = m_read;
    while (from > 0 && m_read - from < size.messages && numBytes < size.bytes)
        numBytes += bytesOf(m_messages[--from]);
    return from;
}

void BranchRows::readSlice() {
    read(sliceBegin(kSlice));
}

void BranchRows::readDownTo(size_t message) {
    if (message < m_read) read(message);
}

/// Gives rows to the messages from `from` up to those that have some.
void BranchRows::read(size_t from) {
    const size_t end = std::exchange(m_read, from);
    int numNew = 0;
    for (size_t index = end; index-- > from;) m_entries.emplace_front(m_messages[index]);
    // Until they are said to be there, none of these has rows.
    std::vector<Counts> counts;
    for (size_t index = from; index < end; ++index) {
        counts.push_back(wanted(index));
        for (const int count : counts.back()) numNew += count;
    }
    if (numNew > 0) m_observer.inserting(0, numNew);
    for (size_t index = from; index < end; ++index) entry(index).counts = counts[index - from];
    placeRows(from);
    if (numNew > 0) m_observer.inserted();
}

void BranchRows::append(RowId message, const std::vector<PartPiece>& pieces) {
    const std::optional<size_t> index = indexOf(message);
    if (!index || pieces.empty()) return;
    std::vector<Part>& parts = m_messages[*index].parts;
    if (*index < m_read || isUser(*index)) {
        for (const PartPiece& piece : pieces) ingle::append(parts, piece);
        return;
    }
    blocksChanged(*index, entry(*index).shown.append(parts, pieces));
}

void BranchRows::blocksChanged(size_t index, const ShownMessage::Before& before) {
    const std::vector<Block>& blocks = entry(index).shown.blocks();
    const int top = entry(index).begin(RowKind::Block);
    const bool wasEmpty = entry(index).count(RowKind::Block) == 0;
    const size_t end = before.first + before.blocks.size();
    INGLE_ASSERT(entry(index).count(RowKind::Block) == static_cast<int>(end), "{} rows of {} blocks",
                 entry(index).count(RowKind::Block), end);
    size_t block = before.first;
    while (block < std::min(end, blocks.size()) && before.blocks[block - before.first] == blocks[block])
        ++block;
    const size_t first = block;
    // A row keeps its delegate for as long as it lives, so another kind is another row.
    for (; block < std::min(end, blocks.size()); ++block) {
        const Block& was = before.blocks[block - before.first];
        if (was.kind != blocks[block].kind) break;
        m_observer.blockChanged(top + static_cast<int>(block), was, blocks[block]);
    }
    setCount(index, RowKind::Block, static_cast<int>(block));
    setCount(index, RowKind::Block, static_cast<int>(blocks.size()));
    if (end != blocks.size() && block > 0) growthChanged(index, block - 1);
    if (wasEmpty != blocks.empty()) furnitureChanged(index, RowChange::Empty);
    for (const size_t wider : entry(index).shown.measureCode(first))
        m_observer.rowChanged(top + static_cast<int>(wider), RowChange::LongestLine);
}

void BranchRows::growthChanged(size_t index, size_t block) {
    const Entry& set = entry(index);
    const int top = set.begin(RowKind::Block);
    m_observer.rowChanged(top + static_cast<int>(block), RowChange::Growth);
    const size_t first = set.shown.firstPiece(block);
    if (first != block) m_observer.rowChanged(top + static_cast<int>(first), RowChange::Growth);
}

void BranchRows::setStatus(RowId message, const history::AnswerEnd& end) {
    const std::optional<size_t> index = indexOf(message);
    if (!index) return;
    const bool ended = isStreaming(*index) && end.status != MessageStatus::Streaming;
    Message& set = m_messages[*index];
    set.status = end.status;
    set.stopReason = end.reason;
    set.error = end.error;
    set.stats = end.stats;
    if (*index < m_read) return;
    if (ended && !isUser(*index)) {
        blocksChanged(*index, entry(*index).shown.finish());
        const auto numBlocks = static_cast<size_t>(entry(*index).count(RowKind::Block));
        if (numBlocks > 0) growthChanged(*index, numBlocks - 1);
    }
    updateRows(*index);
    furnitureChanged(*index, RowChange::Outcome);
}

void BranchRows::setPinned(RowId message, bool pinned) {
    if (const std::optional<size_t> index = indexOf(message)) m_messages[*index].pinned = pinned;
}

void BranchRows::setFirstKept(RowId message) {
    const RowId before = std::exchange(m_firstKept, message);
    if (before == message) return;
    for (const RowId id : {before, message}) {
        const std::optional<size_t> index = indexOf(id);
        if (index && *index >= m_read) updateRows(*index);
    }
}

void BranchRows::setEdited(RowId message) {
    const RowId before = std::exchange(m_edited, message);
    if (before == message) return;
    for (const RowId id : {before, message}) {
        const std::optional<size_t> index = indexOf(id);
        if (!index) continue;
        INGLE_ASSERT(isUser(*index), "message {} is an answer", id);
        readDownTo(*index);
        updateRows(*index);
    }
}

BranchRows::Counts BranchRows::wanted(size_t index) const {
    const bool furnished = m_furniture == Furniture::StateAndActions;
    const bool edited = m_edited != 0 && m_messages[index].id == m_edited;
    const bool complete = m_messages[index].status == MessageStatus::Complete;
    Counts counts{};
    const auto set = [&counts](RowKind kind, size_t count) {
        counts[static_cast<size_t>(kind)] = static_cast<int>(count);
    };
    set(RowKind::Forgotten, m_firstKept != 0 && m_messages[index].id == m_firstKept ? 1 : 0);
    set(RowKind::Editor, edited ? 1 : 0);
    set(RowKind::Block, edited ? 0 : shown(index).blocks().size());
    set(RowKind::State, furnished && !isUser(index) && !complete ? 1 : 0);
    set(RowKind::Actions, furnished && !edited && !isStreaming(index) ? 1 : 0);
    return counts;
}

void BranchRows::updateRows(size_t index) {
    const Counts counts = wanted(index);
    for (size_t kind = 0; kind < kNumKinds; ++kind) setCount(index, static_cast<RowKind>(kind), counts[kind]);
}

void BranchRows::setCount(size_t index, RowKind kind, int count) {
    const int before = entry(index).count(kind);
    if (count == before) return;
    const int row = entry(index).begin(kind) + std::min(before, count);
    if (count > before)
        m_observer.inserting(row, count - before);
    else
        m_observer.removing(row, before - count);
    entry(index).counts[static_cast<size_t>(kind)] = count;
    placeRows(index);
    if (count > before)
        m_observer.inserted();
    else
        m_observer.removed();
}

void BranchRows::placeRows(size_t from) {
    int row = from > m_read ? entry(from - 1).end() : 0;
    for (size_t index = from; index < m_read + m_entries.size(); ++index) {
        entry(index).first = row;
        row = entry(index).end();
    }
}

void BranchRows::furnitureChanged(size_t index, RowChange change) {
    const Entry& changed = entry(index);
    for (int row = changed.begin(RowKind::State); row < changed.end(); ++row)
        m_observer.rowChanged(row, change);
}

void BranchRows::toggle(Place place) {
    Entry& set = entry(place.message);
    set.shown.toggle(place.block);
    for (size_t block = set.shown.firstPiece(place.block); block <= set.shown.lastPiece(place.block); ++block)
        m_observer.rowChanged(set.begin(RowKind::Block) + static_cast<int>(block), RowChange::Open);
}

void BranchRows::setScrolled(Place place, double x) {
    Entry& set = entry(place.message);
    if (set.shown.scrolled(place.block) == x) return;
    set.shown.setScrolled(place.block, x);
    for (size_t block = set.shown.firstPiece(place.block); block <= set.shown.lastPiece(place.block); ++block)
        m_observer.rowChanged(set.begin(RowKind::Block) + static_cast<int>(block), RowChange::Scroll);
}

std::optional<size_t> BranchRows::indexOf(RowId message) const {
    const auto found = m_places.find(message);
    if (found == m_places.end() || found->second >= m_messages.size()) return std::nullopt;
    return found->second;
}

BranchRows::Row BranchRows::at(int row) const {
    INGLE_ASSERT(row >= 0 && row < numRows(), "row {} of {}", row, numRows());
    const auto after = std::ranges::upper_bound(m_entries, row, {}, &Entry::first);
    const Entry& found = *std::prev(after);
    const auto message = m_read + static_cast<size_t>(std::distance(m_entries.begin(), after)) - 1;
    size_t kind = 0;
    while (row >= found.begin(static_cast<RowKind>(kind)) + found.counts[kind]) ++kind;
    const int block =
        std::clamp(row - found.begin(RowKind::Block), 0, std::max(found.count(RowKind::Block) - 1, 0));
    return {static_cast<RowKind>(kind), {message, static_cast<size_t>(block)}};
}

std::optional<int> BranchRows::rowOf(Place place) const {
    if (place.message < m_read || place.message >= m_messages.size()) return std::nullopt;
    const Entry& found = entry(place.message);
    const int last = std::max(found.count(RowKind::Block) - 1, 0);
    return found.begin(RowKind::Block) + std::clamp(static_cast<int>(place.block), 0, last);
}

}  // namespace ingle::desktop
