#include "app/history/chats/message_rows.h"

#include "app/history/chats/message_fields.h"
#include "app/history/chats/picture_rows.h"
#include "app/history/chats/stored_values.h"
#include "app/history/store/clock.h"
#include "app/history/store/token_bytes.h"
#include "ingle/error_ids.h"

namespace ingle::history {
namespace {

/// What a column holds as bytes.
struct Bytes {
    static std::span<const std::byte> write(const std::string& bytes) {
        return std::as_bytes(std::span(bytes));
    }
};

Result<PartKind> partKind(const std::string& name) {
    if (const auto kind = snakeNamed<PartKind>(name)) return *kind;
    return withId<ErrorId::HistoryDamaged>(
        fail(ErrorCode::Corrupt, "The history holds a part of the kind \"{}\".", shown(name)));
}

void appendTokensOf(const SQLite::Column& column, std::vector<TokenId>& ids) {
    const void* bytes = column.getBlob();
    appendTokens(ids, bytes, static_cast<size_t>(column.getBytes()));
}

Status readParts(SQLite::Statement& row, Message& message) {
    while (row.executeStep()) {
        INGLE_TRY_ASSIGN(const PartKind kind, partKind(row.getColumn(0).getString()));
        message.parts.push_back({kind, row.getColumn(1).getString(), row.getColumn(2).getString()});
    }
    return {};
}

/// Adds the journal of a streaming answer to what its row holds.
Status readJournal(Database& database, Message& message) {
    auto row = database.prepare(
        "SELECT kind, begins, text, data, token_ids, withheld FROM answer_chunks WHERE message_id = ?1 "
        "ORDER BY id",
        message.id);
    while (row.executeStep()) {
        INGLE_TRY_ASSIGN(const PartKind kind, partKind(row.getColumn(0).getString()));
        const PartPiece piece{kind, row.getColumn(2).getString(), row.getColumn(3).getString(),
                              row.getColumn(1).getInt() != 0};
        // A step without text only brings ids.
        if (piece.begins || !piece.text.empty() || !piece.data.empty()) append(message.parts, piece);
        appendTokensOf(row.getColumn(4), message.tokenIds);
        message.withheld = row.getColumn(5).getString();
    }
    return {};
}

/// The fields that stand in the row.
template <typename V>
void columns(V& v, codec::Of<Message> auto& message) {
    fields(v, message);
    answerFields(v, message);
    v.sparse("withheld", codec::as<Bytes>(message.withheld));
    v.sparse("tokenIds", message.tokenIds);
}

/// A visitor to which all fields are alike: each is a column.
template <typename Visit>
struct EachColumn {
    static constexpr bool kReads = requires { Visit::kReads; };
    Visit visit;

    template <typename T>
    void required(const char* name, T&& field) {
        visit(name, field);
    }
    template <typename T>
    void sparse(const char* name, T&& field) {
        visit(name, field);
    }
};
template <typename Visit>
EachColumn(Visit) -> EachColumn<Visit>;

std::vector<std::string> columnNames() {
    std::vector<std::string> names;
    EachColumn each{[&names](const char* name, const auto&) { names.push_back(codec::inSnakeCase(name)); }};
    const Message message;
    columns(each, message);
    return names;
}

/// Binds the fields to a statement's parameters.
class RowWriter {
  public:
    RowWriter(SQLite::Statement& row, int last) : m_row(row), m_last(last) {}

    void operator()(const char*, const auto& field) { write(field); }

  private:
    template <typename T>
    void bind(const T& value) {
        Database::bindOne(m_row, ++m_last, value);
    }
    template <typename T>
    void write(const T& value) {
        if constexpr (std::is_enum_v<T>)
            bind(snakeNameOf(value));
        else
            bind(value);
    }
    void write(const std::optional<StopReason>& reason) { bind(reason ? snakeNameOf(*reason) : ""); }
    void write(const std::optional<int64_t>& time) { time ? bind(*time) : bind(nullptr); }
    void write(const std::vector<std::string>& texts) { bind(textsJson(texts)); }
    void write(const std::vector<TokenId>& ids) { bind(tokenBytes(ids)); }
    template <typename T>
    void write(const codec::As<Bytes, T>& bytes) {
        bind(bytes.stored());
    }
    template <typename T>
    void write(const codec::As<codec::Digits, T>& number) {
        bind(number.field);
    }
    template <typename Coder, typename T>
    void write(const codec::As<Coder, T>& coded) {
        const nlohmann::json object = coded.stored();
        bind(object.empty() ? std::string() : codec::textOf(object));
    }

    SQLite::Statement& m_row;
    int m_last;
};

/// Reads the fields from a row's columns.
class RowReader {
  public:
    static constexpr bool kReads = true;

    RowReader(SQLite::Statement& row, int next) : m_row(row), m_next(next) {}

    void operator()(const char*, auto& field) { read(m_row.getColumn(m_next++), field); }
    int next() const { return m_next; }
    /// Names that this version does not know.
    const std::vector<std::string>& unknown() const { return m_unknown; }

  private:
    using Column = SQLite::Column;

    template <typename T>
    void read(const Column& column, T& field) {
        if constexpr (std::is_enum_v<T>) {
            const auto known = snakeNamed<T>(column.getString());
            if (known)
                field = *known;
            else
                m_unknown.push_back(column.getString());
        } else if constexpr (std::is_same_v<T, std::string>) {
            field = column.getString();
        } else if constexpr (std::is_floating_point_v<T>) {
            field = column.getDouble();
        } else {
            field = static_cast<T>(column.getInt64());
        }
    }
    void read(const Column& column, std::optional<StopReason>& reason) {
        reason = snakeNamed<StopReason>(column.getString());
    }
    void read(const Column& column, std::optional<int64_t>& time) {
        if (!column.isNull()) time = column.getInt64();
    }
    void read(const Column& column, std::vector<std::string>& texts) {
        texts = textsFromJson(column.getString());
    }
    void read(const Column& column, std::vector<TokenId>& ids) { appendTokensOf(column, ids); }
    template <typename T>
    void read(const Column& column, codec::As<Bytes, T>& bytes) {
        bytes.field = column.getString();
    }
    template <typename T>
    void read(const Column& column, codec::As<codec::Digits, T>& number) {
        number.field = static_cast<uint64_t>(column.getInt64());
    }
    template <typename Coder, typename T>
    void read(const Column& column, codec::As<Coder, T>& coded) {
        coded.take(nlohmann::json::parse(column.getString(), nullptr, /*allow_exceptions=*/false));
    }

    SQLite::Statement& m_row;
    int m_next;
    std::vector<std::string> m_unknown;
};

Result<Message> readRow(SQLite::Statement& row) {
    Message message;
    message.id = row.getColumn(0).getInt64();
    message.conversation = row.getColumn(1).getInt64();
    message.parent = row.getColumn(2).getInt64();
    EachColumn<RowReader> each{{row, 3}};
    columns(each, message);
    const RowReader& reader = each.visit;
    message.siblingIndex = row.getColumn(reader.next()).getInt();
    message.siblingCount = row.getColumn(reader.next() + 1).getInt();
    if (reader.unknown().empty()) return message;
    return withId<ErrorId::HistoryDamaged>(
        fail(ErrorCode::Corrupt, "The history holds a message with role \"{}\" and status \"{}\".",
             shown(row.getColumn("role").getString()), shown(row.getColumn("status").getString())));
}

}  // namespace

std::string messageColumns(const std::string& table) {
    std::string list;
    for (const std::string& name : columnNames())
        list += fmt::format("{}{}{}", list.empty() ? "" : ", ", table, name);
    return list;
}

const std::string& selectMessage() {
    static const std::string select = fmt::format(
        "SELECT m.id, m.conversation_id, m.parent_id, {}, "
        "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
        " AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL AND s.id < m.id), "
        "(SELECT count(*) FROM messages s WHERE s.conversation_id = m.conversation_id "
        " AND s.parent_id IS m.parent_id AND s.trashed_ms IS NULL) ",
        messageColumns("m."));
    return select;
}

Result<RowId> insertMessage(Database& database, const Message& message) {
    static const std::string insert = [] {
        std::string parameters;
        for (size_t i = 0; i < columnNames().size(); ++i) parameters += fmt::format(", ?{}", i + 3);
        // The SELECT gives nothing unless the conversation exists and the parent belongs to it.
        return fmt::format(
            "INSERT INTO messages (conversation_id, parent_id, {}) SELECT id, nullif(?2, 0){} "
            "FROM conversations WHERE id = ?1 AND (?2 = 0 OR EXISTS "
            "(SELECT 1 FROM messages WHERE id = ?2 AND conversation_id = ?1 AND trashed_ms IS NULL))",
            messageColumns(), parameters);
    }();
    auto row = database.prepare(insert, message.conversation, message.parent);
    EachColumn<RowWriter> each{{row, 2}};
    columns(each, message);
    if (row.exec() != 1) {
        return fail(ErrorCode::InvalidArgument, "Conversation {} has no message {} to answer.",
                    message.conversation, message.parent);
    }
    const RowId id = database.sqlite().getLastInsertRowid();
    storeParts(database, id, message.parts, 0);
    return id;
}

Result<std::vector<Message>> readMessages(Database& database, SQLite::Statement& rows) {
    auto parts =
        database.prepare("SELECT kind, text, data FROM parts WHERE message_id = ?1 ORDER BY position");
    std::vector<Message> messages;
    while (rows.executeStep()) {
        INGLE_TRY_ASSIGN(Message message, readRow(rows));
        parts.reset();
        Database::bindAll(parts, message.id);
        INGLE_TRY(readParts(parts, message));
        if (message.status == MessageStatus::Streaming) {
            INGLE_TRY(readJournal(database, message));
            // Nobody writes to a file that is read-only: what looks like streaming was interrupted.
            if (database.refusal()) message.status = MessageStatus::Interrupted;
        }
        messages.push_back(std::move(message));
    }
    return messages;
}

Result<Message> readMessage(Database& database, RowId id) {
    auto row = database.prepare(fmt::format("{}FROM messages m WHERE m.id = ?1", selectMessage()), id);
    INGLE_TRY_ASSIGN(auto messages, readMessages(database, row));
    if (messages.empty()) return fail(ErrorCode::InvalidArgument, "The history has no message {}.", id);
    return std::move(messages.front());
}

Result<RowId> appendMessage(Database& database, Message message) {
    message.createdMs = nowMs();
    INGLE_TRY_ASSIGN(const RowId id, insertMessage(database, message));
    database.execute("UPDATE conversations SET active_leaf = ?2, updated_ms = ?3 WHERE id = ?1",
                     message.conversation, id, message.createdMs);
    return id;
}

size_t countStoredParts(Database& database, RowId message) {
    auto row = database.prepare("SELECT count(*) FROM parts WHERE message_id = ?1", message);
    row.executeStep();
    return static_cast<size_t>(row.getColumn(0).getInt64());
}

void storeParts(Database& database, RowId message, std::span<const Part> parts, size_t first) {
    for (size_t position = first; position < parts.size(); ++position) {
        const Part& part = parts[position];
        database.execute(
            "INSERT INTO parts (message_id, position, kind, text, data) VALUES (?1, ?2, ?3, ?4, ?5) "
            "ON CONFLICT DO UPDATE SET text = ?4",
            message, position, snakeNameOf(part.kind), part.text, part.data);
        if (part.kind != PartKind::Image) continue;
        database.execute("UPDATE parts SET file_id = nullif(?3, 0) WHERE message_id = ?1 AND position = ?2",
                         message, position, pictureRow(database, part.data));
    }
}

}  // namespace ingle::history
