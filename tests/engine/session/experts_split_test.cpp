/// A mixture whose experts the processor computes, and everything else a device: the same bits as in one
/// piece where both compute alike, and the processor's numbers on a real device, whatever fails there.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <deque>
#include <map>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/backend/split/experts_backend.h"
#include "engine/backend/split/experts_cut.h"
#include "engine/backend/split/plan_cut.h"
#include "engine/lab/synth.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/engine/backend/plan_runner.h"
#include "tests/engine/session/faulty_backend.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using backend::split::Mixture;
using test::RecordingSink;

constexpr uint32_t kMixtureLayers = 3;

std::vector<TokenId> expertTokens(int count) {
    std::vector<TokenId> tokens;
    for (int i = 0; i < count; ++i) tokens.push_back((i * 37 + 11) % 320);
    return tokens;
}

void writeMixture(const std::string& path, std::string_view family) {
    lab::SynthOptions options{.family = std::string(family), .quant = "Q8_0"};
    options.sizes.numLayers = kMixtureLayers;
    if (family == "llama") options.sizes.numExperts = 5, options.sizes.numExpertsUsed = 2;
    ASSERT_TRUE(lab::writeSynthModel(options, path)) << family;
}

std::unique_ptr<Model> loadOn(const std::string& path, DeviceFactory device, LoadOptions options = {}) {
    options.threads = 1;
    options.contextTokens = 1024;
    auto model = Model::load(test::opened(path), options, nullptr, std::move(device), test::unchecked);
    EXPECT_TRUE(model) << model.error().message;
    return std::move(*model);
}

/// Of experts, in all layers.
long productsOf(const backend::Plan& plan) {
    return std::ranges::count(plan.ops, backend::OpCode::ExpertLinear, &backend::Op::code);
}

/// The ids that a model answers with.
std::vector<TokenId> answerOf(const GenerateRequest& request, Model& model) {
    Scheduler scheduler(model, nullptr);
    RecordingSink sink;
    sink.id = scheduler.submit(request, sink);
    while (scheduler.step()) {
    }
    EXPECT_TRUE(sink.result) << (sink.error ? sink.error->message : "no end");
    return sink.ids;
}

struct NamedValues final : backend::OpObserver {
    void afterOp(const backend::SeenOp& seen) override {
        for (const backend::SeenValue& value : seen.outputs)
            values[std::string(value.name)].assign(value.rows.begin(), value.rows.end());
    }
    std::map<std::string, std::vector<float>> values;
};

/// Every family that has experts.
TEST(ExpertsSplit, allWaysGiveTheSameBits) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    int tried = 0;
    for (const models::ModelFamily* family : models::allFamilies()) {
        if (family->kind == models::FamilyKind::Encoder) continue;
        SCOPED_TRACE(family->arch);
        writeMixture(path, family->arch);
        const auto whole = loadOn(path, createDevice);
        const backend::Plan plan = lowerModel(whole->opened(), {}, 4, 4);
        const auto mixtures = backend::split::mixturesOf(plan);
        const auto products = productsOf(plan);
        EXPECT_EQ(mixtures.empty(), products == 0);
        if (mixtures.empty()) continue;
        ++tried;
        // What is handed over is as narrow as it was before.
        for (const Mixture& mixture : mixtures) {
            ASSERT_EQ(mixture.outputs.size(), 1u);
            EXPECT_LE(plan.values[mixture.outputs[0]].width, plan.values[mixture.inputs[0]].width);
        }
        const std::vector<TokenId> tokens = expertTokens(100);
        const std::vector<float> expected = test::logitsInChunks(*whole, tokens, 64);
        for (const long room : {0L, products - 1}) {
            const auto split = loadOn(path, test::halfDevices(test::roomForProductsOfExperts(room)));
            ASSERT_EQ(split->info().backend, "split") << split->info().deviceNote;
            EXPECT_EQ(split->info().deviceNote,
                      fmt::format("The processor computes the experts of {} of {} layers, for which the "
                                  "graphics device has no memory; everything else is computed there.",
                                  room == 0 ? mixtures.size() : 1, plan.layerEnds.size()));
            for (const size_t chunk : {64u, 7u, 1u})
                EXPECT_EQ(test::logitsInChunks(*split, tokens, chunk), expected) << chunk;
            EXPECT_EQ(test::logitsOverALateSave(*split, tokens), expected);
            EXPECT_EQ(test::logitsBesideSevenOthers(*split, tokens), expected);
            EXPECT_EQ(test::logitsBehindGuesses(*split, tokens), expected);
        }
        // The negative twin.
        std::vector<TokenId> other = tokens;
        other[70] += 1;
        const auto split = loadOn(path, test::halfDevices(test::roomForProductsOfExperts(0)));
        EXPECT_NE(test::logitsInChunks(*split, other, 64), expected);
    }
    EXPECT_GE(tried, 25);
}

/// Where nobody asked for the device, they leave it only if that is faster than the processor alone.
TEST(ExpertsSplit, stayWithTheirLayersWhereLeavingThemIsSlower) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3moe");
    test::Faults faults;
    faults.delayOfParts = std::chrono::milliseconds(20);
    const DeviceFactory half = test::halfOf(test::faultyDevices(faults), test::roomForProductsOfExperts(3));
    const DeviceFactory unasked = [&](const LoadOptions& options) {
        auto chosen = half(options);
        chosen->mustBeFaster = true;
        return chosen;
    };
    EXPECT_THAT(loadOn(path, half)->info().deviceNote,
                testing::StartsWith("The processor computes the experts of 2 of 3 layers"));
    std::string note;  // whole layers are as fast there, unless another program comes in between
    for (int i = 0; i < 40 && !note.starts_with("1 of 3 layers are on the graphics device"); ++i)
        note = loadOn(path, unasked)->info().deviceNote;
    EXPECT_THAT(note, testing::StartsWith("1 of 3 layers are on the graphics device"));
}

/// A layer of the largest mixtures is more than a device has room for, and so is not tried out there.
TEST(ExpertsSplit, leaveDevicesThatHaveRoomForNone) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3moe");
    std::vector<std::string> checked;
    const DeviceCheck check = [&](backend::Backend& backend, auto&&...) -> Status {
        checked.emplace_back(backend.name());
        if (backend.name() == "split") return {};
        return fail(ErrorCode::OutOfMemory, "no room for a layer");
    };
    const auto model = Model::load(test::opened(path), {.threads = 1, .contextTokens = 1024}, nullptr,
                                   test::halfDevices(test::roomForProductsOfExperts(0)), check)
                           .value();
    EXPECT_THAT(model->info().deviceNote,
                testing::StartsWith("The processor computes the experts of 3 of 3"));
    EXPECT_THAT(checked, testing::ElementsAre("cpu", "split"));
}

/// A model without experts is not checked twice.
TEST(ExpertsSplit, nothingIsCheckedThatIsNotThere) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3");
    int checks = 0;
    const DeviceCheck check = [&](auto&&...) -> Status {
        ++checks;
        return {};
    };
    const auto model = Model::load(test::opened(path), {.threads = 1, .contextTokens = 1024}, nullptr,
                                   test::halfDevices(), check)
                           .value();
    EXPECT_EQ(model->info().backend, "split");
    EXPECT_EQ(checks, 1);
}

/// Of a model that was there as a whole, as few experts as possible.
TEST(ExpertsSplit, leaveADeviceThatIsFullInTheMiddleOfAnAnswer) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3moe");
    GenerateRequest request;
    request.rawTokens = expertTokens(70);
    request.maxTokens = 6;
    const auto expected = answerOf(request, *loadOn(path, createDevice));
    test::Faults faults;
    long room = 9;
    const auto model = loadOn(path, test::halfOf(test::faultyDevices(faults), [&](const backend::Plan& plan) {
                                  return productsOf(plan) <= room;
                              }));
    ASSERT_EQ(model->info().backend, "faulty");
    room = 8;
    faults.run = {.failing = {3}, .code = ErrorCode::OutOfMemory};
    EXPECT_EQ(answerOf(request, *model), expected);
    EXPECT_THAT(model->info().deviceNote,
                testing::StartsWith("The processor computes the experts of 1 of 3 layers"));
}

/// Of a plan in two, each matrix is on one side.
TEST(ExpertsSplit, onlyExpertsStayWithTheProcessor) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3moe");
    const auto opened = openModel(test::opened(path), {}).value();
    const backend::Plan plan = lowerModel(*opened, {}, 4, 4);
    const auto mixtures = backend::split::mixturesOf(plan);
    ASSERT_EQ(mixtures.size(), kMixtureLayers);
    const auto [rest, experts] = backend::split::cutExperts(plan, mixtures);
    for (const backend::PlanWeight& weight : experts.weights)
        EXPECT_THAT(weight.tensor->name, testing::HasSubstr("_exps"));
    for (const backend::PlanWeight& weight : rest.weights)
        EXPECT_THAT(weight.tensor->name, testing::Not(testing::HasSubstr("_exps")));
    EXPECT_EQ(backend::split::weightBytes(rest) + backend::split::weightBytes(experts),
              backend::split::weightBytes(plan));
    EXPECT_EQ(experts.parts.size(), kMixtureLayers);
}

/// A plan of parts is refused another part.
TEST(ExpertsSplit, partsAreThoseOfThePlan) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    writeMixture(path, "qwen3moe");
    const auto opened = openModel(test::opened(path), {}).value();
    const backend::Plan plan = lowerModel(*opened, {}, 4, 4);
    const auto cut = backend::split::cutExperts(plan, backend::split::mixturesOf(plan));
    const auto cpu = backend::cpu::createCpuBackend({.threads = 1});
    backend::PlanRunner runner(*cpu, cut.experts, {});
    const auto sequence = runner.sequence();
    const backend::SequenceRun run{sequence.get(), 1};
    const TokenId token = 0;
    const uint32_t width = std::get<backend::InputRowsParams>(cut.experts.ops[0].params).width;
    const std::vector<float> rows(width);
    backend::Step step{.tokens = {&token, 1}, .runs = {&run, 1}, .logitRows = {}, .inputRows = rows};
    for (step.part = 0; step.part < kMixtureLayers; ++step.part) {
        EXPECT_TRUE(runner.program->run(step));
        EXPECT_EQ(runner.program->hiddenRows().size(), opened->bound.facts().dim);
    }
    const Status refused = runner.program->run(step);
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().code, ErrorCode::InvalidArgument);
}

class ExpertsOnADevice : public testing::Test {
  protected:
    void SetUp() override {
        if (!m_devices.missing().empty()) GTEST_SKIP() << m_devices.missing();
    }
    static LoadOptions exact() { return {.kv = KvType::F32, .activations = ActivationType::F32}; }
    DeviceFactory device(test::VulkanFaults* faults = nullptr, long room = 3) {
        return test::halfOf(m_devices.factory(faults), test::roomForProductsOfExperts(room));
    }
    static DeviceFactory processor() {
        return [](const LoadOptions&) -> Result<ChosenDevice> { return ChosenDevice{}; };
    }
    static double errorOf(const std::vector<float>& values, const std::vector<float>& expected) {
        if (values.size() != expected.size()) return INFINITY;
        double error = 0, total = 0;
        for (size_t i = 0; i < values.size(); ++i) {
            error += (double{values[i]} - expected[i]) * (double{values[i]} - expected[i]);
            total += double{expected[i]} * expected[i];
        }
        return error / total;
    }

    test::VulkanDevices m_devices;
    test::TemporaryFolder m_folder;
    const std::string m_path = m_folder.file("model.gguf");
};

TEST_F(ExpertsOnADevice, giveTheNumbersOfTheProcessor) {
    std::vector<std::string_view> families{"qwen3moe", "gpt-oss"};
    if (test::triesEveryCase())
        for (const models::ModelFamily* family : models::allFamilies())
            if (family->kind != models::FamilyKind::Encoder) families.push_back(family->arch);
    for (const std::string_view family : families) {
        SCOPED_TRACE(family);
        writeMixture(m_path, family);
        const auto whole = loadOn(m_path, processor(), exact());
        const auto products = productsOf(lowerModel(whole->opened(), {}, 4, 4));
        if (products == 0) continue;
        const auto split = loadOn(m_path, device(nullptr, products / 2), exact());
        ASSERT_EQ(split->info().backend, "split") << split->info().deviceNote;
        const std::vector<TokenId> tokens = expertTokens(100);
        const std::vector<float> expected = test::logitsInChunks(*whole, tokens, 40);
        for (const size_t chunk : {40u, 7u, 1u})
            EXPECT_LT(errorOf(test::logitsInChunks(*split, tokens, chunk), expected), 1e-8) << chunk;
        EXPECT_LT(errorOf(test::logitsBehindGuesses(*split, tokens), expected), 1e-8);
        m_devices.expectNoComplaints();
    }
}

/// Those of experts, too.
TEST_F(ExpertsOnADevice, everyValueIsSeen) {
    writeMixture(m_path, "qwen3moe");
    const auto whole = loadOn(m_path, processor(), exact());
    const auto split = loadOn(m_path, device(), exact());
    const std::vector<TokenId> tokens = expertTokens(13);
    NamedValues expected, actual;
    const auto look = [&](Model& model, NamedValues& values) {
        const auto program = model.compileAllLogits(13).value();
        const auto sequence = model.memory().createSequence().value();
        const backend::SequenceRun run{sequence.get(), 13};
        const uint32_t row = 12;
        program->observe(&values);
        EXPECT_TRUE(program->run({tokens, {&run, 1}, {&row, 1}}));
    };
    look(*whole, expected);
    look(*split, actual);
    for (const auto& [name, values] : expected.values) {
        ASSERT_TRUE(actual.values.contains(name)) << name;
        EXPECT_LT(errorOf(actual.values[name], values), 1e-8) << name;
    }
}

/// At every submission and wait of an answer, with parts between them.
TEST_F(ExpertsOnADevice, theAnswerGoesOnWhereTheDeviceIsLost) {
    writeMixture(m_path, "qwen3moe");
    GenerateRequest request;
    request.rawTokens = expertTokens(70);
    request.sampler = {.temperature = 0.9f, .seed = 5};
    request.maxTokens = 4;
    const std::vector<TokenId> expected = answerOf(request, *loadOn(m_path, processor(), exact()));
    for (const auto call : {&test::VulkanFaults::submit, &test::VulkanFaults::wait}) {
        uint32_t atLoad = 0, inAll = 0;
        {
            test::VulkanFaults none;
            const auto model = loadOn(m_path, device(&none), exact());
            atLoad = (none.*call).calls;
            EXPECT_EQ(answerOf(request, *model), expected);
            inAll = (none.*call).calls;
            EXPECT_EQ(model->info().backend, "split");
        }
        EXPECT_GE(inAll, atLoad + 4 * 3) << "steps with two parts each";
        const uint32_t stride = test::triesEveryCase() ? 1 : 7;
        for (uint32_t nth = atLoad + 1; nth <= inAll; nth += stride) {
            SCOPED_TRACE(nth);
            test::VulkanFaults faults;
            faults.*call = {.failing = nth, .error = VK_ERROR_DEVICE_LOST};
            const auto model = loadOn(m_path, device(&faults), exact());
            EXPECT_EQ(answerOf(request, *model), expected);
        }
    }
}

}  // namespace
}  // namespace ingle::session
