/// Where every layer has a window, pages that nobody sees any more are given back, and everything that is
/// still possible stays right.
#pragma once

#include <gmock/gmock.h>

#include "tests/attention_cases.h"

namespace ingle::test {

class WindowedMemory {
  public:
    WindowedMemory(backend::Backend& on, double tolerance)
        : m_problem({.name = {}, .right = params(), .wrong = {}}),
          m_run(on, m_problem, windowed(), options()),
          m_tolerance(tolerance) {
        const auto expected = m_problem.formula(params(), m_tokens, 0);
        m_expected.assign(expected.begin(), expected.end());
    }

    void check(backend::Backend& on) {
        longSequencesFitASmallPool(on);
        whatIsSeenCanBeGoneBackTo();
        whatIsKeptCanBeSaved();
        pagesSavedOneByOneAreRestored();
    }

  private:
    static constexpr uint32_t kWindow = 100, kLength = 1800, kChunk = 64;

    static AttentionParams params() {
        return {.numHeads = 4, .numKvHeads = 2, .keyDim = 8, .valueDim = 8, .scale = 0.5F, .window = kWindow};
    }
    backend::MemorySpec windowed() const {
        backend::MemorySpec spec = m_problem.memory();
        spec.kv[0].window = kWindow;
        return spec;
    }
    /// For one sequence, and a few pages of another.
    backend::MemoryOptions options() const {
        const uint32_t kept = windowed().mostKept(kLength, kChunk) + 4 * backend::kPageTokens;
        return {.kv = KvType::F32, .maxTokens = kept, .maxLength = kLength};
    }

    /// Feeds tokens from `first` on and looks at what comes out.
    void goOn(backend::SequenceMemory& sequence, uint32_t first) {
        ASSERT_EQ(sequence.length(), first);
        const auto y = m_run.feed(sequence, std::span(m_tokens).subspan(first), kChunk);
        const size_t width = m_expected.size() / kLength;
        EXPECT_LT(attentionError(y, std::span<const double>(m_expected).subspan(first * width)), m_tolerance);
    }
    std::unique_ptr<backend::SequenceMemory> fed() {
        auto sequence = m_run.sequence();
        goOn(*sequence, 0);
        return sequence;
    }

    void longSequencesFitASmallPool(backend::Backend& on) {
        const auto sequence = fed();
        // What a token sees after the last kRewindTokens were taken back begins at token 1189.
        EXPECT_EQ(sequence->firstKept(), 1152U);
        EXPECT_LT(options().maxTokens, kLength - 10 * backend::kPageTokens);
        // Without the window it would not fit.
        AttentionRun whole(on, m_problem, m_problem.memory(), options());
        const auto unwindowed = whole.sequence();
        Status status;
        for (size_t at = 0; status && at < kLength; at += kChunk) {
            const auto part = std::span(m_tokens).subspan(at, std::min<size_t>(kChunk, kLength - at));
            const backend::SequenceRun run{unwindowed.get(), static_cast<uint32_t>(part.size())};
            status = whole.program().run({part, {&run, 1}, {}});
        }
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::OutOfMemory);
    }

    void whatIsSeenCanBeGoneBackTo() {
        const auto sequence = fed();
        const backend::MemorySpec spec = windowed();
        for (const uint32_t tokens : {1251U, kLength - backend::kRewindTokens}) {
            EXPECT_TRUE(checkTruncation(spec, *sequence, tokens));
            const auto fork = sequence->fork(tokens);
            ASSERT_TRUE(fork);
            EXPECT_EQ((*fork)->firstKept(), sequence->firstKept());
        }
        // The next token, of position 1250, would see that of 1151.
        for (const uint32_t tokens : {1250U, 64U, 1U}) {
            const Status back = sequence->truncate(tokens);
            ASSERT_FALSE(back);
            EXPECT_EQ(back.error().message,
                      fmt::format("1800 tokens cannot go back to {}: what those would see was given back up "
                                  "to token 1152",
                                  tokens));
            EXPECT_FALSE(sequence->fork(tokens));
        }
        ASSERT_TRUE(sequence->truncate(1251));
        goOn(*sequence, 1251);
        ASSERT_TRUE(sequence->truncate(0));
        EXPECT_EQ(sequence->firstKept(), 0U);
        goOn(*sequence, 0);
    }

    void whatIsKeptCanBeSaved() {
        auto sequence = fed();
        ASSERT_TRUE(sequence->truncate(1500));
        EXPECT_FALSE(sequence->save({1088, 64}));
        const backend::SavedState saved = sequence->save().value();
        EXPECT_EQ(saved.range.first, 1152U);
        sequence.reset();
        const auto restored = m_run.sequence();
        ASSERT_TRUE(restored->restore(saved));
        EXPECT_EQ(restored->firstKept(), 1152U);
        goOn(*restored, 1500);
        // Too little to go on with.
        const backend::SavedState few = restored->save({1728, 72}).value();
        const Status status = m_run.sequence()->restore(few);
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().message, "tokens 1728 to 1800 of a saved state cannot follow 0 tokens");
    }

    void pagesSavedOneByOneAreRestored() {
        std::vector<backend::SavedState> pages;
        {
            const auto sequence = m_run.sequence();
            for (uint32_t at = 0; at + kChunk <= kLength; at += kChunk) {
                m_run.feed(*sequence, std::span(m_tokens).subspan(at, kChunk), kChunk);
                pages.push_back(sequence->save({at, kChunk}).value());
            }
        }
        const auto restored = m_run.sequence();
        for (const backend::SavedState& page : pages) ASSERT_TRUE(restored->restore(page));
        goOn(*restored, kLength / kChunk * kChunk);
    }

    AttentionProblem m_problem;
    AttentionRun m_run;
    double m_tolerance;
    std::vector<TokenId> m_tokens = attentionTokens(kLength);
    std::vector<double> m_expected;  ///< [kLength, width]
};

}  // namespace ingle::test
