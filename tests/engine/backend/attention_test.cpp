/// Attention on the processor: each of its features is the formula, and the way its tokens are fed changes no
/// bit.
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/base/cpu_features.h"
#include "tests/windowed_memory.h"

namespace ingle::backend {
namespace {

using test::AttentionCase;
using test::AttentionProblem;
using test::AttentionRun;

/// Of sums in f32; a mistake is at least a thousand times as far off.
constexpr double kTolerance = 1e-11;

std::vector<base::Isa> sets() {
    std::vector<base::Isa> found;
    for (const auto isa : {base::Isa::Scalar, base::Isa::Neon, base::Isa::Avx2, base::Isa::Avx512})
        if (base::isaSupported(isa)) found.push_back(isa);
    return found;
}

class Attention : public testing::TestWithParam<AttentionCase> {
  protected:
    const AttentionCase& m_case = GetParam();
    AttentionProblem m_problem{m_case};
    std::vector<TokenId> m_tokens = test::attentionTokens(m_case.numTokens);
};

TEST_P(Attention, isItsFormula) {
    const auto expected = m_problem.formula(m_case.right, m_tokens, m_case.prefix);
    const auto mistaken = m_problem.formula(m_case.wrong, m_tokens, m_case.wrongPrefix);
    for (const base::Isa isa : sets()) {
        SCOPED_TRACE(base::isaName(isa));
        const auto cpu = cpu::createCpuBackend({.threads = 2, .isa = isa});
        AttentionRun run(*cpu, m_problem);
        const auto y = run.feed(*run.sequence(), m_tokens, m_tokens.size(), m_case.prefix);
        EXPECT_LT(test::attentionError(y, expected), kTolerance);
        EXPECT_GT(test::attentionError(y, mistaken), 1000 * kTolerance);
    }
}

TEST_P(Attention, isTheSameBitsHoweverItIsFed) {
    for (const base::Isa isa : sets()) {
        SCOPED_TRACE(base::isaName(isa));
        const auto cpu = cpu::createCpuBackend({.threads = 2, .isa = isa});
        AttentionRun run(*cpu, m_problem);
        const auto whole = run.feed(*run.sequence(), m_tokens, m_tokens.size(), m_case.prefix);
        const size_t width = whole.size() / m_tokens.size();
        if (m_case.right.mask != Mask::Full) {
            for (const size_t chunk : {1U, 7U, 64U})
                EXPECT_EQ(run.feed(*run.sequence(), m_tokens, chunk, m_case.prefix), whole) << chunk;
        }
        // Beside another that is further on, where that is possible.
        const auto ours = run.sequence();
        const auto other = run.sequence();
        if (m_case.right.mask == Mask::Causal) run.feed(*other, m_tokens, 64);
        std::vector<TokenId> both(m_tokens.rbegin(), m_tokens.rbegin() + 20);
        both.insert(both.end(), m_tokens.begin(), m_tokens.end());
        const SequenceRun runs[] = {{other.get(), 20}, {ours.get(), m_case.numTokens, m_case.prefix}};
        const auto batched = run.step(both, runs);
        EXPECT_TRUE(std::equal(whole.begin(), whole.end(),
                               batched.begin() + std::ssize(batched) - std::ssize(whole)));
        EXPECT_EQ(batched.size(), whole.size() + 20 * width);
    }
}

TEST_P(Attention, goesOnFromAForkASnapshotAndACut) {
    if (m_case.right.mask == Mask::Full) return;  // nothing is gone on with
    const auto cpu = cpu::createCpuBackend({.threads = 2, .isa = sets().back()});
    AttentionRun run(*cpu, m_problem);
    const auto tokens = std::span(m_tokens);
    const auto sequence = run.sequence();
    const auto whole = run.feed(*sequence, tokens, 64, m_case.prefix);
    const size_t width = whole.size() / tokens.size();
    const uint32_t half = m_case.numTokens / 2 + 20;
    const std::vector<float> wanted(whole.begin() + static_cast<std::ptrdiff_t>(half * width), whole.end());

    const auto fork = sequence->fork(half).value();
    EXPECT_EQ(run.feed(*fork, tokens.subspan(half), 9, m_case.prefix), wanted);

    const SavedState saved = sequence->save({0, half}).value();
    const auto restored = run.sequence();
    ASSERT_TRUE(restored->restore(saved));
    EXPECT_EQ(run.feed(*restored, tokens.subspan(half), 9, m_case.prefix), wanted);

    ASSERT_TRUE(sequence->truncate(half));
    EXPECT_EQ(run.feed(*sequence, tokens.subspan(half), 9, m_case.prefix), wanted);
}

INSTANTIATE_TEST_SUITE_P(Table, Attention, testing::ValuesIn(test::attentionCases()), [](const auto& tried) {
    std::string name = tried.param.name;
    std::ranges::replace_if(
        name, [](char c) { return c == ' ' || c == ','; }, '_');
    return name;
});

TEST(WindowedMemory, pagesThatNobodySeesAreGivenBack) {
    const auto cpu = cpu::createCpuBackend({.threads = 2, .isa = sets().back()});
    test::WindowedMemory(*cpu, kTolerance).check(*cpu);
}

/// Tokens of a chunk see each other: as if each chunk were a text of its own.
TEST(AttentionSteps, chunksThatSeeEachOtherAreTextsOfTheirOwn) {
    const auto cpu = cpu::createCpuBackend({.threads = 2, .isa = sets().back()});
    const auto tokens = test::attentionTokens(150);
    AttentionParams params{
        .numHeads = 4, .numKvHeads = 2, .keyDim = 16, .valueDim = 16, .scale = 0.3F, .mask = Mask::Full};
    const AttentionProblem whole(AttentionCase{.name = {}, .right = params, .wrong = {}});
    params.chunk = 4;
    const AttentionProblem chunked(AttentionCase{.name = {}, .right = params, .wrong = {}});
    AttentionRun apart(*cpu, whole), together(*cpu, chunked);
    std::vector<float> expected;
    for (size_t at = 0; at < tokens.size(); at += params.chunk) {
        const auto part = std::span(tokens).subspan(at, std::min<size_t>(params.chunk, tokens.size() - at));
        const auto rows = apart.feed(*apart.sequence(), part, part.size());
        expected.insert(expected.end(), rows.begin(), rows.end());
    }
    const auto rows = together.feed(*together.sequence(), tokens, tokens.size());
    ASSERT_EQ(rows.size(), expected.size());
    for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-6) << i;
}

TEST(AttentionSteps, tokensThatSeeEachOtherAreFedTogether) {
    const auto cpu = cpu::createCpuBackend({.threads = 1, .isa = base::Isa::Scalar});
    const auto tokens = test::attentionTokens(10);
    const AttentionParams prefixed{
        .numHeads = 1, .numKvHeads = 1, .keyDim = 8, .valueDim = 8, .scale = 1, .mask = Mask::Prefix};
    AttentionParams full = prefixed;
    full.mask = Mask::Full;
    const auto refused = [&](const AttentionParams& params, uint32_t first, uint32_t prefix) {
        const AttentionProblem problem(AttentionCase{.name = {}, .right = params, .wrong = {}});
        const auto pool = cpu->createMemory(problem.memory(), {KvType::F32, 64}).value();
        const auto program = cpu->compile(problem.plan(10), *pool).value();
        const auto sequence = pool->createSequence().value();
        std::string complaint;
        for (const auto& part : {std::span(tokens).first(first), std::span(tokens).subspan(first)}) {
            const SequenceRun run{sequence.get(), static_cast<uint32_t>(part.size()), prefix};
            const Status status = program->run({part, {&run, 1}, {}});
            if (status) continue;
            EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
            return status.error().message;
        }
        return complaint;
    };
    EXPECT_EQ(refused(prefixed, 6, 6), "");
    EXPECT_EQ(refused(prefixed, 6, 7), "a prefix of 7 tokens of which 6 are fed in one step");
    EXPECT_EQ(refused(full, 6, 0), "4 tokens after 6, where all of a text's tokens are fed in one step");
}

}  // namespace
}  // namespace ingle::backend
