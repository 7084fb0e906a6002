#include "app/desktop/viewmodels/chat_rows.h"

#include <QVariantList>

#include <algorithm>
#include <iterator>
#include <utility>

#include "app/content/block_kind.h"
#include "app/content/code_language.h"
#include "app/content/question.h"
#include "app/content/selection.h"
#include "app/desktop/running_answers.h"
#include "app/desktop/text.h"

namespace ingle::desktop {
namespace {

using content::Block;
using content::Container;
using content::ContainerKind;
using content::Seam;
using history::Message;
using history::MessageStatus;
using history::RowId;

static_assert(static_cast<int>(MessageStatus::Complete) == ChatRows::Complete);
static_assert(static_cast<int>(MessageStatus::Failed) == ChatRows::Failed);

/// Read in about two milliseconds; every frame has time for one.
constexpr size_t kSliceBytes = 48 * 1024;
constexpr size_t kSliceMessages = 100;
/// More than this is read from its end, also where messages above it are shown already.
constexpr size_t kMaxBytesAtOnce = 512 * 1024;

/// A text's first letter decides its direction; it stands near its beginning.
constexpr size_t kDirectionBytes = 512;

bool isRightToLeft(const Block& block) {
    const std::string& text =
        block.rows.empty() || block.rows.front().empty() ? block.text.text : block.rows.front().front().text;
    return QString::fromUtf8(text.data(), static_cast<qsizetype>(std::min(text.size(), kDirectionBytes)))
        .isRightToLeft();
}

size_t bytesOf(const Message& message) {
    size_t bytes = 0;
    for (const Part& part : message.parts) bytes += part.text.size();
    return bytes;
}

QString markOf(const Container& container) {
    if (container.kind == ContainerKind::Quote) return {};
    if (container.task != content::TaskState::None)
        return container.task == content::TaskState::Done ? QStringLiteral("☑") : QStringLiteral("☐");
    if (container.kind == ContainerKind::Bullet) return QStringLiteral("•");
    return QString::number(container.number) + QLatin1Char(container.mark);
}

/// The roles whose values differ between two states of a block.
QList<int> changedRoles(const Block& before, const Block& after) {
    QList<int> roles{ChatRows::BlockRole, ChatRows::TextRole};
    if (before.containers != after.containers || before.opened != after.opened)
        roles << ChatRows::ContainersRole << ChatRows::MarksRole;
    if (before.spaced != after.spaced) roles << ChatRows::SpacedRole;
    if (before.seam != after.seam) roles << ChatRows::GoesOnRole;
    if (before.level != after.level) roles << ChatRows::LevelRole;
    if (before.label != after.label) roles << ChatRows::LabelRole;
    if (isRightToLeft(before) != isRightToLeft(after)) roles << ChatRows::RightToLeftRole;
    return roles;
}

bool goesOn(const std::vector<Block>& blocks, size_t block) {
    return block > 0 && block < blocks.size() && blocks[block].seam != Seam::None &&
           blocks[block].kind == blocks[block - 1].kind;
}

size_t firstPiece(const std::vector<Block>& blocks, size_t block) {
    while (goesOn(blocks, block)) --block;
    return block;
}

size_t lastPiece(const std::vector<Block>& blocks, size_t block) {
    while (goesOn(blocks, block + 1)) ++block;
    return block;
}

/// In characters.
int longestLine(std::string_view text) {
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

ChatRows::ChatRows(Furniture furniture, QObject* parent)
    : QAbstractListModel(parent), m_furniture(furniture) {
    m_readMore.setSingleShot(true);
    connect(&m_readMore, &QTimer::timeout, this, &ChatRows::readSlice);
}

void ChatRows::setBranch(std::vector<Message> messages) {
    const auto same = [](const Message& a, const Message& b) { return a.id == b.id && a.parts == b.parts; };
    edit(0);
    setFirstKept(0);
    const auto lastAnswer = std::find_if(messages.rbegin(), messages.rend(), [](const Message& each) {
        return each.role == ingle::Role::Assistant;
    });
    const RowId firstKept = lastAnswer == messages.rend() ? 0 : lastAnswer->firstKept;
    // How many older ones stand above those that are shown.
    size_t older = 0;
    if (!m_messages.empty()) {
        const auto first = std::ranges::find(messages, m_messages.front().id, &Message::id);
        if (first != messages.end()) older = static_cast<size_t>(first - messages.begin());
    }
    size_t kept = 0;
    while (kept < m_messages.size() && older + kept < messages.size() &&
           same(messages[older + kept], m_messages[kept]))
        ++kept;
    if (kept == 0) older = 0;
    size_t numNewBytes = 0;
    for (size_t index = older + kept; index < messages.size(); ++index)
        numNewBytes += bytesOf(messages[index]);
    if (numNewBytes > kMaxBytesAtOnce) older = kept = 0;
    dropFrom(kept);
    m_messages.insert(m_messages.begin(), std::make_move_iterator(messages.begin()),
                      std::make_move_iterator(messages.begin() + static_cast<ptrdiff_t>(older)));
    std::vector<std::unique_ptr<Entry>> entries(older);
    std::ranges::move(m_entries, std::back_inserter(entries));
    m_entries = std::move(entries);
    m_read += older;
    for (size_t index = older; index < older + kept; ++index) {
        Message& shown = m_messages[index];
        const bool goesOn = messages[index].status == MessageStatus::Streaming && !isStreaming(index);
        const bool other = shown.status != messages[index].status || shown.error != messages[index].error ||
                           shown.siblingIndex != messages[index].siblingIndex ||
                           shown.siblingCount != messages[index].siblingCount ||
                           shown.stats.newTokens != messages[index].stats.newTokens;
        shown = std::move(messages[index]);
        if (index < m_read || !other) continue;
        if (goesOn) {
            // What had ended is open again.
            const std::vector<Block> before = blocksOf(index);
            entry(index).answer = {};
            parse(index);
            blocksChanged(index, 0, before);
        }
        updateFurniture(index);
        furnitureChanged(index, {StatusRole, ErrorRole, ErrorDetailsRole, NewTokensRole, TokensPerSecondRole,
                                 SiblingIndexRole, SiblingCountRole});
    }
    const size_t end = older + kept;
    m_messages.insert(m_messages.end(),
                      std::make_move_iterator(messages.begin() + static_cast<ptrdiff_t>(end)),
                      std::make_move_iterator(messages.end()));
    m_entries.resize(m_messages.size());
    if (kept > 0) {
        for (size_t index = end; index < m_entries.size(); ++index)
            m_entries[index] = std::make_unique<Entry>();
    } else {
        m_read = m_messages.size();
    }
    placeRows(end);
    if (kept == 0) {
        read(sliceBefore(m_read));
    } else {
        furnitureChanged(end - 1, {LastRole});
        for (size_t index = end; index < m_messages.size(); ++index) {
            parse(index);
            insertRows(index, 0, static_cast<int>(blocksOf(index).size()),
                       [&] { entry(index).numBlocks = static_cast<int>(blocksOf(index).size()); });
            updateFurniture(index);
        }
    }
    setFirstKept(firstKept);
    if (m_read > 0) m_readMore.start(0);
    emit countChanged();
    emit messagesChanged();
}

/// Messages from `index` on go.
void ChatRows::dropFrom(size_t index) {
    if (index >= m_messages.size()) return;
    const size_t firstWithRows = std::max(index, m_read);
    const int first = firstWithRows < m_entries.size() ? entry(firstWithRows).firstRow : rowCount();
    const auto drop = [&] {
        m_messages.resize(index);
        m_entries.resize(index);
        m_read = std::min(m_read, index);
    };
    if (first >= rowCount()) return drop();
    beginRemoveRows({}, first, rowCount() - 1);
    drop();
    endRemoveRows();
    if (index > m_read) furnitureChanged(index - 1, {LastRole});
}

size_t ChatRows::sliceBefore(size_t end) const {
    size_t numBytes = 0;
    size_t from = end;
    while (from > 0 && end - from < kSliceMessages && numBytes < kSliceBytes)
        numBytes += bytesOf(m_messages[--from]);
    return from;
}

void ChatRows::readSlice() {
    read(sliceBefore(m_read));
    if (m_read > 0) m_readMore.start(0);
}

void ChatRows::read(size_t from) {
    if (from >= m_read) return;
    int numRows = 0;
    for (size_t index = from; index < m_read; ++index) {
        m_entries[index] = std::make_unique<Entry>();
        parse(index);
        Entry& added = entry(index);
        const bool furnished = m_furniture == Furniture::StateAndActions;
        added.numForgotten = m_messages[index].id == m_firstKept ? 1 : 0;
        added.numBlocks = static_cast<int>(blocksOf(index).size());
        added.numStates = furnished && !isUser(index) && m_messages[index].status != MessageStatus::Complete;
        added.numActions = furnished && !isStreaming(index);
        numRows += added.numRows();
    }
    const auto show = [&] {
        m_read = from;
        placeRows(from);
    };
    if (numRows == 0) return show();
    beginInsertRows({}, 0, numRows - 1);
    show();
    endInsertRows();
    emit countChanged();
}

void ChatRows::parse(size_t index) {
    if (isUser(index)) {
        entry(index).question = content::questionBlocks(m_messages[index].parts);
        return;
    }
    Entry& parsed = entry(index);
    for (const Part& part : m_messages[index].parts) {
        parsed.answer.begin(part.kind, part.data);
        parsed.answer.append(part.text);
    }
    if (!isStreaming(index)) parsed.answer.finish();
    measureCode(index, 0);
}

const std::vector<Block>& ChatRows::blocksOf(size_t index) const {
    return isUser(index) ? entry(index).question : entry(index).answer.blocks();
}

void ChatRows::append(RowId message, const std::vector<PartPiece>& pieces) {
    const std::optional<size_t> index = indexOf(message);
    if (!index || pieces.empty()) return;
    std::vector<Part>& parts = m_messages[*index].parts;
    if (*index < m_read || isUser(*index)) {
        for (const PartPiece& piece : pieces) ingle::append(parts, piece);
        return;
    }
    content::BlockStream& answer = entry(*index).answer;
    const size_t base = answer.frozenCount();
    const std::vector<Block> before(answer.blocks().begin() + static_cast<ptrdiff_t>(base),
                                    answer.blocks().end());
    for (const PartPiece& piece : pieces) {
        if (beginsPart(parts.empty() ? nullptr : &parts.back(), piece)) answer.begin(piece.kind, piece.data);
        answer.append(piece.text);
        ingle::append(parts, piece);
    }
    blocksChanged(*index, base, before);
}

void ChatRows::blocksChanged(size_t index, size_t base, const std::vector<Block>& before) {
    const std::vector<Block>& blocks = blocksOf(index);
    Entry& grown = entry(index);
    const bool wasEmpty = grown.numBlocks == 0;
    size_t block = base;
    const size_t end = base + before.size();
    while (block < std::min(end, blocks.size()) && before[block - base] == blocks[block]) ++block;
    const size_t first = block;
    // A row keeps its delegate for as long as it lives, so another kind is another row.
    while (block < std::min(end, blocks.size()) && before[block - base].kind == blocks[block].kind) {
        changed(grown.firstBlockRow() + static_cast<int>(block),
                changedRoles(before[block - base], blocks[block]));
        ++block;
    }
    const int at = static_cast<int>(block);
    if (grown.numBlocks > at) {
        removeRows(index, grown.firstBlockRow() - grown.firstRow + at, grown.numBlocks - at,
                   [&] { grown.numBlocks = at; });
    }
    if (block < blocks.size()) {
        insertRows(index, grown.firstBlockRow() - grown.firstRow + at, static_cast<int>(blocks.size()) - at,
                   [&] { grown.numBlocks = static_cast<int>(blocks.size()); });
    }
    if (end != blocks.size() && at > 0 && at <= grown.numBlocks)
        changed(grown.firstBlockRow() + at - 1, {GrowingRole, ContinuedRole});
    if (wasEmpty != (grown.numBlocks == 0)) furnitureChanged(index, {EmptyRole});
    measureCode(index, first);
}

/// The box of a code block is as wide as its longest line, in whichever piece that stands.
void ChatRows::measureCode(size_t index, size_t from) {
    const std::vector<Block>& blocks = blocksOf(index);
    for (size_t block = from; block < blocks.size(); ++block) {
        if (blocks[block].kind->name != "code") continue;
        const size_t first = firstPiece(blocks, block);
        int& longest = entry(index).longestLine[first];
        const int here = longestLine(blocks[block].text.text);
        if (here <= longest) continue;
        longest = here;
        if (index < m_read) continue;
        for (size_t piece = first; piece <= block; ++piece)
            changed(entry(index).firstBlockRow() + static_cast<int>(piece), {LongestLineRole});
    }
}

void ChatRows::setStatus(RowId message, const history::AnswerEnd& end) {
    const std::optional<size_t> index = indexOf(message);
    if (!index) return;
    const bool ended = isStreaming(*index) && end.status != MessageStatus::Streaming;
    m_messages[*index].status = end.status;
    m_messages[*index].stopReason = end.reason;
    m_messages[*index].error = end.error;
    m_messages[*index].errorId = end.errorId;
    m_messages[*index].errorArguments = end.errorArguments;
    m_messages[*index].stats = end.stats;
    if (*index < m_read) return;
    Entry& set = entry(*index);
    if (ended && !isUser(*index)) {
        const size_t base = set.answer.frozenCount();
        const std::vector<Block> before(blocksOf(*index).begin() + static_cast<ptrdiff_t>(base),
                                        blocksOf(*index).end());
        set.answer.finish();
        blocksChanged(*index, base, before);
        if (set.numBlocks > 0) changed(set.firstBlockRow() + set.numBlocks - 1, {GrowingRole});
    }
    updateFurniture(*index);
    furnitureChanged(*index, {StatusRole, ErrorRole, ErrorDetailsRole, NewTokensRole, TokensPerSecondRole});
}

void ChatRows::setFirstKept(RowId message) {
    const RowId before = std::exchange(m_firstKept, message);
    if (before == message) return;
    for (const RowId id : {before, message}) {
        const std::optional<size_t> index = indexOf(id);
        if (index && *index >= m_read) updateFurniture(*index);
    }
}

void ChatRows::updateFurniture(size_t index) {
    Entry& set = entry(index);
    const MessageStatus status = m_messages[index].status;
    const bool furnished = m_furniture == Furniture::StateAndActions;
    setRow(index, &Entry::numForgotten, 0, m_firstKept != 0 && m_messages[index].id == m_firstKept);
    const auto below = [&] { return set.firstBlockRow() - set.firstRow + set.numBlocks; };
    setRow(index, &Entry::numStates, below(),
           furnished && !isUser(index) && status != MessageStatus::Complete);
    setRow(index, &Entry::numActions, below() + set.numStates,
           furnished && status != MessageStatus::Streaming && set.numEditors == 0);
}

void ChatRows::setRow(size_t index, int Entry::*rows, int offset, bool wanted) {
    int& number = entry(index).*rows;
    if (wanted && number == 0) insertRows(index, offset, 1, [&] { number = 1; });
    if (!wanted && number == 1) removeRows(index, offset, 1, [&] { number = 0; });
}

template <typename Change>
void ChatRows::insertRows(size_t index, int offset, int count, const Change& change) {
    if (count == 0) return;
    placeRows(index);
    const int row = entry(index).firstRow + offset;
    beginInsertRows({}, row, row + count - 1);
    change();
    placeRows(index);
    endInsertRows();
}

template <typename Change>
void ChatRows::removeRows(size_t index, int offset, int count, const Change& change) {
    const int row = entry(index).firstRow + offset;
    beginRemoveRows({}, row, row + count - 1);
    change();
    placeRows(index);
    endRemoveRows();
}

void ChatRows::placeRows(size_t from) {
    int row = from > m_read ? entry(from - 1).firstRow + entry(from - 1).numRows() : 0;
    for (size_t index = std::max(from, m_read); index < m_entries.size(); ++index) {
        entry(index).firstRow = row;
        row += entry(index).numRows();
    }
}

void ChatRows::edit(qint64 message) {
    if (message == m_edited) return;
    const RowId before = std::exchange(m_edited, message);
    if (const std::optional<size_t> index = indexOf(before); index && entry(*index).numEditors > 0) {
        setRow(*index, &Entry::numEditors, entry(*index).numForgotten, false);
        const int numBlocks = static_cast<int>(blocksOf(*index).size());
        insertRows(*index, entry(*index).numForgotten, numBlocks,
                   [&] { entry(*index).numBlocks = numBlocks; });
        updateFurniture(*index);
    }
    m_editedText = words(message);
    if (const std::optional<size_t> index = indexOf(message); index && isUser(*index)) {
        read(std::min(*index, m_read));
        Entry& set = entry(*index);
        removeRows(*index, set.numForgotten, set.numBlocks, [&] { set.numBlocks = 0; });
        setRow(*index, &Entry::numEditors, set.numForgotten, true);
        updateFurniture(*index);
    } else {
        m_edited = 0;
    }
    emit editedChanged();
}

double ChatRows::lastQuestion() const {
    const auto last = std::find_if(m_messages.rbegin(), m_messages.rend(),
                                   [](const Message& each) { return each.role == ingle::Role::User; });
    return last == m_messages.rend() ? 0 : static_cast<double>(last->id);
}

const Message* ChatRows::find(RowId message) const {
    const std::optional<size_t> index = indexOf(message);
    return index ? &m_messages[*index] : nullptr;
}

QString ChatRows::words(RowId message) const {
    const Message* found = find(message);
    return found != nullptr ? toQString(textOf(found->parts, PartKind::Text)) : QString();
}

std::optional<size_t> ChatRows::indexOf(RowId message) const {
    // From the end: it is nearly always the answer being written.
    const auto found = std::find_if(m_messages.rbegin(), m_messages.rend(),
                                    [message](const Message& each) { return each.id == message; });
    if (found == m_messages.rend()) return std::nullopt;
    return static_cast<size_t>(m_messages.rend() - found) - 1;
}

const std::vector<Block>& ChatRows::blocks(size_t message) {
    read(std::min(message, m_read));
    return blocksOf(message);
}

int ChatRows::firstRow(qint64 message) {
    const std::optional<size_t> index = indexOf(message);
    if (!index) return -1;
    read(std::min(*index, m_read));
    return entry(*index).firstRow;
}

size_t ChatRows::indexOfRow(int row) const {
    const auto after =
        std::upper_bound(m_entries.begin() + static_cast<ptrdiff_t>(m_read), m_entries.end(), row,
                         [](int wanted, const auto& each) { return wanted < each->firstRow; });
    return static_cast<size_t>(after - m_entries.begin()) - 1;
}

std::optional<ChatRows::Place> ChatRows::placeOf(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    const size_t index = indexOfRow(row);
    const int block =
        std::clamp(row - entry(index).firstBlockRow(), 0, std::max(entry(index).numBlocks - 1, 0));
    return Place{index, static_cast<size_t>(block)};
}

int ChatRows::rowOf(Place place) const {
    if (place.message < m_read || place.message >= m_entries.size()) return -1;
    const Entry& found = entry(place.message);
    return found.firstBlockRow() +
           std::clamp(static_cast<int>(place.block), 0, std::max(found.numBlocks - 1, 0));
}

bool ChatRows::isFolded(Place place) const {
    const std::vector<Block>& blocks = blocksOf(place.message);
    if (place.block >= blocks.size()) return true;
    return blocks[place.block].kind->part.has_value() &&
           !entry(place.message).open.contains(firstPiece(blocks, place.block));
}

double ChatRows::messageAt(int row) const {
    const std::optional<Place> place = placeOf(row);
    return place ? static_cast<double>(m_messages[place->message].id) : 0;
}

QString ChatRows::wholeText(int row) const {
    const std::optional<Place> place = placeOf(row);
    if (!place) return {};
    const std::vector<Block>& blocks = blocksOf(place->message);
    if (blocks.empty()) return {};
    const std::span pieces(blocks.begin() + static_cast<ptrdiff_t>(firstPiece(blocks, place->block)),
                           blocks.begin() + static_cast<ptrdiff_t>(lastPiece(blocks, place->block)) + 1);
    QString text;
    for (const Block& piece : pieces) {
        if (piece.seam == Seam::Line) text += '\n';
        if (piece.seam == Seam::Space) text += ' ';
        text += toQString(content::plainText(piece));
    }
    return text;
}

void ChatRows::setOpen(int row, bool open) {
    const std::optional<Place> place = placeOf(row);
    if (!place) return;
    Entry& set = entry(place->message);
    const std::vector<Block>& blocks = blocksOf(place->message);
    const size_t first = firstPiece(blocks, place->block);
    if (open)
        set.open.insert(first);
    else
        set.open.erase(first);
    for (size_t block = first; block <= lastPiece(blocks, first); ++block)
        changed(set.firstBlockRow() + static_cast<int>(block), {OpenRole});
}

void ChatRows::setScroll(int row, double x) {
    const std::optional<Place> place = placeOf(row);
    if (!place) return;
    Entry& set = entry(place->message);
    const std::vector<Block>& blocks = blocksOf(place->message);
    const size_t first = firstPiece(blocks, place->block);
    set.scrolled[first] = x;
    for (size_t block = first; block <= lastPiece(blocks, first); ++block)
        changed(set.firstBlockRow() + static_cast<int>(block), {ScrollRole});
}

int ChatRows::rowCount(const QModelIndex& parent) const {
    if (parent.isValid() || m_read >= m_entries.size()) return 0;
    return m_entries.back()->firstRow + m_entries.back()->numRows();
}

QVariant ChatRows::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const size_t message = indexOfRow(index.row());
    const Entry& found = entry(message);
    int offset = index.row() - found.firstRow - found.numForgotten;
    if (role == KindRole) {
        if (offset < 0) return QStringLiteral("forgotten");
        if (offset < found.numEditors) return QStringLiteral("editor");
        offset -= found.numEditors + found.numBlocks;
        if (offset >= 0)
            return offset < found.numStates ? QStringLiteral("state") : QStringLiteral("actions");
    }
    const int block = index.row() - found.firstBlockRow();
    if (role < StatusRole && block >= 0 && block < found.numBlocks) {
        const QVariant value = blockData(message, static_cast<size_t>(block), role);
        if (value.isValid()) return value;
    }
    return messageData(message, role);
}

QVariant ChatRows::blockData(size_t index, size_t number, int role) const {
    const std::vector<Block>& blocks = blocksOf(index);
    if (number >= blocks.size()) return {};  // a row that is about to go
    const Entry& found = entry(index);
    const Block& block = blocks[number];
    switch (role) {
        case KindRole:
            return QString::fromLatin1(block.kind->name.data(),
                                       static_cast<qsizetype>(block.kind->name.size()));
        case BlockRole: {
            const size_t first = block.rows.empty() ? number : firstPiece(blocks, number);
            return QVariant::fromValue(ShownBlock{
                std::make_shared<const Block>(block),
                first == number ? nullptr : std::make_shared<const Block>(blocks[first]),
            });
        }
        case TextRole:
            return toQString(content::plainText(block));
        case LeadsRole:
            return number == 0 && (m_furniture == Furniture::StateAndActions || found.firstRow == 0);
        case ContainersRole: {
            QVariantList kinds;
            for (const Container& container : block.containers)
                kinds << (container.kind == ContainerKind::Quote ? QStringLiteral("quote")
                                                                 : QStringLiteral("list"));
            return kinds;
        }
        case MarksRole: {
            QStringList marks;
            for (size_t depth = block.containers.size() - block.opened; depth < block.containers.size();
                 ++depth)
                marks << markOf(block.containers[depth]);
            return marks;
        }
        case SpacedRole:
            return block.spaced;
        case GoesOnRole:
            return goesOn(blocks, number);
        case ContinuedRole:
            return goesOn(blocks, number + 1);
        case LevelRole:
            return block.level;
        case LabelRole:
            return toQString(block.kind->name == "code" ? content::codeLanguage(block.label) : block.label);
        case RightToLeftRole:
            return isRightToLeft(block);
        case GrowingRole:
            return number + 1 == blocks.size() && isStreaming(index);
        case OpenRole:
            return found.open.contains(firstPiece(blocks, number));
        case ScrollRole: {
            const auto scrolled = found.scrolled.find(firstPiece(blocks, number));
            return scrolled == found.scrolled.end() ? 0.0 : scrolled->second;
        }
        case LongestLineRole: {
            const auto longest = found.longestLine.find(firstPiece(blocks, number));
            return longest == found.longestLine.end() ? 0 : longest->second;
        }
        default:
            return {};
    }
}

QVariant ChatRows::messageData(size_t index, int role) const {
    const Message& message = m_messages[index];
    switch (role) {
        case MessageIdRole:
            return static_cast<double>(message.id);
        case IsUserRole:
            return isUser(index);
        case StatusRole:
            return static_cast<int>(message.status);
        case ErrorRole:
            return RunningAnswers::endSentence(message);
        case ErrorDetailsRole:
            return RunningAnswers::endDetails(message);
        case EmptyRole:
            return blocksOf(index).empty();
        case LastRole:
            return index + 1 == m_messages.size();
        case ModelNameRole:
            return toQString(message.modelName);
        case NewTokensRole:
            return message.stats.newTokens;
        case TokensPerSecondRole:
            return message.stats.decodeMs > 0 ? message.stats.newTokens * 1000.0 / message.stats.decodeMs
                                              : 0.0;
        case SiblingIndexRole:
            return message.siblingIndex;
        case SiblingCountRole:
            return message.siblingCount;
        default:
            return {};
    }
}

QHash<int, QByteArray> ChatRows::roleNames() const {
    return {{KindRole, "kind"},
            {MessageIdRole, "messageId"},
            {IsUserRole, "isUser"},
            {BlockRole, "block"},
            {TextRole, "plain"},
            {LeadsRole, "leads"},
            {ContainersRole, "containers"},
            {MarksRole, "marks"},
            {SpacedRole, "spaced"},
            {GoesOnRole, "goesOn"},
            {ContinuedRole, "continued"},
            {LevelRole, "level"},
            {LabelRole, "label"},
            {RightToLeftRole, "rightToLeft"},
            {GrowingRole, "growing"},
            {OpenRole, "open"},
            {ScrollRole, "scrolledTo"},
            {LongestLineRole, "longestLine"},
            {StatusRole, "status"},
            {ErrorRole, "error"},
            {ErrorDetailsRole, "errorDetails"},
            {EmptyRole, "empty"},
            {LastRole, "last"},
            {ModelNameRole, "modelName"},
            {NewTokensRole, "newTokens"},
            {TokensPerSecondRole, "tokensPerSecond"},
            {SiblingIndexRole, "siblingIndex"},
            {SiblingCountRole, "siblingCount"}};
}

void ChatRows::changed(int row, const QList<int>& roles) {
    if (row < 0 || row >= rowCount()) return;
    emit dataChanged(index(row), index(row), roles);
}

void ChatRows::furnitureChanged(size_t index, const QList<int>& roles) {
    if (index < m_read || index >= m_entries.size()) return;
    const Entry& found = entry(index);
    for (int row = found.firstBlockRow() + found.numBlocks; row < found.firstRow + found.numRows(); ++row)
        changed(row, roles);
}

}  // namespace ingle::desktop
