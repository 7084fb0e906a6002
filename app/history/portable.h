/// Conversations on their way out of a history and into one: whole, with their branches, drafts, files and
/// receipts, and with numbers of their own instead of row ids. docs/export-format.md is their form as a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "app/history/chats/folders.h"
#include "app/history/chats/messages.h"
#include "app/history/documents/documents.h"

namespace ingle::history {

// kNoun is what sentences about a file call each of them.

/// Folders and profiles are numbered from 1 within what travels together, messages within their conversation.
using Number = int64_t;

struct PortableFolder {
    static constexpr std::string_view kNoun = "folder";
    Number id = 0;
    Number parent = 0;  ///< one that came before; 0: at the top
    std::string name;
    int64_t position = 0;
    std::string settings;  ///< of its layer, a JSON object; empty: it has none
};

struct PortableProfile {
    static constexpr std::string_view kNoun = "profile";
    Number id = 0;
    std::string name;
    std::string settings = "{}";  ///< a JSON object
};

/// What is attached, byte by byte.
struct PortableFile {
    static constexpr std::string_view kNoun = "file";
    Number id = 0;     ///< within what travels together
    std::string hash;  ///< SHA-256, bytes; empty: not computed
    std::string mediaType;
    std::string content;
};

/// What stands on the shelf, or in a conversation. What models have read of it does not travel.
struct PortableDocument {
    static constexpr std::string_view kNoun = "document";
    Number id = 0;  ///< within what travels together
    NewDocument content;
    int64_t addedMs = 0;
    int64_t usedMs = 0;
    bool onShelf = true;
};

struct PortableMessage {
    static constexpr std::string_view kNoun = "message";
    /// `id`, `parent` (one that came before; 0: the first) and `firstKept` are numbers; `conversation` and
    /// the sibling fields mean nothing.
    Message message;
    std::vector<Number> files;  ///< of the part at the same place; 0, or left out: it has none
};

struct PortableConversation {
    static constexpr std::string_view kNoun = "conversation";
    std::string title;
    int64_t createdMs = 0;  ///< Unix time, milliseconds
    int64_t updatedMs = 0;
    bool pinned = false;
    std::optional<int64_t> archivedMs;
    std::string origin;  ///< the program it comes from; empty: this one
    std::string modelId;
    std::string draft;
    Number folder = 0;
    Number profile = 0;
    Number activeLeaf = 0;            ///< 0: there is no message
    std::vector<Number> documents;    ///< that stand before its first message, in their order
    std::vector<PortableFile> files;  ///< those that no conversation before it has brought
    std::vector<PortableMessage> messages;
};

/// What is taken out of a history.
struct Selection {
    RowId conversation = 0;  ///< 0: several
    RowId folder = 0;        ///< with all below it; 0: everything
};

/// Reads what is selected as it is at one moment, without what is in the trash: while this lives, what others
/// write is not seen. The reader is used for nothing else meanwhile.
class PortableReading {
  public:
    /// Errors: Io, Corrupt; InvalidArgument when there is no such conversation or folder.
    static Result<PortableReading> begin(HistoryReader& history, Selection selection);
    PortableReading(PortableReading&& other) noexcept;
    PortableReading& operator=(PortableReading&&) = delete;
    ~PortableReading();

    /// Those that hold a selected conversation, or are selected, with all above them; parents first.
    const std::vector<PortableFolder>& folders() const { return m_folders; }
    const std::vector<PortableProfile>& profiles() const { return m_profiles; }
    size_t numConversations() const { return m_conversations.size(); }
    /// The next of those that stand in a selected conversation or, where everything is selected, on the
    /// shelf; none: that were all.
    Result<std::optional<PortableDocument>> nextDocument();
    /// The next one, in the order in which they were begun; none: that were all.
    Result<std::optional<PortableConversation>> next();

  private:
    explicit PortableReading(HistoryReader& history) : m_history(&history) {}
    Status select(Selection selection);
    Status readFolders(RowId top);
    Status readProfiles();
    Status selectDocuments(Selection selection);
    Status readFiles(RowId conversation, PortableConversation& result);
    /// The number of a file, which `result` brings if no conversation before it did.
    Number readFile(RowId id, PortableConversation& result);

    HistoryReader* m_history;  ///< null: moved from
    std::vector<RowId> m_conversations;
    size_t m_next = 0;
    std::vector<RowId> m_documents;
    size_t m_nextDocument = 0;
    std::vector<PortableFolder> m_folders;
    std::vector<PortableProfile> m_profiles;
    std::map<RowId, Number> m_folderNumbers, m_profileNumbers, m_fileNumbers, m_documentNumbers;
};

/// Writes what comes from elsewhere: the only thing that does, and one at a time for a history. Conversations
/// come in slices, between which others write, and nobody sees one before finish() shows all of them; where
/// it does not come to that, dropArrivals() lets them go, and so does opening the file. Nothing of
/// what it is given is trusted.
class PortableWriting {
  public:
    /// A folder of that name at that place is used as it is. Errors: Corrupt (its parent is none).
    Status addFolder(const PortableFolder& folder);
    /// Errors: Corrupt (the settings are no JSON object).
    Status addProfile(const PortableProfile& profile);
    /// One of the same text that is here already is that one. Errors: Corrupt (a passage lies outside of it),
    /// Io.
    Status addDocument(History& history, const PortableDocument& document);
    /// One transaction. Errors: Corrupt (one contradicts itself), Io.
    Status addConversations(History& history, std::span<const PortableConversation> conversations);
    /// All of it is there, durably. Returns the conversations. Errors: Io, also when the history is not the
    /// one any more that the conversations went into.
    Result<std::vector<RowId>> finish(History& history);

  private:
    struct Place {
        RowId conversation = 0;
        Number folder = 0;
        Number profile = 0;
    };

    Status addConversation(Database& database, const PortableConversation& conversation);
    Result<RowId> addMessage(Database& database, RowId conversation, const PortableMessage& portable,
                             const std::map<Number, RowId>& before);

    std::vector<PortableFolder> m_folders;
    std::vector<PortableProfile> m_profiles;
    std::set<Number> m_knownFolders, m_knownProfiles;
    std::map<Number, RowId> m_files, m_documents;
    std::vector<RowId> m_shelf;  ///< documents that are to stand there
    std::vector<Place> m_places;
};

}  // namespace ingle::history
