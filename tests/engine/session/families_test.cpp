/// Every family on a tiny random model: all ways of computing the same thing give the same bits. Loops over
/// the table, so a new family is covered without editing this file.
#include <gtest/gtest.h>

#include "engine/backend/op_facts.h"
#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace ingle::session {
namespace {

struct Variant {
    std::string name;
    std::string family;
    models::SynthSizes sizes;
};

/// Every family, and what a family computes differently for other sizes.
std::vector<Variant> variants() {
    std::vector<Variant> all;
    for (const models::ModelFamily* family : models::allFamilies()) {
        if (family->kind == models::FamilyKind::Encoder) continue;  // see embedder_test.cpp
        all.push_back({test::testName(family->arch), std::string(family->arch), {}});
    }
    all.push_back({"llama_moe", "llama", {.numExperts = 5, .numExpertsUsed = 2}});
    return all;
}

class Families : public testing::TestWithParam<Variant> {
  protected:
    /// The same weights in `quant`, loaded with `options`.
    std::unique_ptr<Model> load(const std::string& quant, LoadOptions options) {
        options.contextTokens = 1024;  // room for several sequences at once
        const std::string path = (m_folder.path() / (quant + ".gguf")).string();
        EXPECT_TRUE(lab::writeSynthModel(
            {.family = GetParam().family, .sizes = GetParam().sizes, .quant = quant}, path));
        auto model = Model::load(test::opened(path), options, nullptr);
        EXPECT_TRUE(model) << model.error().message;
        return std::move(*model);
    }

    const std::vector<TokenId> m_tokens = [] {
        std::vector<TokenId> tokens;
        for (int i = 0; i < 150; ++i) tokens.push_back((i * 37 + 11) % 320);
        return tokens;
    }();
    test::TemporaryFolder m_folder;
};

TEST_P(Families, chunksSaveAndRestoreAndThreadsGiveTheSameBits) {
    for (const char* quant : {"F32", "Q8_0", "Q4_0"}) {
        SCOPED_TRACE(quant);
        const auto model = load(quant, {.threads = 1});
        const std::vector<float> whole = test::logitsInChunks(*model, m_tokens, 64);
        for (const size_t chunk : {1u, 7u, 33u})
            EXPECT_EQ(test::logitsInChunks(*model, m_tokens, chunk), whole);
        EXPECT_EQ(test::logitsOverSaveAndRestore(*model, m_tokens), whole);
        EXPECT_EQ(test::logitsOverALateSave(*model, m_tokens), whole);
        EXPECT_EQ(test::logitsBesideSevenOthers(*model, m_tokens), whole);
        EXPECT_EQ(test::logitsOfAFork(*model, m_tokens), whole);
        EXPECT_EQ(test::logitsBehindGuesses(*model, m_tokens), whole);
        EXPECT_EQ(test::logitsInChunks(*load(quant, {.threads = 3}), m_tokens, 64), whole);
        // The negative twin: another token gives other logits from there on, and the same before.
        std::vector<TokenId> other = m_tokens;
        other[70] = (other[70] + 1) % 320;
        const std::vector<float> changed = test::logitsInChunks(*model, other, 64);
        const size_t at = 70 * 320;
        EXPECT_TRUE(std::equal(changed.begin(), changed.begin() + at, whole.begin()));
        EXPECT_FALSE(std::equal(changed.begin() + at, changed.end(), whole.begin() + at));
    }
}

TEST_P(Families, rewritingPassesChangeNoBit) {
    for (const char* quant : {"F32", "Q8_0"}) {
        const auto fused = load(quant, {.fuse = true});
        const auto plain = load(quant, {.fuse = false});
        EXPECT_EQ(test::logitsInChunks(*fused, m_tokens, 64), test::logitsInChunks(*plain, m_tokens, 64));
    }
}

/// What passes made, too.
TEST_P(Families, opsAreCalledAsTheirFactsSay) {
    const auto model = load("F32", {});
    for (const bool fuse : {true, false}) {
        const backend::Plan plan = lowerModel(model->opened(), {.fuse = fuse}, 4, 4);
        EXPECT_EQ(plan.fusion, fuse ? backend::Fusion::On : backend::Fusion::Off);
        EXPECT_TRUE(backend::checkMemory(plan, model->memorySpec()));
        for (const backend::Op& op : plan.ops) {
            std::vector<backend::OpCall::Input> inputs;
            for (const backend::Operand& input : op.inputs) inputs.push_back({"x", input.width});
            std::vector<const tensor::Tensor*> weights;
            for (const uint32_t weight : op.weights) weights.push_back(plan.weights[weight].tensor);
            const auto widths = backend::outputWidths(
                {.code = op.code, .name = "y", .inputs = inputs, .weights = weights, .params = op.params});
            ASSERT_TRUE(widths) << widths.error().message;
            backend::Widths planned;
            for (const backend::Operand& output : op.outputs) planned.push_back(output.width);
            EXPECT_EQ(*widths, planned) << opName(op.code);
        }
    }
}

TEST_P(Families, aBatchGivesEachSequenceWhatItGetsAlone) {
    const auto model = load("Q8_0", {});
    const std::vector<TokenId> second(m_tokens.rbegin(), m_tokens.rend());
    const std::vector<float> firstAlone = test::logitsInChunks(*model, std::span(m_tokens).first(40), 64);
    const std::vector<float> secondAlone = test::logitsInChunks(*model, std::span(second).first(24), 64);

    auto program = model->compileAllLogits(64).value();
    auto a = model->memory().createSequence().value();
    auto b = model->memory().createSequence().value();
    std::vector<TokenId> tokens(m_tokens.begin(), m_tokens.begin() + 40);
    tokens.insert(tokens.end(), second.begin(), second.begin() + 24);
    const backend::SequenceRun runs[] = {{a.get(), 40}, {b.get(), 24}};
    std::vector<uint32_t> rows(64);
    for (uint32_t i = 0; i < 64; ++i) rows[i] = i;
    ASSERT_TRUE(program->run({tokens, runs, rows}));
    for (uint32_t i = 0; i < 64; ++i) {
        const auto logits = program->readOutput(i).value();
        const auto& alone = i < 40 ? firstAlone : secondAlone;
        const size_t row = i < 40 ? i : i - 40;
        EXPECT_TRUE(
            std::equal(logits.begin(), logits.end(), alone.begin() + static_cast<long>(row * logits.size())))
            << "row " << i;
    }
}

/// Blocks of the cache's format may hold parts of two heads.
TEST(QuantizedCache, isCloseForHeadsOfAnySize) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    std::vector<TokenId> tokens;
    for (int i = 0; i < 100; ++i) tokens.push_back((i * 37 + 11) % 320);
    for (const uint32_t headDim : {8u, 16u, 24u, 32u, 48u, 80u}) {
        SCOPED_TRACE(headDim);
        lab::SynthOptions synth{.quant = "F32"};
        synth.sizes.numHeads = 3;
        synth.sizes.numKvHeads = 3;
        synth.sizes.dim = 3 * headDim;
        ASSERT_TRUE(lab::writeSynthModel(synth, path));
        const auto logits = [&](KvType kv) {
            auto model = Model::load(test::opened(path), {.contextTokens = 256, .kv = kv}, nullptr);
            EXPECT_TRUE(model) << model.error().message;
            EXPECT_EQ(test::logitsOverSaveAndRestore(**model, tokens),
                      test::logitsInChunks(**model, tokens, 7));
            return test::logitsInChunks(**model, tokens, 64);
        };
        const std::vector<float> exact = logits(KvType::F32);
        const double error = test::nmse(logits(KvType::Q8), exact);
        EXPECT_GT(error, 0);
        EXPECT_LT(error, 1e-3);
        EXPECT_LT(test::nmse(logits(KvType::F16), exact), 1e-5);
    }
}

/// A value that would be noticed, as --set takes it.
std::string otherThan(const formats::MetaValue& value) {
    if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "false" : "true";
    if (std::holds_alternative<double>(value)) return "0.37";
    return std::holds_alternative<std::string>(value) ? "martian" : "3";
}

/// Whoever guesses from a key that another family writes gives other numbers here, or none.
TEST_P(Families, aFileMayHoldTheKeysOfEveryFamily) {
    const auto withoutArch = [](std::string_view key) { return std::string(key.substr(key.find('.') + 1)); };
    std::map<std::string, std::string> own, foreign;
    for (const models::ModelFamily* family : models::allFamilies()) {
        for (const uint32_t experts : {0u, 4u}) {
            models::SynthSizes sizes = GetParam().sizes;
            const bool isOwn = family->arch == GetParam().family;
            if (!isOwn) sizes.numExperts = 2 * (sizes.numExpertsUsed = experts / 2);
            formats::Metadata metadata;
            family->synthesize(sizes, metadata);
            for (const auto& [key, value] : metadata.all())
                (isOwn ? own : foreign)[withoutArch(key)] = otherThan(value);
        }
    }
    for (const auto& [key, value] : own) foreign.erase(key);
    EXPECT_GE(foreign.size(), 5u);
    const std::vector<float> alone = test::logitsInChunks(*load("F32", {}), m_tokens, 64);
    EXPECT_EQ(
        test::logitsInChunks(*load("F32", {.overrides = {foreign.begin(), foreign.end()}}), m_tokens, 64),
        alone);
    // The negative twin: a key of its own.
    const char* epsilon = own.contains("attention.layer_norm_epsilon") ? "attention.layer_norm_epsilon"
                                                                       : "attention.layer_norm_rms_epsilon";
    EXPECT_NE(test::logitsInChunks(*load("F32", {.overrides = {{epsilon, own[epsilon]}}}), m_tokens, 64),
              alone);
}

TEST_P(Families, selectedRowsEqualAllRows) {
    const auto model = load("F32", {});
    const std::vector<float> whole = test::logitsInChunks(*model, std::span(m_tokens).first(50), 64);
    auto program = model->compileAllLogits(64).value();
    auto sequence = model->memory().createSequence().value();
    const backend::SequenceRun run{sequence.get(), 50};
    const std::vector<uint32_t> rows{0, 17, 49};
    ASSERT_TRUE(program->run({std::span(m_tokens).first(50), {&run, 1}, rows}));
    for (uint32_t i = 0; i < rows.size(); ++i) {
        const auto logits = program->readOutput(i).value();
        EXPECT_TRUE(std::equal(logits.begin(), logits.end(),
                               whole.begin() + static_cast<long>(rows[i] * logits.size())));
    }
}

TEST_P(Families, truncationForgetsOrIsRefused) {
    const auto model = load("F32", {});
    const std::vector<float> whole = test::logitsInChunks(*model, m_tokens, 64);
    test::ModelRun run(*model);
    run.feed(m_tokens, 64);
    EXPECT_FALSE(run.sequence().truncate(151));
    ASSERT_TRUE(run.sequence().truncate(150));
    const backend::MemorySpec& memory = model->memorySpec();
    // Recurrent states go back within the chunk of token 149, or not at all.
    const uint32_t kept = !memory.hasStates() ? 70 : memory.statesReachBack(150) < 150 ? 130 : 0;
    if (memory.hasStates()) {
        const Status refused = run.sequence().truncate(kept > 0 ? 128 : 149);
        ASSERT_FALSE(refused);
        EXPECT_NE(refused.error().message.find("a recurrent state of 150 tokens cannot go back to"),
                  std::string::npos);
    }
    ASSERT_TRUE(run.sequence().truncate(kept));
    const size_t before = run.logits().size();
    run.feed(std::span(m_tokens).subspan(kept), 64);
    EXPECT_TRUE(std::equal(run.logits().begin() + static_cast<long>(before), run.logits().end(),
                           whole.begin() + static_cast<long>(kept * 320)));
}

TEST_P(Families, aSavedStateOfAnotherShapeIsRefused) {
    const auto model = load("F32", {});
    test::ModelRun run(*model);
    run.feed(std::span(m_tokens).first(20), 64);
    backend::SavedState saved = run.sequence().save().value();
    saved.bytes.pop_back();
    EXPECT_FALSE(run.sequence().restore(saved));
    saved = run.sequence().save().value();
    saved.kvType = KvType::F32;
    EXPECT_FALSE(run.sequence().restore(saved));
}

TEST_P(Families, tokensOutsideTheVocabularyAreRefused) {
    const auto model = load("F32", {});
    auto sequence = model->memory().createSequence().value();
    const backend::SequenceRun run{sequence.get(), 1};
    for (const TokenId token : {-1, 320, INT32_MAX}) {
        const Status status = model->program().run({{&token, 1}, {&run, 1}, {}});
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
    }
}

INSTANTIATE_TEST_SUITE_P(Table, Families, testing::ValuesIn(variants()),
                         [](const auto& variant) { return variant.param.name; });

}  // namespace
}  // namespace ingle::session
