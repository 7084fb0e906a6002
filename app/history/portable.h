/// Conversations on their way out of a history and into one: whole, with their branches, drafts, files and
/// receipts, and with numbers of their own instead of row ids. docs/export-format.md is their form as a file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "app/history/history.h"

namespace ingle::history {

/// Folders and profiles are numbered from 1 within what travels together, messages within their conversation.
using Number = int64_t;

struct PortableFolder {
    Number id = 0;
    Number parent = 0;  ///< one that came before; 0: at the top
    std::string name;
    int64_t position = 0;
};

struct PortableProfile {
    Number id = 0;
    std::string name;
    std::string settings;  ///< a JSON object
};

/// What is attached, byte by byte.
struct PortableFile {
    Number id = 0;     ///< within what travels together
    std::string hash;  ///< bytes; empty: not computed
    std::string mediaType;
    std::string content;
};

struct PortableMessage {
    /// `id`, `parent` (one that came before; 0: the first) and `firstKept` are numbers; `conversation` and
    /// the sibling fields mean nothing.
    Message message;
    std::optional<int64_t> finishedMs;
    std::vector<Number> files;  ///< of the part at the same place; 0, or left out: it has none
};

struct PortableConversation {
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
    /// The next one, in the order in which they were begun; none: that were all.
    Result<std::optional<PortableConversation>> next();

  private:
    explicit PortableReading(HistoryReader& history) : m_history(&history) {}
    Status select(Selection selection);
    Status readFolders(RowId top);
    Status readProfiles();
    Status readFiles(RowId conversation, PortableConversation& result);

    HistoryReader* m_history;  ///< null: moved from
    std::vector<RowId> m_conversations;
    size_t m_next = 0;
    std::vector<PortableFolder> m_folders;
    std::vector<PortableProfile> m_profiles;
    std::map<RowId, Number> m_folderNumbers, m_profileNumbers, m_fileNumbers;
};

/// Writes what comes from elsewhere: the only thing that does. To be used within History::atOnce(), so that
/// either all of it is there or nothing. Nothing of what it is given is trusted.
class PortableWriting {
  public:
    explicit PortableWriting(History& history) : m_history(history) {}

    /// A folder of that name at that place is used as it is. Errors: Corrupt (its parent is none), Io.
    Status addFolder(const PortableFolder& folder);
    /// Errors: Corrupt (the settings are no JSON object), Io.
    Status addProfile(const PortableProfile& profile);
    /// Errors: Corrupt (it contradicts itself), Io. Returns its id.
    Result<RowId> addConversation(const PortableConversation& conversation);

  private:
    Status addFile(const PortableFile& file);
    Result<RowId> addMessage(RowId conversation, const PortableMessage& portable,
                             const std::map<Number, RowId>& before);

    History& m_history;
    std::map<Number, RowId> m_folders, m_profiles, m_files;
};

}  // namespace ingle::history
