/// Logits and greedy ids of other engines, on each backend. One test per group of the manifest; what is not
/// covered yet is printed.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/sampling/sampler.h"
#include "ingle/engine.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/golden.h"

namespace ingle::session {
namespace {

using nlohmann::json;

LoadOptions goldenOptions(const json& sidecar) {
    LoadOptions options;
    options.kv = KvType::F32;
    options.activations = ActivationType::F32;
    options.contextTokens = sidecar.value("n_ctx", 256u);
    // rwkv.cpp evaluates the group norm of 5.x with this epsilon, the training code with 64e-5.
    if (sidecar.value("rwkv_version", "").starts_with("5")) options.overrides["group_norm_epsilon"] = "1e-5";
    return options;
}

struct GroupResult {
    int passed = 0;
    std::vector<std::string> notCovered;

    void print(const char* group) const {
        std::printf("%s: %d entries agree, %zu not covered yet\n", group, passed, notCovered.size());
        for (const std::string& reason : notCovered) std::printf("  not covered: %s\n", reason.c_str());
    }
};

std::vector<float> referenceOf(const json& sidecar, const char* group, const char* key) {
    return test::readFloats(test::goldenRoot() / group / sidecar[key].get<std::string>());
}

/// Logits of the same tokens, fed in different ways.
using Ways = std::vector<std::vector<float>>;

double worst(double (*difference)(const std::vector<float>&, const std::vector<float>&), const Ways& ways,
             const std::vector<float>& reference) {
    double most = 0;
    for (const auto& way : ways) {
        const double now = difference(way, reference);
        if (!(now <= most)) most = std::isnan(now) ? INFINITY : now;
    }
    return most;
}

class Golden : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        INGLE_SKIP_WITHOUT_GOLDEN();
        if (onDevice() && !m_devices.missing().empty()) GTEST_SKIP() << m_devices.missing();
    }
    void TearDown() override {
        if (onDevice())
            std::printf("greedy: %d ids are those of the processor, %d too close to tell\n", m_sameIds,
                        m_closeIds);
    }

    bool onDevice() const { return GetParam() == "vulkan"; }

    Result<std::unique_ptr<Model>> load(const json& entry, const LoadOptions& options) {
        const auto path = test::goldenRoot() / entry["model"].get<std::string>();
        return onDevice() ? Model::load(path, options, nullptr, m_devices.factory())
                          : Model::load(path, options, nullptr);
    }

    /// Loads an entry's model, or notes why it is not covered.
    std::unique_ptr<Model> loadEntry(const json& entry, const json& sidecar, GroupResult& result) {
        if (!entry.contains("model") || entry["model"].is_null()) {
            result.notCovered.push_back(entry["name"].get<std::string>() + ": no model file in the set");
            return nullptr;
        }
        auto model = load(entry, goldenOptions(sidecar));
        if (model) {
            EXPECT_EQ((*model)->info().backend, GetParam()) << (*model)->info().deviceNote;
            return std::move(*model);
        }
        // Only what this version says it does not support may be missing.
        EXPECT_EQ(model.error().code, ErrorCode::Unsupported) << model.error().message;
        const std::string& message = model.error().message;
        result.notCovered.push_back(entry["name"].get<std::string>() + ":" +
                                    message.substr(message.find(": ") + 1));
        return nullptr;
    }

    /// Whole, one by one and in chunks of 7. A device adds in another order for other numbers of rows, so
    /// each way is compared with the reference by itself. The processor gives the same bits: also when saved
    /// in the middle, beside seven others, and forked.
    Ways checkedWays(Model& model, std::span<const TokenId> tokens) {
        Ways ways;
        for (const size_t chunk : {64u, 1u, 7u}) ways.push_back(test::logitsInChunks(model, tokens, chunk));
        if (onDevice()) {
            m_devices.expectNoComplaints();
            return ways;
        }
        for (const auto logits :
             {test::logitsOverSaveAndRestore, test::logitsBesideSevenOthers, test::logitsOfAFork})
            ways.push_back(logits(model, tokens));
        for (const auto& way : ways) EXPECT_EQ(way, ways[0]);
        return ways;
    }

    /// Greedy continuation after `tokens`; compares ids up to the first step whose margin is below
    /// `minMargin`.
    void expectGreedy(Model& model, std::span<const TokenId> tokens, const json& ids, const json& margins,
                      double minMargin) {
        test::ModelRun run(model);
        run.feed(tokens, 64);
        const size_t vocab = model.opened().bound.config.vocabSize;
        size_t compared = 0;
        for (size_t step = 0; step < ids.size() && margins[step].get<double>() >= minMargin;
             ++step, ++compared) {
            const TokenId id = sampling::greedy(std::span(run.logits()).last(vocab));
            ASSERT_EQ(id, ids[step].get<TokenId>()) << "greedy step " << step;
            run.feed({&id, 1}, 1);
        }
        EXPECT_GT(compared, 0u);
    }

    /// On a device: along the processor's own greedy continuation the ids are the same wherever its best two
    /// are further apart than ten times the largest difference of a logit there.
    void expectIdsOfTheProcessor(Model& model, const json& entry, std::span<const TokenId> tokens) {
        if (!onDevice()) return;
        constexpr int kSteps = 32;
        const auto processor =
            Model::load(test::goldenRoot() / entry["model"].get<std::string>(), model.options(), nullptr)
                .value();
        test::ModelRun right(*processor), ours(model);
        right.feed(tokens, 64);
        ours.feed(tokens, 64);
        const size_t vocab = model.opened().bound.config.vocabSize;
        for (int step = 0; step < kSteps; ++step) {
            const std::vector<float> expected(right.logits().end() - static_cast<long>(vocab),
                                              right.logits().end());
            const std::vector<float> actual(ours.logits().end() - static_cast<long>(vocab),
                                            ours.logits().end());
            std::vector<float> best = expected;
            std::ranges::partial_sort(best, best.begin() + 2, std::greater());
            const TokenId id = sampling::greedy(expected);
            if (best[0] - best[1] > 10 * test::maxAbsDiff(actual, expected)) {
                EXPECT_EQ(sampling::greedy(actual), id) << "step " << step;
                ++m_sameIds;
            } else {
                ++m_closeIds;
            }
            right.feed({&id, 1}, 1);
            ours.feed({&id, 1}, 1);
        }
    }

    test::VulkanDevices m_devices;
    int m_sameIds = 0;
    int m_closeIds = 0;
};

TEST_P(Golden, models) {
    GroupResult result;
    const json manifest = test::readJson(test::goldenRoot() / "manifest.json");
    for (const json& entry : manifest["groups"]["models"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const json sidecar = test::readJson(test::goldenRoot() / entry["sidecar"].get<std::string>());
        const auto model = loadEntry(entry, sidecar, result);
        if (!model) continue;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const Ways logits = checkedWays(*model, tokens);
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "models", "logits")),
                  sidecar["suggested_max_abs_diff"].get<double>());
        expectGreedy(*model, tokens, sidecar["greedy"], sidecar["greedy_margin"], 0);
        expectIdsOfTheProcessor(*model, entry, tokens);
        ++result.passed;
    }
    result.print("models");
    EXPECT_GE(result.passed, 12);
}

TEST_P(Golden, rwkv) {
    GroupResult result;
    const json manifest = test::readJson(test::goldenRoot() / "manifest.json");
    for (const json& entry : manifest["groups"]["rwkv"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const json sidecar = test::readJson(test::goldenRoot() / entry["sidecar"].get<std::string>());
        const auto model = loadEntry(entry, sidecar, result);
        if (!model) continue;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const Ways logits = checkedWays(*model, tokens);
        // The README's tolerances: 2e-4 for random weights, 1e-3 for stored weights with float activations,
        // about 0.4 for the producer's own run on quantised files (8-bit activations).
        if (sidecar.contains("deq_logits")) {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "deq_logits")), 1e-3);
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "logits")), 0.4);
            expectGreedy(*model, tokens, sidecar["greedy"], sidecar["greedy_margin"], 0.8);
        } else {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "logits")), 2e-4);
            expectGreedy(*model, tokens, sidecar["greedy"], sidecar["greedy_margin"], 4e-4);
        }
        expectIdsOfTheProcessor(*model, entry, tokens);
        ++result.passed;
    }
    result.print("rwkv");
    EXPECT_EQ(result.passed, 10);
}

TEST_P(Golden, llama2c) {
    GroupResult result;
    const json manifest = test::readJson(test::goldenRoot() / "manifest.json");
    for (const json& entry : manifest["groups"]["llama2c"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const json sidecar = test::readJson(test::goldenRoot() / entry["sidecar"].get<std::string>());
        const auto model = loadEntry(entry, sidecar, result);
        if (!model) continue;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const Ways logits = checkedWays(*model, tokens);
        expectIdsOfTheProcessor(*model, entry, tokens);
        if (sidecar.contains("deq_logits")) {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "llama2c", "deq_logits")), 1e-3);
            // runq.c rounds activations to 8 bits; its ids hold where that could not have changed them.
            EXPECT_LE(worst(test::nmse, logits, referenceOf(sidecar, "llama2c", "logits")), 2e-2);
            expectGreedy(*model, tokens, sidecar["greedy_after_tokens"],
                         sidecar["greedy_after_tokens_margin"],
                         2 * sidecar["f64_crosscheck_max_abs_diff"].get<double>());
            ++result.passed;
            continue;
        }
        const double tolerance = entry["name"] == "stories260K" ? 5e-4 : 2e-4;
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "llama2c", "logits")), tolerance);
        expectGreedy(*model, tokens, sidecar["greedy_after_tokens"], sidecar["greedy_after_tokens_margin"],
                     2 * tolerance);
        const std::vector<TokenId> bos{1};
        expectGreedy(*model, bos, sidecar["greedy_from_bos"], sidecar["greedy_from_bos_margin"],
                     2 * tolerance);
        ++result.passed;
    }
    result.print("llama2c");
    EXPECT_EQ(result.passed, 4);
}

TEST_P(Golden, quant) {
    GroupResult result;
    const json manifest = test::readJson(test::goldenRoot() / "manifest.json");
    for (const json& entry : manifest["groups"]["quant"]) {
        SCOPED_TRACE(entry["name"].get<std::string>());
        const json sidecar = test::readJson(test::goldenRoot() / entry["sidecar"].get<std::string>());
        auto model = loadEntry(entry, sidecar, result);
        if (!model) continue;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const std::vector<float> reference = referenceOf(sidecar, "quant", "deq_logits");
        const Ways exact = checkedWays(*model, tokens);
        EXPECT_LE(worst(test::maxAbsDiff, exact, reference), 1e-3);
        expectGreedy(*model, tokens, sidecar["deq_greedy"], sidecar["deq_greedy_margin"], 2e-3);
        expectIdsOfTheProcessor(*model, entry, tokens);

        // As people run it: activations may be rounded to 8 bits, the cache is f16.
        LoadOptions usual = goldenOptions(sidecar);
        usual.activations = ActivationType::Auto;
        usual.kv = KvType::F16;
        model = load(entry, usual).value();
        const Ways rounded = checkedWays(*model, tokens);
        EXPECT_LE(worst(test::nmse, rounded, reference), 2e-3);
        ++result.passed;
    }
    result.print("quant");
    EXPECT_GE(result.passed, 28);
}

INSTANTIATE_TEST_SUITE_P(Table, Golden, testing::Values("cpu", "vulkan"),
                         [](const auto& backend) { return backend.param; });

/// The tolerances above can fail: a slightly wrong model is seen by each of them.
TEST(GoldenTolerance, aWrongHyperParameterIsSeen) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    struct Case {
        const char* group;
        const char* name;
        const char* key;
        const char* value;
        double tolerance;
    };
    const Case cases[] = {
        {"models", "llama", "rope.freq_base", "10500", 2e-4},
        {"models", "llama_rope_yarn", "rope.scaling.factor", "5", 2e-4},
        {"models", "llama_rope_linear", "rope.scaling.factor", "3", 2e-4},
        {"models", "qwen3", "attention.layer_norm_rms_epsilon", "1e-4", 2e-4},
        {"models", "qwen2", "attention.layer_norm_rms_epsilon", "1e-4", 2e-4},
        {"models", "stablelm", "attention.layer_norm_epsilon", "1e-4", 2e-4},
        {"models", "stablelm_parallel", "rope.dimension_count", "16", 2e-4},
        {"models", "llama_moe", "expert_used_count", "1", 2e-4},
        {"models", "rwkv6", "attention.layer_norm_epsilon", "1e-4", 2e-4},
        {"models", "rwkv6_rescale", "rescale_every_n_layers", "0", 2e-4},
        {"rwkv", "random-4v0", "attention.layer_norm_epsilon", "1e-4", 2e-4},
        {"rwkv", "random-6v0", "group_norm_epsilon", "1e-5", 2e-4},
        {"rwkv", "random-7v0", "group_norm_epsilon", "1e-5", 2e-4},
        {"rwkv", "random-5v2", "group_norm_epsilon", "64e-5", 2e-4},
        {"rwkv", "tiny-rwkv-5v1-730K-Q5_1", "group_norm_epsilon", "64e-4", 1e-3},
        {"llama2c", "random_gqa", "rope.freq_base", "9500", 2e-4},
        {"llama2c", "random_gqa.q80", "rope.freq_base", "9500", 1e-3},
        {"quant", "llama_q-Q4_K_M", "rope.freq_base", "9500", 1e-3},
    };
    for (const Case& wrong : cases) {
        SCOPED_TRACE(wrong.name);
        const json sidecar =
            test::readJson(test::goldenRoot() / wrong.group / (std::string(wrong.name) + ".json"));
        LoadOptions options = goldenOptions(sidecar);
        options.overrides[wrong.key] = wrong.value;
        const auto model = Model::load(test::goldenRoot() / wrong.group / sidecar["model"].get<std::string>(),
                                       options, nullptr);
        ASSERT_TRUE(model) << model.error().message;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const char* key = sidecar.contains("deq_logits") ? "deq_logits" : "logits";
        EXPECT_GT(test::maxAbsDiff(test::logitsInChunks(**model, tokens, 64),
                                   referenceOf(sidecar, wrong.group, key)),
                  wrong.tolerance);
    }
}

}  // namespace
}  // namespace ingle::session
