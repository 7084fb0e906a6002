/// A model's own head guesses: answers stay the same, and a head that agrees with its model is right.
#include "engine/session/conversations/head_guesses.h"

#include <gtest/gtest.h>

#include <cstring>
#include <filesystem>
#include <numeric>
#include <thread>

#include "engine/graph/lower.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "engine/session/snapshots/snapshot_store.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

class Heads : public testing::TestWithParam<const char*> {
  protected:
    void load(double agreement, uint32_t context = 4096) {
        const std::string path = m_folder.file(fmt::format("{}.gguf", agreement));
        if (!std::filesystem::exists(path)) {
            ASSERT_TRUE(lab::writeSynthModel({.family = GetParam(),
                                              .sizes = {.numLayers = 4},
                                              .quant = "Q8_0",
                                              .headAgreement = agreement},
                                             path));
        }
        m_model =
            Model::load(test::opened(path),
                        {.backend = BackendChoice::Cpu, .threads = 2, .contextTokens = context}, nullptr)
                .value();
        m_head = HeadPredictor::create(*m_model);
        ASSERT_NE(m_head, nullptr);
    }
    RecordingSink answer(const GenerateRequest& request, Guesses guesses) {
        Scheduler scheduler(*m_model, nullptr);
        RecordingSink sink;
        auto speculation = guesses == Guesses::Off
                               ? nullptr
                               : std::make_unique<Speculation>(m_head->guesses(request.sampler),
                                                               Speculation::Eagerness::Always);
        scheduler.submit(request, sink, std::move(speculation));
        while (scheduler.step()) {
        }
        EXPECT_TRUE(sink.result) << sink.error->message;
        return sink;
    }
    static GenerateRequest request(size_t promptTokens = 30) {
        GenerateRequest request;
        for (size_t i = 0; i < promptTokens; ++i)
            request.rawTokens.push_back(static_cast<TokenId>(3 + i * 7 % 300));
        request.sampler = {.temperature = 0};
        request.maxTokens = 100;
        return request;
    }
    /// The share of guesses that are right, each after right ones only.
    static double shareOf(const RecordingSink& answer) {
        const GenerateStats& stats = answer.result->stats;
        return static_cast<double>(stats.takenTokens) / stats.guessedTokens;
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<HeadPredictor> m_head;
};

TEST_P(Heads, thatAgreeAreAlwaysRight) {
    load(1);
    for (const size_t promptTokens : {1u, 30u, 65u, 700u, 2200u}) {
        const RecordingSink expected = answer(request(promptTokens), Guesses::Off);
        const RecordingSink guessed = answer(request(promptTokens), Guesses::LookUp);
        EXPECT_EQ(guessed.ids, expected.ids) << promptTokens;
        EXPECT_EQ(expected.ids.size(), 100u);
        EXPECT_GT(guessed.result->stats.guessedTokens, 60u) << promptTokens;
        EXPECT_EQ(guessed.result->stats.takenTokens, guessed.result->stats.guessedTokens) << promptTokens;
    }
}

TEST_P(Heads, thatAgreeSeldomChangeNothing) {
    for (const double agreement : {0.0, 0.6}) {
        load(agreement);
        const RecordingSink expected = answer(request(), Guesses::Off);
        const RecordingSink guessed = answer(request(), Guesses::LookUp);
        EXPECT_EQ(guessed.ids, expected.ids);
        EXPECT_GT(guessed.result->stats.guessedTokens, 60u);
        if (agreement == 0)
            EXPECT_EQ(guessed.result->stats.takenTokens, 0u);
        else
            EXPECT_GT(shareOf(guessed), 0.1);
    }
}

/// As after a kill in the middle of an answer: another process has what was kept on disk, where no head has
/// rows of what was read before.
TEST_P(Heads, goOnWithWhatAnotherProcessKept) {
    load(1);
    const std::vector<TokenId> whole = answer(request(), Guesses::Off).ids;
    const size_t numBefore = 70;
    GenerateRequest first = request();
    first.conversation = "1";
    first.maxTokens = numBefore;
    GenerateRequest rest = first;
    rest.rawTokens.insert(rest.rawTokens.end(), whole.begin(), whole.begin() + numBefore);
    rest.maxTokens = static_cast<uint32_t>(whole.size() - numBefore);
    std::vector<TokenId> ids;
    for (const GenerateRequest& part : {first, rest}) {
        if (!ids.empty()) load(1);
        const auto store = SnapshotStore::open({.folder = m_folder.file("snapshots")}).value();
        Scheduler scheduler(*m_model, store);
        // The model's hash, which is computed in the background and then remembered here.
        while (std::filesystem::is_empty(m_folder.file("snapshots/models"))) std::this_thread::yield();
        RecordingSink sink;
        scheduler.submit(
            part, sink,
            std::make_unique<Speculation>(m_head->guesses(part.sampler), Speculation::Eagerness::Always));
        while (scheduler.step()) {
        }
        ASSERT_TRUE(sink.result) << sink.error->message;
        EXPECT_GT(sink.result->stats.takenTokens, 10u);
        EXPECT_EQ(sink.result->stats.cachedTokens > 0, !ids.empty());
        ids.insert(ids.end(), sink.ids.begin(), sink.ids.end());
        store->waitUntilWritten();
    }
    EXPECT_EQ(ids, whole);
}

/// With the hidden rows of the wrong tokens, or tokens of the wrong rows, nothing would be right: the head's
/// attention and its hidden part are what random weights make of them.
TEST_P(Heads, areWhatAnswersGuessFromWithoutBeingAsked) {
    load(1);
    Scheduler scheduler(*m_model, nullptr);
    RecordingSink sink;
    scheduler.submit(request(), sink);
    while (scheduler.step()) {
    }
    ASSERT_TRUE(sink.result);
    EXPECT_EQ(sink.ids, answer(request(), Guesses::Off).ids);
    EXPECT_GT(sink.result->stats.takenTokens, 0u);
}

/// tests/vectors/heads/FAMILY.f32: what the prediction block of llama.cpp v0.5.0 computes of the model that
/// synthesize() makes, in one step, from the tokens of kIds and the rows of its own model.
class HeadLogits : public testing::TestWithParam<const char*> {};

TEST_P(HeadLogits, areThoseOfAnotherEngine) {
    const std::vector<TokenId> ids{5, 70, 33, 41, 8, 9, 250, 31, 77, 12};
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel(
        {.family = GetParam(), .sizes = {.numLayers = 4}, .quant = "F32", .hasHead = true}, path));
    const auto model = Model::load(test::opened(path),
                                   {.backend = BackendChoice::Cpu,
                                    .threads = 1,
                                    .contextTokens = 64,
                                    .kv = KvType::F32,
                                    .activations = ActivationType::F32},
                                   nullptr)
                           .value();
    const auto sequence = model->memory().createSequence().value();
    const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(ids.size())};
    const uint32_t last = run.numRows - 1;
    ASSERT_TRUE(model->program().run({ids, {&run, 1}, {&last, 1}}));
    const std::span<const float> hidden = model->program().hiddenRows();
    const PredictionHead& head = *model->opened().head;
    const uint32_t numRows = run.numRows - 1;
    backend::Backend& backend = model->placement().place().backend();
    const auto memory =
        backend.createMemory(head.bound.definition->memory(), {.kv = KvType::F32, .maxTokens = 64}).value();
    const auto program =
        backend.compile(graph::lower(head.graph, {.maxTokens = numRows, .maxLogitRows = numRows}), *memory)
            .value();
    const auto headSequence = memory->createSequence().value();
    const backend::SequenceRun headRun{headSequence.get(), numRows};
    std::vector<uint32_t> rows(numRows);
    std::iota(rows.begin(), rows.end(), 0U);
    const size_t width = model->opened().bound.facts().dim;
    ASSERT_TRUE(program->run({.tokens = std::span(ids).subspan(1),
                              .runs = {&headRun, 1},
                              .logitRows = rows,
                              .inputRows = hidden.first(numRows * width)}));
    const std::string bytes =
        test::readBytes(fmt::format("{}/tests/vectors/heads/{}.f32", INGLE_SOURCE_DIR, GetParam()));
    const size_t vocabSize = model->opened().bound.facts().vocabSize;
    ASSERT_EQ(bytes.size(), sizeof(float) * numRows * vocabSize);
    std::vector<float> wanted(numRows * vocabSize);
    std::memcpy(wanted.data(), bytes.data(), bytes.size());
    for (uint32_t row = 0; row < numRows; ++row) {
        const auto logits = program->readOutput(row).value();
        double error = 0, size = 0;
        for (size_t i = 0; i < vocabSize; ++i) {
            const double expected = wanted[row * vocabSize + i];
            error += (logits[i] - expected) * (logits[i] - expected);
            size += expected * expected;
        }
        // Of the other engine's rounding; the rows of another token are 1 or more apart.
        EXPECT_LT(error / size, 1e-6) << row;
    }
}

INSTANTIATE_TEST_SUITE_P(Families, HeadLogits, testing::Values("qwen35"),
                         [](const auto& info) { return test::testName(info.param); });

INSTANTIATE_TEST_SUITE_P(Families, Heads,
                         testing::Values("llama", "qwen35", "qwen35moe", "qwen3", "deepseek2", "gemma3"),
                         [](const auto& info) { return test::testName(info.param); });

}  // namespace
}  // namespace ingle::session
