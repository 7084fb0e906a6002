// Damaged exports can only produce a Result, and what comes of them is a whole history: thousands of
// mutations of each sample, each within two seconds. INGLE_MUTATIONS sets the number per sample, INGLE_SEED
// the seed.
#include <cstdlib>
#include <iostream>
#include <random>

#include "app/exchange/export_chats.h"
#include "app/history/chats/conversations.h"
#include "app/history/documents/documents.h"
#include "app/history/opening.h"
#include "tests/app/documents/mutation.h"
#include "tests/app/exchange/sample_exports.h"
#include "tests/app/history/history_fixture.h"
#include "tests/processor_time.h"

namespace ingle::exchange {
namespace {

using history::valueOf;

constexpr double kMaxSeconds = 2;

uint64_t numberFromEnvironment(const char* name, uint64_t fallback) {
    const char* text = std::getenv(name);
    return text ? std::strtoull(text, nullptr, 10) : fallback;
}

class ExchangeDamage : public history::HistoryFixture {
  protected:
    void exercise(const Sample& sample) {
        const std::string folder = m_dir + "/" + sample.name;
        std::filesystem::create_directories(folder);
        const std::string path = sample.write(folder);
        const std::string file = path + sample.file;
        const std::string original = readFile(file);
        const uint64_t seed = numberFromEnvironment("INGLE_SEED", 1);
        const uint64_t count = numberFromEnvironment("INGLE_MUTATIONS", 300);
        uint64_t imported = 0, refused = 0;
        for (uint64_t i = 0; i < count; ++i) {
            std::mt19937_64 random(seed * 1'000'003 + i);
            writeFile(file, test::mutated(original, random));
            const double begin = test::processorSeconds();
            const auto recognised = recognise(path);
            if (recognised) {
                // All of it is taken back; what SQLite has to say of it is asked before.
                const Status undone = m_history->atOnce([&]() -> Status {
                    const auto findings = importChats(*recognised, *m_history);
                    ++(findings ? imported : refused);
                    EXPECT_TRUE(findings || !findings.error().message.empty());
                    EXPECT_EQ(sqlite().execAndGet("SELECT count(*) FROM pragma_foreign_key_check").getInt(),
                              0);
                    return fail(ErrorCode::Cancelled, "Taken back.");
                });
                EXPECT_FALSE(undone);
            }
            ASSERT_LE(test::processorSeconds() - begin, kMaxSeconds) << sample.name << " " << i;
        }
        std::cout << sample.name << ": " << count << " mutations, " << imported << " imported, " << refused
                  << " refused\n";
        EXPECT_GT(imported, 0u) << sample.name;
        EXPECT_TRUE(valueOf(history::conversations(*m_history)).empty());
    }
};

TEST_F(ExchangeDamage, otherProgramsChats) {
    for (const Sample& sample : samples()) exercise(sample);
}

TEST_F(ExchangeDamage, ourExport) {
    const auto other = valueOf(history::openHistory(m_dir + "/other/history.db"));
    for (const Sample& sample : samples()) {
        std::filesystem::create_directories(m_dir + "/from");
        ASSERT_TRUE(importChats(valueOf(recognise(sample.write(m_dir + "/from"))), *other));
        std::filesystem::remove_all(m_dir + "/from");
    }
    other->database().sqlite().exec(
        "INSERT INTO files (id, hash, media_type, content) VALUES (1, x'00FF', 'text/plain', x'0001');"
        "UPDATE parts SET file_id = 1 WHERE kind = 'attachment'");
    const auto document = valueOf(history::addDocument(*other, {.title = "Report",
                                                                .format = "PDF",
                                                                .leftOut = {},
                                                                .text = "Bees make honey.",
                                                                .passages = {{0, 9, 1, "A"}}}));
    ASSERT_TRUE(history::setDocumentsOf(*other, 1, std::span(&document, 1)));
    ASSERT_TRUE(exportChats(*other, {}, *findExporter("json"), m_dir + "/ours.json", io::Existing::Kept));
    const std::string ours = readFile(m_dir + "/ours.json");
    exercise({"inglenook", "Inglenook",
              [&](const std::string& folder) {
                  writeFile(folder + "/ours.json", ours);
                  return folder + "/ours.json";
              },
              ""});
}

}  // namespace
}  // namespace ingle::exchange
