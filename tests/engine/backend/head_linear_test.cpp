/// A matrix for each head on the processor, against sums in doubles: straight and turned, of floats and of
/// blocks, in one step and in several.
#include "engine/backend/cpu/cpu_backend.h"
#include "engine/base/cpu_features.h"
#include "tests/attention_cases.h"

namespace ingle::backend {
namespace {

constexpr uint32_t kVocab = 50, kHeads = 3, kIn = 64, kHeadRows = 40, kFirst = 7, kRows = 33;

struct Problem {
    explicit Problem(const quant::QuantFormat& of, HeadLinearParams how) : params(how), format(of) {
        std::mt19937 random(3);
        const uint32_t in = params.turned ? kRows : kIn;
        rows = test::gaussian(random, size_t{kVocab} * kHeads * in);
        table = {"table", tensor::Shape::of(kHeads * in, kVocab), quant::findFormat(quant::kF32),
                 std::as_bytes(std::span(rows))};
        bytes = test::makeWeights(format, random, size_t{kIn} * kHeadRows * kHeads);
        matrices = {"w", tensor::Shape::of(kIn, kHeadRows, kHeads), &format, bytes};
    }

    Plan plan() const {
        graph::Builder b;
        b.logits(b.headLinear(b.embed(&table, "x"), &matrices, params, "y"));
        return graph::lower(b.take().value(), {.maxTokens = kVocab, .maxLogitRows = kVocab});
    }

    /// [kVocab, kHeads * out], of rows that begin at `first` of a head's.
    std::vector<double> formula(uint32_t first) const {
        std::vector<double> y;
        std::vector<float> row(kIn);
        const uint32_t in = params.turned ? kRows : kIn;
        const uint32_t out = params.turned ? kIn : kRows;
        for (uint32_t t = 0; t < kVocab; ++t) {
            for (uint32_t h = 0; h < kHeads; ++h) {
                const float* x = rows.data() + (t * kHeads + h) * in;
                std::vector<double> sums(out);
                for (uint32_t n = 0; n < kRows; ++n) {
                    matrices.decodeRow(h * kHeadRows + first + n, row);
                    for (uint32_t i = 0; i < kIn; ++i)
                        sums[params.turned ? i : n] += double{row[i]} * x[params.turned ? n : i];
                }
                y.insert(y.end(), sums.begin(), sums.end());
            }
        }
        return y;
    }

    HeadLinearParams params;
    const quant::QuantFormat& format;
    std::vector<float> rows;
    std::vector<std::byte> bytes;
    tensor::Tensor table, matrices;
};

TEST(HeadLinear, isItsFormula) {
    std::vector<TokenId> tokens(kVocab);
    std::vector<uint32_t> logitRows(kVocab);
    for (uint32_t i = 0; i < kVocab; ++i) tokens[i] = static_cast<TokenId>(logitRows[i] = i);
    for (const char* format : {"F32", "F16", "Q8_0", "Q4_0"}) {
        for (const bool turned : {false, true}) {
            SCOPED_TRACE(fmt::format("{}{}", format, turned ? ", turned" : ""));
            const Problem problem(*quant::findFormat(format), {kHeads, kFirst, kRows, turned});
            for (const base::Isa isa :
                 {base::Isa::Scalar, base::Isa::Avx2, base::Isa::AvxVnni, base::Isa::Avx512}) {
                if (!base::isaSupported(isa)) continue;
                const auto cpu =
                    cpu::createCpuBackend({.threads = 2, .isa = isa, .activations = ActivationType::F32});
                const auto pool = cpu->createMemory({}, {KvType::F32, 0}).value();
                const auto program = cpu->compile(problem.plan(), *pool).value();
                const auto sequence = pool->createSequence().value();
                const auto run = [&](uint32_t first, uint32_t count) {
                    const SequenceRun one{sequence.get(), count};
                    EXPECT_TRUE(program->run({std::span(tokens).subspan(first, count),
                                              {&one, 1},
                                              std::span(logitRows).first(count)}));
                    std::vector<float> y;
                    for (uint32_t i = 0; i < count; ++i) {
                        const auto row = program->readOutput(i).value();
                        y.insert(y.end(), row.begin(), row.end());
                    }
                    return y;
                };
                const std::vector<float> whole = run(0, kVocab);
                EXPECT_LT(test::attentionError(whole, problem.formula(kFirst)), 1e-12);
                EXPECT_GT(test::attentionError(whole, problem.formula(kFirst - 1)), 1e-3);
                std::vector<float> parts = run(0, 1);
                for (const float value : run(1, kVocab - 1)) parts.push_back(value);
                EXPECT_EQ(parts, whole);
            }
        }
    }
}

/// Sequences go to another backend when a device is left: a program that got one of the old backend would
/// read memory that is none of its own.
TEST(OwnSequence, ofAnotherPoolIsRefused) {
    const Problem problem(*quant::findFormat("F32"), {kHeads, kFirst, kRows, false});
    const auto cpu = cpu::createCpuBackend({.threads = 1, .isa = base::Isa::Scalar});
    const auto pool = cpu->createMemory({}, {KvType::F32, 0}).value();
    const auto otherPool = cpu->createMemory({}, {KvType::F32, 0}).value();
    const auto program = cpu->compile(problem.plan(), *pool).value();
    const auto stranger = otherPool->createSequence().value();
    const TokenId token = 0;
    const uint32_t row = 0;
    const SequenceRun run{stranger.get(), 1};
    const Status status = program->run({{&token, 1}, {&run, 1}, {&row, 1}});
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(stranger->length(), 0U);
}

}  // namespace
}  // namespace ingle::backend
