/// Memory of sequences that grows by being copied, and where it lies.
#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"
#include "tests/engine/backend_vulkan/two_heaps.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kGrowthRows = 64;

class MemoryGrowth : public TwoBackends {
  protected:
    Result<std::unique_ptr<Program>> compile(MemoryPool& pool) { return vulkan->compile(m_model.plan, pool); }
    /// With room for 64 tokens at first, or for all of them.
    std::unique_ptr<MemoryPool> pool(uint32_t firstTokens, KvMemory kvMemory = KvMemory::Device,
                                     bool kvMayOverflow = false) {
        auto made = vulkan->createMemory(m_model.memory, {.kv = KvType::F16,
                                                          .maxTokens = 1024,
                                                          .firstTokens = firstTokens,
                                                          .kvMemory = kvMemory,
                                                          .kvMayOverflow = kvMayOverflow});
        EXPECT_TRUE(made) << made.error().message;
        return std::move(*made);
    }
    static Status step(Program& program, SequenceMemory& sequence, uint32_t count) {
        const std::vector<TokenId> tokens(count, 7);
        const SequenceRun run{&sequence, count};
        const uint32_t row = count - 1;
        return program.run({tokens, {&run, 1}, {&row, 1}});
    }

    /// The logits of sequences, forks and one that was saved, and what is decoded ahead of 420 tokens in all.
    static std::vector<float> talk(MemoryPool& memory, Program& program) {
        std::vector<float> logits;
        const auto feed = [&](SequenceMemory& sequence, uint32_t count) {
            const Status status = step(program, sequence, count);
            ASSERT_TRUE(status) << status.error().message;
            const auto row = program.readOutput(0).value();
            logits.insert(logits.end(), row.begin(), row.end());
        };
        const auto first = memory.createSequence().value();
        for (const uint32_t count : {1U, 60U, 1U, 5U}) feed(*first, count);
        const auto fork = first->fork(67).value();
        const auto second = memory.createSequence().value();
        for (int i = 0; i < 3; ++i) {
            feed(*second, 64);
            feed(*first, 1);
            feed(*fork, 40);
        }
        const auto restored = memory.createSequence().value();
        EXPECT_TRUE(restored->restore(fork->save().value()));
        feed(*restored, 3);
        const auto queue = program
                               .decodeAhead({.rows = {{.sequence = first.get(),
                                                       .token = 5,
                                                       .sampler = {.temperature = 0},
                                                       .numIds = 320}},
                                             .maxSteps = 200})
                               .value();
        for (int i = 0; i < 150; ++i) logits.push_back(static_cast<float>(queue->next().value()[0]));
        return logits;
    }
    std::vector<float> talk(MemoryPool& memory) { return talk(memory, *compile(memory).value()); }

    /// On a card that has memory of its own.
    void openCard() {
        vulkan.reset();
        auto created = Instance::create();
        ASSERT_TRUE(created);
        m_heaps.install(**created);
        auto opened =
            OpenedBackend::open(std::move(*created), m_heaps.described(info), ActivationType::F32, {});
        ASSERT_TRUE(opened) << opened.error().message;
        vulkan = std::move(*opened);
    }
    uint64_t freeOf(uint32_t heap) { return vulkan->device().availableBytes(heap); }

    /// The least that the device's memory may be limited to for the model to find room, to 4 KiB.
    uint64_t leastLimit(const MemoryNeed& need) {
        uint64_t least = 0, enough = uint64_t{4} << 30;
        while (enough - least > 4096) {
            const uint64_t middle = least + (enough - least) / 2;
            vulkan->device().limitMemory(middle);
            (vulkan->checkRoom(m_model.plan, m_model.memory, need) ? enough : least) = middle;
        }
        vulkan->device().limitMemory(UINT64_MAX);
        return enough;
    }

    const test::TemporaryFolder m_folder;
    const SynthModel m_model = openSynthModel(m_folder, {.quant = "Q8_0"}, kGrowthRows);
    test::TwoHeaps m_heaps;
};

/// Memory with room for one page becomes as large as it is needed: what is in it stays, and so do forks, what
/// is decoded ahead, and what was recorded.
TEST_F(MemoryGrowth, copiesWhatThereIs) {
    const auto whole = pool(0), small = pool(64);
    const uint64_t before = small->reservedBytes();
    EXPECT_LT(before, whole->reservedBytes());
    EXPECT_EQ(talk(*small), talk(*whole));
    EXPECT_GT(small->reservedBytes(), before);
    EXPECT_LE(small->reservedBytes(), whole->reservedBytes() + m_model.memory.kv.size() * kRangeAlignment);
}

/// Where there is no room, sequences stay as they are, and grow once there is some.
TEST_F(MemoryGrowth, thatCannotGoOnIsFull) {
    const auto memory =
        vulkan->createMemory(m_model.memory, {.kv = KvType::F16, .maxTokens = 256, .firstTokens = 64})
            .value();
    const auto program = compile(*memory).value();
    const auto sequence = memory->createSequence().value();
    ASSERT_TRUE(step(*program, *sequence, 64));
    for (uint32_t nth = 1; nth <= m_model.memory.kv.size(); ++nth) {
        failCall(vulkan->device().api().AllocateMemory, nth, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        const Status full = step(*program, *sequence, 1);
        ASSERT_FALSE(full) << nth;
        EXPECT_EQ(full.error().code, ErrorCode::OutOfMemory);
        EXPECT_EQ(sequence->length(), 64U);
        ASSERT_TRUE(sequence->truncate(63));
        EXPECT_TRUE(step(*program, *sequence, 1)) << "what is there is of use";
    }
    failCall(vulkan->device().api().AllocateMemory, 0, VK_SUCCESS);
    for (int i = 0; i < 3; ++i) EXPECT_TRUE(step(*program, *sequence, 64)) << i;
    EXPECT_EQ(step(*program, *sequence, 1).error().code, ErrorCode::OutOfMemory) << "256 are the most";
}

/// Keys and values in the computer's memory, from the beginning and as they grow: the same bits, and nothing
/// of them on the device.
TEST_F(MemoryGrowth, mayLieInTheComputersMemory) {
    openCard();
    ASSERT_TRUE(vulkan);
    const auto onDevice = pool(64);
    const std::vector<float> expected = talk(*onDevice);
    const uint64_t device = freeOf(m_heaps.kDevice), main = freeOf(m_heaps.kMain);
    const auto inMain = pool(64, KvMemory::Main);
    const uint64_t slots = device - freeOf(m_heaps.kDevice);
    EXPECT_GT(slots, 0U) << "page tables, and states, stay";
    EXPECT_LT(slots, onDevice->reservedBytes() / 2);
    const uint64_t first = main - freeOf(m_heaps.kMain);
    EXPECT_EQ(inMain->reservedBytes(), slots + first);
    EXPECT_EQ(talk(*inMain), expected);
    EXPECT_EQ(inMain->reservedBytes(), onDevice->reservedBytes());
    EXPECT_EQ(main - freeOf(m_heaps.kMain), inMain->reservedBytes() - slots);
    EXPECT_EQ(device - freeOf(m_heaps.kDevice), slots);
}

/// On the heap where they lie; a limit is that of the device's own.
TEST_F(MemoryGrowth, isCountedWhereItLies) {
    openCard();
    ASSERT_TRUE(vulkan);
    MemoryNeed need{KvType::F16, 4096, kLeastSequences};
    const uint64_t pages = cacheBytesPerToken(m_model.memory, need.kv) * need.tokens;
    const uint64_t onDevice = leastLimit(need);
    need.kvMemory = KvMemory::Main;
    const uint64_t inMain = leastLimit(need);
    EXPECT_NEAR(static_cast<double>(onDevice - inMain), static_cast<double>(pages), 16384);
    vulkan->device().limitMemory(inMain + (16 << 10));  // a sampler, and constants of a few numbers
    const auto memory = vulkan->createMemory(
        m_model.memory,
        {.kv = need.kv, .maxTokens = 4096, .reservedSequences = need.sequences, .kvMemory = KvMemory::Main});
    ASSERT_TRUE(memory) << memory.error().message;
    EXPECT_TRUE(compile(**memory));
    m_heaps.mainBytes = uint64_t{600} << 20;  // of which a part is left to others
    need.tokens = 1 << 24;
    const Status full = vulkan->checkRoom(m_model.plan, m_model.memory, need);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(full.error().message, ::testing::HasSubstr("GiB of the computer's memory, but"));
}

/// Where both are one heap, nothing is gained.
TEST_F(MemoryGrowth, isCountedOnADeviceThatSharesItsMemory) {
    const MemoryNeed onDevice{KvType::F16, 4096, kLeastSequences};
    MemoryNeed inMain = onDevice;
    inMain.kvMemory = KvMemory::Main;
    if (info.memory.heaps.size() > 1) GTEST_SKIP() << "this device has memory of its own";
    EXPECT_EQ(leastLimit(inMain), leastLimit(onDevice));
    EXPECT_EQ(talk(*pool(64, KvMemory::Main)), talk(*pool(64)));
}

/// Growth that finds the device full goes on in the computer's memory, if it may.
TEST_F(MemoryGrowth, overflowsIntoTheComputersMemory) {
    openCard();
    ASSERT_TRUE(vulkan);
    const std::vector<float> expected = talk(*pool(64));
    for (const bool mayOverflow : {false, true}) {
        const auto memory = pool(64, KvMemory::Device, mayOverflow);
        const auto program = compile(*memory).value();
        vulkan->device().limitMemory(0);
        const uint64_t main = freeOf(m_heaps.kMain);
        if (mayOverflow) {
            EXPECT_EQ(talk(*memory, *program), expected);
            EXPECT_LT(freeOf(m_heaps.kMain), main);
        } else {
            const auto sequence = memory->createSequence().value();
            ASSERT_TRUE(step(*program, *sequence, 64));
            EXPECT_EQ(step(*program, *sequence, 1).error().code, ErrorCode::OutOfMemory);
        }
        vulkan->device().limitMemory(UINT64_MAX);
    }
}

}  // namespace
}  // namespace ingle::backend::vulkan
