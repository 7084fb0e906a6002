/// What reading costs. Times are of `./dev soak`: a busy machine must not fail a test run.
#include <gtest/gtest.h>

#include <cstdio>

#include "app/content/block_stream.h"
#include "tests/app/content/long_texts.h"
#include "tests/app/content/shown_blocks.h"
#include "tests/every_case.h"
#include "tests/processor_time.h"

namespace ingle::content {
namespace {

constexpr size_t kAnswerBytes = 138000;
constexpr size_t kPieceBytes = 30;

class ContentCost : public testing::Test {
  protected:
    void SetUp() override {
        if (!test::triesEveryCase()) GTEST_SKIP() << "times are taken with INGLE_EVERY_CASE=1";
    }
};

/// Seconds of an append in the tenths of an answer.
std::vector<double> tenths(const std::string& text) {
    std::vector<double> seconds(10);
    BlockStream stream;
    for (size_t tenth = 0; tenth < 10; ++tenth) {
        const size_t end = text.size() / 10 * (tenth + 1);
        const double before = test::processorSeconds();
        size_t appends = 0;
        for (size_t at = text.size() / 10 * tenth; at < end; at += kPieceBytes, ++appends)
            stream.append(std::string_view(text).substr(at, std::min(kPieceBytes, end - at)));
        seconds[tenth] = (test::processorSeconds() - before) / static_cast<double>(appends);
    }
    return seconds;
}

TEST_F(ContentCost, anAppendAtTheEndCostsWhatItCostAtTheBeginning) {
    for (const auto& [name, text] : longTexts(kAnswerBytes)) {
        double first = 1;
        double last = 1;
        for (int run = 0; run < 5; ++run) {
            const std::vector<double> seconds = tenths(text);
            first = std::min(first, seconds.front());
            last = std::min(last, seconds.back());
        }
        std::printf("%-18s %6.1f µs an append in the first tenth, %6.1f in the last: %.2f\n", name.c_str(),
                    first * 1e6, last * 1e6, last / first);
        EXPECT_LE(last, 1.2 * first) << name;
    }
}

TEST_F(ContentCost, aWholeAnswerIsReadInTenMilliseconds) {
    for (const auto& [name, text] : longTexts(80000)) {
        double least = 1;
        for (int run = 0; run < 10; ++run) {
            const double before = test::processorSeconds();
            const auto blocks = blocksOf(text);
            least = std::min(least, test::processorSeconds() - before);
            ASSERT_FALSE(blocks.empty());
        }
        std::printf("%-18s %6.2f ms for %zu bytes\n", name.c_str(), least * 1e3, text.size());
        EXPECT_LE(least, 0.010) << name;
    }
}

}  // namespace
}  // namespace ingle::content
