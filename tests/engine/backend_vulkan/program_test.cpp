/// What programs and sequence memory do at their limits and when the device fails.
#include "tests/engine/backend_vulkan/synth_model.h"
#include "tests/engine/backend_vulkan/two_backends.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint32_t kProgramRows = 64;

class ProgramTest : public TwoBackends {
  protected:
    Result<std::unique_ptr<Program>> compile(MemoryPool& pool) { return vulkan->compile(m_model.plan, pool); }
    std::unique_ptr<MemoryPool> pool(uint32_t maxTokens) {
        auto made = vulkan->createMemory(m_model.memory, {KvType::F16, maxTokens});
        EXPECT_TRUE(made);
        return std::move(*made);
    }
    static Status step(Program& program, SequenceMemory& sequence, uint32_t count) {
        const std::vector<TokenId> tokens(count, 7);
        const SequenceRun run{&sequence, count};
        const uint32_t row = count - 1;
        return program.run({tokens, {&run, 1}, {&row, 1}});
    }

    const test::TemporaryFolder m_folder;
    const SynthModel m_model = openSynthModel(m_folder, {.quant = "Q8_0"}, kProgramRows);
};

TEST_F(ProgramTest, stepsThatDoNotFitAreRefused) {
    const auto memory = pool(1024);
    const auto program = compile(*memory).value();
    const auto sequence = memory->createSequence().value();
    EXPECT_EQ(step(*program, *sequence, kProgramRows + 1).error().code, ErrorCode::InvalidArgument);
    const SequenceRun run{sequence.get(), 1};
    for (const TokenId token : {-1, 320, INT32_MAX})
        EXPECT_EQ(program->run({{&token, 1}, {&run, 1}, {}}).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(sequence->length(), 0U);
    ASSERT_TRUE(step(*program, *sequence, 1));
    EXPECT_TRUE(program->readOutput(0));
    EXPECT_FALSE(program->readOutput(1));
}

TEST_F(ProgramTest, memoryHasALimit) {
    const auto memory = pool(2048);
    const auto program = compile(*memory).value();
    const auto sequence = memory->createSequence().value();
    const uint64_t before = memory->reservedBytes();
    for (uint32_t at = 0; at < 2048; at += kProgramRows) ASSERT_TRUE(step(*program, *sequence, kProgramRows));
    const Status full = step(*program, *sequence, 1);
    ASSERT_FALSE(full);
    EXPECT_EQ(full.error().code, ErrorCode::OutOfMemory);
    EXPECT_EQ(sequence->length(), 2048U);
    // What is given back serves again.
    ASSERT_TRUE(sequence->truncate(1000));
    EXPECT_TRUE(step(*program, *sequence, kProgramRows));
    EXPECT_EQ(memory->reservedBytes(), before);
}

TEST_F(ProgramTest, sequencesHaveALimit) {
    const auto memory = pool(1024);
    std::vector<std::unique_ptr<SequenceMemory>> sequences;
    Result<std::unique_ptr<SequenceMemory>> next = memory->createSequence();
    for (; next && sequences.size() < 100; next = memory->createSequence())
        sequences.push_back(std::move(*next));
    ASSERT_FALSE(next);
    EXPECT_EQ(next.error().code, ErrorCode::OutOfMemory);
    EXPECT_GE(sequences.size(), 12U);
    sequences.pop_back();
    EXPECT_TRUE(memory->createSequence());
}

/// Waits so slow, by the clock of the test, that steps are cut into many submissions.
PFN_vkWaitSemaphores g_realWait = nullptr;
uint32_t g_waits = 0;
std::chrono::steady_clock::time_point g_now{};

VkResult slowWait(VkDevice device, const VkSemaphoreWaitInfo* info, uint64_t limit) {
    ++g_waits;
    g_now += 2 * SubmissionBudget::kTarget;
    return g_realWait(device, info, limit);
}

/// Steps of a program in many submissions.
class CutSteps : public ProgramTest {
  protected:
    void SetUp() override {
        ProgramTest::SetUp();
        if (IsSkipped() || HasFatalFailure()) return;
        memory = pool(1024);
        program = compile(*memory).value();
        sequence = memory->createSequence().value();
        ASSERT_TRUE(step(*program, *sequence, 3));
        g_realWait = std::exchange(vulkan->device().api().WaitSemaphores, slowWait);
        vulkan->device().api().now = [] { return g_now; };
        // The budget follows what submissions take, down to what one piece needs.
        uint32_t submissions = 0;
        for (int i = 0; i < 30 && submissions < 6; ++i) {
            ASSERT_TRUE(sequence->truncate(3));
            g_waits = 0;
            ASSERT_TRUE(step(*program, *sequence, kProgramRows));
            submissions = g_waits;
        }
        ASSERT_GE(submissions, 6U);
    }
    void TearDown() override {
        sequence.reset();
        program.reset();
        memory.reset();
        ProgramTest::TearDown();
    }

    std::unique_ptr<MemoryPool> memory;
    std::unique_ptr<Program> program;
    std::unique_ptr<SequenceMemory> sequence;
};

TEST_F(CutSteps, canBeCancelledBetweenTheirSubmissions) {
    const std::vector<TokenId> tokens(kProgramRows, 7);
    const SequenceRun run{sequence.get(), kProgramRows};
    const uint32_t row = kProgramRows - 1;
    ASSERT_TRUE(sequence->truncate(3));
    ASSERT_TRUE(program->run({tokens, {&run, 1}, {&row, 1}}));
    const auto whole = program->readOutput(0).value();
    const std::vector<float> expected(whole.begin(), whole.end());
    for (uint32_t nth = 0; nth < 3; ++nth) {
        SCOPED_TRACE(nth);
        ASSERT_TRUE(sequence->truncate(3));
        uint32_t calls = 0;
        g_waits = 0;
        const Status status = program->run({tokens, {&run, 1}, {&row, 1}, [&] { return calls++ == nth; }});
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
        EXPECT_LE(g_waits, nth + 2);  // for the page table, and those that were under way
        EXPECT_EQ(sequence->length(), 3U);
        ASSERT_TRUE(program->run({tokens, {&run, 1}, {&row, 1}}));
        const auto again = program->readOutput(0).value();
        EXPECT_TRUE(std::ranges::equal(again, expected));
    }
}

TEST_F(CutSteps, endTheUseOfTheDeviceWhereTheyFailOnTheirWay) {
    ASSERT_TRUE(sequence->truncate(3));
    // Nothing was done yet: there may be room for it later.
    failCall(vulkan->device().api().QueueSubmit, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(step(*program, *sequence, kProgramRows).error().code, ErrorCode::OutOfMemory);
    // The page table, half of the step's commands: recurrent states would be changed twice.
    failCall(vulkan->device().api().QueueSubmit, 3, VK_ERROR_OUT_OF_HOST_MEMORY);
    EXPECT_EQ(step(*program, *sequence, kProgramRows).error().code, ErrorCode::Device);
    EXPECT_EQ(sequence->length(), 3U);
}

TEST_F(ProgramTest, aLostDeviceIsAnError) {
    const auto memory = pool(1024);
    const auto program = compile(*memory).value();
    const auto sequence = memory->createSequence().value();
    ASSERT_TRUE(step(*program, *sequence, 3));
    failCall(vulkan->device().api().QueueSubmit, 1, VK_ERROR_DEVICE_LOST);
    for (int i = 0; i < 2; ++i) {
        const Status lost = step(*program, *sequence, 1);
        ASSERT_FALSE(lost);
        EXPECT_EQ(lost.error().code, ErrorCode::Device);
        EXPECT_EQ(sequence->length(), 3U);
    }
    EXPECT_FALSE(sequence->save());
}

PFN_vkGetPhysicalDeviceMemoryProperties2 g_realMemory = nullptr;

/// 600 MiB beside the staging memory; 512 of them are kept for others.
constexpr uint64_t kSmallHeap = (uint64_t{600} << 20) + 4 * kPieceBytes;

void smallHeaps(VkPhysicalDevice device, VkPhysicalDeviceMemoryProperties2* properties) {
    g_realMemory(device, properties);
    VkPhysicalDeviceMemoryProperties& memory = properties->memoryProperties;
    for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) memory.memoryHeaps[i].size = kSmallHeap;
    for (auto* next = static_cast<VkBaseOutStructure*>(properties->pNext); next; next = next->pNext) {
        if (next->sType != VK_STRUCTURE_TYPE_PHYSICAL_DEVICE_MEMORY_BUDGET_PROPERTIES_EXT) continue;
        auto* budget = reinterpret_cast<VkPhysicalDeviceMemoryBudgetPropertiesEXT*>(next);
        for (uint32_t i = 0; i < memory.memoryHeapCount; ++i) {
            budget->heapBudget[i] = kSmallHeap;
            budget->heapUsage[i] = 4 * kPieceBytes;
        }
    }
}

TEST_F(ProgramTest, whatDoesNotFitIsRefusedInASentence) {
    g_realMemory = std::exchange(vulkan->device().api().GetPhysicalDeviceMemoryProperties2, smallHeaps);
    constexpr uint64_t kMiB = 1 << 20;
    // Q4_K is repacked into as many bytes; a type that has no planes becomes floats.
    const quant::QuantFormat& q4 = *quant::findFormat("Q4_K");
    quant::QuantFormat unknown = q4;
    unknown.id = {999};
    const struct {
        const quant::QuantFormat& format;
        uint64_t rows;
        uint64_t sequenceBytes;
        bool fits;
    } cases[] = {
        {q4, 80 * kMiB / 144 / 16, 0, true},
        {q4, 80 * kMiB / 144 / 16, 4 * kMiB, true},
        {q4, 80 * kMiB / 144 / 16, 9 * kMiB, false},
        {q4, 90 * kMiB / 144 / 16, 0, false},
        {unknown, 80 * kMiB / 4096 / sizeof(float), 0, true},
        {unknown, 90 * kMiB / 4096 / sizeof(float), 0, false},
    };
    for (const auto& [format, rows, sequenceBytes, fits] : cases) {
        SCOPED_TRACE(fmt::format("{} {} {}", format.name, rows, sequenceBytes));
        const MemorySpec row{.kv = {{.keyElems = 4}}, .states = {}};  // of 16 bytes, for a token
        const tensor::Tensor weight{"weight", tensor::Shape::of(4096, rows), &format, {}};
        Plan big;
        big.weights = {{&weight, WeightUse::Matrix}, {&weight, WeightUse::Matrix}};  // kept once
        const Status room = vulkan->checkRoom(big, row, {KvType::F32, sequenceBytes / 16, 0});
        EXPECT_EQ(room.has_value(), fits);
        if (room) continue;
        EXPECT_EQ(room.error().code, ErrorCode::OutOfMemory);
        EXPECT_THAT(room.error().message,
                    ::testing::HasSubstr("has 0.1 GiB free, but this model needs 0.1 GiB"));
    }
}

/// Where exactly so much is free as is counted, model and memory find room, and not much less would do.
TEST_F(ProgramTest, whatIsCountedIsWhatIsAllocated) {
    const test::TemporaryFolder folder;
    constexpr uint32_t kTokens = 2048, kSequences = 4;
    for (const char* family : {"llama", "qwen3moe", "rwkv7"}) {
        SCOPED_TRACE(family);
        lab::SynthOptions options{.family = family, .quant = "Q8_0"};
        options.sizes = {.dim = 512, .ffnDim = 1024, .numLayers = 4, .numHeads = 8, .numKvHeads = 8};
        const SynthModel model = openSynthModel(folder, options, 64);
        ASSERT_TRUE(model.file);
        vulkan.reset();
        openVulkan({}, ActivationType::Auto);
        const auto fits = [&](uint64_t bytes) {
            vulkan->device().limitMemory(bytes);
            return vulkan->checkRoom(model.plan, model.memory, {KvType::F16, kTokens, kSequences})
                .has_value();
        };
        uint64_t least = 0, enough = uint64_t{4} << 30;
        ASSERT_TRUE(fits(enough));
        while (enough - least > 4096) {
            const uint64_t middle = least + (enough - least) / 2;
            (fits(middle) ? enough : least) = middle;
        }
        // What is to stay free beside it counts as well.
        const MemoryNeed withOthers{KvType::F16, kTokens, kSequences, 1 << 20};
        vulkan->device().limitMemory(enough + (1 << 20) - 8192);
        EXPECT_FALSE(vulkan->checkRoom(model.plan, model.memory, withOthers));
        vulkan->device().limitMemory(enough + (1 << 20));
        EXPECT_TRUE(vulkan->checkRoom(model.plan, model.memory, withOthers));
        const auto make = [&](uint64_t bytes) -> Status {
            vulkan->device().limitMemory(bytes);
            INGLE_TRY_ASSIGN(const auto memory,
                             vulkan->createMemory(
                                 model.memory,
                                 {.kv = KvType::F16, .maxTokens = kTokens, .reservedSequences = kSequences}));
            INGLE_TRY(vulkan->compile(model.plan, *memory));
            return {};
        };
        const Status tooFew = make(enough - enough / 20);
        ASSERT_FALSE(tooFew);
        EXPECT_EQ(tooFew.error().code, ErrorCode::OutOfMemory);
        const Status made = make(enough + (16 << 10));  // a sampler, and constants of a few numbers
        EXPECT_TRUE(made) << made.error().message;
    }
}

TEST_F(ProgramTest, refusedAllocationsAreErrors) {
    const auto memory = pool(1024);
    uint32_t failures = 0;
    for (uint32_t nth = 1; nth < 8; ++nth) {
        failCall(vulkan->device().api().AllocateMemory, nth, VK_ERROR_OUT_OF_DEVICE_MEMORY);
        const auto program = compile(*memory);
        if (program) break;
        EXPECT_EQ(program.error().code, ErrorCode::OutOfMemory);
        ++failures;
    }
    EXPECT_GE(failures, 4U);
    failCall(vulkan->device().api().AllocateMemory, 0, VK_SUCCESS);  // what is left of the last one
    EXPECT_TRUE(compile(*memory));
}

}  // namespace
}  // namespace ingle::backend::vulkan
