#include "app/desktop/content/chat_rows.h"
#include "app/content/csv.h"

#include <QDateTime>
#include <QVariantList>

#include <algorithm>
#include <memory>
#include <utility>

#include "app/content/block_kind.h"
#include "app/content/code_language.h"
#include "app/content/selection.h"
#include "app/desktop/content/row_words.h"
#include "app/desktop/services/running_answers.h"
#include "app/desktop/services/text.h"
#include "app/desktop/services/time_text.h"

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

/// The roles whose values another change makes others.
QList<int> rolesOf(RowChange change) {
    switch (change) {
        case RowChange::Growth:
            return {ChatRows::GrowingRole, ChatRows::ContinuedRole, ChatRows::LabelRole};
        case RowChange::LongestLine:
            return {ChatRows::LongestLineRole};
        case RowChange::Open:
            return {ChatRows::OpenRole};
        case RowChange::Scroll:
            return {ChatRows::ScrollRole};
        case RowChange::Outcome:
            return {ChatRows::SentenceRole, ChatRows::FailedRole,       ChatRows::DetailsRole,
                    ChatRows::FiguresRole,  ChatRows::SiblingIndexRole, ChatRows::SiblingCountRole};
        case RowChange::Empty:
            return {ChatRows::EmptyRole, ChatRows::SentenceRole, ChatRows::WayOnRole};
        case RowChange::Last:
            return {ChatRows::LastRole};
    }
    return {};
}

}  // namespace

ChatRows::ChatRows(Furniture furniture, QObject* parent)
    : QAbstractListModel(parent), m_furniture(furniture), m_rows(furniture, *this) {
    m_readMore.setSingleShot(true);
    connect(&m_readMore, &QTimer::timeout, this, &ChatRows::readSlice);
}

void ChatRows::setBranch(std::vector<Message> messages) {
    const RowId edited = m_rows.edited();
    m_rows.setBranch(std::move(messages));
    if (m_rows.edited() != edited) {
        const QString left = unsentEdit();
        setEditedText({});
        emit editedChanged();
        if (!left.isEmpty()) emit editLeft(left);
    }
    if (!m_rows.isWhole()) m_readMore.start(0);
    emit messagesChanged();
}

void ChatRows::readSlice() {
    m_rows.readSlice();
    if (!m_rows.isWhole()) m_readMore.start(0);
}

void ChatRows::append(RowId message, const std::vector<PartPiece>& pieces) {
    m_rows.append(message, pieces);
}

void ChatRows::setStatus(RowId message, const history::AnswerEnd& end) {
    m_rows.setStatus(message, end);
}

void ChatRows::setPinned(RowId message, bool pinned) {
    m_rows.setPinned(message, pinned);
    emit messagesChanged();
}

void ChatRows::setFirstKept(RowId message) {
    m_rows.setFirstKept(message);
}

void ChatRows::setProgress(const QString& sentence) {
    if (std::exchange(m_progress, sentence) == sentence || messages().empty()) return;
    const size_t last = messages().size() - 1;
    if (isStreaming(last)) rowChanged(rowCount() - 1, RowChange::Outcome);
}

void ChatRows::setEditedText(const QString& text) {
    if (std::exchange(m_editedText, text) != text) emit editedTextChanged();
}

void ChatRows::edit(qint64 message) {
    const Message* wanted = find(message);
    const RowId edited = wanted != nullptr && wanted->role == ingle::Role::User ? wanted->id : 0;
    if (edited == m_rows.edited()) return;
    m_textBefore = words(edited);
    setEditedText(m_textBefore);
    m_rows.setEdited(edited);
    emit editedChanged();
}

QString ChatRows::unsentEdit() const {
    return m_editedText == m_textBefore ? QString() : m_editedText;
}

double ChatRows::lastQuestion() const {
    const auto last = std::find_if(messages().rbegin(), messages().rend(),
                                   [](const Message& each) { return each.role == ingle::Role::User; });
    return last == messages().rend() ? 0 : static_cast<double>(last->id);
}

const Message* ChatRows::find(RowId message) const {
    const std::optional<size_t> index = indexOf(message);
    return index ? &messages()[*index] : nullptr;
}

QString ChatRows::words(RowId message) const {
    const Message* found = find(message);
    return found != nullptr ? toQString(textOf(found->parts, PartKind::Text)) : QString();
}

const std::vector<Block>& ChatRows::blocks(size_t message) {
    m_rows.readDownTo(message);
    return m_rows.shown(message).blocks();
}

int ChatRows::firstRow(qint64 message) {
    const std::optional<size_t> index = indexOf(message);
    if (!index) return -1;
    m_rows.readDownTo(*index);
    return m_rows.firstRow(*index);
}

std::optional<ChatRows::Place> ChatRows::placeOf(int row) const {
    if (row < 0 || row >= rowCount()) return std::nullopt;
    return m_rows.at(row).place;
}

bool ChatRows::isFolded(Place place) const {
    const ShownMessage& shown = m_rows.shown(place.message);
    if (place.block >= shown.blocks().size()) return true;
    return shown.blocks()[place.block].kind->part.has_value() && !shown.isOpen(place.block);
}

double ChatRows::messageAt(int row) const {
    const std::optional<Place> place = placeOf(row);
    return place ? static_cast<double>(messages()[place->message].id) : 0;
}

QString ChatRows::wholeText(int row) const {
    const std::optional<Place> place = placeOf(row);
    if (!place) return {};
    const ShownMessage& shown = m_rows.shown(place->message);
    const std::vector<Block>& blocks = shown.blocks();
    QString text;
    for (size_t piece = shown.firstPiece(place->block);
         piece <= shown.lastPiece(place->block) && piece < blocks.size(); ++piece) {
        if (blocks[piece].seam == Seam::Line) text += '\n';
        if (blocks[piece].seam == Seam::Space) text += ' ';
        text += toQString(content::plainText(blocks[piece]));
    }
    return text;
}

QString ChatRows::tableAsCsv(int row) const {
    const std::optional<Place> place = placeOf(row);
    if (!place) return {};
    const ShownMessage& shown = m_rows.shown(place->message);
    const std::vector<Block>& blocks = shown.blocks();
    const size_t first = shown.firstPiece(place->block);
    const size_t end = std::min(shown.lastPiece(place->block) + 1, blocks.size());
    return toQString(content::tableAsCsv(std::span(blocks).subspan(first, end - first)));
}

void ChatRows::toggle(int row) {
    if (const std::optional<Place> place = placeOf(row)) m_rows.toggle(*place);
}

void ChatRows::setScroll(int row, double x) {
    if (const std::optional<Place> place = placeOf(row)) m_rows.setScrolled(*place, x);
}

int ChatRows::rowCount(const QModelIndex& parent) const {
    return parent.isValid() ? 0 : m_rows.numRows();
}

QVariant ChatRows::data(const QModelIndex& index, int role) const {
    if (!checkIndex(index, CheckIndexOption::IndexIsValid)) return {};
    const BranchRows::Row row = m_rows.at(index.row());
    if (row.kind == RowKind::Block && role < SentenceRole) {
        const QVariant value = blockData(row.place, role);
        if (value.isValid()) return value;
    }
    if (role == KindRole) {
        switch (row.kind) {
            case RowKind::Forgotten:
                return QStringLiteral("forgotten");
            case RowKind::Editor:
                return QStringLiteral("editor");
            case RowKind::State:
                return QStringLiteral("state");
            case RowKind::Actions:
                return QStringLiteral("actions");
            case RowKind::Block:
                break;  // above
        }
    }
    return messageData(row.place.message, role);
}

QVariant ChatRows::blockData(Place place, int role) const {
    const ShownMessage& shown = m_rows.shown(place.message);
    const std::vector<Block>& blocks = shown.blocks();
    if (place.block >= blocks.size()) return {};  // a row that is about to go
    const Block& block = blocks[place.block];
    switch (role) {
        case KindRole:
            return QString::fromLatin1(block.kind->name.data(),
                                       static_cast<qsizetype>(block.kind->name.size()));
        case BlockRole: {
            const size_t first = block.rows.empty() ? place.block : shown.firstPiece(place.block);
            return QVariant::fromValue(ShownBlock{
                std::make_shared<const Block>(block),
                first == place.block ? nullptr : std::make_shared<const Block>(blocks[first]),
            });
        }
        case TextRole:
            return toQString(content::plainText(block));
        case LeadsRole:
            return place.block == 0 &&
                   (m_furniture == Furniture::StateAndActions || m_rows.firstRow(place.message) == 0);
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
            return shown.goesOn(place.block);
        case ContinuedRole:
            return shown.goesOn(place.block + 1);
        case LevelRole:
            return block.level;
        case LabelRole:
            return labelOf(place, block);
        case RightToLeftRole:
            return isRightToLeft(block);
        case GrowingRole:
            return place.block + 1 == blocks.size() && isStreaming(place.message);
        case OpenRole:
            return shown.isOpen(place.block);
        case ScrollRole:
            return shown.scrolled(place.block);
        case LongestLineRole:
            return shown.longestLine(place.block);
        default:
            return {};
    }
}

QString ChatRows::labelOf(Place place, const Block& block) const {
    if (block.kind->part == PartKind::Thought) {
        const ShownMessage& shown = m_rows.shown(place.message);
        const bool isThinking =
            isStreaming(place.message) && shown.lastPiece(place.block) + 1 == shown.blocks().size();
        if (isThinking) return tr("Thinking…");
        const std::vector<Part>& parts = messages()[place.message].parts;
        const double tookMs = block.part < parts.size() ? toQString(parts[block.part].data).toDouble() : 0;
        return tookMs > 0 ? tr("Thought for %1").arg(durationText(tookMs / 1000)) : tr("Thoughts");
    }
    return toQString(block.kind->name == "code" ? content::codeLanguage(block.label) : block.label);
}

bool ChatRows::isStreaming(size_t index) const {
    return messages()[index].status == MessageStatus::Streaming;
}

QVariant ChatRows::messageData(size_t index, int role) const {
    const Message& message = messages()[index];
    switch (role) {
        case MessageIdRole:
            return static_cast<double>(message.id);
        case IsUserRole:
            return message.role == ingle::Role::User;
        case SentenceRole:
            return sentenceOf(message, m_rows.shown(index).blocks().empty(), m_progress);
        case FailedRole:
            return message.status == MessageStatus::Failed;
        case DetailsRole:
            return RunningAnswers::endDetails(message);
        case EmptyRole:
            return m_rows.shown(index).blocks().empty();
        case LastRole:
            return index + 1 == messages().size();
        case WayOnRole:
            return m_rows.shown(index).blocks().empty() ? tr("Try again") : tr("Continue");
        case TimeRole:
            // Of an imported message it may be unknown.
            if (message.createdMs == 0) return QString();
            return whenText(QDateTime::fromMSecsSinceEpoch(message.createdMs), QDateTime::currentDateTime());
        case FiguresRole:
            return figuresOf(message);
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
            {SentenceRole, "sentence"},
            {WayOnRole, "wayOn"},
            {FailedRole, "failed"},
            {DetailsRole, "details"},
            {EmptyRole, "empty"},
            {LastRole, "last"},
            {TimeRole, "time"},
            {FiguresRole, "figures"},
            {SiblingIndexRole, "siblingIndex"},
            {SiblingCountRole, "siblingCount"}};
}

void ChatRows::blockChanged(int row, const Block& before, const Block& after) {
    emit dataChanged(index(row), index(row), changedRoles(before, after));
}

void ChatRows::rowChanged(int row, RowChange change) {
    emit dataChanged(index(row), index(row), rolesOf(change));
}

}  // namespace ingle::desktop
