/// The history: every conversation, kept in one SQLite file (WAL) whose schema is documented in
/// docs/history-schema.md. What the window has painted is in here before it is painted.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::history {

using RowId = int64_t;

enum class MessageStatus {
    Complete,
    Streaming,    ///< an answer is being written right now
    Stopped,      ///< the person stopped it
    Interrupted,  ///< found as Streaming when the file was opened: a crash; can be continued
    Failed,       ///< ended by an error; `error` says why
};

struct Conversation {
    RowId id = 0;
    std::string title;
    int64_t createdMs = 0;  ///< Unix time, milliseconds
    int64_t updatedMs = 0;
    bool pinned = false;
    RowId activeLeaf = 0;  ///< last message of the branch shown; 0: empty
    std::string modelId;   ///< library id of the model last used here
    std::string draft;     ///< unsent text of the composer
};

struct Message {
    RowId id = 0;
    RowId conversation = 0;
    RowId parent = 0;  ///< 0: root. Siblings are alternatives (edits, regenerations)
    Role role = Role::User;
    std::string text;               ///< valid UTF-8, may hold U+0000
    std::vector<TokenId> tokenIds;  ///< exact ids of an answer; empty for user messages
    std::string withheld;           ///< bytes generated but not shown yet
    uint64_t promptHash = 0;
    MessageStatus status = MessageStatus::Complete;
    std::string error;
    std::string modelId;
    std::string modelName;
    SamplerParams sampler;  ///< with its seed: what continuing needs
    GenerateStats stats;
    int64_t createdMs = 0;
    int siblingIndex = 0;  ///< filled by reads: position among siblings, from 0
    int siblingCount = 1;
};

/// The last piece of an answer, and how it ended.
struct AnswerEnd {
    std::string text;                                ///< appended
    std::vector<TokenId> ids;                        ///< appended
    std::string withheld;                            ///< replaces
    MessageStatus status = MessageStatus::Complete;  ///< any but Streaming
    std::string error;
    GenerateStats stats;
};

struct SearchHit {
    RowId conversation = 0;
    RowId message = 0;  ///< 0: the title matched
    std::string title;
    std::string snippet;  ///< with U+0001 … U+0002 around each match
};

/// One connection; one thread (the history thread) calls everything.
class History {
  public:
    enum class Access { ReadWrite, ReadOnly /* written by a newer version */ };

    /// Creates or migrates the file (0600, folder 0700); migrations run in one transaction after a backup
    /// beside the file. A file with a newer user_version opens read-only. Messages left Streaming become
    /// Interrupted. Errors: Io; Corrupt when SQLite says the file is damaged.
    static Result<std::unique_ptr<History>> open(const std::string& path);
    virtual ~History() = default;

    virtual Access access() const = 0;

    virtual Result<std::vector<Conversation>>
    conversations() = 0;  ///< pinned first, then by updatedMs descending
    /// Errors: InvalidArgument when there is none, or it is deleted.
    virtual Result<Conversation> conversation(RowId id) = 0;
    virtual Result<RowId> createConversation(const std::string& title, const std::string& modelId) = 0;
    virtual Status renameConversation(RowId id, const std::string& title) = 0;
    virtual Status setPinned(RowId id, bool pinned) = 0;
    virtual Status setDraft(RowId id, const std::string& draft) = 0;
    virtual Status setActiveLeaf(RowId conversation, RowId leaf) = 0;
    virtual Status setModel(RowId conversation, const std::string& modelId) = 0;
    /// Hides it at once (so that undo is possible); purgeDeleted() removes it for good.
    virtual Status deleteConversation(RowId id) = 0;
    virtual Status undeleteConversation(RowId id) = 0;
    /// Really removes hidden conversations: rows, search index, free pages and the WAL (secure_delete,
    /// checkpoint TRUNCATE): no file holds their text afterwards.
    virtual Status purgeDeleted() = 0;

    /// The branch from the root to `leaf` (0: the conversation's active leaf), oldest first.
    virtual Result<std::vector<Message>> branch(RowId conversation, RowId leaf) = 0;
    virtual Result<Message> message(RowId id) = 0;
    virtual Result<std::vector<RowId>> siblings(RowId message) = 0;
    /// The leaf below `message` that was most recently active (following the newest child).
    virtual Result<RowId> newestLeafBelow(RowId message) = 0;

    /// Durable before it returns (synchronous=FULL): nothing is generated for a message that could still be
    /// lost. Becomes the active leaf.
    virtual Result<RowId> addUserMessage(RowId conversation, RowId parent, const std::string& text) = 0;
    /// An empty answer in state Streaming (FULL as well). Becomes the active leaf.
    virtual Result<RowId> beginAnswer(RowId conversation, RowId parent, const std::string& modelId,
                                      const std::string& modelName, const SamplerParams& sampler) = 0;
    /// Appends streamed text and ids and replaces `withheld` (synchronous=NORMAL: survives a killed process).
    /// Call before painting.
    virtual Status appendAnswer(RowId message, std::string_view text, const std::vector<TokenId>& ids,
                                const std::string& withheld) = 0;
    virtual Status setPromptHash(RowId message, uint64_t promptHash) = 0;
    /// One transaction (FULL): an end that fails half way, on a full disk say, changes nothing and may be
    /// repeated.
    virtual Status finishAnswer(RowId message, const AnswerEnd& end) = 0;
    /// An answer that has ended (interrupted, stopped, failed, at its length limit) goes on: back to
    /// Streaming.
    virtual Status resumeAnswer(RowId message) = 0;

    /// Phrase search over titles and finished messages, also one or two characters of CJK. At most `limit`
    /// hits.
    virtual Result<std::vector<SearchHit>> search(const std::string& text, int limit) = 0;

    virtual Result<std::optional<std::string>> setting(const std::string& key) = 0;
    virtual Status setSetting(const std::string& key, const std::string& value) = 0;
};

}  // namespace ingle::history
