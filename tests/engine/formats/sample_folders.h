/// Small models as Hugging Face keeps them, for tests that read or damage them.
#pragma once

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/engine/formats/sample_files.h"
#include "tests/temporary_folder.h"

namespace ingle::test {

/// Name → contents of the files of a folder.
using FolderFiles = std::map<std::string, std::string>;

inline void writeFolder(const FolderFiles& files, const TemporaryFolder& folder) {
    for (const auto& [name, bytes] : files) std::ofstream(folder.file(name), std::ios::binary) << bytes;
}

/// Name → dimensions, the contiguous one last; all F32.
using FolderTensors = std::map<std::string, std::vector<uint64_t>>;

inline std::string safetensorsFile(const nlohmann::json& header, size_t numFloats) {
    const std::string text = header.dump();
    return ByteString().put(uint64_t{text.size()}).text(text).floats(numFloats).bytes();
}

inline std::string safetensorsFile(const FolderTensors& tensors) {
    nlohmann::json header = {{"__metadata__", {{"format", "pt"}}}};
    size_t numFloats = 0;
    for (const auto& [name, dims] : tensors) {
        size_t count = 1;
        for (const uint64_t dim : dims) count *= dim;
        header[name] = {{"dtype", "F32"},
                        {"shape", dims},
                        {"data_offsets", {numFloats * sizeof(float), (numFloats + count) * sizeof(float)}}};
        numFloats += count;
    }
    return safetensorsFile(header, numFloats);
}

/// One layer of two heads of four; experts, so that matrices of several tensors become one.
inline FolderTensors mixtralTensors() {
    FolderTensors tensors = {{"model.embed_tokens.weight", {300, 8}}, {"model.norm.weight", {8}}};
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
        tensors[layer + norm + ".weight"] = {8};
    for (const char* matrix : {"q_proj", "k_proj", "v_proj", "o_proj"})
        tensors[layer + "self_attn." + matrix + ".weight"] = {8, 8};
    tensors[layer + "block_sparse_moe.gate.weight"] = {2, 8};
    for (const char* expert : {"0", "1"}) {
        const std::string prefix = layer + "block_sparse_moe.experts." + expert;
        tensors[prefix + ".w1.weight"] = tensors[prefix + ".w3.weight"] = {16, 8};
        tensors[prefix + ".w2.weight"] = {8, 16};
    }
    return tensors;
}

inline nlohmann::json mixtralConfig() {
    return {{"architectures", {"MixtralForCausalLM"}},
            {"hidden_size", 8},
            {"intermediate_size", 16},
            {"num_hidden_layers", 1},
            {"num_attention_heads", 2},
            {"max_position_embeddings", 32},
            {"num_local_experts", 2},
            {"num_experts_per_tok", 1},
            {"rope_scaling",
             {{"rope_type", "llama3"},
              {"factor", 8.0},
              {"low_freq_factor", 1.0},
              {"high_freq_factor", 4.0},
              {"original_max_position_embeddings", 16}}},
            {"tie_word_embeddings", true}};
}

/// BPE with bytes, and a merge.
inline nlohmann::json piecesTokenizer() {
    nlohmann::json vocabulary = {{"<unk>", 0},    {"<s>", 1}, {"</s>", 2},
                                 {"\u2581", 259}, {"a", 260}, {"\u2581a", 261}};
    for (int byte = 0; byte < 256; ++byte) vocabulary[fmt::format("<0x{:02X}>", byte)] = 3 + byte;
    nlohmann::json added = nlohmann::json::array();
    for (const auto& [id, content] : {std::pair(0, "<unk>"), std::pair(1, "<s>"), std::pair(2, "</s>")})
        added.push_back({{"id", id}, {"content", content}, {"special", true}});
    return {{"added_tokens", added},
            {"normalizer",
             {{"type", "Sequence"},
              {"normalizers",
               {{{"type", "Prepend"}, {"prepend", "\u2581"}},
                {{"type", "Replace"}, {"pattern", {{"String", " "}}}, {"content", "\u2581"}}}}}},
            {"post_processor",
             {{"type", "TemplateProcessing"},
              {"single", {{{"SpecialToken", {{"id", "<s>"}}}}, {{"Sequence", {{"id", "A"}}}}}}}},
            {"model",
             {{"type", "BPE"}, {"unk_token", "<unk>"}, {"vocab", vocabulary}, {"merges", {"\u2581 a"}}}}};
}

inline FolderFiles mixtralFolder() {
    return {{"config.json", mixtralConfig().dump()},
            {"model.safetensors", safetensorsFile(mixtralTensors())},
            {"tokenizer.json", piecesTokenizer().dump()},
            {"tokenizer_config.json",
             R"({"bos_token": "<s>", "eos_token": {"content": "</s>"}, "chat_template": "{{ messages }}"})"},
            {"generation_config.json", R"({"eos_token_id": [2, 261], "temperature": 0.6, "top_k": 20})"}};
}

/// The same in parts with an index: every second tensor in the second file.
inline FolderFiles shardedFolder() {
    FolderFiles files = mixtralFolder();
    files.erase("model.safetensors");
    FolderTensors parts[2];
    nlohmann::json index;
    const std::string names[2] = {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"};
    size_t number = 0;
    for (const auto& [name, dims] : mixtralTensors()) {
        const size_t part = number++ % 2;
        parts[part][name] = dims;
        index["weight_map"][name] = names[part];
    }
    for (const size_t part : {0U, 1U}) files[names[part]] = safetensorsFile(parts[part]);
    files["model.safetensors.index.json"] = index.dump();
    return files;
}

}  // namespace ingle::test
