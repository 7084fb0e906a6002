/// Exports as the other programs write them, built from what their own sources say (named in each importer).
#pragma once

#include <gtest/gtest.h>
#include <sqlite3.h>
#include <zip.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <string>
#include <vector>

namespace ingle::exchange {

inline void writeFile(const std::string& path, const std::string& bytes) {
    std::filesystem::create_directories(std::filesystem::path(path).parent_path());
    std::ofstream(path, std::ios::binary) << bytes;
}

inline std::string readFile(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

/// A question with two answers, the second after a call of a tool, a hidden message and a picture.
inline const char* const kChatGpt =
    R"json([{"title":"Trees","create_time":1700000000.5,"update_time":1700000100.25,
"is_archived":true,"current_node":"a2","mapping":{
"root":{"id":"root","message":null,"parent":null,"children":["h"]},
"h":{"id":"h","parent":"root","children":["q"],"message":{"id":"h","author":{"role":"system"},"create_time":null,
 "content":{"content_type":"text","parts":[""]},"metadata":{"is_visually_hidden_from_conversation":true}}},
"q":{"id":"q","parent":"h","children":["a1","t"],"message":{"id":"q","author":{"role":"user"},"create_time":1700000001,
 "content":{"content_type":"multimodal_text","parts":[{"content_type":"image_asset_pointer","asset_pointer":"file-1"},
 "What is a tree?"]},"metadata":{"attachments":[{"name":"notes.txt","mime_type":"text/plain"}]}}},
"a1":{"id":"a1","parent":"q","children":[],"message":{"id":"a1","author":{"role":"assistant"},"create_time":1700000002,
 "content":{"content_type":"text","parts":["A plant."]},"metadata":{"model_slug":"gpt-4o"}}},
"t":{"id":"t","parent":"q","children":["tr"],"message":{"id":"t","author":{"role":"assistant"},"recipient":"python",
 "create_time":1700000003,"content":{"content_type":"code","text":"print(1)"},"metadata":{"model_slug":"o1"}}},
"tr":{"id":"tr","parent":"t","children":["a2"],"message":{"id":"tr","author":{"role":"tool","name":"python"},
 "create_time":1700000004,"content":{"content_type":"execution_output","text":"1"},"metadata":{}}},
"a2":{"id":"a2","parent":"tr","children":[],"message":{"id":"a2","author":{"role":"assistant"},"create_time":1700000005,
 "content":{"content_type":"text","parts":["A graph."]},"recipient":"all","metadata":{"model_slug":"o1"}}}}},
{"title":"Nothing","create_time":1700000000,"update_time":1700000000,"mapping":{},"current_node":""}])json";

inline const char* const kOpenWebUi =
    R"json([{"id":"c1","user_id":"u","title":"Soup","chat":{"title":"Soup",
"models":["llama3"],"params":{"system":"Be brief."},"history":{"currentId":"a1","messages":{
"q":{"id":"q","parentId":null,"childrenIds":["a1","a2"],"role":"user","content":"Soup?","timestamp":1700000000,
 "files":[{"type":"file","name":"list.txt","file":{"data":{"content":"salt"}}},{"type":"image","url":"data:"}]},
"a1":{"id":"a1","parentId":"q","childrenIds":[],"role":"assistant","model":"llama3","modelName":"Llama 3",
 "timestamp":1700000001,"done":true,"annotation":{"rating":1},
 "content":"<details type=\"reasoning\" done=\"true\" duration=\"2\">\n<summary>)json"
    R"json(Thought for 2 seconds</summary>\n> Salt &amp; water\n</details>\nYes."},
"a2":{"id":"a2","parentId":"q","childrenIds":[],"role":"assistant","model":"qwen","timestamp":1700000002,"done":true,
 "content":"No."}}}},"created_at":1700000000,"updated_at":1700000050,"archived":false,"pinned":true,"folder_id":"f2"}])json";

inline const char* const kLmStudio =
    R"json({"name":"Stars","pinned":true,"createdAt":1754424586190,"tokenCount":12,
"systemPrompt":"Answer in verse.","messages":[
{"currentlySelected":0,"versions":[{"type":"singleStep","role":"user","content":[{"type":"text",
"text":"What is a star?"},
 {"type":"file","name":"sky.png","identifier":"1 - 4.png","fileType":"image","sizeBytes":3}]}]},
{"currentlySelected":1,"versions":[
 {"type":"multiStep","role":"assistant","senderInfo":{"senderName":"gpt-oss"},"steps":[{"type":"contentBlock",
  "stepIdentifier":"1754424590000-0.5","content":[{"type":"text","text":"A sun."}]}]},
 {"type":"multiStep","role":"assistant","senderInfo":{"senderName":"gpt-oss"},"steps":[
  {"type":"contentBlock","stepIdentifier":"1754424591000-0.5","style":{"type":"thinking","ended":true},
   "content":[{"type":"text","text":"It burns."}]},
  {"type":"contentBlock","stepIdentifier":"1754424592000-0.5","genInfo":{"identifier":"openai/gpt-oss-20b"},
   "content":[{"type":"text","text":"A fire."}]},{"type":"debugInfoBlock","debugInfo":"x"}]}]}]})json";

inline const char* const kJanThread = R"json({"id":"t1","object":"thread","title":"Rain","created":1700000000,
"updated":1700000100,"assistants":[{"assistant_id":"jan","assistant_name":"Jan","model":{"id":"qwen3-4b"},
"instructions":"Be kind."}],"metadata":null})json";
inline const char* const kJanMessages =
    R"json({"id":"m1","object":"thread.message","thread_id":"t1","role":"user","content":[{"type":"text",)json"
    R"json("text":{"value":"Will it rain?","annotations":[]}}],"status":"ready",)json"
    R"json("created_at":1700000001,"completed_at":1700000001}
{"id":"m2","object":"thread.message","thread_id":"t1","role":"assistant","content":[{"type":"text",)json"
    R"json("text":{"value":"<think>Clouds.</think>Yes.","annotations":[]}},{"type":"image_url",)json"
    R"json("image_url":{"url":"x"}}],"status":"ready","created_at":1700000002,"completed_at":1700000002}
)json";

inline void runSql(const std::string& path, const std::string& sql) {
    sqlite3* connection = nullptr;
    ASSERT_EQ(sqlite3_open(path.c_str(), &connection), SQLITE_OK);
    char* error = nullptr;
    EXPECT_EQ(sqlite3_exec(connection, sql.c_str(), nullptr, nullptr, &error), SQLITE_OK)
        << (error ? error : "");
    sqlite3_free(error);
    sqlite3_close(connection);
}

inline std::string quoted(const std::string& text) {
    std::string result = "'";
    for (const char c : text) result += c == '\'' ? std::string("''") : std::string(1, c);
    return result + "'";
}

inline void writeOllama(const std::string& path) {
    runSql(path, R"sql(
CREATE TABLE chats (id TEXT PRIMARY KEY, title TEXT NOT NULL DEFAULT '', created_at TIMESTAMP NOT NULL,
 browser_state TEXT);
CREATE TABLE messages (id INTEGER PRIMARY KEY AUTOINCREMENT, chat_id TEXT NOT NULL, role TEXT NOT NULL,
 content TEXT NOT NULL DEFAULT '', thinking TEXT NOT NULL DEFAULT '', stream BOOLEAN NOT NULL DEFAULT 0,
 model_name TEXT,
 created_at TIMESTAMP NOT NULL, updated_at TIMESTAMP NOT NULL, thinking_time_start TIMESTAMP,
 thinking_time_end TIMESTAMP,
 tool_result TEXT);
CREATE TABLE tool_calls (id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL, type TEXT NOT NULL,
 function_name TEXT NOT NULL,
 function_arguments TEXT NOT NULL, function_result TEXT);
CREATE TABLE attachments (id INTEGER PRIMARY KEY, message_id INTEGER NOT NULL, filename TEXT NOT NULL,
 data BLOB NOT NULL);
INSERT INTO chats VALUES ('c', 'Stones', '2025-08-01 12:00:00.5+02:00', NULL);
INSERT INTO messages VALUES (1, 'c', 'user', 'Why stones?', '', 0, NULL, '2025-08-01 12:00:01+02:00',
 '2025-08-01 12:00:01+02:00', NULL, NULL, NULL);
INSERT INTO messages VALUES (2, 'c', 'assistant', 'Because.', 'Hm.', 0, 'gemma3:4b', '2025-08-01 12:00:02+02:00',
 '2025-08-01 12:00:02+02:00', NULL, NULL, NULL);
INSERT INTO tool_calls VALUES (1, 2, 'function', 'look', '{"at":"stone"}', NULL);
INSERT INTO attachments VALUES (1, 1, 'stone.txt', CAST('hard' AS BLOB)), (2, 1, 'stone.jpg', x'FFD8FF00');
)sql");
}

inline void writeWebUiDatabase(const std::string& path) {
    const std::string list = kOpenWebUi;
    const size_t begin = list.find("{\"title\":\"Soup\",\n");
    const std::string chat = list.substr(begin, list.find(",\"created_at\"") - begin);
    runSql(path,
           "CREATE TABLE chat (id TEXT PRIMARY KEY, user_id TEXT, title TEXT, chat JSON, created_at BIGINT, "
           "updated_at "
           "BIGINT, share_id TEXT, archived BOOLEAN, pinned BOOLEAN, meta JSON, folder_id TEXT);"
           "CREATE TABLE folder (id TEXT, parent_id TEXT, user_id TEXT, name TEXT);"
           "INSERT INTO folder VALUES ('f2', 'f1', 'u', 'Recipes'), ('f1', NULL, 'u', 'Home');"
           "INSERT INTO chat VALUES ('c1', 'u', 'Soup', " +
               quoted(chat) + ", 1700000000, 1700000050, NULL, 0, 1, '{}', 'f2');");
}

/// Writes as QDataStream does.
class QtWriter {
  public:
    QtWriter& number(uint64_t value, size_t bytes) {
        for (size_t i = bytes; i-- > 0;) m_bytes += static_cast<char>(value >> (8 * i) & 255);
        return *this;
    }
    QtWriter& text(const std::u16string& text) {
        number(text.size() * 2, 4);
        for (const char16_t unit : text) number(unit, 2);
        return *this;
    }
    QtWriter& bytes(const std::string& bytes) {
        number(bytes.size(), 4);
        m_bytes += bytes;
        return *this;
    }
    const std::string& result() const { return m_bytes; }

  private:
    std::string m_bytes;
};

/// A question with a text file and the answer to it, as version `version` writes them.
inline std::string gpt4AllChat(int version) {
    QtWriter out;
    out.number(0xF5D553CC, 4).number(static_cast<uint64_t>(version), 4).number(1700000000, 8);
    out.text(u"id").text(u"B\u00fccher \U0001F4DA").text(u"").text(u"llama-3.gguf");
    if (version >= 3) out.number(0, 4);
    if (version < 11) {
        if (version >= 6) out.number(0, 1);
        if (version >= 2) out.number(2, 4).number(0, 4);
        out.text(u"").text(u"").number(7, 4);
        if (version < 6) {
            if (version < 4) out.number(0, 4);
            out.number(0, 4).number(0, 8).number(0, 8).number(0xFFFFFFFF, 4);
        }
    }
    out.number(2, 4);
    for (const bool isAnswer : {false, true}) {
        if (version < 12) out.number(1, 4);
        out.text(isAnswer ? u"Response: " : u"Prompt: ");
        out.text(isAnswer ? u"<think>Paper.</think>Read." : u"What are books for?");
        if (version < 10) out.text(u"");
        out.text(u"").number(isAnswer, 1).number(isAnswer, 1).number(0, 1).number(0, 1);
        if (version >= 11 && isAnswer) out.number(0, 1);
        if (version >= 8) {
            out.number(isAnswer, 8);
            if (isAnswer) {
                out.text(u"Library").text(u"/books/a.txt").text(u"a.txt").text(u"").text(u"").text(u"2024");
                out.text(u"Books are read.").number(1, 4).number(0xFFFFFFFF, 4).number(0xFFFFFFFF, 4);
            }
        } else if (version >= 3) {
            out.text(u"").number(0, 4);
        }
        if (version >= 10) {
            out.number(!isAnswer, 8);
            if (!isAnswer) out.bytes("file:///home/a/list.txt").bytes("one");
        }
        if (version >= 12) {
            out.number(isAnswer ? 2 : 0, 8);
            if (isAnswer) {
                out.text(u"Think: ").text(u"<think>Paper.</think>").number(1200, 4).number(0, 8);
                out.text(u"Text: ").text(u"Read.").number(0, 8);
            }
        }
    }
    return out.result();
}

inline void writeZip(const std::string& path, const std::string& name, const std::string& content) {
    zip_t* archive = zip_open(path.c_str(), ZIP_CREATE | ZIP_TRUNCATE, nullptr);
    ASSERT_NE(archive, nullptr);
    zip_file_add(archive, name.c_str(), zip_source_buffer(archive, content.data(), content.size(), 0),
                 ZIP_FL_OVERWRITE);
    ASSERT_EQ(zip_close(archive), 0);
}

/// Every form that is read, written into `folder`; returns the path to name. `file`: what of it is damaged.
struct Sample {
    const char* name;
    const char* program;
    std::function<std::string(const std::string& folder)> write;
    const char* file;  ///< below the path; empty: the path itself
};

inline std::vector<Sample> samples() {
    const auto plain = [](std::string name, std::string content) {
        return [=](const std::string& folder) {
            const std::string path = folder + "/" + name;
            writeFile(path, content);
            return path;
        };
    };
    return {
        {"chatgpt", "ChatGPT", plain("conversations.json", kChatGpt), ""},
        {"chatgptZip", "ChatGPT",
         [](const std::string& folder) {
             const std::string path = folder + "/export.zip";
             writeZip(path, "conversations.json", kChatGpt);
             return path;
         },
         ""},
        {"openWebUi", "Open WebUI", plain("chats.json", kOpenWebUi), ""},
        {"openWebUiDatabase", "Open WebUI",
         [](const std::string& folder) {
             writeWebUiDatabase(folder + "/webui.db");
             return folder + "/webui.db";
         },
         ""},
        {"gpt4all12", "GPT4All", plain("gpt4all-1.chat", gpt4AllChat(12)), ""},
        {"gpt4all9", "GPT4All", plain("gpt4all-1.chat", gpt4AllChat(9)), ""},
        {"lmStudio", "LM Studio", plain("1754424586190.conversation.json", kLmStudio), ""},
        {"jan", "Jan",
         [](const std::string& folder) {
             writeFile(folder + "/threads/t1/thread.json", kJanThread);
             writeFile(folder + "/threads/t1/messages.jsonl", kJanMessages);
             return folder + "/threads";
         },
         "/t1/messages.jsonl"},
        {"ollama", "Ollama",
         [](const std::string& folder) {
             writeOllama(folder + "/db.sqlite");
             return folder + "/db.sqlite";
         },
         ""},
    };
}

}  // namespace ingle::exchange
