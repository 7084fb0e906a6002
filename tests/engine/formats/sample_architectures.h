/// A small folder of each architecture whose tensors are read otherwise than they lie, for tests that damage
/// them.
#pragma once

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "tests/engine/formats/sample_folders.h"

namespace ingle::test {

/// Of rows of eight numbers, two heads of four and 300 tokens, as far as the architecture lets choose.
class SampleArchitecture {
  public:
    static constexpr uint64_t kWidth = 8, kFfn = 16, kTokens = 300;

    explicit SampleArchitecture(const char* name, uint32_t numLayers = 2) : m_numLayers(numLayers) {
        config = {{"architectures", {name}},
                  {"hidden_size", kWidth},
                  {"intermediate_size", kFfn},
                  {"num_hidden_layers", numLayers},
                  {"num_attention_heads", 2},
                  {"num_key_value_heads", 2},
                  {"head_dim", 4},
                  {"max_position_embeddings", 32},
                  {"tie_word_embeddings", false}};
    }

    void add(const std::string& name, std::vector<uint64_t> dims) { tensors[name] = std::move(dims); }
    /// "model.layers.<each>.<part>"
    void perLayer(const std::string& part, const std::vector<uint64_t>& dims,
                  const std::string& begin = "model.layers.") {
        for (uint32_t i = 0; i < m_numLayers; ++i) add(begin + std::to_string(i) + "." + part, dims);
    }
    void decoder(const char* output = "lm_head.weight") {
        add("model.embed_tokens.weight", {kTokens, kWidth});
        add("model.norm.weight", {kWidth});
        if (output) add(output, {kTokens, kWidth});
        for (const char* norm : {"input_layernorm.weight", "post_attention_layernorm.weight"})
            perLayer(norm, {kWidth});
        for (const char* matrix : {"q_proj", "k_proj", "v_proj", "o_proj"})
            perLayer(std::string("self_attn.") + matrix + ".weight", {kWidth, kWidth});
    }
    void gated(const std::string& at, uint64_t width = kFfn) {
        perLayer(at + ".gate_proj.weight", {width, kWidth});
        perLayer(at + ".up_proj.weight", {width, kWidth});
        perLayer(at + ".down_proj.weight", {kWidth, width});
    }
    void withBias(const std::string& part, uint64_t out, uint64_t in, const std::string& begin) {
        perLayer(part + ".weight", {out, in}, begin);
        perLayer(part + ".bias", {out}, begin);
    }
    FolderFiles files() const {
        FolderFiles files = mixtralFolder();
        files["config.json"] = config.dump();
        files["model.safetensors"] = safetensorsFile(tensors);
        return files;
    }

    nlohmann::json config;
    FolderTensors tensors;

  private:
    uint32_t m_numLayers;
};

inline FolderFiles llama4Folder() {
    SampleArchitecture sample("Llama4ForCausalLM");
    sample.config.update(
        {{"num_local_experts", 2}, {"intermediate_size_mlp", 16}, {"interleave_moe_layer_step", 1}});
    sample.decoder();
    sample.perLayer("feed_forward.router.weight", {2, 8});
    sample.perLayer("feed_forward.experts.gate_up_proj", {2, 8, 32});
    sample.perLayer("feed_forward.experts.down_proj", {2, 16, 8});
    sample.gated("feed_forward.shared_expert");
    return sample.files();
}

inline FolderFiles internLm2Folder() {
    SampleArchitecture sample("InternLM2ForCausalLM");
    sample.config["num_key_value_heads"] = 1;
    sample.add("model.tok_embeddings.weight", {300, 8});
    sample.add("model.norm.weight", {8});
    sample.add("output.weight", {300, 8});
    sample.perLayer("attention.wqkv.weight", {16, 8});
    sample.perLayer("attention.wo.weight", {8, 8});
    for (const char* norm : {"attention_norm.weight", "ffn_norm.weight"}) sample.perLayer(norm, {8});
    for (const char* matrix : {"w1", "w3"})
        sample.perLayer(std::string("feed_forward.") + matrix + ".weight", {16, 8});
    sample.perLayer("feed_forward.w2.weight", {8, 16});
    return sample.files();
}

inline FolderFiles qwen3VlMoeFolder() {
    SampleArchitecture sample("Qwen3VLMoeForConditionalGeneration");
    sample.config.update({{"num_experts", 2}, {"num_experts_per_tok", 1}, {"moe_intermediate_size", 16}});
    sample.decoder();
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"})
        sample.perLayer(norm, {4});
    sample.perLayer("mlp.gate.weight", {2, 8});
    sample.perLayer("mlp.experts.gate_up_proj", {2, 8, 32});
    sample.perLayer("mlp.experts.down_proj", {2, 16, 8});
    return sample.files();
}

/// Of more than 20 layers, whose last ones have no keys and values of their own.
inline FolderFiles gemma3nFolder(uint32_t numLayers = 11) {
    constexpr uint64_t kOwn = 256, kWithKeys = 20;
    const uint32_t numShared = numLayers - std::min<uint32_t>(numLayers, kWithKeys);
    SampleArchitecture sample("Gemma3nForCausalLM", numLayers);
    sample.config.update({{"num_kv_shared_layers", numShared}, {"tie_word_embeddings", true}});
    sample.decoder(nullptr);
    sample.add("model.embed_tokens_per_layer.weight", {10, numLayers * kOwn});
    sample.add("model.per_layer_model_projection.weight", {numLayers * kOwn, 8});
    sample.add("model.per_layer_projection_norm.weight", {kOwn});
    for (const char* stream : {"0", "1", "2"}) {
        sample.add(std::string("model.altup_projections.") + stream + ".weight", {8, 8});
        sample.add(std::string("model.altup_unembed_projections.") + stream + ".weight", {8, 8});
    }
    for (const char* norm : {"pre_feedforward_layernorm", "post_feedforward_layernorm",
                             "post_per_layer_input_norm", "altup.router_norm", "laurel.post_laurel_norm"})
        sample.perLayer(std::string(norm) + ".weight", {8});
    for (const char* norm : {"self_attn.q_norm.weight", "self_attn.k_norm.weight"})
        sample.perLayer(norm, {4});
    sample.gated("mlp");
    sample.perLayer("altup.correct_output_scale", {8});
    sample.perLayer("altup.correction_coefs.weight", {4, 4});
    sample.perLayer("altup.prediction_coefs.weight", {16, 4});
    sample.perLayer("altup.modality_router.weight", {4, 8});
    sample.perLayer("laurel.linear_left.weight", {64, 8});
    sample.perLayer("laurel.linear_right.weight", {8, 64});
    sample.perLayer("per_layer_input_gate.weight", {kOwn, 8});
    sample.perLayer("per_layer_projection.weight", {8, kOwn});
    for (uint32_t layer = kWithKeys; layer < numLayers; ++layer)
        for (const char* part : {"k_proj", "v_proj", "k_norm"})
            sample.tensors.erase(fmt::format("model.layers.{}.self_attn.{}.weight", layer, part));
    return sample.files();
}

/// As MLX writes it.
inline FolderFiles qwen3NextFolder() {
    SampleArchitecture sample("Qwen3NextForCausalLM", 4);
    sample.config.update({{"num_experts", 2},
                          {"num_experts_per_tok", 1},
                          {"moe_intermediate_size", 16},
                          {"shared_expert_intermediate_size", 16},
                          {"partial_rotary_factor", 0.5},
                          {"linear_num_key_heads", 1},
                          {"linear_num_value_heads", 2},
                          {"linear_key_head_dim", 4},
                          {"linear_value_head_dim", 4},
                          {"linear_conv_kernel_dim", 4}});
    sample.decoder();
    sample.perLayer("mlp.gate.weight", {2, 8});
    sample.perLayer("mlp.shared_expert_gate.weight", {1, 8});
    sample.gated("mlp.shared_expert");
    for (const char* matrix : {"gate_proj", "up_proj"})
        sample.perLayer(std::string("mlp.switch_mlp.") + matrix + ".weight", {2, 16, 8});
    sample.perLayer("mlp.switch_mlp.down_proj.weight", {2, 8, 16});
    std::erase_if(sample.tensors, [](const auto& tensor) {
        return tensor.first.find("self_attn") != std::string::npos &&
               tensor.first.find("layers.3.") == std::string::npos;
    });
    const std::string last = "model.layers.3.self_attn.";
    sample.add(last + "q_proj.weight", {16, 8});
    for (const char* norm : {"q_norm.weight", "k_norm.weight"}) sample.add(last + norm, {4});
    for (const char* layer : {"0", "1", "2"}) {
        const std::string at = std::string("model.layers.") + layer + ".linear_attn.";
        sample.add(at + "in_proj_qkvz.weight", {24, 8});
        sample.add(at + "in_proj_ba.weight", {4, 8});
        sample.add(at + "conv1d.weight", {16, 4, 1});
        sample.add(at + "A_log", {2});
        sample.add(at + "dt_bias", {2});
        sample.add(at + "norm.weight", {4});
        sample.add(at + "out_proj.weight", {8, 8});
    }
    return sample.files();
}

/// Matrices that lie transposed, queries, keys and values in one.
inline FolderFiles gpt2Folder() {
    SampleArchitecture sample("GPT2LMHeadModel");
    const std::string begin = "transformer.h.";
    sample.config.update(
        {{"n_embd", 8}, {"n_inner", 16}, {"n_layer", 2}, {"n_head", 2}, {"n_positions", 32}});
    sample.config["tie_word_embeddings"] = true;
    sample.add("transformer.wte.weight", {300, 8});
    sample.add("transformer.wpe.weight", {32, 8});
    for (const char* part : {"ln_f.weight", "ln_f.bias"}) sample.add(std::string("transformer.") + part, {8});
    for (const char* part : {"ln_1.weight", "ln_1.bias", "ln_2.weight", "ln_2.bias"})
        sample.perLayer(part, {8}, begin);
    const auto dense = [&](const std::string& part, uint64_t in, uint64_t out) {
        sample.perLayer(part + ".weight", {in, out}, begin);
        sample.perLayer(part + ".bias", {out}, begin);
    };
    dense("attn.c_attn", 8, 24);
    dense("attn.c_proj", 8, 8);
    dense("mlp.c_fc", 8, 16);
    dense("mlp.c_proj", 16, 8);
    return sample.files();
}

/// Queries, keys and values by heads of keys.
inline FolderFiles falconFolder() {
    SampleArchitecture sample("FalconForCausalLM");
    const std::string begin = "transformer.h.";
    sample.config.update({{"new_decoder_architecture", true}, {"num_kv_heads", 1}, {"ffn_hidden_size", 16}});
    sample.config["tie_word_embeddings"] = true;
    sample.add("transformer.word_embeddings.weight", {300, 8});
    for (const char* part : {"weight", "bias"}) {
        sample.add(std::string("transformer.ln_f.") + part, {8});
        for (const char* norm : {"ln_attn.", "ln_mlp."})
            sample.perLayer(std::string(norm) + part, {8}, begin);
    }
    sample.perLayer("self_attention.query_key_value.weight", {16, 8}, begin);
    sample.perLayer("self_attention.dense.weight", {8, 8}, begin);
    sample.perLayer("mlp.dense_h_to_4h.weight", {16, 8}, begin);
    sample.perLayer("mlp.dense_4h_to_h.weight", {8, 16}, begin);
    return sample.files();
}

/// Rows that are multiplied by what the configuration states.
inline FolderFiles falconH1Folder() {
    SampleArchitecture sample("FalconH1ForCausalLM");
    sample.config.update({{"mamba_d_ssm", 8},
                          {"mamba_n_heads", 2},
                          {"mamba_d_state", 4},
                          {"embedding_multiplier", 2.5},
                          {"key_multiplier", 0.5},
                          {"mlp_multipliers", {1.5, 0.5}},
                          {"ssm_multipliers", {0.5, 0.25, 0.5, 0.75, 1.5}}});
    sample.decoder();
    sample.gated("feed_forward");
    sample.perLayer("pre_ff_layernorm.weight", {8});
    for (const char* layer : {"0", "1"})
        sample.tensors.erase(fmt::format("model.layers.{}.post_attention_layernorm.weight", layer));
    sample.tensors["model.final_layernorm.weight"] = {8};
    sample.tensors.erase("model.norm.weight");
    sample.perLayer("mamba.in_proj.weight", {26, 8});
    sample.perLayer("mamba.conv1d.weight", {16, 1, 4});
    sample.perLayer("mamba.conv1d.bias", {16});
    for (const char* part : {"A_log", "D", "dt_bias"}) sample.perLayer(std::string("mamba.") + part, {2});
    sample.perLayer("mamba.out_proj.weight", {8, 8});
    return sample.files();
}

/// One half in each layer, told by letters.
inline FolderFiles nemotronHFolder() {
    SampleArchitecture sample("NemotronHForCausalLM", 4);
    sample.config.update({{"hybrid_override_pattern", "M*-E"},
                          {"mamba_num_heads", 2},
                          {"mamba_head_dim", 4},
                          {"n_groups", 1},
                          {"ssm_state_size", 4},
                          {"n_routed_experts", 2},
                          {"num_experts_per_tok", 1},
                          {"moe_intermediate_size", 16},
                          {"moe_shared_expert_intermediate_size", 16}});
    const std::string begin = "backbone.layers.";
    sample.add("backbone.embeddings.weight", {300, 8});
    sample.add("backbone.norm_f.weight", {8});
    sample.add("lm_head.weight", {300, 8});
    sample.perLayer("norm.weight", {8}, begin);
    const std::map<std::string, std::vector<uint64_t>> parts = {
        {"0.mixer.in_proj.weight", {26, 8}},
        {"0.mixer.conv1d.weight", {16, 1, 4}},
        {"0.mixer.conv1d.bias", {16}},
        {"0.mixer.A_log", {2}},
        {"0.mixer.D", {2}},
        {"0.mixer.dt_bias", {2}},
        {"0.mixer.norm.weight", {8}},
        {"0.mixer.out_proj.weight", {8, 8}},
        {"1.mixer.q_proj.weight", {8, 8}},
        {"1.mixer.k_proj.weight", {8, 8}},
        {"1.mixer.v_proj.weight", {8, 8}},
        {"1.mixer.o_proj.weight", {8, 8}},
        {"2.mixer.up_proj.weight", {16, 8}},
        {"2.mixer.down_proj.weight", {8, 16}},
        {"3.mixer.gate.weight", {2, 8}},
        {"3.mixer.gate.e_score_correction_bias", {2}},
        {"3.mixer.experts.0.up_proj.weight", {16, 8}},
        {"3.mixer.experts.0.down_proj.weight", {8, 16}},
        {"3.mixer.experts.1.up_proj.weight", {16, 8}},
        {"3.mixer.experts.1.down_proj.weight", {8, 16}},
        {"3.mixer.shared_experts.up_proj.weight", {16, 8}},
        {"3.mixer.shared_experts.down_proj.weight", {8, 16}}};
    for (const auto& [part, dims] : parts) sample.add(begin + part, dims);
    return sample.files();
}

inline FolderFiles nomicExpertsFolder() {
    SampleArchitecture sample("NomicBertModel");
    const std::string begin = "encoder.layers.";
    sample.config.update({{"n_embd", 8},
                          {"n_inner", 16},
                          {"n_layer", 2},
                          {"n_head", 2},
                          {"n_positions", 32},
                          {"activation_function", "gelu"},
                          {"num_experts", 2},
                          {"moe_top_k", 1},
                          {"type_vocab_size", 1},
                          {"moe_every_n_layers", 2}});
    sample.add("embeddings.word_embeddings.weight", {300, 8});
    sample.add("embeddings.token_type_embeddings.weight", {1, 8});
    for (const char* part : {"emb_ln.weight", "emb_ln.bias"}) sample.add(part, {8});
    sample.withBias("attn.Wqkv", 24, 8, begin);
    sample.withBias("attn.out_proj", 8, 8, begin);
    for (const char* part : {"norm1.weight", "norm1.bias", "norm2.weight", "norm2.bias"})
        sample.perLayer(part, {8}, begin);
    for (const auto& [part, dims] : std::map<std::string, std::vector<uint64_t>>{
             {"fc1.weight", {16, 8}}, {"fc1.bias", {16}}, {"fc2.weight", {8, 16}}, {"fc2.bias", {8}}})
        sample.add(begin + "0.mlp." + part, dims);
    sample.add(begin + "1.mlp.router.layer.weight", {2, 8});
    for (const char* part : {"w1", "w2"}) sample.add(begin + "1.mlp.experts.mlp." + part, {32, 8});
    sample.add(begin + "1.mlp.experts.bias", {8});
    return sample.files();
}

inline FolderFiles jina2Folder() {
    SampleArchitecture sample("JinaBertForMaskedLM");
    const std::string begin = "encoder.layer.";
    sample.add("embeddings.word_embeddings.weight", {300, 8});
    sample.add("embeddings.token_type_embeddings.weight", {2, 8});
    for (const char* part : {"embeddings.LayerNorm.weight", "embeddings.LayerNorm.bias"})
        sample.add(part, {8});
    for (const char* part : {"self.query", "self.key", "self.value", "output.dense"})
        sample.withBias(std::string("attention.") + part, 8, 8, begin);
    for (const char* norm : {"attention.self.layer_norm_q", "attention.self.layer_norm_k",
                             "attention.output.LayerNorm", "layer_norm_1", "layer_norm_2"})
        for (const char* part : {".weight", ".bias"}) sample.perLayer(std::string(norm) + part, {8}, begin);
    sample.perLayer("mlp.up_gated_layer.weight", {32, 8}, begin);
    sample.withBias("mlp.down_layer", 8, 16, begin);
    return sample.files();
}

/// What makes rows of numbers and what writes.
inline std::map<std::string, FolderFiles> writerFolders() {
    return {
        {"Llama 4", llama4Folder()},   {"InternLM2", internLm2Folder()},  {"Qwen3-VL", qwen3VlMoeFolder()},
        {"Gemma 3n", gemma3nFolder()}, {"Qwen3-Next", qwen3NextFolder()}, {"GPT-2", gpt2Folder()},
        {"Falcon", falconFolder()},    {"Falcon-H1", falconH1Folder()},   {"Nemotron 3", nemotronHFolder()}};
}
inline std::map<std::string, FolderFiles> encoderFolders() {
    return {{"Nomic Embed 2", nomicExpertsFolder()}, {"Jina 2", jina2Folder()}};
}

}  // namespace ingle::test
