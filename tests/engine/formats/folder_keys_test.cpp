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
        {with(nemotron, "hybrid_override_pattern", "M*-X"), "layers of the kind \"X\" are not supported"},
        {with(nemotron, "mlp_hidden_act", "silu"), "mlp_hidden_act \"silu\" is not supported"},
        {with(nemotron, "use_bias", true), "use_bias = true is not supported"},
        {named("OlmoForCausalLM", "hidden_act", "gelu"), "hidden_act \"gelu\" is not supported"},
        {named("ArceeForCausalLM", "hidden_act", "silu"), "hidden_act \"silu\" is not supported"},
        {named("AfmoeForCausalLM", "mup_enabled", false), "mup_enabled = false is not supported"},
        {named("Ernie4_5ForCausalLM", "use_bias", true), "use_bias = true is not supported"},
        {named("Ernie4_5_MoeForCausalLM", "moe_layer_end_index", 0), "moe_layer_end_index 0 of 2 layers"},
        {named("HunYuanDenseV1ForCausalLM", "use_cla", true), "use_cla = true is not supported"},
        {named("HunYuanMoEV1ForCausalLM", "moe_topk", {1, 2}), "moe_topk names other numbers than 1"},
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
