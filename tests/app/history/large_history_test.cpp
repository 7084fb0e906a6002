/// A history of 250 MB, 110,000 messages in 1,100 conversations: what bringing it up to date, searching and
/// shredding cost. `./dev soak history` runs it; the figures are in docs/benchmarks.md.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <cmath>
#include <cstdio>
#include <random>

#include "app/history/chats/conversations.h"
#include "app/history/opening.h"
#include "app/history/search/search.h"
#include "app/history/store/schema.h"
#include "app/history/text/text_folding.h"
#include "app/history/trash/shredding.h"
#include "app/history/trash/trash.h"
#include "tests/app/history/history_fixture.h"
#include "tests/every_case.h"

namespace ingle::history {
namespace {

using Clock = std::chrono::steady_clock;

constexpr int kConversations = 1100;
constexpr int kMessagesEach = 100;

double msSince(Clock::time_point start) {
    return std::chrono::duration<double, std::milli>(Clock::now() - start).count();
}

/// Words as frequent as those of a language: the n-th comes about 1 / n times as often as the first.
class Words {
  public:
    Words() {
        std::vector<std::string> syllables;
        for (const char consonant : std::string("bcdfghklmnprstvwz")) {
            for (const char vowel : std::string("aeiou")) syllables.push_back({consonant, vowel});
        }
        std::mt19937 random(3);
        for (size_t n = 0; n < kCount; ++n) {
            std::string word;
            for (size_t rest = n + 1; rest > 0; rest /= syllables.size()) {
                word += syllables[(rest + random() % 7) % syllables.size()];
            }
            m_words.push_back(word);
        }
    }
    const std::string& frequent(size_t rank) const { return m_words[rank]; }
    std::string text(std::mt19937& random, int count) const {
        std::string text;
        for (int i = 0; i < count; ++i) {
            const double uniform = static_cast<double>(random()) / static_cast<double>(std::mt19937::max());
            const auto rank = static_cast<size_t>(std::pow(static_cast<double>(kCount), uniform)) - 1;
            if (i > 0) text += i % 12 == 0 ? ".\n" : " ";
            text += m_words[std::min(rank, kCount - 1)];
        }
        return text;
    }

  private:
    static constexpr size_t kCount = 40'000;
    std::vector<std::string> m_words;
};

class LargeHistory : public HistoryFixture {
  protected:
    void SetUp() override {
        HistoryFixture::SetUp();
        if (!test::triesEveryCase()) GTEST_SKIP() << "takes a minute: INGLE_EVERY_CASE=1";
        m_history.reset();
        m_path = m_dir + "/data/large.db";
        writeOldFile();
    }

    /// As version 1 wrote it: one text for each message, its ids, and the index.
    void writeOldFile() {
        auto opened = valueOf(Database::open(m_path, FileMode::ReadWrite));
        Database& file = *opened;
        ASSERT_TRUE(migrate(file, 0, allMigrations().first(1)));
        std::mt19937 random(11);
        std::lognormal_distribution<double> length(4.13, 0.8);
        for (int c = 1; c <= kConversations; ++c) {
            ASSERT_TRUE(file.transact(Durability::Process, [&]() -> Status {
                file.execute("INSERT INTO conversations (title, created_ms, updated_ms) VALUES (?1, ?2, ?2)",
                             m_words.text(random, 5), c);
                auto message = file.prepare(
                    "INSERT INTO messages (conversation_id, parent_id, role, text, token_ids, status, "
                    "created_ms) VALUES (?1, nullif(?2, 0), ?3, ?4, ?5, 'complete', 1)");
                auto index = file.prepare("INSERT INTO search_index (rowid, folded) VALUES (?1, ?2)");
                RowId parent = 0;
                for (int m = 0; m < kMessagesEach; ++m) {
                    const bool answer = m % 2 == 1;
                    const int words = std::min(4000, static_cast<int>(length(random)) + 3);
                    std::string text = m_words.text(random, answer ? 2 * words : words / 2 + 1);
                    if (answer && m % 3 == 0)
                        text = "<think>\n" + text + "\n</think>\n\n" + text.substr(0, 40);
                    if (m == 50) text += fmt::format(" secret{}word", c);
                    const std::vector<TokenId> ids(answer ? text.size() / 4 : 0, 12'345);
                    message.reset();
                    Database::bindAll(message, c, parent, answer ? "assistant" : "user", text,
                                      std::as_bytes(std::span(ids)));
                    message.exec();
                    parent = file.sqlite().getLastInsertRowid();
                    index.reset();
                    Database::bindAll(index, parent, foldForSearch(text));
                    index.exec();
                }
                file.execute("UPDATE conversations SET active_leaf = ?2 WHERE id = ?1", c, parent);
                return {};
            }));
        }
        file.prepare("PRAGMA wal_checkpoint(TRUNCATE)").executeStep();
        std::printf("version 1: %.1f MB\n", megabytes(m_path));
    }
    static double megabytes(const std::string& path) {
        return static_cast<double>(std::filesystem::file_size(path)) / 1e6;
    }

    Words m_words;
};

TEST_F(LargeHistory, IsBroughtUpToDateSearchedAndShredded) {
    const Clock::time_point start = Clock::now();
    reopen();
    std::printf("brought up to date in %.1f s: %.1f MB\n", msSince(start) / 1000, megabytes(m_path));
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM messages").getInt(), kConversations * kMessagesEach);
    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(), 0);
    EXPECT_GT(sqlite().execAndGet("SELECT count(*) FROM parts WHERE kind = 'thought'").getInt(), 10'000);

    const auto reader = valueOf(openReader(m_path));
    const std::string& often = m_words.frequent(0);
    for (const std::string& query :
         {often, often + " ", m_words.frequent(90), m_words.frequent(90).substr(0, 3),
          m_words.frequent(300).substr(0, 3), m_words.frequent(4000).substr(0, 3),
          m_words.frequent(4000).substr(0, 5), often + " " + m_words.frequent(200).substr(0, 3),
          m_words.frequent(5) + " " + m_words.frequent(900),
          "\"" + m_words.frequent(5) + " " + m_words.frequent(1) + "\"", std::string("secret500word"),
          std::string("secret")}) {
        double slowest = 0;
        size_t hits = 0;
        for (int round = 0; round < 3; ++round) {
            const Clock::time_point asked = Clock::now();
            hits = valueOf(search(*reader, query, 100)).size();
            slowest = std::max(slowest, msSince(asked));
        }
        std::printf("query \"%s\": %zu hits, %.1f ms at most\n", query.c_str(), hits, slowest);
        EXPECT_GT(hits, 0u) << query;
        EXPECT_LT(slowest, 50) << query;
    }

    const Clock::time_point listed = Clock::now();
    EXPECT_EQ(valueOf(conversations(*reader)).size(), size_t{kConversations});
    std::printf("list of conversations: %.1f ms\n", msSince(listed));

    const Clock::time_point deleted = Clock::now();
    ASSERT_TRUE(trashConversation(*m_history, 500));
    std::printf("deleting a conversation: %.1f ms\n", msSince(deleted));
    EXPECT_LT(msSince(deleted), 50);
    ASSERT_TRUE(emptyTrash(*m_history));
    double longest = 0;
    int slices = 0;
    const Clock::time_point shredding = Clock::now();
    for (bool more = true; more; ++slices) {
        const std::string chores =
            sqlite().execAndGet("SELECT coalesce(group_concat(name), '') FROM chores").getString();
        const Clock::time_point slice = Clock::now();
        const ShredState state = valueOf(shredSlice(*m_history, std::chrono::milliseconds(5)));
        const double took = msSince(slice);
        if (took > 40) std::printf("a slice of %.1f ms: %s\n", took, chores.c_str());
        longest = std::max(longest, took);
        more = state == ShredState::Working;
        if (state != ShredState::BackupsLeft) continue;
        const Clock::time_point copying = Clock::now();
        ASSERT_TRUE(replaceBackups(m_path));
        std::printf("a fresh backup: %.1f s\n", msSince(copying) / 1000);
        ASSERT_TRUE(backupsReplaced(*m_history));
    }
    std::printf("shredding it: %d slices, %.1f ms at most, %.1f s in all\n", slices, longest,
                msSince(shredding) / 1000);
    EXPECT_LT(longest, 50);
    EXPECT_FALSE(anyFileHolds("secret500word"));
    EXPECT_TRUE(anyFileHolds("secret501word"));
    EXPECT_TRUE(valueOf(search(*reader, "secret500word", 5)).empty());
    EXPECT_EQ(valueOf(search(*reader, "secret501word", 5)).size(), 1u);
    EXPECT_EQ(integrity(), "ok");
    EXPECT_NO_THROW(sqlite().exec("INSERT INTO search_index (search_index) VALUES ('integrity-check')"));
}

}  // namespace
}  // namespace ingle::history
