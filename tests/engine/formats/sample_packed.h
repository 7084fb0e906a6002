/// Small models with packed weights, for tests that read or damage them. What the weights stand for is for
/// tests/folders to judge.
#pragma once

#include <array>

#include "tests/engine/formats/sample_folders.h"

namespace ingle::test {

struct PackedTensor {
    std::string type;
    std::vector<uint64_t> dims;
    std::string bytes;
};
using PackedTensors = std::map<std::string, PackedTensor>;

inline std::string packedFile(const PackedTensors& tensors) {
    nlohmann::json header = nlohmann::json::object();
    std::string data;
    for (const auto& [name, tensor] : tensors) {
        header[name] = {{"dtype", tensor.type},
                        {"shape", tensor.dims},
                        {"data_offsets", {data.size(), data.size() + tensor.bytes.size()}}};
        data += tensor.bytes;
    }
    const std::string text = header.dump();
    return ByteString().put(uint64_t{text.size()}).text(text).text(data).bytes();
}

/// A tensor that repeats the bytes of one number.
template <typename T>
PackedTensor filled(std::string type, std::vector<uint64_t> dims, T value) {
    PackedTensor tensor{std::move(type), std::move(dims), {}};
    uint64_t count = 1;
    for (const uint64_t dim : tensor.dims) count *= dim;
    ByteString bytes;
    for (uint64_t i = 0; i < count; ++i) bytes.put(value);
    tensor.bytes = bytes.bytes();
    return tensor;
}

constexpr uint16_t kScale = 0x2400;  // 1/64 as a half

/// Adds what stands for a matrix.
using Pack = void (*)(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns);

/// Groups of 32 columns, every second one of the first 64, and so on.
inline void packGptq(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    const uint64_t groups = columns / 32;
    tensors[module + ".qweight"] = filled("I32", {columns / 8, rows}, uint32_t{0x53A7691C});
    tensors[module + ".qzeros"] = filled("I32", {groups, rows / 8}, uint32_t{0x77777777});
    tensors[module + ".scales"] = filled("F16", {groups, rows}, kScale);
    ByteString index;
    for (uint64_t i = 0; i < columns; ++i) index.put(static_cast<uint32_t>(i % groups));
    tensors[module + ".g_idx"] = {"I32", {columns}, index.bytes()};
}

inline void packAwq(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    tensors[module + ".qweight"] = filled("I32", {columns, rows / 8}, uint32_t{0x53A7691C});
    tensors[module + ".qzeros"] = filled("I32", {columns / 32, rows / 8}, uint32_t{0x88888888});
    tensors[module + ".scales"] = filled("F16", {columns / 32, rows}, kScale);
}

inline void packCompressed(PackedTensors& tensors, const std::string& module, uint64_t rows,
                           uint64_t columns) {
    tensors[module + ".weight_packed"] = filled("I32", {rows, columns / 8}, uint32_t{0x53A7691C});
    tensors[module + ".weight_zero_point"] = filled("I32", {rows / 8, columns / 32}, uint32_t{0x88888888});
    tensors[module + ".weight_scale"] = filled("F16", {rows, columns / 32}, kScale);
    tensors[module + ".weight_shape"] = {"I64", {2}, ByteString().put(rows).put(columns).bytes()};
}

inline void packFp8(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    tensors[module + ".weight"] = filled("F8_E4M3", {rows, columns}, uint8_t{0x31});
    tensors[module + ".weight_scale_inv"] = filled("F32", {(rows + 31) / 32, (columns + 31) / 32}, 0.125F);
}

/// NVIDIA's.
inline void packNvfp4(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    tensors[module + ".weight"] = filled("U8", {rows, columns / 2}, uint8_t{0x53});
    tensors[module + ".weight_scale"] = filled("F8_E4M3", {rows, columns / 16}, uint8_t{0x31});
    tensors[module + ".weight_scale_2"] = filled("F32", {}, 0.125F);
}

inline void packMlx(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    tensors[module + ".weight"] = filled("U32", {rows, columns / 8}, uint32_t{0x53A7691C});
    tensors[module + ".scales"] = filled("F16", {rows, columns / 32}, kScale);
    tensors[module + ".biases"] = filled("F16", {rows, columns / 32}, kScale);
}

/// Of six bits.
inline void packWideMlx(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    packMlx(tensors, module, rows, columns);
    tensors[module + ".weight"] = filled("U32", {rows, columns * 6 / 32}, uint32_t{0x53A7691C});
}

/// Of floats of four bits.
inline void packMlxFloats(PackedTensors& tensors, const std::string& module, uint64_t rows,
                          uint64_t columns) {
    tensors[module + ".weight"] = filled("U32", {rows, columns / 8}, uint32_t{0x53A7691C});
    tensors[module + ".scales"] = filled("U8", {rows, columns / 32}, uint8_t{120});
}

/// What is largest in each block of 64 packed, too.
inline void packNf4(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    const std::string name = module + ".weight";
    const uint64_t blocks = rows * columns / 64;
    tensors[name] = filled("U8", {rows * columns / 2, 1}, uint8_t{0x53});
    tensors[name + ".absmax"] = filled("U8", {blocks}, uint8_t{200});
    tensors[name + ".nested_absmax"] = filled("F32", {(blocks + 255) / 256}, 0.5F);
    tensors[name + ".nested_quant_map"] = filled("F32", {256}, 0.25F);
    tensors[name + ".quant_map"] = filled("F32", {16}, 0.5F);
    const std::string state =
        nlohmann::json{{"quant_type", "nf4"},      {"blocksize", 64},         {"dtype", "bfloat16"},
                       {"shape", {rows, columns}}, {"nested_blocksize", 256}, {"nested_offset", 0.125}}
            .dump();
    tensors[name + ".quant_state.bitsandbytes__nf4"] = {"U8", {state.size()}, state};
}

inline void packInt8(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    tensors[module + ".weight"] = filled("I8", {rows, columns}, uint8_t{0x53});
    tensors[module + ".SCB"] = filled("F32", {rows}, 0.5F);
}

/// One layer of two heads of dim / 2.
inline FolderFiles packedFolder(Pack pack, const nlohmann::json& settings, uint64_t dim = 32,
                                const char* key = "quantization_config") {
    const uint64_t ffn = 64;
    PackedTensors tensors;
    tensors["model.embed_tokens.weight"] = filled("F32", {300, dim}, 0.5F);
    tensors["model.norm.weight"] = filled("F32", {dim}, 1.0F);
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
        tensors[layer + norm + ".weight"] = filled("F32", {dim}, 1.0F);
    for (const char* matrix : {"q_proj", "k_proj", "v_proj", "o_proj"})
        pack(tensors, layer + "self_attn." + matrix, dim, dim);
    for (const char* matrix : {"gate_proj", "up_proj"}) pack(tensors, layer + "mlp." + matrix, ffn, dim);
    pack(tensors, layer + "mlp.down_proj", dim, ffn);
    nlohmann::json config = mixtralConfig();
    config["architectures"] = {"LlamaForCausalLM"};
    config["hidden_size"] = dim;
    config["intermediate_size"] = ffn;
    config[key] = settings;
    return {{"config.json", config.dump()},
            {"model.safetensors", packedFile(tensors)},
            {"tokenizer.json", piecesTokenizer().dump()}};
}

/// gpt-oss: one layer, two experts.
inline FolderFiles packedExpertsFolder() {
    constexpr uint64_t kDim = 32, kExperts = 2;
    PackedTensors tensors;
    const auto floats = [&](const std::string& name, std::vector<uint64_t> dims) {
        tensors[name] = filled("F32", std::move(dims), 0.5F);
    };
    const auto pack = [&](const std::string& name, uint64_t rows) {
        tensors[name + "_blocks"] = filled("U8", {kExperts, rows, kDim / 32, 16}, uint8_t{0x53});
        tensors[name + "_scales"] = filled("U8", {kExperts, rows, kDim / 32}, uint8_t{121});
        floats(name + "_bias", {kExperts, rows});
    };
    floats("model.embed_tokens.weight", {300, kDim});
    floats("model.norm.weight", {kDim});
    const std::string layer = "model.layers.0.";
    for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
        floats(layer + norm + ".weight", {kDim});
    for (const char* matrix : {"q_proj", "k_proj", "v_proj", "o_proj"}) {
        floats(layer + "self_attn." + matrix + ".weight", {kDim, kDim});
        floats(layer + "self_attn." + matrix + ".bias", {kDim});
    }
    floats(layer + "self_attn.sinks", {2});
    floats(layer + "mlp.router.weight", {kExperts, kDim});
    floats(layer + "mlp.router.bias", {kExperts});
    pack(layer + "mlp.experts.gate_up_proj", 2 * kDim);
    pack(layer + "mlp.experts.down_proj", kDim);
    nlohmann::json config = mixtralConfig();
    config["architectures"] = {"GptOssForCausalLM"};
    config["hidden_size"] = config["intermediate_size"] = kDim;
    config["sliding_window"] = 8;
    config["quantization_config"] = {{"quant_method", "mxfp4"}};
    return {{"config.json", config.dump()},
            {"model.safetensors", packedFile(tensors)},
            {"tokenizer.json", piecesTokenizer().dump()}};
}

inline FolderFiles gptqFolder() {
    return packedFolder(packGptq, {{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 32}});
}

/// One of each way.
inline std::map<std::string, FolderFiles> packedFolders() {
    return {{"gptq", gptqFolder()},
            {"awq", packedFolder(packAwq, {{"quant_method", "awq"}, {"version", "gemm"}})},
            {"compressed-tensors", packedFolder(packCompressed, {{"quant_method", "compressed-tensors"},
                                                                 {"format", "pack-quantized"}})},
            {"fp8", packedFolder(packFp8, {{"quant_method", "fp8"}, {"weight_block_size", {32, 32}}})},
            {"modelopt", packedFolder(packNvfp4, {{"quant_method", "modelopt"}}, 64)},
            {"mlx", packedFolder(packMlx, {{"group_size", 32}}, 32, "quantization")},
            {"mlx6", packedFolder(packWideMlx, {{"group_size", 32}}, 32, "quantization")},
            {"mlx-mxfp4",
             packedFolder(packMlxFloats, {{"group_size", 32}, {"mode", "mxfp4"}}, 32, "quantization")},
            {"nf4", packedFolder(packNf4, {{"quant_method", "bitsandbytes"}})},
            {"int8", packedFolder(packInt8, {{"quant_method", "bitsandbytes"}})},
            {"mxfp4", packedExpertsFolder()}};
}

}  // namespace ingle::test
