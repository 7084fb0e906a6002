/// The messages of a branch as rows: of each message its blocks, and what stands around them. Knows nothing
/// of Qt: ChatRows shows it to the window.
///
/// A long branch is read from its end: the newest messages at once, the others slice by slice whenever
/// nothing else is to be done, so that the rows above come while the last ones are on the screen already.
/// While an answer grows, only the rows change that did.
#pragma once

#include <array>
#include <compare>
#include <cstddef>
#include <deque>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

#include "app/desktop/content/shown_message.h"
#include "app/history/chats/answers.h"

namespace ingle::desktop {

/// Of all its texts.
size_t bytesOf(const history::Message& message);

/// What a row shows, in the order of a message's rows.
enum class RowKind {
    Forgotten,  ///< the model no longer sees what stands above
    Editor,     ///< in place of the blocks
    Block,
    State,
    Actions,
};

/// What of a row is another value now, besides its block.
enum class RowChange {
    Growth,       ///< whether text is being added here, and whether a piece of it stands below
    LongestLine,  ///< of code
    Open,
    Scroll,
    Outcome,  ///< of the message: how it stands, its figures and its versions
    Empty,
    Last,
};

/// Is told of every change of rows. Between a call and its end the rows are neither the old nor the new ones.
class RowObserver {
  public:
    virtual ~RowObserver() = default;

    virtual void inserting(int row, int count) = 0;
    virtual void inserted() = 0;
    virtual void removing(int row, int count) = 0;
    virtual void removed() = 0;
    /// The row shows `after`, which was `before`; of the same kind.
    virtual void blockChanged(int row, const content::Block& before, const content::Block& after) = 0;
    virtual void rowChanged(int row, RowChange change) = 0;
};

/// One thread.
class BranchRows {
  public:
    struct SliceSize;

    /// What stands around the blocks of a message.
    enum class Furniture { None, StateAndActions };

    /// A block of a message of the branch.
    struct Place {
        size_t message = 0;  ///< index
        size_t block = 0;

        auto operator<=>(const Place&) const = default;
    };
    struct Row {
        RowKind kind = RowKind::Block;
        /// Of other rows: the message's last block for those below its blocks, the first for those above.
        Place place;
    };

    /// `observer` lives longer.
    BranchRows(Furniture furniture, RowObserver& observer) : m_furniture(furniture), m_observer(observer) {}

    /// Shows another branch. Messages it shares with the one shown keep their rows, also where older ones are
    /// added above, and go on being edited.
    void setBranch(std::vector<history::Message> messages);
    /// Of a long branch only the end has rows yet.
    bool isWhole() const { return m_read == 0; }
    /// More rows, above the others: about two milliseconds' work.
    void readSlice();
    /// Gives rows to the messages down to that one.
    void readDownTo(size_t message);

    // These ignore messages that are not in the branch.
    void append(history::RowId message, const std::vector<PartPiece>& pieces);
    void setStatus(history::RowId message, const history::AnswerEnd& end);
    /// The oldest message the model still sees; a row above it says so. 0: nothing was dropped.
    void setFirstKept(history::RowId message);
    void setPinned(history::RowId message, bool pinned);
    /// The message, which is a person's, becomes a field to write in; 0: none is.
    void setEdited(history::RowId message);
    history::RowId edited() const { return m_edited; }

    void toggle(Place place);
    void setScrolled(Place place, double x);

    const std::vector<history::Message>& messages() const { return m_messages; }
    std::optional<size_t> indexOf(history::RowId message) const;
    /// Of a message that has been read.
    const ShownMessage& shown(size_t message) const { return entry(message).shown; }

    int numRows() const { return m_entries.empty() ? 0 : m_entries.back().end(); }
    /// `row` is one of them.
    Row at(int row) const;
    /// Of a message that has been read.
    int firstRow(size_t message) const { return entry(message).first; }
    /// Nothing: above all rows that have been read.
    std::optional<int> rowOf(Place place) const;

  private:
    static constexpr size_t kNumKinds = static_cast<size_t>(RowKind::Actions) + 1;
    /// How many rows of each kind.
    using Counts = std::array<int, kNumKinds>;

    struct Entry {
        explicit Entry(const history::Message& message) : shown(message) {}

        ShownMessage shown;
        int first = 0;
        Counts counts{};

        int begin(RowKind kind) const;
        int count(RowKind kind) const { return counts[static_cast<size_t>(kind)]; }
        int end() const { return begin(RowKind::Actions) + count(RowKind::Actions); }
    };
    /// What the branch has in common with another one.
    struct Shared {
        size_t above = 0;  ///< so many messages of the other one stand above
        size_t count = 0;  ///< and so many follow that both begin with
    };

    Entry& entry(size_t message);
    const Entry& entry(size_t message) const;
    bool isUser(size_t index) const { return m_messages[index].role == ingle::Role::User; }
    bool isStreaming(size_t index) const {
        return m_messages[index].status == history::MessageStatus::Streaming;
    }

    Shared sharedWith(const std::vector<history::Message>& messages) const;
    void dropFrom(size_t index);
    void refresh(size_t index, const history::Message& before);
    /// Where a slice begins that ends before m_read.
    size_t sliceBegin(const SliceSize& size) const;
    void read(size_t from);

    /// Rows for what the blocks of a message have become.
    void blocksChanged(size_t index, const ShownMessage::Before& before);
    Counts wanted(size_t index) const;
    /// Gives the message the rows it should have.
    void updateRows(size_t index);
    /// Adds or removes the last rows of a kind.
    void setCount(size_t index, RowKind kind, int count);
    void placeRows(size_t from);
    /// Of what goes on in the last piece of a block the first one tells.
    void growthChanged(size_t index, size_t block);
    /// Of the rows below the message's blocks.
    void furnitureChanged(size_t index, RowChange change);
    void check() const;

    Furniture m_furniture;
    RowObserver& m_observer;
    std::vector<history::Message> m_messages;
    std::unordered_map<history::RowId, size_t> m_places;  ///< in m_messages; some may be gone from its end
    size_t m_read = 0;                                    ///< messages before it have no rows yet
    std::deque<Entry> m_entries;                          ///< of the messages from m_read on
    history::RowId m_firstKept = 0;
    history::RowId m_edited = 0;
};

}  // namespace ingle::desktop
