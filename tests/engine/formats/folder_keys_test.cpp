// Keys of config.json that the families cannot follow are refused by name; what the classes of transformers
// take where a key is absent, or null, is taken here.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/engine/formats/refusals.h"
#include "tests/engine/formats/sample_architectures.h"

namespace {

using namespace ingle;
using nlohmann::json;
using test::FolderFiles;
using test::openFolder;

FolderFiles with(FolderFiles files, const char* key, const json& value) {
    json config = json::parse(files["config.json"]);
    config[key] = value;
    files["config.json"] = config.dump();
    return files;
}

FolderFiles without(FolderFiles files, const char* key) {
    json config = json::parse(files["config.json"]);
    config.erase(key);
    files["config.json"] = config.dump();
    return files;
}

/// Of an architecture whose tensors are never looked at.
FolderFiles named(const char* architecture, const char* key, const json& value) {
    test::SampleArchitecture sample(architecture);
    sample.config.update({{"rms_norm_eps", 1e-5},
                          {"n_routed_experts", 4},
                          {"num_experts_per_tok", 2},
                          {"moe_intermediate_size", 16}});
    sample.config[key] = value;
    return sample.files();
}

formats::ModelFile opened(const FolderFiles& files) {
    const test::TemporaryFolder folder;
    auto model = openFolder(files, folder);
    EXPECT_TRUE(model) << model.error().message;
    return model ? std::move(*model) : formats::ModelFile();
}

TEST(FolderKeys, whatIsNotUnderstoodIsNamed) {
    const FolderFiles gpt2 = test::gpt2Folder(), falcon = test::falconFolder(), h1 = test::falconH1Folder(),
                      nemotron = test::nemotronHFolder();
    test::expectRefusals({
        {with(gpt2, "scale_attn_weights", false), "scale_attn_weights = false is not supported"},
        {with(gpt2, "scale_attn_by_inverse_layer_idx", true), "scale_attn_by_inverse_layer_idx = true"},
        {with(gpt2, "activation_function", "swish"), "activation_function \"swish\" is not supported"},
        {with(gpt2, "activation_function", nullptr), "'activation_function' is null"},
        {with(falcon, "alibi", true), "alibi = true is not supported"},
        {with(falcon, "parallel_attn", false), "parallel_attn = false is not supported"},
        {with(falcon, "activation", "relu2"), "activation \"relu2\" is not supported"},
        {with(without(falcon, "new_decoder_architecture"), "num_ln_in_parallel_attn", 2),
         "num_ln_in_parallel_attn 2 is not supported"},
        {with(h1, "mamba_rms_norm", true), "mamba_norm_before_gate = true is not supported"},
        {with(h1, "ssm_multipliers", {1.0, 2.0}), "ssm_multipliers holds 2 numbers, where 5 are needed"},
        {with(h1, "key_multiplier", nullptr), "'key_multiplier' is null"},
        {with(h1, "tie_word_embeddings", true), "an output that is the embedding, multiplied by 2.5 and 1"},
        {with(h1, "time_step_limit", {0.001, 0.1}), "time_step_limit is not supported"},
        {with(h1, "time_step_limit", {0, 1}), "time_step_limit is not supported"},
        {with(with(h1, "mamba_expand", nullptr), "mamba_d_ssm", nullptr), "'mamba_expand' is null"},
        {with(nemotron, "hybrid_override_pattern", "M*-X"), "layers of the kind \"X\" are not supported"},
        {with(nemotron, "mlp_hidden_act", "silu"), "mlp_hidden_act \"silu\" is not supported"},
        {with(nemotron, "use_bias", true), "use_bias = true is not supported"},
        {with(nemotron, "time_step_limit", {1, 2}), "time_step_limit is not supported"},
        {with(nemotron, "time_step_min", 0.01), "time_step_min 0.01 is not supported"},
        {with(nemotron, "mamba_dt_min", 1), "mamba_dt_min 1 is not supported"},
        {named("OlmoForCausalLM", "hidden_act", "gelu"), "hidden_act \"gelu\" is not supported"},
        {named("ArceeForCausalLM", "hidden_act", "silu"), "hidden_act \"silu\" is not supported"},
        {named("AfmoeForCausalLM", "mup_enabled", false), "mup_enabled = false is not supported"},
        {named("Ernie4_5ForCausalLM", "use_bias", true), "use_bias = true is not supported"},
        {named("Ernie4_5_MoeForCausalLM", "moe_layer_end_index", 0), "moe_layer_end_index 0 of 2 layers"},
        {named("Ernie4_5_MoeForCausalLM", "moe_norm_min", 0.5), "moe_norm_min 0.5 is not supported"},
        {named("DeepseekV2ForCausalLM", "norm_topk_prob", true), "norm_topk_prob = true is not supported"},
        {named("Gemma3ForCausalLM", "hidden_activation", "gelu"), "hidden_activation \"gelu\""},
        {named("Gemma2ForCausalLM", "hidden_activation", "gelu"), "hidden_activation \"gelu\""},
        {named("HunYuanDenseV1ForCausalLM", "use_cla", true), "use_cla = true is not supported"},
        {named("HunYuanMoEV1ForCausalLM", "moe_topk", {1, 2}), "moe_topk names other numbers than 1"},
        {named("HunYuanMoEV1ForCausalLM", "moe_topk", json::array()), "'moe_topk' is null or empty"},
        {named("Lfm2MoeForCausalLM", "conv_bias", true), "conv_bias = true is not supported"},
        {named("MiniMaxM2ForCausalLM", "shared_intermediate_size", 8), "shared_intermediate_size 8"},
        {named("MiniMaxM2ForCausalLM", "scoring_func", "softmax"), "scoring_func \"softmax\""},
        {named("ExaoneMoeForCausalLM", "sliding_window", nullptr), "'sliding_window' is null"},
        {named("Dots1ForCausalLM", "mlp_layer_types", {"sparse", "dense"}),
         "mlp_layer_types: \"dense\" of layer 1 is not supported behind experts"},
        {named("GraniteSWAForCausalLM", "layer_rope_theta", {10000, 500000}), "layer_rope_theta 500000"},
        {named("GraniteSWAForCausalLM", "layer_rope_theta", {10000}), "layer_rope_theta holds 1 numbers"},
        {named("LagunaForCausalLM", "moe_router_logit_softcapping", 30.0), "'moe_router_logit_softcapping'"},
        {named("MellumForCausalLM", "norm_topk_prob", false), "norm_topk_prob = false is not supported"},
        {named("Cohere2MoeForCausalLM", "expert_selection_fn", "top"), "expert_selection_fn \"top\""},
        {named("MiMoV2FlashForCausalLM", "n_group", 2), "n_group 2 is not supported"},
    });
}

TEST(FolderKeys, whatIsAbsentOrNullIsAsTheirClassesHaveIt) {
    const auto number = [](const FolderFiles& files, const char* key) {
        return opened(files).metadata.u32(key).value_or(UINT32_MAX);
    };
    const FolderFiles gpt2 = test::gpt2Folder(), falcon = test::falconFolder();
    EXPECT_EQ(number(gpt2, "gpt2.feed_forward_length"), 16U);
    // Up to a window there is none.
    const auto context = [&](const char* architecture, const json& window) {
        test::SampleArchitecture sample(architecture);
        sample.decoder();
        sample.gated("mlp");
        sample.config.update({{"max_position_embeddings", 8192}, {"rms_norm_eps", 1e-5}});
        if (window != json("absent")) sample.config["sliding_window"] = window;
        return number(sample.files(), "llama.context_length");
    };
    EXPECT_EQ(context("MistralForCausalLM", "absent"), 4096U);
    EXPECT_EQ(context("MistralForCausalLM", nullptr), 8192U);
    EXPECT_EQ(context("MinistralForCausalLM", 1024), 1024U);
    // Heads of keys: one, or as many as the configuration says.
    EXPECT_EQ(number(falcon, "falcon.attention.head_count_kv"), 1U);
    EXPECT_EQ(number(with(test::nemotronHFolder(), "sliding_window", 16), "nemotron_h_moe.context_length"),
              16U);
    EXPECT_EQ(
        number(with(test::nemotronHFolder(), "sliding_window", nullptr), "nemotron_h_moe.context_length"),
        32U);
}

/// Latent attention.
test::SampleArchitecture latentSample(const char* architecture) {
    test::SampleArchitecture sample(architecture);
    sample.decoder();
    sample.gated("mlp");
    for (const char* layer : {"0", "1"})
        for (const char* part : {"q_proj", "k_proj", "v_proj", "o_proj"})
            sample.tensors.erase(fmt::format("model.layers.{}.self_attn.{}.weight", layer, part));
    const std::map<std::string, std::vector<uint64_t>> parts = {
        {"q_a_proj", {4, 8}},    {"q_a_layernorm", {4}}, {"q_b_proj", {8, 4}}, {"kv_a_proj_with_mqa", {6, 8}},
        {"kv_a_layernorm", {4}}, {"kv_b_proj", {8, 4}},  {"o_proj", {8, 4}}};
    for (const auto& [part, dims] : parts) sample.perLayer("self_attn." + part + ".weight", dims);
    sample.config.update({{"qk_nope_head_dim", 2},
                          {"qk_rope_head_dim", 2},
                          {"v_head_dim", 2},
                          {"kv_lora_rank", 4},
                          {"q_lora_rank", 4},
                          {"linear_attn_config", {{"full_attn_layers", {1, 2}}}},
                          {"linear_num_heads", 2},
                          {"rms_norm_eps", 0.01},
                          {"n_routed_experts", 4},
                          {"num_experts_per_tok", 2},
                          {"moe_intermediate_size", 16}});
    if (architecture == std::string_view("KimiLinearForCausalLM")) sample.config.erase("q_lora_rank");
    return sample;
}

/// The norms of latents have the epsilon of their class, whatever that of the layers is.
TEST(FolderKeys, latentsHaveAnEpsilonOfTheirOwn) {
    const std::pair<const char*, const char*> architectures[] = {
        {"DeepseekV2ForCausalLM", "deepseek2"},     {"DeepseekV3ForCausalLM", "deepseek2"},
        {"YoutuForCausalLM", "deepseek2"},          {"Glm4MoeLiteForCausalLM", "deepseek2"},
        {"MiniCPM3ForCausalLM", "minicpm3"},        {"KimiLinearForCausalLM", "kimi-linear"},
        {"BailingHybridForCausalLM", "bailingmoe3"}};
    for (const auto& [architecture, family] : architectures) {
        const formats::ModelFile model = opened(latentSample(architecture).files());
        const auto epsilon = [&](const char* key) {
            return model.metadata.f32(fmt::format("{}.attention.{}", family, key)).value_or(-1);
        };
        EXPECT_EQ(epsilon("latent_norm_rms_epsilon"), 1e-6F) << architecture;
        EXPECT_EQ(epsilon("layer_norm_rms_epsilon"), 0.01F) << architecture;
    }
}

/// What is stated and not looked at by the models' own code changes nothing.
TEST(FolderKeys, whatIsNotUsedIsNotLookedAt) {
    test::SampleArchitecture greedy = latentSample("DeepseekV2ForCausalLM");
    greedy.config.update({{"n_group", 2}, {"topk_group", 1}, {"topk_method", "greedy"}});
    const formats::ModelFile deepseek = opened(greedy.files());
    EXPECT_EQ(deepseek.metadata.u32("deepseek2.expert_group_count").value_or(0), 1U);
    EXPECT_EQ(deepseek.metadata.u32("deepseek2.expert_group_used_count").value_or(0), 1U);
    const formats::ModelFile h1 = opened(with(test::falconH1Folder(), "mamba_expand", nullptr));
    EXPECT_EQ(h1.metadata.u32("falcon-h1.ssm.inner_size").value_or(0), 8U);
    // No limit, as Python's json writes it and as transformers does.
    FolderFiles endless = with(test::nemotronHFolder(), "time_step_limit", {0.0, "Infinity"});
    std::string& text = endless["config.json"];
    text.replace(text.find("\"Infinity\""), 10, "Infinity");
    opened(endless);
    opened(with(test::nemotronHFolder(), "time_step_limit", {0.0, {{"__float__", "Infinity"}}}));
    // The legacy name of Gemma 1.
    test::SampleArchitecture gemma("GemmaForCausalLM");
    gemma.decoder();
    gemma.gated("mlp");
    gemma.config["hidden_act"] = "gelu";
    opened(gemma.files());
    // An expert for every row that lies there, but is not stated.
    test::SampleArchitecture shared("GraniteMoeSharedForCausalLM");
    shared.decoder();
    shared.perLayer("block_sparse_moe.router.layer.weight", {2, 8});
    shared.perLayer("block_sparse_moe.input_linear.weight", {2, 32, 8});
    shared.perLayer("block_sparse_moe.output_linear.weight", {2, 8, 16});
    shared.perLayer("shared_mlp.input_linear.weight", {32, 8});
    shared.perLayer("shared_mlp.output_linear.weight", {8, 16});
    shared.config["num_local_experts"] = 2;
    const formats::ModelFile granite = opened(shared.files());
    EXPECT_TRUE(granite.find("blk.0.ffn_up_exps.weight"));
    for (const char* name : {"blk.0.ffn_up_shexp.weight", "blk.0.shared", "blk.0.shared_down"})
        EXPECT_FALSE(granite.find(name)) << name;
    shared.config["shared_intermediate_size"] = 16;
    EXPECT_TRUE(opened(shared.files()).find("blk.1.ffn_down_shexp.weight"));
}

/// Rows in the order that GGUF files have, and factors in the rows.
TEST(FolderKeys, rowsAreThoseOfGguf) {
    const formats::ModelFile falcon = opened(test::falconFolder());
    EXPECT_TRUE(falcon.joinsHeadsInGguf);
    const tensor::Tensor* keys = falcon.find("blk.1.attn_k.weight");
    ASSERT_TRUE(keys);
    EXPECT_EQ(keys->shape.numRows(), 4U);
    const formats::ModelFile plain = opened(with(test::falconH1Folder(), "key_multiplier", 1.0));
    formats::ModelFile scaled = opened(test::falconH1Folder());
    ASSERT_TRUE(scaled.expand(1));
    EXPECT_FALSE(plain.find("blk.0.attn_k.weight")->decoder);
    std::vector<float> one(8), other(8);
    plain.find("blk.0.attn_k.weight")->decodeRow(3, one);
    scaled.find("blk.0.attn_k.weight")->decodeRow(3, other);
    for (size_t i = 0; i < one.size(); ++i) EXPECT_EQ(other[i], one[i] * 0.5F);
}

}  // namespace
