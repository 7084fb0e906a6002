/// A device that computes wrong is found out when a model is loaded, before anybody reads its answers.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <functional>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using backend::OpCode;
using backend::Plan;

/// What a device does instead of what it is told.
struct Lie {
    std::string name;
    std::function<void(Plan&)> compile;  ///< changes what is compiled; null: nothing
    uint32_t tokens = 0;                 ///< steps of so many tokens give a wrong logit; 0: none do
    float value = 0;                     ///< which
    uint32_t choice = 0;                 ///< which token it chooses is the worst one, from 1; 0: none …
    uint32_t rows = 1;                   ///< … in steps of so many rows, of the last one
    bool forgets = false;                ///< what was fed, once it has chosen tokens
    bool simpleIsRight = false;          ///< once it is told to do without large kernels, it is honest
    uint32_t promptRows = 64;            ///< that it likes
};

void addInsteadOfMultiply(Plan& plan) {
    for (backend::Op& op : plan.ops)
        if (op.code == OpCode::Add) op.code = OpCode::Multiply;
}

void setEps(Plan& plan, float eps) {
    for (backend::Op& op : plan.ops)
        if (auto* norm = std::get_if<backend::NormParams>(&op.params)) norm->eps = eps;
}

const std::vector<Lie> kLies = {
    {.name = "AnotherOp", .compile = addInsteadOfMultiply},
    {.name = "InexactOp", .compile = [](Plan& plan) { setEps(plan, 0.02f); }},
    {.name = "NoNumber", .compile = [](Plan& plan) { setEps(plan, NAN); }},
    {.name = "NoNumberInOnePlace", .tokens = 1, .value = NAN},
    {.name = "AWrongLogitOfASingleToken", .tokens = 1, .value = 30},
    {.name = "AWrongLogitOfTwoTokens", .tokens = 2, .value = 30},
    {.name = "AWrongLogitOfThreeTokens", .tokens = 3, .value = 30},
    {.name = "AWrongLogitOfSevenTokens", .tokens = 7, .value = 30},
    {.name = "AWrongLogitOfThirteenTokens", .tokens = 13, .value = 30},
    {.name = "AWrongLogitOfAPrompt", .tokens = 19, .value = 30},
    {.name = "AWrongFirstChoice", .choice = 1},
    {.name = "AWrongLaterChoice", .choice = 4},
    {.name = "AWrongChoiceOfASecondRow", .choice = 2, .rows = 2},
    {.name = "NoMemoryAfterItsChoices", .forgets = true},
};

/// Chooses the best tokens, but for the lie, which the last row is told.
class LyingQueue final : public backend::DecodeQueue {
  public:
    LyingQueue(backend::Program& inner, const backend::DecodeOrder& order, const Lie& lie)
        : m_inner(inner), m_order(order), m_lie(lie) {}
    ~LyingQueue() override {
        // Whoever looks at the sequence sees it.
        if (m_lie.forgets) (void)m_order.rows.back().sequence->truncate(0);
    }
    Result<std::span<const TokenId>> next() override {
        std::vector<TokenId> tokens;
        std::vector<backend::SequenceRun> runs;
        std::vector<uint32_t> logitRows;
        for (const backend::DecodeRow& row : m_order.rows) {
            logitRows.push_back(static_cast<uint32_t>(tokens.size()));
            tokens.push_back(row.token);
            runs.push_back({row.sequence, 1, row.prefixTokens});
        }
        INGLE_TRY(m_inner.run({tokens, runs, logitRows}));
        const bool lies = tokens.size() == m_lie.rows && ++m_told == m_lie.choice;
        for (const uint32_t row : logitRows) {
            INGLE_TRY_ASSIGN(const std::span<const float> logits, m_inner.readOutput(row));
            const auto chosen = lies && row + 1 == tokens.size() ? std::ranges::min_element(logits)
                                                                 : std::ranges::max_element(logits);
            m_order.rows[row].token = static_cast<TokenId>(chosen - logits.begin());
            tokens[row] = m_order.rows[row].token;
        }
        m_chosen = tokens;
        return m_chosen;
    }
    std::span<const float> hiddenRow(uint32_t) const override { return {}; }
    void stopQueueing() override {}
    bool hasNext() const override { return true; }

  private:
    backend::Program& m_inner;
    backend::DecodeOrder m_order;
    const Lie& m_lie;
    std::vector<TokenId> m_chosen;
    uint32_t m_told = 0;
};

class LyingProgram final : public backend::Program {
  public:
    LyingProgram(std::unique_ptr<backend::Program> inner, Lie lie)
        : m_inner(std::move(inner)), m_lie(std::move(lie)) {}

    Status run(const backend::Step& step) override {
        m_tokens = static_cast<uint32_t>(step.tokens.size());
        return m_inner->run(step);
    }
    Result<std::span<const float>> readOutput(uint32_t index) override {
        INGLE_TRY_ASSIGN(const std::span<const float> logits, m_inner->readOutput(index));
        m_logits.assign(logits.begin(), logits.end());
        if (m_tokens == m_lie.tokens) m_logits[5] = m_lie.value;
        return m_logits;
    }
    Result<std::unique_ptr<backend::DecodeQueue>> decodeAhead(const backend::DecodeOrder& order) override {
        if (order.rows[0].sampler.temperature > 0) return nullptr;
        return std::make_unique<LyingQueue>(*m_inner, order, m_lie);
    }
    void observe(backend::OpObserver* observer) override { m_inner->observe(observer); }

  private:
    std::unique_ptr<backend::Program> m_inner;
    Lie m_lie;
    uint32_t m_tokens = 0;
    std::vector<float> m_logits;
};

class LyingBackend final : public backend::Backend {
  public:
    LyingBackend(std::unique_ptr<backend::Backend> inner, Lie lie)
        : m_inner(std::move(inner)), m_lie(std::move(lie)) {}

    std::string_view name() const override { return "lying"; }
    std::string deviceName() const override { return "The tested GPU"; }
    bool supports(OpCode code) const override { return m_inner->supports(code); }
    bool roundsActivations() const override { return m_inner->roundsActivations(); }
    uint32_t promptRows() const override { return m_lie.promptRows; }
    Result<std::unique_ptr<backend::MemoryPool>> createMemory(
        const backend::MemorySpec& spec, const backend::MemoryOptions& options) override {
        return m_inner->createMemory(spec, options);
    }
    Result<std::unique_ptr<backend::Program>> compile(const Plan& plan,
                                                      backend::MemoryPool& memory) override {
        const bool honest = m_simple && m_lie.simpleIsRight;
        Plan changed = plan;
        if (m_lie.compile && !honest) m_lie.compile(changed);
        INGLE_TRY_ASSIGN(auto program, m_inner->compile(changed, memory));
        return std::make_unique<LyingProgram>(std::move(program), honest ? Lie{} : m_lie);
    }
    bool simplify() override { return !std::exchange(m_simple, true); }

  private:
    std::unique_ptr<backend::Backend> m_inner;
    Lie m_lie;
    bool m_simple = false;
};

class SelfCheck : public testing::Test {
  protected:
    static DeviceFactory lying(const Lie& lie) {
        return [lie](const LoadOptions& options) -> Result<ChosenDevice> {
            INGLE_TRY_ASSIGN(auto inner, createProcessor(options));
            return ChosenDevice{.backend = std::make_unique<LyingBackend>(std::move(inner), lie)};
        };
    }
    std::string model(const std::string& family, const std::string& quant = "Q8_0", uint32_t numLayers = 3) {
        const std::string path = m_folder.file(fmt::format("{}-{}.gguf", family, quant).c_str());
        lab::SynthOptions options{.family = family, .quant = quant};
        options.sizes.numLayers = numLayers;
        EXPECT_TRUE(lab::writeSynthModel(options, path));
        return path;
    }
    static Result<std::unique_ptr<Model>> load(const std::string& path, BackendChoice backend,
                                               const DeviceFactory& device, KvType kv = KvType::F16,
                                               ActivationType activations = ActivationType::F32) {
        return Model::load(test::opened(path),
                           {.backend = backend, .threads = 1, .kv = kv, .activations = activations}, nullptr,
                           device);
    }

    const std::vector<TokenId> m_tokens{4, 77, 120, 9, 31, 300, 5};
    test::TemporaryFolder m_folder;
};

TEST_F(SelfCheck, aLyingDeviceIsRefused) {
    for (const char* family : {"llama", "qwen3", "rwkv5", "rwkv7"}) {
        const std::string path = model(family);
        for (const Lie& lie : kLies) {
            SCOPED_TRACE(fmt::format("{} {}", family, lie.name));
            const auto named = load(path, BackendChoice::Vulkan, lying(lie));
            ASSERT_FALSE(named);
            EXPECT_EQ(named.error().code, ErrorCode::Device);

            const auto automatic = load(path, BackendChoice::Auto, lying(lie));
            ASSERT_TRUE(automatic) << automatic.error().message;
            EXPECT_EQ((*automatic)->info().backend, "cpu");
            EXPECT_EQ((*automatic)->info().deviceNote,
                      "The graphics device is not used, so the processor computes: " + named.error().message);
        }
    }
}

TEST_F(SelfCheck, aDeviceThatWantsLargeStepsIsTriedWithOne) {
    const std::string path = model("llama");
    const auto tried = [&](uint32_t tokens) {
        return load(path, BackendChoice::Vulkan,
                    lying({.name = "", .tokens = tokens, .value = 30, .promptRows = 100}));
    };
    EXPECT_TRUE(tried(0));
    const auto refused = tried(97);
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message, testing::HasSubstr("steps of 97 tokens"));
}

TEST_F(SelfCheck, theSentenceSaysWhatIsWrong) {
    const auto refused = load(model("llama"), BackendChoice::Vulkan, lying({.tokens = 3, .value = 1000}));
    ASSERT_FALSE(refused);
    EXPECT_THAT(refused.error().message,
                testing::MatchesRegex("The tested GPU computes wrong values \\(steps of 3 tokens: "
                                      "relative error [0-9.e+]+\\)"));
    const auto choosing = load(model("llama"), BackendChoice::Vulkan, lying({.choice = 2}));
    ASSERT_FALSE(choosing);
    EXPECT_THAT(choosing.error().message,
                testing::MatchesRegex("The tested GPU chooses wrong tokens \\(the logit of one is "
                                      "[0-9.e+]+ below the best\\)"));
}

/// Whether rounded activations may lead to other logits than the check's bound allows, which cannot be told
/// from a mistake: devices that round are left with such models. They choose experts, or which numbers of a
/// row are zero (Gemma 3n), or make the errors larger (squares of what was rounded, decays of it).
bool maySwayBeyondTheBound(const std::string& path) {
    const auto opened = openModel(test::opened(path), {}).value();
    constexpr std::array kSwaying{"gemma3n", "nemotron_h", "plamo2"};
    return std::ranges::find(kSwaying, opened->info.family) != kSwaying.end() ||
           std::ranges::any_of(opened->graph.nodes, [](const graph::Node& node) {
               return node.code == backend::OpCode::RouteExperts;
           });
}

/// The negative twin, for every family, format of weights and cache.
TEST_F(SelfCheck, anHonestDeviceIsUsed) {
    for (const models::ModelFamily* family : models::allFamilies()) {
        if (family->kind == models::FamilyKind::Encoder) continue;  // see embedder_test.cpp
        for (const char* quant : {"F32", "F16", "Q4_0", "Q8_0"}) {
            const std::string path = model(std::string(family->arch), quant);
            const bool mustBeExact = maySwayBeyondTheBound(path);
            for (const KvType kv : {KvType::F32, KvType::F16, KvType::Q8}) {
                for (const ActivationType activations : {ActivationType::F32, ActivationType::Auto}) {
                    if (activations == ActivationType::Auto && mustBeExact) continue;
                    const auto used = load(path, BackendChoice::Auto, lying({}), kv, activations);
                    ASSERT_TRUE(used) << used.error().message;
                    EXPECT_EQ((*used)->info().backend, "lying") << family->arch << (*used)->info().deviceNote;
                    EXPECT_EQ((*used)->info().deviceNote, "");
                }
            }
        }
    }
}

/// Rounded activations leave room for small errors, not for wrong ones.
TEST_F(SelfCheck, aLyingDeviceThatMayRoundIsRefused) {
    for (const Lie& lie : kLies) {
        if (lie.name == "InexactOp" || lie.forgets) continue;
        SCOPED_TRACE(lie.name);
        EXPECT_FALSE(
            load(model("llama"), BackendChoice::Vulkan, lying(lie), KvType::F16, ActivationType::Auto));
    }
}

/// What is wrong in large kernels only costs speed, not the device.
TEST_F(SelfCheck, simpleKernelsAreUsedWhereOnlyTheyAreRight) {
    const std::string path = model("llama");
    const auto processor =
        Model::load(test::opened(path), {.threads = 1, .kv = KvType::F16, .activations = ActivationType::F32},
                    nullptr)
            .value();
    const auto expected = test::logitsInChunks(*processor, m_tokens, 3);
    for (Lie lie : kLies) {
        SCOPED_TRACE(lie.name);
        lie.simpleIsRight = true;
        const auto used = load(path, BackendChoice::Vulkan, lying(lie));
        ASSERT_TRUE(used) << used.error().message;
        EXPECT_EQ((*used)->info().backend, "lying");
        EXPECT_EQ(test::logitsInChunks(**used, m_tokens, 3), expected);
        // Also the program that was made before the check.
        const auto sequence = (*used)->memory().createSequence().value();
        const backend::SequenceRun run{sequence.get(), 3};
        const uint32_t row = 2;
        ASSERT_TRUE((*used)->program().run({std::span(m_tokens).first(3), {&run, 1}, {&row, 1}}));
        const auto logits = (*used)->program().readOutput(0);
        ASSERT_TRUE(logits) << logits.error().message;
        EXPECT_TRUE(std::ranges::equal(
            *logits, std::span(expected).subspan(2 * logits->size()).first(logits->size())));
    }
}

/// A check that fails for another reason than wrong values would do so with simple kernels, too.
TEST_F(SelfCheck, onlyWrongValuesAreAnsweredWithSimpleKernels) {
    const std::string path = model("llama");
    const std::pair<ErrorCode, int> rows[] = {{ErrorCode::Device, 2}, {ErrorCode::OutOfMemory, 1}};
    for (const auto& [code, checks] : rows) {
        int called = 0;
        const auto refused = Model::load(test::opened(path), {.backend = BackendChoice::Vulkan, .threads = 1},
                                         nullptr, lying({}), [&, error = code](auto&&...) -> Status {
                                             ++called;
                                             return fail(error, "for this reason");
                                         });
        ASSERT_FALSE(refused);
        EXPECT_EQ(refused.error().code, code);
        EXPECT_EQ(called, checks);
    }
}

/// The second layer, too: the first one of RWKV-7 has no value of a layer before to mix in.
TEST_F(SelfCheck, layersOfEachKindAreTried) {
    for (const uint32_t numLayers : {1u, 2u, 4u}) {
        const auto whole = openModel(test::opened(model("rwkv7", "Q8_0", numLayers)), {}).value();
        const models::BoundModel small = models::withOneLayerOfEachKind(whole->bound);
        EXPECT_EQ(small.facts().numLayers, std::min(numLayers, 2u));
        EXPECT_EQ(small.weights["token_embd.weight"], whole->bound.weights["token_embd.weight"]);
        EXPECT_NE(small.weights["token_embd.weight"], nullptr);
    }
    const auto opened = openModel(test::opened(model("llama", "Q8_0", 4)), {}).value();
    const models::Weights picked = opened->bound.weights.withLayers(std::vector<uint32_t>{3, 1});
    EXPECT_EQ(picked["blk.0.attn_q.weight"], opened->bound.weights["blk.3.attn_q.weight"]);
    EXPECT_EQ(picked["blk.1.attn_q.weight"], opened->bound.weights["blk.1.attn_q.weight"]);
    EXPECT_NE(picked["blk.1.attn_q.weight"], nullptr);
    EXPECT_EQ(picked["blk.2.attn_q.weight"], nullptr);
    // A layer whose weights are kept in another format, as the usual mixtures do.
    tensor::Tensor other = *opened->bound.weights["blk.2.ffn_down.weight"];
    other.format = quant::findFormat("F16");
    formats::ModelFile& file = opened->file;
    file.tensors["blk.2.ffn_down.weight"] = other;
    EXPECT_EQ(models::layersOfEachKind(models::bindModel(file).value()), (std::vector<uint32_t>{0, 1, 2}));
}

/// A real device passes with every family: with the usual kernels, with simple ones only, and with those that
/// timing chooses, which may round activations.
TEST_F(SelfCheck, aRealDevicePasses) {
    test::VulkanDevices devices;
    if (!devices.missing().empty()) GTEST_SKIP() << devices.missing();
    const auto expectPass = [&](backend::Backend& device, const OpenedModel& opened, const char* kernels,
                                ActivationType activations) {
        const auto begin = std::chrono::steady_clock::now();
        const Status checked = checkDevice(device, opened.bound, opened.contextTokens,
                                           {.threads = 1, .kv = KvType::Q8, .activations = activations});
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        EXPECT_TRUE(checked) << kernels << ": " << checked.error().message;
        std::printf("%s, %s: %.2f s\n", opened.info.family.c_str(), kernels, elapsed.count());
    };
    // A transformer and a recurrent model stand for their like.
    std::vector<std::string> families{"llama", "rwkv7"};
    if (test::triesEveryCase()) {
        families.clear();
        for (const models::ModelFamily* family : models::allFamilies()) families.emplace_back(family->arch);
    }
    for (const std::string& family : families) {
        SCOPED_TRACE(family);
        const auto opened = openModel(test::opened(model(family, "Q4_0")), {}).value();
        const auto device =
            std::move(devices.factory()({.activations = ActivationType::F32}).value().backend);
        expectPass(*device, *opened, "usual", ActivationType::F32);
        EXPECT_TRUE(device->simplify());
        expectPass(*device, *opened, "simple", ActivationType::F32);
        EXPECT_FALSE(device->simplify());
        devices.expectNoComplaints();
    }
    devices.setCacheFolder(m_folder.path().string());
    for (const char* family : {"llama", "rwkv7"}) {
        const auto opened = openModel(test::opened(model(family, "Q4_0")), {}).value();
        const auto device =
            std::move(devices.factory()({.activations = ActivationType::Auto}).value().backend);
        expectPass(*device, *opened, "timed", ActivationType::Auto);
        devices.expectNoComplaints();
    }
}

}  // namespace
}  // namespace ingle::session
