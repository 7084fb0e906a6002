/// History over one SQLite connection. Its functions are split by job: conversations.cpp, messages.cpp
/// (reading the tree), answers.cpp (writing it), search.cpp. Private to app/history and its tests.
#pragma once

#include <SQLiteCpp/SQLiteCpp.h>

#include "app/history/database.h"
#include "app/history/history.h"

namespace ingle::history {

class SqliteHistory final : public History {
  public:
    SqliteHistory(std::unique_ptr<Database> database, Access access)
        : m_database(std::move(database)), m_access(access) {}

    /// Gives every message left Streaming its journal and the state Interrupted.
    Status recoverInterrupted();
    Database& database() { return *m_database; }

    Access access() const override { return m_access; }

    Result<std::vector<Conversation>> conversations() override;
    Result<Conversation> conversation(RowId id) override;
    Result<RowId> createConversation(const std::string& title, const std::string& modelId) override;
    Status renameConversation(RowId id, const std::string& title) override;
    Status setPinned(RowId id, bool pinned) override;
    Status setDraft(RowId id, const std::string& draft) override;
    Status setActiveLeaf(RowId conversation, RowId leaf) override;
    Status setModel(RowId conversation, const std::string& modelId) override;
    Status deleteConversation(RowId id) override;
    Status undeleteConversation(RowId id) override;
    Status purgeDeleted() override;

    Result<std::vector<Message>> branch(RowId conversation, RowId leaf) override;
    Result<Message> message(RowId id) override;
    Result<std::vector<RowId>> siblings(RowId message) override;
    Result<RowId> newestLeafBelow(RowId message) override;

    Result<RowId> addUserMessage(RowId conversation, RowId parent, const std::string& text) override;
    Result<RowId> beginAnswer(RowId conversation, RowId parent, const std::string& modelId,
                              const std::string& modelName, const SamplerParams& sampler) override;
    Status appendAnswer(RowId message, std::string_view text, const std::vector<TokenId>& ids,
                        const std::string& withheld) override;
    Status setPromptHash(RowId message, uint64_t promptHash) override;
    Status finishAnswer(RowId message, const AnswerEnd& end) override;
    Status resumeAnswer(RowId message) override;

    Result<std::vector<SearchHit>> search(const std::string& text, int limit) override;

    Result<std::optional<std::string>> setting(const std::string& key) override;
    Status setSetting(const std::string& key, const std::string& value) override;

  private:
    /// As Database::transact, refused when the file is read-only.
    template <typename Work>
    std::invoke_result_t<Work> write(Durability durability, Work&& work) {
        if (m_access == Access::ReadOnly) {
            return fail(ErrorCode::Unsupported,
                        "The history was written by a newer version of Inglenook and can only be read: {}.",
                        m_database->path());
        }
        return m_database->transact(durability, std::forward<Work>(work));
    }
    /// Runs one UPDATE whose parameter ?1 is the row `id` of a conversation or message.
    template <typename... Values>
    Status updateRow(Durability durability, const char* sql, RowId id, const Values&... values) {
        return write(durability, [&]() -> Status {
            if (m_database->execute(sql, id, values...) == 1) return {};
            return fail(ErrorCode::InvalidArgument, "The history has no such entry: {}.", id);
        });
    }

    // What follows throws as SQLiteCpp does and is called inside run() or write().

    Result<Message> readMessage(RowId id);
    /// Every message of a statement over messages.cpp's columns, journals included.
    Result<std::vector<Message>> readMessages(SQLite::Statement& rows);
    /// Adds the journal of a streaming answer to what its row holds.
    void readJournal(Message& message);
    /// Appends `message` below its parent and makes it the active leaf; id and time are set here.
    Result<RowId> insertMessage(const Message& message);
    Status insertChunk(RowId message, std::string_view text, const std::vector<TokenId>& ids,
                       const std::string& withheld);
    /// Moves the journal of a streaming answer into its row, with the state it ends in, and makes it
    /// searchable.
    Status settleAnswer(RowId message, MessageStatus status, const std::string& error);

    void indexMessage(RowId message, std::string_view text);
    void indexTitle(RowId conversation, std::string_view title);

    std::unique_ptr<Database> m_database;
    std::optional<SQLite::Statement> m_appendChunk;  ///< prepared once: it runs for every streamed token
    Access m_access;
};

}  // namespace ingle::history
