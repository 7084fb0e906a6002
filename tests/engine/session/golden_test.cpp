/// Logits and greedy ids of other engines, on each backend. One test per group of the manifest; what is not
/// covered yet is printed.
#include <gtest/gtest.h>

#include <cmath>
#include <filesystem>
#include <functional>
#include <optional>
#include <set>

#include "engine/sampling/sampler.h"
#include "ingle/engine.h"
#include "tests/engine/session/half_device.h"
#include "tests/engine/session/model_runs.h"
#include "tests/engine/session/vulkan_devices.h"
#include "tests/every_case.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using nlohmann::json;

/// How a model is run. Exact: nothing is rounded that need not be. Usual: as people run it, with an f16 cache
/// and activations that may be rounded to 8 bits.
enum class Use { Exact, Usual };

LoadOptions goldenOptions(const json& sidecar, Use use = Use::Exact) {
    LoadOptions options;
    options.kv = use == Use::Exact ? KvType::F32 : KvType::F16;
    options.activations = use == Use::Exact ? ActivationType::F32 : ActivationType::Auto;
    options.contextTokens = sidecar.value("n_ctx", 256u);
    // rwkv.cpp evaluates the group norm of 5.x with this epsilon, the training code with 64e-5.
    if (sidecar.value("rwkv_version", "").starts_with("5")) options.overrides["group_norm_epsilon"] = "1e-5";
    return options;
}

/// Of the manifest.
struct Entry {
    std::string name;
    std::filesystem::path model;
    json sidecar;
    std::vector<TokenId> tokens;
};

/// Name, model and sidecar of each entry of a group.
json rowsOf(const std::string& group) {
    if (group != "archs") {
        for (const char* name : {"manifest.json", "manifest2.json"}) {
            const json groups = test::readJson(test::goldenRoot() / name)["groups"];
            if (groups.contains(group)) return groups[group];
        }
        return json::array();
    }
    std::set<std::filesystem::path> sidecars;  // this group has no manifest
    for (const auto& file : std::filesystem::directory_iterator(test::goldenRoot() / group))
        if (file.path().extension() == ".json") sidecars.insert(file.path());
    json rows = json::array();
    for (const auto& sidecar : sidecars) {
        const std::string stem = sidecar.stem();
        rows.push_back(
            {{"name", stem}, {"sidecar", "archs/" + stem + ".json"}, {"model", "archs/" + stem + ".gguf"}});
    }
    return rows;
}

/// A copy that says of its tokenizer "none" in place of "test".
std::string withoutTokenizer(const std::filesystem::path& model, const test::TemporaryFolder& folder) {
    constexpr std::string_view kKey = "tokenizer.ggml.model";
    constexpr size_t kBeforeText = sizeof(uint32_t) + sizeof(uint64_t);  // the value's type, its length
    std::string bytes = test::readBytes(model);
    const size_t at = bytes.find(kKey) + kKey.size() + kBeforeText;
    EXPECT_EQ(bytes.substr(at, 4), "test");
    bytes.replace(at, 4, "none");
    std::ofstream(folder.file("model.gguf"), std::ios::binary) << bytes;
    return folder.file("model.gguf");
}

struct KnownLogits {
    std::vector<float> logits;
    bool isTail = false;  ///< of a long text, the last rows only
};

KnownLogits referenceOf(const json& sidecar, const char* group, const char* key) {
    return {test::readFloats(test::goldenRoot() / group / sidecar[key].get<std::string>()),
            sidecar.contains("logits_rows")};
}

/// Logits of the same tokens, fed in different ways.
using Ways = std::vector<std::vector<float>>;

double worst(double (*difference)(const std::vector<float>&, const std::vector<float>&), const Ways& ways,
             const KnownLogits& reference) {
    if (reference.logits.empty()) return INFINITY;
    double most = 0;
    for (const auto& way : ways) {
        const bool hasMore = reference.isTail && way.size() > reference.logits.size();
        const size_t skipped = hasMore ? way.size() - reference.logits.size() : 0;
        const double now =
            difference({way.begin() + static_cast<long>(skipped), way.end()}, reference.logits);
        if (!(now <= most)) most = std::isnan(now) ? INFINITY : now;
    }
    return most;
}

/// The numbers below say more of a device than the check that comes before its use.
Status unchecked(backend::Backend&, const models::BoundModel&, uint32_t, const LoadOptions&) {
    return {};
}

/// A step of a greedy continuation in which two ids were too close for two backends to agree on one.
struct CloseId {
    std::string entry;
    int step;
    TokenId id;         ///< the processor's
    double margin;      ///< to the second best
    double difference;  ///< the largest one of a logit
};

class Golden : public testing::TestWithParam<std::string> {
  protected:
    void SetUp() override {
        INGLE_SKIP_WITHOUT_GOLDEN();
        if (!onDevice()) return;
        if (!s_devices) s_devices.emplace();
        if (!s_devices->missing().empty()) GTEST_SKIP() << s_devices->missing();
    }
    void TearDown() override {
        if (!onDevice()) return;
        std::printf("greedy: %zu ids are those of the processor, %zu too close to tell\n", m_sameIds,
                    m_closeIds.size());
        EXPECT_LE(10 * m_closeIds.size(), m_sameIds + m_closeIds.size());
        for (const CloseId& close : m_closeIds)
            std::printf("  too close: %s, step %d, id %d, margin %.3g, largest difference %.3g\n",
                        close.entry.c_str(), close.step, close.id, close.margin, close.difference);
    }
    static void TearDownTestSuite() { s_devices.reset(); }

    /// All or half of the layers.
    bool onDevice() const { return GetParam() != "cpu"; }
    bool isSplit() const { return GetParam() == "split"; }
    /// On a device nearly all of the time is the driver's compiling of each entry's kernels.
    bool leftToTheSoak() const { return onDevice() && !test::triesEveryCase(); }

    /// Calls `check` with each model of the group whose name begins so and that this version can run, and
    /// prints the others. Returns how many there were.
    int forEachModel(const char* group, Use use, const std::function<void(Model&, const Entry&)>& check,
                     std::string_view beginning = "") {
        int passed = 0;
        std::vector<std::string> notCovered;
        std::string covered;
        for (const json& row : rowsOf(group)) {
            const auto name = row["name"].get<std::string>();
            if (!name.starts_with(beginning)) continue;
            SCOPED_TRACE(name);
            if (!row.contains("model") || row["model"].is_null()) {
                notCovered.push_back(name + ": no model file in the set");
                continue;
            }
            Entry entry{.name = name,
                        .model = test::goldenRoot() / row["model"].get<std::string>(),
                        .sidecar = test::readJson(test::goldenRoot() / row["sidecar"].get<std::string>()),
                        .tokens = {}};
            entry.tokens = entry.sidecar["tokens"].get<std::vector<TokenId>>();
            const auto model = load(entry, use);
            if (!model) {
                // Only what this version says it does not support may be missing.
                const std::string& message = model.error().message;
                EXPECT_EQ(model.error().code, ErrorCode::Unsupported) << message;
                notCovered.push_back(name + ":" + message.substr(message.find(": ") + 1));
                continue;
            }
            if (isSplit() && (*model)->info().backend == "cpu") {
                notCovered.push_back(name + ": there is no place for a cut");
                continue;
            }
            EXPECT_EQ((*model)->info().backend, GetParam()) << (*model)->info().deviceNote;
            check(**model, entry);
            covered += " " + name;
            ++passed;
        }
        std::printf("%s: %d entries agree, %zu not covered yet\n", group, passed, notCovered.size());
        std::printf("  covered:%s\n", covered.c_str());
        for (const std::string& reason : notCovered) std::printf("  not covered: %s\n", reason.c_str());
        return passed;
    }

    /// The usual way includes the check of the device.
    Result<std::unique_ptr<Model>> load(const Entry& entry, Use use) const {
        const LoadOptions options = goldenOptions(entry.sidecar, use);
        const test::TemporaryFolder folder;
        const io::Source source = test::opened(entry.model.parent_path().filename() == "archs"
                                                   ? withoutTokenizer(entry.model, folder)
                                                   : entry.model.string());
        if (!onDevice()) return Model::load(source, options, nullptr);
        return Model::load(source, options, nullptr,
                           isSplit() ? test::halfOf(s_devices->sharedFactory()) : s_devices->sharedFactory(),
                           use == Use::Exact ? DeviceCheck(unchecked) : DeviceCheck(checkDevice));
    }

    /// Whole, one by one and in chunks of 7. A device adds in another order for many rows, so each way is
    /// compared with the reference by itself; few rows, of which some may be guesses, give the bits of one.
    /// The processor gives the same bits: also when saved in the middle, beside seven others, and forked.
    Ways checkedWays(Model& model, std::span<const TokenId> tokens) {
        Ways ways;
        constexpr size_t kLong = 4096;  // tokens, of which one way has to do
        if (tokens.size() > kLong) return {test::logitsInChunks(model, tokens, 64)};
        for (const size_t chunk : {64u, 1u, 7u}) ways.push_back(test::logitsInChunks(model, tokens, chunk));
        if (onDevice()) {
            EXPECT_EQ(ways[1], ways[2]);
            if (!model.opened().bound.facts().readsPromptsWhole()) {
                EXPECT_EQ(test::logitsBehindGuesses(model, tokens), ways[1]);
            }
            s_devices->expectNoComplaints();
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
        const size_t vocab = model.opened().bound.facts().vocabSize;
        size_t compared = 0;
        for (size_t step = 0; step < ids.size() && margins[step].get<double>() >= minMargin;
             ++step, ++compared) {
            const TokenId id = sampling::greedy(std::span(run.logits()).last(vocab));
            ASSERT_EQ(id, ids[step].get<TokenId>()) << "greedy step " << step;
            run.feed({&id, 1}, 1);
        }
        EXPECT_GT(compared, 0u);
    }

    /// What the device chooses by itself, ahead of the host.
    static std::vector<TokenId> chosenAhead(Model& model, std::span<const TokenId> tokens, uint32_t steps) {
        const auto sequence = model.memory().createSequence().value();
        for (auto left = tokens.first(tokens.size() - 1); !left.empty();) {
            const auto piece = left.first(std::min<size_t>(left.size(), 64));
            const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(piece.size())};
            EXPECT_TRUE(model.program().run({piece, {&run, 1}, {}}));
            left = left.subspan(piece.size());
        }
        const auto queue = model.program()
                               .decodeAhead({.rows = {{.sequence = sequence.get(),
                                                       .token = tokens.back(),
                                                       .sampler = {.temperature = 0},
                                                       .numIds = model.opened().bound.facts().vocabSize}},
                                             .maxSteps = steps})
                               .value();
        EXPECT_TRUE(queue);
        std::vector<TokenId> ids;
        while (queue && ids.size() < steps) ids.push_back(queue->next().value()[0]);
        return ids;
    }

    /// On a device: along the processor's own greedy continuation the ids are the same wherever its best two
    /// are further apart than ten times the largest difference of a logit there.
    void expectIdsOfTheProcessor(Model& model, const Entry& entry) {
        if (!onDevice()) return;
        constexpr int kSteps = 32;
        const auto processor = Model::load(test::opened(entry.model), model.options(), nullptr).value();
        test::ModelRun right(*processor), ours(model);
        std::vector<TokenId> chosen;
        if (!isSplit()) chosen = chosenAhead(model, entry.tokens, kSteps);
        ASSERT_TRUE(isSplit() || chosen.size() == size_t{kSteps});
        bool isSamePath = !isSplit();  // no id before was too close
        right.feed(entry.tokens, 64);
        ours.feed(entry.tokens, 64);
        const size_t vocab = model.opened().bound.facts().vocabSize;
        for (int step = 0; step < kSteps; ++step) {
            const std::vector<float> expected(right.logits().end() - static_cast<long>(vocab),
                                              right.logits().end());
            const std::vector<float> actual(ours.logits().end() - static_cast<long>(vocab),
                                            ours.logits().end());
            std::vector<float> best = expected;
            std::ranges::partial_sort(best, best.begin() + 2, std::greater());
            const TokenId id = sampling::greedy(expected);
            const double margin = double{best[0]} - best[1];
            const double difference = test::maxAbsDiff(actual, expected);
            if (margin > 10 * difference) {
                EXPECT_EQ(sampling::greedy(actual), id) << "step " << step;
                if (isSamePath) {
                    EXPECT_EQ(chosen[static_cast<size_t>(step)], id) << "step " << step;
                }
                ++m_sameIds;
            } else {
                isSamePath = false;
                m_closeIds.push_back({entry.name, step, id, margin, difference});
            }
            right.feed({&id, 1}, 1);
            ours.feed({&id, 1}, 1);
        }
    }

    /// One device for all tests of the program: nearly all of their time is its driver compiling kernels.
    static inline std::optional<test::VulkanDevices> s_devices;

    size_t m_sameIds = 0;
    std::vector<CloseId> m_closeIds;
};

TEST_P(Golden, models) {
    const bool onlySome = isSplit() && leftToTheSoak();
    const int passed = forEachModel(
        "models", Use::Exact,
        [&](Model& model, const Entry& entry) {
            const json& sidecar = entry.sidecar;
            const Ways logits = checkedWays(model, entry.tokens);
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "models", "logits")),
                      sidecar["suggested_max_abs_diff"].get<double>());
            expectGreedy(model, entry.tokens, sidecar["greedy"], sidecar["greedy_margin"], 0);
            expectIdsOfTheProcessor(model, entry);
        },
        onlySome ? "g" : "");
    EXPECT_GE(passed, onlySome ? 5 : 28);
}

TEST_P(Golden, models2) {
    // On a device a family of each kind is compared with the processor by families_test.cpp.
    if (leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("models2", Use::Exact, [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        const auto tolerance = sidecar["suggested_max_abs_diff"].get<double>();
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "models2", "logits")), tolerance);
        expectGreedy(model, entry.tokens, sidecar["greedy"], sidecar["greedy_margin"], 2 * tolerance);
        expectIdsOfTheProcessor(model, entry);
    });
    EXPECT_EQ(passed, 26);
}

/// Files with the keys of every family.
TEST_P(Golden, archs) {
    // Ops on a device are compared by the groups before: this one is about keys.
    if (leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("archs", Use::Exact, [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        const double difference = worst(test::maxAbsDiff, logits, referenceOf(sidecar, "archs", "logits"));
        EXPECT_LE(difference, sidecar["suggested_max_abs_diff"].get<double>());
        expectGreedy(model, entry.tokens, sidecar["greedy"], sidecar["greedy_margin"], 10 * difference);
    });
    EXPECT_EQ(passed, 107);
}

TEST_P(Golden, rwkv) {
    // On a device its families are compared with the processor by families_test.cpp.
    if (leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("rwkv", Use::Exact, [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        // The README's tolerances: 2e-4 for random weights, 1e-3 for stored weights with float activations,
        // about 0.4 for the producer's own run on quantised files (8-bit activations).
        if (sidecar.contains("deq_logits")) {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "deq_logits")), 1e-3);
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "logits")), 0.4);
            expectGreedy(model, entry.tokens, sidecar["greedy"], sidecar["greedy_margin"], 0.8);
        } else {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "rwkv", "logits")), 2e-4);
            expectGreedy(model, entry.tokens, sidecar["greedy"], sidecar["greedy_margin"], 4e-4);
        }
        expectIdsOfTheProcessor(model, entry);
    });
    EXPECT_EQ(passed, 10);
}

TEST_P(Golden, llama2c) {
    if (isSplit() && leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("llama2c", Use::Exact, [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        expectIdsOfTheProcessor(model, entry);
        if (sidecar.contains("deq_logits")) {
            EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "llama2c", "deq_logits")), 1e-3);
            // runq.c rounds activations to 8 bits; its ids hold where that could not have changed them.
            EXPECT_LE(worst(test::nmse, logits, referenceOf(sidecar, "llama2c", "logits")), 2e-2);
            expectGreedy(model, entry.tokens, sidecar["greedy_after_tokens"],
                         sidecar["greedy_after_tokens_margin"],
                         2 * sidecar["f64_crosscheck_max_abs_diff"].get<double>());
            return;
        }
        const double tolerance = entry.name == "stories260K" ? 5e-4 : 2e-4;
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "llama2c", "logits")), tolerance);
        expectGreedy(model, entry.tokens, sidecar["greedy_after_tokens"],
                     sidecar["greedy_after_tokens_margin"], 2 * tolerance);
        const std::vector<TokenId> bos{1};
        expectGreedy(model, bos, sidecar["greedy_from_bos"], sidecar["greedy_from_bos_margin"],
                     2 * tolerance);
    });
    EXPECT_EQ(passed, 4);
}

TEST_P(Golden, quant) {
    if (isSplit()) GTEST_SKIP() << "they have one layer";
    const auto check = [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "quant", "deq_logits")), 1e-3);
        expectGreedy(model, entry.tokens, sidecar["deq_greedy"], sidecar["deq_greedy_margin"], 2e-3);
        expectIdsOfTheProcessor(model, entry);
    };
    if (leftToTheSoak())
        EXPECT_EQ(forEachModel("quant", Use::Exact, check, "llama_q-Q4_"), 3);
    else
        EXPECT_GE(forEachModel("quant", Use::Exact, check), 28);
}

TEST_P(Golden, quant2) {
    if (isSplit()) GTEST_SKIP() << "they have one layer";
    // On a device weight_format_test.cpp compares the blocks themselves.
    if (leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("quant2", Use::Exact, [&](Model& model, const Entry& entry) {
        const json& sidecar = entry.sidecar;
        const Ways logits = checkedWays(model, entry.tokens);
        const auto tolerance = sidecar["suggested_max_abs_diff_vs_deq"].get<double>();
        EXPECT_LE(worst(test::maxAbsDiff, logits, referenceOf(sidecar, "quant2", "deq_logits")), tolerance);
        expectGreedy(model, entry.tokens, sidecar["deq_greedy"], sidecar["deq_greedy_margin"], 2 * tolerance);
        expectIdsOfTheProcessor(model, entry);
    });
    EXPECT_EQ(passed, 6);
}

TEST_P(Golden, quantAsUsual) {
    if (isSplit()) GTEST_SKIP() << "they have one layer";
    // On a device products of rounded activations are compared by weight_format_test.cpp.
    if (leftToTheSoak()) GTEST_SKIP() << "only in the soak";
    const int passed = forEachModel("quant", Use::Usual, [&](Model& model, const Entry& entry) {
        const Ways logits = checkedWays(model, entry.tokens);
        EXPECT_LE(worst(test::nmse, logits, referenceOf(entry.sidecar, "quant", "deq_logits")), 2e-3);
    });
    EXPECT_GE(passed, 28);
}

INSTANTIATE_TEST_SUITE_P(Table, Golden, testing::Values("cpu", "vulkan", "split"),
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
        {"models", "gemma2", "attention.sliding_window", "20", 2e-4},
        {"models", "gemma3", "rope.freq_base_swa", "9000", 2e-4},
        {"models", "phi3_swa", "attention.sliding_window", "13", 2e-4},
        {"models", "qwen2moe", "expert_used_count", "1", 2e-4},
        {"models2", "mistral3", "attention.temperature_scale", "0.2", 2e-4},
        {"models2", "gptoss", "rope.scaling.factor", "7", 2e-4},
        {"models2", "gemma4_e", "rope.freq_base_swa", "9000", 2e-4},
        {"models2", "gemma4_moe", "expert_used_count", "2", 2e-4},
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
        const auto model =
            Model::load(test::opened(test::goldenRoot() / wrong.group / sidecar["model"].get<std::string>()),
                        options, nullptr);
        ASSERT_TRUE(model) << model.error().message;
        const auto tokens = sidecar["tokens"].get<std::vector<TokenId>>();
        const char* key = sidecar.contains("deq_logits") ? "deq_logits" : "logits";
        EXPECT_GT(test::maxAbsDiff(test::logitsInChunks(**model, tokens, 64),
                                   referenceOf(sidecar, wrong.group, key).logits),
                  wrong.tolerance);
    }
}

}  // namespace
}  // namespace ingle::session
