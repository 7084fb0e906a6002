/// Every family on a tiny random model: the device gives the CPU's numbers, however the tokens are fed, and
/// each continues what the other has saved.
#include <map>
#include <set>

#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/every_case.h"
#include "tests/test_name.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kFamilyVocab = 320;
constexpr uint32_t kFamilyRows = 40;

struct Variant {
    std::string name;
    std::string family;
    models::SynthSizes sizes;
    double tolerance = 1e-8;
};

/// Families that stand for those of the same ops: the others are compared by golden files, and in the soak.
const std::set<std::string_view> kOneOfEachKind{
    "llama",         "stablelm", "rwkv4",     "rwkv5", "rwkv6",    "rwkv7", "gemma2",     "gpt2",
    "granitehybrid", "qwen35",   "deepseek2", "lfm2",  "baichuan", "mamba", "kimi-linear"};

/// Every family, and what a family computes differently for other sizes.
std::vector<Variant> variants() {
    std::vector<Variant> all;
    for (const models::ModelFamily* family : models::allFamilies()) {
        if (family->kind == models::FamilyKind::Encoder) continue;  // it reads a text in one step
        if (!test::triesEveryCase() && !kOneOfEachKind.contains(family->arch)) continue;
        all.push_back({test::testName(family->arch), std::string(family->arch), {}});
    }
    if (test::triesEveryCase()) all.push_back({"llama_moe", "llama", {.numExperts = 5, .numExpertsUsed = 2}});
    return all;
}

/// Keeps what ops made, by name.
class ValueKeeper final : public OpObserver {
  public:
    void afterOp(const SeenOp& seen) override {
        for (const SeenValue& value : seen.outputs)
            values[std::string(value.name)].assign(value.rows.begin(), value.rows.end());
    }
    std::map<std::string, std::vector<float>> values;
};

class VulkanFamilies : public TwoBackends, public testing::WithParamInterface<Variant> {
  protected:
    void open(const std::string& quant) {
        m_model = openSynthModel(
            m_folder, {.family = GetParam().family, .sizes = GetParam().sizes, .quant = quant}, kFamilyRows);
        ASSERT_TRUE(m_model.file);
    }

    PlanRunner on(Backend& backend) { return {backend, m_model.plan, m_model.memory, KvType::F32}; }

    /// The logits of m_tokens in steps of a token or two and up to five guesses, of which none to all are
    /// right; the others are taken back. Another sequence has a row before them.
    std::vector<float> behindGuesses(PlanRunner& runner) {
        const auto sequence = runner.sequence(), other = runner.sequence();
        std::vector<float> logits;
        size_t known = 0;  // rows of logits
        for (size_t step = 0; sequence->length() < m_tokens.size(); ++step) {
            const size_t at = sequence->length();
            const size_t certain = std::min(1 + step % 2, m_tokens.size() - at);
            const size_t guesses =
                std::min<size_t>({step % 6, m_tokens.size() - at - certain,
                                  m_model.memory.mostGuesses(static_cast<uint32_t>(at + certain))});
            const size_t right = std::min(step % 4, guesses);
            std::vector<TokenId> fed{7};
            for (size_t i = 0; i < certain + guesses; ++i)
                fed.push_back(i < certain + right ? m_tokens[at + i] : (m_tokens[at + i] + 1) % 300);
            const SequenceRun runs[] = {{other.get(), 1},
                                        {sequence.get(), static_cast<uint32_t>(certain + guesses), 0,
                                         static_cast<uint32_t>(guesses)}};
            const std::vector<float> rows = runner.run(fed, runs);
            for (size_t i = known - at; i < certain + right; ++i, ++known)
                logits.insert(logits.end(), rows.begin() + static_cast<long>((1 + i) * kFamilyVocab),
                              rows.begin() + static_cast<long>((2 + i) * kFamilyVocab));
            const auto wanted = static_cast<uint32_t>(at + certain + right);
            const bool reaches = m_model.memory.statesReachBack(sequence->length()) <= wanted;
            const Status back = sequence->truncate(reaches ? wanted : static_cast<uint32_t>(at + certain));
            EXPECT_TRUE(back) << back.error().message;
            if (!back || rows.empty()) break;
        }
        return logits;
    }

    const std::vector<TokenId> m_tokens = [] {
        std::vector<TokenId> tokens;
        for (int i = 0; i < 100; ++i) tokens.push_back((i * 37 + 11) % static_cast<int>(kFamilyVocab));
        return tokens;
    }();
    test::TemporaryFolder m_folder;
    SynthModel m_model;
};

TEST_P(VulkanFamilies, givesTheNumbersOfTheCpu) {
    for (const std::string_view quant : {"F32", "Q8_0", "Q4_0"}) {
        // The tests below are for the other two.
        if (quant != "Q4_0" && !test::triesEveryCase()) continue;
        SCOPED_TRACE(quant);
        open(std::string(quant));
        PlanRunner right = on(*cpu);
        PlanRunner ours = on(*vulkan);
        const auto expected = right.feed(*right.sequence(), m_tokens, kFamilyRows);
        for (const size_t chunk : {1u, 7u, 40u})
            EXPECT_LT(nmse(ours.feed(*ours.sequence(), m_tokens, chunk), expected), GetParam().tolerance)
                << chunk;
        // The negative twin: another token gives other logits from there on.
        std::vector<TokenId> other = m_tokens;
        other[70] = (other[70] + 1) % static_cast<int>(kFamilyVocab);
        const auto changed = ours.feed(*ours.sequence(), other, 40);
        const size_t at = 70 * kFamilyVocab;
        EXPECT_LT(nmse(std::span(changed).first(at), std::span(expected).first(at)), GetParam().tolerance);
        EXPECT_GT(nmse(std::span(changed).subspan(at), std::span(expected).subspan(at)),
                  10 * GetParam().tolerance);
    }
}

TEST_P(VulkanFamilies, everyValueIsThatOfTheCpu) {
    open("F32");
    PlanRunner right = on(*cpu);
    PlanRunner ours = on(*vulkan);
    ValueKeeper expected, actual;
    right.program->observe(&expected);
    ours.program->observe(&actual);
    right.feed(*right.sequence(), std::span(m_tokens).first(13), 13);
    ours.feed(*ours.sequence(), std::span(m_tokens).first(13), 13);
    EXPECT_EQ(actual.values.size(), expected.values.size());
    for (const auto& [name, values] : expected.values)
        EXPECT_LT(nmse(actual.values[name], values), GetParam().tolerance) << name;
}

TEST_P(VulkanFamilies, eachContinuesWhatTheOtherSaved) {
    open("Q8_0");
    PlanRunner right = on(*cpu);
    PlanRunner ours = on(*vulkan);
    const size_t half = 50;
    const auto first = std::span(m_tokens).first(half);
    const auto rest = std::span(m_tokens).subspan(half);
    const auto whole = right.feed(*right.sequence(), m_tokens, kFamilyRows);
    const auto expected = std::span(whole).subspan(half * kFamilyVocab);

    const auto continued = [&](PlanRunner& from, PlanRunner& to) {
        const auto source = from.sequence();
        from.feed(*source, first, kFamilyRows);
        const auto saved = source->save();
        EXPECT_TRUE(saved);
        const auto target = to.sequence();
        const Status restored = target->restore(*saved);
        EXPECT_TRUE(restored) << (restored ? "" : restored.error().message);
        EXPECT_EQ(target->length(), half);
        return to.feed(*target, rest, kFamilyRows);
    };
    EXPECT_LT(nmse(continued(right, ours), expected), GetParam().tolerance);
    EXPECT_LT(nmse(continued(ours, right), expected), GetParam().tolerance);
    EXPECT_LT(nmse(continued(ours, ours), expected), GetParam().tolerance);

    // A fork goes on undisturbed by what the original goes on with.
    const auto original = ours.sequence();
    ours.feed(*original, first, kFamilyRows);
    const auto fork = original->fork(half);
    ASSERT_TRUE(fork);
    ours.feed(*original, std::vector<TokenId>(m_tokens.rbegin(), m_tokens.rbegin() + 50), kFamilyRows);
    EXPECT_LT(nmse(ours.feed(**fork, rest, kFamilyRows), expected), GetParam().tolerance);

    // What does not fit is refused, and what was cut is forgotten.
    SavedState saved = original->save().value();
    saved.bytes.pop_back();
    EXPECT_FALSE(original->restore(saved));
    EXPECT_EQ(original->length(), 0u);
    EXPECT_FALSE(original->truncate(1));
    EXPECT_EQ((*fork)->truncate(60).has_value(), !m_model.memory.hasStates());
    // The last tokens of a recurrent state's chunk are forgotten alone.
    if (m_model.memory.statesReachBack(half) < half) {
        const auto back = ours.sequence();
        ours.feed(*back, first.first(40), kFamilyRows);
        ours.feed(*back, std::vector<TokenId>(m_tokens.rbegin(), m_tokens.rbegin() + 5), 2);
        ASSERT_TRUE(back->truncate(40));
        EXPECT_LT(nmse(ours.feed(*back, std::span(m_tokens).subspan(40), 7),
                       std::span(whole).subspan(40 * kFamilyVocab)),
                  GetParam().tolerance);
    }
    ASSERT_TRUE((*fork)->truncate(0));
    EXPECT_LT(nmse(ours.feed(**fork, m_tokens, kFamilyRows), whole), GetParam().tolerance);
}

TEST_P(VulkanFamilies, sequencesOfAStepDoNotDisturbEachOther) {
    open("F32");
    PlanRunner right = on(*cpu);
    PlanRunner ours = on(*vulkan);
    const auto expected = right.feed(*right.sequence(), m_tokens, kFamilyRows);
    // More than the first slots of the memory.
    std::vector<std::unique_ptr<SequenceMemory>> sequences;
    for (int i = 0; i < 8; ++i) sequences.push_back(ours.sequence());
    std::vector<float> logits;
    constexpr size_t kChunk = 4;
    for (size_t at = 0; at < m_tokens.size(); at += kChunk) {
        std::vector<TokenId> step;
        std::vector<SequenceRun> runs;
        size_t first = 0;
        for (size_t i = 0; i < 8; ++i) {
            const size_t count = i == 3 ? kChunk : 1 + i % 2;
            if (i == 3) first = step.size();
            for (size_t j = 0; j < count; ++j)
                step.push_back(i == 3 ? m_tokens[at + j] : m_tokens[(at + i + j) % m_tokens.size()]);
            runs.push_back({sequences[i].get(), static_cast<uint32_t>(count)});
        }
        const auto rows = ours.run(step, runs);
        ASSERT_FALSE(rows.empty());
        logits.insert(logits.end(), rows.begin() + static_cast<long>(first * kFamilyVocab),
                      rows.begin() + static_cast<long>((first + kChunk) * kFamilyVocab));
    }
    EXPECT_LT(nmse(logits, expected), GetParam().tolerance);
}

/// Of a row as of those beside it: guesses are fed with what is certain.
TEST_P(VulkanFamilies, rowsFedTogetherGiveTheBitsOfRowsFedAlone) {
    open("Q8_0");
    PlanRunner ours{*vulkan, m_model.plan, m_model.memory, KvType::F16};
    const auto alone = ours.feed(*ours.sequence(), m_tokens, 1);
    for (const size_t chunk : {2u, 3u, 8u})
        EXPECT_EQ(ours.feed(*ours.sequence(), m_tokens, chunk), alone) << chunk;
    EXPECT_EQ(behindGuesses(ours), alone);
    // The negative twin.
    std::vector<TokenId> other = m_tokens;
    other[70] = (other[70] + 1) % static_cast<int>(kFamilyVocab);
    EXPECT_NE(ours.feed(*ours.sequence(), other, 8), alone);
}

using VulkanCost = TwoBackends;

/// What a device spends on small work is mostly the number of dispatches that wait for each other.
TEST_F(VulkanCost, aDenseLayerIsEightDispatches) {
    const test::TemporaryFolder folder;
    const auto dispatches = [&](const char* family, uint32_t numLayers, uint32_t rows) {
        lab::SynthOptions options{.family = family, .quant = "Q8_0"};
        options.sizes.numLayers = numLayers;
        const SynthModel model = openSynthModel(folder, options, kFamilyRows);
        PlanRunner runner(*vulkan, model.plan, model.memory);
        return static_cast<VulkanProgram&>(*runner.program).numDispatches({rows, rows}).value();
    };
    for (const char* family : {"llama", "qwen2", "qwen3"})
        for (const uint32_t rows : {1U, 8U})
            EXPECT_EQ(dispatches(family, 3, rows) - dispatches(family, 2, rows), 8U) << family << rows;
}

/// Where products read bytes, the norms write them, and so does attention with heads of whole groups; what
/// the gate has made is rounded by a dispatch of its own, once for all that read it.
TEST_F(VulkanCost, roundingToBytesIsADispatchOfADenseLayerOrTwo) {
    if (!info.features.integerDot) GTEST_SKIP() << "this device has no integer dot product";
    const test::TemporaryFolder folder;
    const WeightFormat& q8 = *findWeightFormat(quant::findFormat("Q8_0")->id);
    ShapeTable shapes;
    for (uint32_t k = 1; k <= 4096; k *= 2) {
        for (const uint32_t rows : {1u, kSurelyMatvec}) {
            const auto candidates = matvecCandidates(info, q8, ActivationType::Auto, rows);
            shapes[{"q8_0", k, rows}].shape =
                *std::ranges::find(candidates, MatvecInput::Bytes, &MatvecShape::input);
        }
        shapes[{"q8_0", k, kMaxMatvecRows}].shape = kNoMatvec;
    }
    const std::string path = folder.path().string();
    ASSERT_TRUE(writeShapeCache(shapeCachePath(path, info, ActivationType::Auto), shapes));
    vulkan.reset();
    openVulkan(path, ActivationType::Auto);
    const auto dispatches = [&](uint32_t numLayers, uint32_t headDim) {
        lab::SynthOptions options{.family = "llama", .quant = "Q8_0"};
        options.sizes.numLayers = numLayers;
        options.sizes.dim = options.sizes.numHeads * headDim;
        const SynthModel model = openSynthModel(folder, options, kFamilyRows);
        PlanRunner runner(*vulkan, model.plan, model.memory);
        return static_cast<VulkanProgram&>(*runner.program).numDispatches({1, 1}).value();
    };
    EXPECT_EQ(dispatches(3, 64) - dispatches(2, 64), 9U);
    EXPECT_EQ(dispatches(3, 16) - dispatches(2, 16), 10U);
}

/// Without fusion every op is a dispatch of its own, here as in the passes.
TEST_F(VulkanCost, fusionCanBeSwitchedOff) {
    const test::TemporaryFolder folder;
    const SynthModel model = openSynthModel(folder, {.quant = "Q8_0"}, kFamilyRows);
    const auto dispatches = [&](Fusion fusion) {
        const Plan plan = graph::lower(
            model.file->graph, {.maxTokens = kFamilyRows, .maxLogitRows = kFamilyRows, .fusion = fusion});
        PlanRunner runner(*vulkan, plan, model.memory);
        return static_cast<VulkanProgram&>(*runner.program).numDispatches({kFamilyRows, kFamilyRows}).value();
    };
    const Plan plain = graph::lower(
        model.file->graph, {.maxTokens = kFamilyRows, .maxLogitRows = kFamilyRows, .fusion = Fusion::Off});
    EXPECT_EQ(dispatches(Fusion::Off), plain.ops.size());
    EXPECT_LT(dispatches(Fusion::On), dispatches(Fusion::Off));
}

/// What a device spends on large work is reading the weights: a token reads each once, in planes that are
/// hardly larger than the file's blocks. (Rows of a few hundred values are filled up to whole vectors.)
TEST_F(VulkanCost, aTokenReadsTheWeightsOnce) {
    const test::TemporaryFolder folder;
    for (const char* quant : {"F16", "Q4_0", "Q4_K", "Q6_K", "Q8_0"}) {
        for (const char* family : {"llama", "rwkv5"}) {
            lab::SynthOptions options{.family = family, .quant = quant};
            options.sizes = {.dim = 1024, .ffnDim = 1024, .numLayers = 1, .numHeads = 16, .numKvHeads = 8};
            const SynthModel model = openSynthModel(folder, options, kFamilyRows);
            ASSERT_TRUE(model.file) << family << " " << quant;
            PlanRunner runner(*vulkan, model.plan, model.memory);
            ASSERT_TRUE(runner.program) << family << " " << quant;
            auto& program = static_cast<VulkanProgram&>(*runner.program);
            uint64_t inFile = 0;
            for (const auto& [name, tensor] : model.file->file.tensors) {
                if (model.file->bound.facts().tiedOutput || name != "token_embd.weight")
                    inFile += tensor.data.size();
            }
            const uint64_t read = program.weightBytes({1, 1}).value();
            EXPECT_GE(read, inFile * 95 / 100) << family << " " << quant;
            EXPECT_LE(read, inFile * 105 / 100) << family << " " << quant;
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Table, VulkanFamilies, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace ingle::backend::vulkan
