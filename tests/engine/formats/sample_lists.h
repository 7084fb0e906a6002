/// Small models of folders whose vocabularies are lists, for tests that read or damage them.
#pragma once

#include "engine/base/byte_alphabet.h"
#include "tests/engine/formats/sample_folders.h"

namespace ingle::test {

/// One layer of Qwen2, with a vocabulary of all bytes, "ab" and a token that is no text.
inline FolderFiles qwenFolder() {
    FolderTensors tensors = {{"model.embed_tokens.weight", {258, 8}}, {"model.norm.weight", {8}}};
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
        tensors[layer + norm + ".weight"] = {8};
    for (const char* matrix : {"q_proj", "k_proj", "v_proj", "o_proj"})
        tensors[layer + "self_attn." + matrix + ".weight"] = {8, 8};
    for (const char* matrix : {"q_proj", "k_proj", "v_proj"})
        tensors[layer + "self_attn." + matrix + ".bias"] = {8};
    tensors[layer + "mlp.gate_proj.weight"] = tensors[layer + "mlp.up_proj.weight"] = {16, 8};
    tensors[layer + "mlp.down_proj.weight"] = {8, 16};
    const nlohmann::json config = {{"architectures", {"Qwen2ForCausalLM"}},
                                   {"hidden_size", 8},
                                   {"intermediate_size", 16},
                                   {"num_hidden_layers", 1},
                                   {"num_attention_heads", 2},
                                   {"max_position_embeddings", 32},
                                   {"tie_word_embeddings", true}};
    return {{"config.json", config.dump()}, {"model.safetensors", safetensorsFile(tensors)}};
}

/// vocab.json, merges.txt and what names its special token.
inline FolderFiles mergesFolder() {
    FolderFiles files = qwenFolder();
    nlohmann::json vocabulary;
    for (int byte = 0; byte < 256; ++byte) vocabulary[base::byteAlphabet()[static_cast<size_t>(byte)]] = byte;
    vocabulary["ab"] = 256;
    files["vocab.json"] = vocabulary.dump();
    files["merges.txt"] = "#version: 0.2\na b\n";
    files["added_tokens.json"] = R"({"<|end|>": 257})";
    files["special_tokens_map.json"] = R"({"eos_token": {"content": "<|end|>"}})";
    return files;
}

/// The same as tiktoken has it.
inline FolderFiles tiktokenFolder() {
    constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    FolderFiles files = qwenFolder();
    std::string lines;
    for (size_t byte = 0; byte < 256; ++byte)
        lines += fmt::format("{}{}== {}\n", kDigits[byte >> 2], kDigits[(byte & 3) << 4], byte);
    files["tokenizer.model"] = lines + "YWI= 256\n";
    files["tokenizer_config.json"] =
        R"({"eos_token": "<|end|>", "added_tokens_decoder": {"257": {"content": "<|end|>", "special": true}}})";
    return files;
}

/// One layer of BERT with vocab.txt, and what says how its rows are pooled.
inline FolderFiles bertFolder() {
    FolderTensors tensors = {{"embeddings.word_embeddings.weight", {8, 8}},
                             {"embeddings.position_embeddings.weight", {16, 8}},
                             {"embeddings.token_type_embeddings.weight", {2, 8}}};
    const auto add = [&](const std::string& name, uint64_t rows, uint64_t columns) {
        tensors[name + ".bias"] = {rows};
        tensors[name + ".weight"] = columns ? std::vector<uint64_t>{rows, columns} : std::vector{rows};
    };
    const std::string layer = "encoder.layer.0.";
    for (const char* matrix : {"self.query", "self.key", "self.value", "output.dense"})
        add(layer + "attention." + matrix, 8, 8);
    add(layer + "intermediate.dense", 16, 8);
    add(layer + "output.dense", 8, 16);
    for (const std::string& norm : {layer + "attention.output", layer + "output", std::string("embeddings")})
        add(norm + ".LayerNorm", 8, 0);
    const nlohmann::json config = {{"architectures", {"BertModel"}}, {"hidden_size", 8},
                                   {"intermediate_size", 16},        {"num_hidden_layers", 1},
                                   {"num_attention_heads", 2},       {"max_position_embeddings", 16}};
    return {{"config.json", config.dump()},
            {"model.safetensors", safetensorsFile(tensors)},
            {"vocab.txt", "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\n##lo\nw\n,\n"},
            {"modules.json", R"([{"type": "sentence_transformers.models.Transformer", "path": ""},
                                 {"type": "sentence_transformers.models.Normalize", "path": "2_Normalize"}])"}};
}

}  // namespace ingle::test
