/// The history: every conversation, kept in one SQLite file (WAL) whose schema is documented in
/// docs/history-schema.md. What the window has painted is in here before it is painted.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/history/profile.h"
#include "app/history/store/row_id.h"
#include "ingle/part.h"
#include "ingle/receipt.h"
#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle::history {

class Database;
struct AnswerStatements;

enum class MessageStatus {
    Complete,
    Streaming,    ///< an answer is being written right now
    Stopped,      ///< before its end: by the person, or by a limit (Message::stopReason)
    Interrupted,  ///< found as Streaming when the file was opened: a crash; can be continued
    Failed,       ///< ended by Message::error
};

struct Folder {
    RowId id = 0;
    std::string name;
    Profile profile;  ///< of all conversations in it
};

/// What restoring it needs.
struct RemovedFolder {
    Folder folder;
    std::vector<RowId> conversations;
};

struct Conversation {
    RowId id = 0;
    std::string title;
    int64_t createdMs = 0;  ///< Unix time, milliseconds
    int64_t updatedMs = 0;
    bool pinned = false;
    RowId activeLeaf = 0;    ///< last message of the branch shown; 0: empty
    std::string modelId;     ///< library id of the model last used here
    std::string draft;       ///< unsent text of the composer
    RowId folder = 0;        ///< 0: in none
    int64_t archivedMs = 0;  ///< 0: it is not
};

/// What made an answer, beside its sampler, ids and prompt.
struct AnswerReceipt {
    Receipt engine;  ///< without a program: no run has ended in order
    std::optional<AnswerTerms>
        terms;  ///< from its beginning on; none of what is older, or came from elsewhere

    bool exists() const { return !engine.program.empty(); }
    bool operator==(const AnswerReceipt&) const = default;
};

struct Message {
    RowId id = 0;
    RowId conversation = 0;
    RowId parent = 0;  ///< 0: root. Siblings are alternatives (edits, regenerations)
    Role role = Role::User;
    std::vector<Part> parts;        ///< texts are valid UTF-8 and may hold U+0000
    std::vector<TokenId> tokenIds;  ///< exact ids of an answer; empty for user messages and what was imported
    std::string withheld;           ///< bytes generated but not shown yet
    uint64_t promptHash = 0;
    RowId firstKept = 0;  ///< of an answer: the oldest message the model saw; 0: it saw all of them
    MessageStatus status = MessageStatus::Complete;
    std::optional<StopReason> stopReason;  ///< of an answer that the engine ended
    std::optional<Error> error;            ///< why it failed; its code is not stored
    bool pinned = false;                   ///< the model sees it always
    std::string modelId;
    std::string modelName;
    SamplerParams sampler;  ///< with its seed: what continuing needs
    AnswerReceipt receipt;  ///< its engine: that of the last run that ended in order
    GenerateStats stats;
    int64_t createdMs = 0;
    std::optional<int64_t> finishedMs;  ///< of an answer that has ended
    int siblingIndex = 0;               ///< filled by reads: position among siblings, from 0
    int siblingCount = 1;
};

/// The last pieces of an answer, and how it ended.
struct AnswerEnd {
    std::vector<PartPiece> pieces;                   ///< appended
    std::vector<TokenId> ids;                        ///< appended
    std::string withheld;                            ///< replaces
    MessageStatus status = MessageStatus::Complete;  ///< any but Streaming
    std::optional<StopReason> reason;                ///< none when it failed
    std::optional<Error> error;                      ///< why it failed
    GenerateStats stats;
    Receipt receipt;  ///< kept as it was where this one has no program
};

/// Something that was deleted and can be brought back.
struct TrashEntry {
    RowId conversation = 0;
    RowId message = 0;    ///< with all that stands below it; 0: the whole conversation
    std::string title;    ///< of the conversation
    std::string excerpt;  ///< the beginning of the message
    int64_t trashedMs = 0;
};

/// How far removing for good has come.
enum class ShredState {
    Done,
    Working,      ///< more slices
    Waiting,      ///< somebody reads what the log holds: once more, later
    BackupsLeft,  ///< only older backups hold it: replaceBackups(), then backupsReplaced()
};

/// Whether the history's file is still where it was opened.
enum class Whereabouts {
    InPlace,
    Removed,
    Replaced,
    Overwritten,       ///< it is, but somebody else has written into it
    BeingOverwritten,  ///< and may not have finished: it has changed since the last look
};

/// The end of an answer that an error ended.
inline AnswerEnd failedWith(const Error& error) {
    AnswerEnd end;
    end.status = MessageStatus::Failed;
    end.error = error;
    return end;
}

struct SearchHit {
    RowId conversation = 0;
    RowId message = 0;  ///< 0: the title matched
    std::string title;
    std::string snippet;  ///< with U+0001 … U+0002 around each match
};

/// What a search is narrowed to; what is empty or 0 narrows nothing.
struct SearchFilter {
    std::optional<Role> role;
    std::string modelId;  ///< answers of that model
    RowId folder = 0;
    int64_t sinceMs = 0;  ///< of messages when they were written, of titles when something was said last

    bool operator==(const SearchFilter&) const = default;
};

/// A model that answered.
struct UsedModel {
    std::string id;
    std::string name;
};

/// What reads. One connection: one thread calls everything but interrupt().
class HistoryReader {
  public:
    enum class Access { ReadWrite, ReadOnly };

    /// A second connection to a file that a History has opened. Errors: Io; Corrupt, also when it is no such
    /// file.
    static Result<std::unique_ptr<HistoryReader>> open(const std::string& path);
    /// Of a History in memory. Errors: Io.
    static Result<std::unique_ptr<HistoryReader>> openInMemory(const std::string& name);
    virtual ~HistoryReader();

    Access access() const { return refusal() ? Access::ReadOnly : Access::ReadWrite; }
    /// Why it can only be read: a newer version wrote it, or nobody may write the file.
    const std::optional<Error>& refusal() const;
    /// Ends what another thread reads with ErrorCode::Cancelled. From any thread, while this lives.
    void interrupt();

    Result<std::vector<Conversation>> conversations();  ///< pinned first, then by updatedMs descending
    /// Errors: InvalidArgument when there is none, or it is deleted.
    Result<Conversation> conversation(RowId id);

    Result<std::vector<Folder>> folders();  ///< in their order
    /// Of folder 0, or one that is gone: nothing is set.
    Result<Profile> folderProfile(RowId folder);
    /// 0: of the next new conversation.
    Result<Profile> conversationProfile(RowId conversation);

    static constexpr int kWholeBranch = -1;
    /// The branch from the root to `leaf` (0: the conversation's active leaf), oldest first; of a long one
    /// only the last `limit` messages. What stands above them ends with the first one's parent.
    Result<std::vector<Message>> branch(RowId conversation, RowId leaf, int limit = kWholeBranch);
    Result<Message> message(RowId id);
    Result<std::vector<RowId>> siblings(RowId message);
    /// The leaf below `message` that was most recently active (following the newest child), or what stands
    /// `steps` below it on the way there.
    Result<RowId> newestLeafBelow(RowId message, int steps = kWholeBranch);

    /// Titles and finished messages of all branches that hold every word, in any order: the last word also as
    /// the beginning of one, words between quotes as a phrase, CJK characters one by one; without regard to
    /// case and diacritics. Titles first, then messages, newest first. At most `limit` hits.
    Result<std::vector<SearchHit>> search(const std::string& text, int limit,
                                          const SearchFilter& filter = {});
    /// Those that answered last in some conversation, by name.
    Result<std::vector<UsedModel>> models();
    /// The messages of one conversation, of all its branches, in which search() would find that; oldest
    /// first.
    Result<std::vector<RowId>> findIn(RowId conversation, const std::string& text);

    /// Newest first.
    Result<std::vector<TrashEntry>> trash();

    Result<std::optional<std::string>> setting(const std::string& key);

    const std::string& path() const;
    Database& database() { return *m_database; }  ///< for app/history and its tests

  protected:
    explicit HistoryReader(std::unique_ptr<Database> database);

    std::unique_ptr<Database> m_database;
};

/// The connection that writes.
class History : public HistoryReader {
  public:
    /// Creates or migrates the file (0600, folder 0700); migrations run in one transaction after a backup
    /// beside the file. A file with a newer user_version, or one of this version that may not be written,
    /// opens read-only. Messages left Streaming become Interrupted, and what was left of an import goes.
    /// Errors: Io; Corrupt when SQLite says the file is damaged.
    static Result<std::unique_ptr<History>> open(const std::string& path);
    /// One that no file has, for private chats: what it holds goes when it and its readers are closed. Its
    /// conversations and messages have ids that no other's have (isPrivate()). `name`: letters, digits and
    /// '-'. Errors: Io.
    static Result<std::unique_ptr<History>> openInMemory(const std::string& name);
    ~History() override;

    /// What `work` writes by calls of this becomes one transaction (FULL): when it fails, nothing is written.
    Status atOnce(const std::function<Status()>& work);

    Result<RowId> createConversation(const std::string& title, const std::string& modelId);
    Status renameConversation(RowId id, const std::string& title);
    Status setPinned(RowId id, bool pinned);
    Status setDraft(RowId id, const std::string& draft);
    Status setActiveLeaf(RowId conversation, RowId leaf);
    Status setModel(RowId conversation, const std::string& modelId);

    /// Another conversation that begins with the branch down to that message, in the same folder. Errors:
    /// InvalidArgument while the message is being written.
    Result<RowId> copyBranch(RowId last);

    Result<RowId> createFolder(const std::string& name);
    Status renameFolder(RowId folder, const std::string& name);
    Status setFolderProfile(RowId folder, const Profile& profile);
    /// 0: of the next new conversation. Errors: InvalidArgument, when there is none of that number.
    Status setConversationProfile(RowId conversation, const Profile& profile);
    /// Its conversations stay and are in no folder then.
    Result<RemovedFolder> removeFolder(RowId folder);
    Status restoreFolder(const RemovedFolder& removed);
    /// All or none; 0: into no folder. What was archived is not any more.
    Status moveToFolder(std::span<const RowId> conversations, RowId folder);
    /// All or none. 0: back among the others.
    Status setArchived(std::span<const RowId> conversations, int64_t archivedMs);

    Status trashConversation(RowId id);
    Status restoreConversation(RowId id);
    /// With all that stands below it. Returns the conversation's active leaf: another one where this was in
    /// the trashed part, namely below the version beside it, else what it answered; 0: nothing is left.
    Result<RowId> trashMessage(RowId message);
    /// Also what it stands below, its conversation included. Returns the active leaf: below it, or where it
    /// was while an answer is being written there.
    Result<RowId> restoreMessage(RowId message);
    /// What is in the trash (expireTrash: since before that Unix time in milliseconds) cannot be brought back
    /// any more; shredSlice() removes it.
    Status emptyTrash();
    Status expireTrash(int64_t beforeMs);

    /// A piece of removing for good, about as long as `budget`: rows, words of the search index, free pages,
    /// the log. When it is Done no file holds a deleted text. Survives a restart. Errors: Io.
    Result<ShredState> shredSlice(std::chrono::milliseconds budget);
    /// Rows were marked that nobody needs any more.
    Status deleteRowsSoon();
    /// Lets go what an import brought that did not come to its end: shredSlice() removes it.
    Status dropArrivals();
    /// Whether shredSlice() may have something to do.
    bool mayShred() const { return m_mayShred; }
    Status backupsReplaced();

    Whereabouts whereabouts();
    /// Writes everything to `target`, under a name that nobody has, and goes on there: answers that are being
    /// written, too. Errors: Io; Corrupt when the file was overwritten and ours is not to be had any more. It
    /// goes on as before then.
    Status moveTo(const std::string& target);
    /// Closes a file that was overwritten and leaves nothing of ours in it: what only the log held is gone.
    static void leave(std::unique_ptr<History> history);

    /// Durable before it returns (synchronous=FULL): nothing is generated for a message that could still be
    /// lost. Becomes the active leaf.
    Result<RowId> addUserMessage(RowId conversation, RowId parent, const std::vector<Part>& parts);
    /// Of a message of the person: it says something else from now on, before anybody has answered it.
    Status replaceParts(RowId message, const std::vector<Part>& parts);
    /// An empty answer in state Streaming (FULL as well). Becomes the active leaf.
    Result<RowId> beginAnswer(RowId conversation, RowId parent, const std::string& modelId,
                              const std::string& modelName, const SamplerParams& sampler,
                              const std::optional<AnswerTerms>& terms = std::nullopt);
    /// Appends streamed pieces and ids and replaces `withheld` (synchronous=NORMAL: survives a killed
    /// process). Call before painting.
    Status appendAnswer(RowId message, std::span<const PartPiece> pieces, const std::vector<TokenId>& ids,
                        const std::string& withheld);
    /// What the engine said about the prompt of an answer; firstKept as in Message.
    Status setPrompt(RowId answer, uint64_t promptHash, RowId firstKept);
    /// One transaction (FULL): an end that fails half way, on a full disk say, changes nothing and may be
    /// repeated.
    Status finishAnswer(RowId message, const AnswerEnd& end);
    /// An answer that has ended (interrupted, stopped, failed, at its length limit) goes on: back to
    /// Streaming.
    Status resumeAnswer(RowId message);
    Status setMessagePinned(RowId message, bool pinned);

    Status setSetting(const std::string& key, const std::string& value);
    Status setSettings(const std::map<std::string, std::string>& values);  ///< all or none

  private:
    explicit History(std::unique_ptr<Database> database);

    /// Gives every message left Streaming its journal and the state Interrupted.
    Status recoverInterrupted();

    std::unique_ptr<AnswerStatements> m_answerStatements;
    bool m_mayShred = true;
};

/// What a moveTo() that was killed left in the folder: what is whole gets the name it was to have, or one
/// like it where that has been taken; the rest goes. Returns the names that are not as wanted. Errors: Io.
Result<std::vector<std::string>> takeUpRescued(const std::string& folder);

}  // namespace ingle::history
