/// A history in a folder of its own.
#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>

#include "app/history/chats/answers.h"
#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/store/copies.h"
#include "app/history/store/database.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"

namespace ingle::history {

/// The value of a Result, or a failed test that says why there is none.
template <typename T>
T valueOf(Result<T> result) {
    if (result) return std::move(*result);
    ADD_FAILURE() << result.error().message;
    return T{};
}

inline std::vector<Part> said(const std::string& text) {
    return {{PartKind::Text, text, ""}};
}

inline std::vector<PartPiece> piece(const std::string& text) {
    return {{PartKind::Text, text, ""}};
}

/// Everything that a message says, whatever kind of part says it.
inline std::string allText(const Message& message) {
    std::string text;
    for (const Part& part : message.parts) text += part.text;
    return text;
}

class HistoryFixture : public testing::Test {
  protected:
    void SetUp() override {
        std::string pattern = (std::filesystem::temp_directory_path() / "ingle-history-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        m_dir = pattern;
        m_path = m_dir + "/data/history.db";
        reopen();
    }
    void TearDown() override {
        m_history.reset();
        std::filesystem::remove_all(m_dir);
    }

    void reopen() {
        m_history.reset();
        m_history = valueOf(openHistory(m_path));
        ASSERT_NE(m_history, nullptr);
    }
    SQLite::Database& sqlite() { return m_history->database().sqlite(); }
    std::string integrity() { return sqlite().execAndGet("PRAGMA integrity_check").getString(); }

    /// Removes for good what is in the trash. Returns the number of slices.
    int shred(std::chrono::milliseconds budget = std::chrono::milliseconds(5)) {
        EXPECT_TRUE(emptyTrash(*m_history));
        for (int slices = 0;; ++slices) {
            const ShredState state = valueOf(shredSlice(*m_history, budget));
            if (state == ShredState::Done) return slices;
            if (state == ShredState::BackupsLeft) {
                EXPECT_TRUE(replaceBackups(m_path));
                EXPECT_TRUE(backupsReplaced(*m_history));
            } else if (state == ShredState::Waiting) {
                ADD_FAILURE() << "somebody reads";
                return slices;
            }
        }
    }

    /// A conversation with one question; sets m_conversation and m_question.
    void ask(const std::string& text = "What is it?") {
        m_conversation = valueOf(createConversation(*m_history, "Title", "model"));
        m_question = valueOf(addUserMessage(*m_history, m_conversation, 0, said(text)));
    }
    RowId beginAnswer() {
        return valueOf(history::beginAnswer(*m_history, m_conversation, m_question, "model", "Model", {}));
    }
    /// Whether any file of the folder holds these bytes.
    bool anyFileHolds(const std::string& bytes) const {
        for (const auto& entry : std::filesystem::recursive_directory_iterator(m_dir)) {
            if (!entry.is_regular_file()) continue;
            std::ifstream file(entry.path(), std::ios::binary);
            const std::string content(std::istreambuf_iterator<char>(file), {});
            if (content.find(bytes) != std::string::npos) return true;
        }
        return false;
    }

    std::string m_dir;
    std::string m_path;
    std::unique_ptr<History> m_history;
    RowId m_conversation = 0;
    RowId m_question = 0;
};

}  // namespace ingle::history
