/// What is reserved on a device, whose memory has to be there from the beginning.
#include <gtest/gtest.h>

#include "engine/backend/memory.h"
#include "engine/lab/synth.h"
#include "engine/session/loading/model.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using backend::kLeastSequences;
using backend::kUsualSequences;

constexpr uint32_t kReservedContext = 512;

TEST(Reserve, isWhatThereIsRoomFor) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "qwen35"}, path));
    test::Faults faults;
    const auto load = [&](uint64_t room) {
        faults.room = room;
        return Model::load(test::opened(path),
                           {.backend = BackendChoice::Vulkan, .contextTokens = kReservedContext}, nullptr,
                           test::faultyDevices(faults), test::unchecked);
    };
    const auto roomy = load(UINT64_MAX);
    ASSERT_TRUE(roomy);
    const backend::MemorySpec& memory = (*roomy)->memorySpec();
    const KvType kv = (*roomy)->options().kv;
    const uint64_t context = kReservedContext * backend::cacheBytesPerToken(memory, kv);
    const uint64_t states = backend::sequenceBytes(memory, kv, 0);
    ASSERT_GT(states, 0u);
    const struct {
        uint64_t room;
        uint32_t contexts, sequences;
    } cases[] = {
        {2 * context + kUsualSequences * states, 2, kUsualSequences},
        {2 * context + kUsualSequences * states - 1, 1, kUsualSequences},
        {context + kUsualSequences * states, 1, kUsualSequences},
        {context + kUsualSequences * states - 1, 1, kLeastSequences},
        {context + kLeastSequences * states, 1, kLeastSequences},
    };
    for (const auto& [room, contexts, sequences] : cases) {
        SCOPED_TRACE(room);
        ASSERT_TRUE(load(room));
        EXPECT_EQ(faults.memoryMade.reservedTokens, contexts * kReservedContext);
        EXPECT_EQ(faults.memoryMade.reservedSequences, sequences);
    }
    const auto refused = load(context + kLeastSequences * states - 1);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
}

/// A head that predicts further tokens is counted where it computes beside its model; the model itself needs
/// none.
TEST(Reserve, leavesRoomForAHead) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    lab::SynthOptions options{.family = "qwen3", .quant = "Q8_0"};
    options.headAgreement = 1;
    ASSERT_TRUE(lab::writeSynthModel(options, path));
    test::Faults faults;
    const auto load = [&](uint64_t room) {
        faults.room = room;
        return Model::load(test::opened(path),
                           {.backend = BackendChoice::Vulkan, .contextTokens = kReservedContext}, nullptr,
                           test::faultyDevices(faults), test::unchecked);
    };
    const auto opened = openModel(test::opened(path), {}).value();
    ASSERT_TRUE(opened->head);
    const uint64_t context =
        kReservedContext * backend::cacheBytesPerToken(opened->shape.memory, KvType::F16);
    const uint64_t head = PredictionHead::kContext *
                          backend::cacheBytesPerToken(opened->head->bound.definition->memory(), KvType::F16);
    ASSERT_GT(head, 0u);
    const struct {
        bool hasHead;
        uint64_t room;
        uint32_t contexts;
    } cases[] = {
        {false, 2 * context, 2},
        {true, 2 * context + head, 2},
        {true, 2 * context + head - 1, 1},
        {true, context + head - 1, 1},
        {true, context, 1},
    };
    for (const auto& [hasHead, room, contexts] : cases) {
        SCOPED_TRACE(room);
        faults.hasHiddenRows = hasHead;
        ASSERT_TRUE(load(room));
        EXPECT_EQ(faults.memoryMade.reservedTokens, contexts * kReservedContext);
    }
}

}  // namespace
}  // namespace ingle::session
