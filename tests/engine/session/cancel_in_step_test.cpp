/// Steps that are cancelled while they run.
#include <gtest/gtest.h>

#include <algorithm>

#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::RecordingSink;

/// A family, and where it computes: on a device ("faulty"), or there and on the processor ("split").
using Case = std::tuple<std::string, std::string>;

class CancelInStep : public testing::TestWithParam<Case> {
  protected:
    void SetUp() override {
        const std::string path = m_folder.file("model.gguf");
        const auto& [family, place] = GetParam();
        ASSERT_TRUE(lab::writeSynthModel({.family = family, .quant = "Q8_0"}, path));
        if (place == "split") {
            const auto opened = openModel(test::opened(path), {}).value();
            m_faults.hasOwnMemory = true;  // for one of two layers
            m_faults.room = backend::neededBytes(opened->bound.definition->memory(),
                                                 {KvType::F16, 256, backend::kLeastSequences}) *
                            3 / 4;
        }
        m_model = Model::load(test::opened(path), {.threads = 1, .contextTokens = 256}, nullptr,
                              test::faultyDevices(m_faults), test::unchecked)
                      .value();
        ASSERT_EQ(m_model->info().backend, place);
        m_scheduler = std::make_unique<Scheduler>(*m_model, nullptr);
    }

    static std::vector<TokenId> tokens(uint32_t count) {
        std::vector<TokenId> tokens;
        for (uint32_t i = 0; i < count; ++i) tokens.push_back(static_cast<TokenId>(3 + i * 7 % 300));
        return tokens;
    }

    RecordingSink answer() {
        RecordingSink sink;
        const GenerateRequest request{
            .sampler = {.temperature = 0}, .maxTokens = 6, .rawTokens = tokens(100)};
        sink.id = m_scheduler->submit(request, sink);
        m_answering = sink.id;
        while (m_scheduler->step()) {
        }
        return sink;
    }

    test::TemporaryFolder m_folder;
    test::Faults m_faults;
    std::unique_ptr<Model> m_model;
    std::unique_ptr<Scheduler> m_scheduler;
    GenerationId m_answering = 0;
};

TEST_P(CancelInStep, sequencesAreAsBeforeOrEmpty) {
    backend::Program& program = m_model->program();
    const std::vector<TokenId> all = tokens(40);
    const auto feed = [&](backend::SequenceMemory& sequence, size_t first, size_t count,
                          const std::function<bool()>& cancelled) {
        const backend::SequenceRun run{&sequence, static_cast<uint32_t>(count)};
        const auto row = static_cast<uint32_t>(count - 1);
        return program.run({std::span(all).subspan(first, count), {&run, 1}, {&row, 1}, cancelled});
    };
    const auto logits = [&] {
        const auto row = program.readOutput(0).value();
        return std::vector(row.begin(), row.end());
    };
    const uint32_t before = 10;
    for (const uint32_t count : {30u, 15u}) {  // out of a chunk of a recurrent state, and within it
        const auto undisturbed = m_model->memory().createSequence().value();
        ASSERT_TRUE(feed(*undisturbed, 0, before, nullptr));
        ASSERT_TRUE(feed(*undisturbed, before, count, nullptr));
        const std::vector<float> expected = logits();
        const bool goesBack = m_model->memorySpec().statesReachBack(before + count) <= before;
        for (int nth = 0;; ++nth) {
            SCOPED_TRACE(nth);
            ASSERT_LT(nth, 1000);
            const auto sequence = m_model->memory().createSequence().value();
            ASSERT_TRUE(feed(*sequence, 0, before, nullptr));
            int calls = 0;
            const Status status = feed(*sequence, before, count, [&] { return calls++ == nth; });
            if (status) {
                EXPECT_GE(nth, 10);  // it was asked in between
                break;
            }
            EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
            EXPECT_EQ(sequence->length(), goesBack || nth == 0 ? before : 0);  // 0: nothing was done yet
            if (sequence->length() == 0) {
                ASSERT_TRUE(feed(*sequence, 0, before, nullptr));
            }
            ASSERT_TRUE(feed(*sequence, before, count, nullptr));
            EXPECT_EQ(logits(), expected);
        }
    }
}

TEST_P(CancelInStep, theAnswerEndsAndTheNextOneIsRight) {
    const RecordingSink expected = answer();
    ASSERT_TRUE(expected.result);
    for (const int nth : {0, 1, 3}) {  // reading a full chunk, what is left, answering
        SCOPED_TRACE(nth);
        m_scheduler = std::make_unique<Scheduler>(*m_model, nullptr);
        int steps = 0;
        m_faults.duringRun = [&] {
            if (steps++ == nth) m_scheduler->cancel(m_answering);
        };
        const RecordingSink cancelled = answer();
        ASSERT_TRUE(cancelled.result);
        EXPECT_EQ(cancelled.result->reason, StopReason::Cancelled);
        EXPECT_EQ(steps, nth + 1);
        EXPECT_EQ(cancelled.ids.size(), nth < 2 ? 0u : static_cast<size_t>(nth) - 1);
        m_faults.duringRun = nullptr;
        EXPECT_EQ(answer().ids, expected.ids);
        EXPECT_EQ(m_model->info().backend, std::get<1>(GetParam()));
    }
}

INSTANTIATE_TEST_SUITE_P(Table, CancelInStep,
                         testing::Combine(testing::Values("llama", "rwkv5", "rwkv7", "qwen35"),
                                          testing::Values("faulty", "split")),
                         [](const auto& tried) {
                             return std::get<0>(tried.param) + "_" + std::get<1>(tried.param);
                         });

}  // namespace
}  // namespace ingle::session
