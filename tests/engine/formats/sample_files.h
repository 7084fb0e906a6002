/// Small valid files of every format, for tests that read or damage them.
#pragma once

#include <cstdint>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include "engine/formats/gguf_writer.h"

namespace ingle::test {

/// Appends little-endian fields.
class ByteString {
  public:
    template <typename T>
    ByteString& put(T value) {
        char bytes[sizeof value];
        std::memcpy(bytes, &value, sizeof value);
        m_bytes.append(bytes, sizeof bytes);
        return *this;
    }
    ByteString& text(std::string_view text) {
        m_bytes += text;
        return *this;
    }
    /// As GGUF stores strings.
    ByteString& countedText(std::string_view counted) { return put(uint64_t{counted.size()}).text(counted); }
    ByteString& floats(size_t count) {
        for (size_t i = 0; i < count; ++i) put(0.01F * static_cast<float>(i % 17) - 0.08F);
        return *this;
    }
    const std::string& bytes() const { return m_bytes; }

  private:
    std::string m_bytes;
};

/// One rwkv.cpp tensor record with float32 data.
inline void putRwkvTensor(ByteString& file, std::string_view name, const std::vector<uint32_t>& dims) {
    file.put(static_cast<uint32_t>(dims.size())).put(static_cast<uint32_t>(name.size())).put(uint32_t{0});
    size_t elems = 1;
    for (const uint32_t dim : dims) {
        file.put(dim);
        elems *= dim;
    }
    file.text(name).floats(elems);
}

/// The tensors of an RWKV layer that take part in time mixing, by version; width 8, two heads of 4.
inline void putRwkvTimeMix(ByteString& file, int version, int layer) {
    const auto put = [&](const char* name, const std::vector<uint32_t>& dims) {
        putRwkvTensor(file, "blocks." + std::to_string(layer) + ".att." + name, dims);
    };
    for (const char* matrix : {"key.weight", "value.weight", "receptance.weight", "output.weight"})
        put(matrix, {8, 8});
    if (version >= 5) {
        put("ln_x.weight", {8});
        put("ln_x.bias", {8});
    }
    if (version == 5 || version == 6) put("gate.weight", {8, 8});
    if (version <= 5) {
        for (const char* mix : {"time_mix_k", "time_mix_v", "time_mix_r"}) put(mix, {8});
    }
    switch (version) {
        case 4:
            put("time_decay", {8});
            put("time_first", {8});
            break;
        case 5:
            put("time_mix_g", {8});
            put("time_decay", {1, 4, 2});
            put("time_faaaa", {1, 4, 2});
            break;
        case 6:
            for (const char* mix : {"x", "w", "k", "v", "r", "g"})
                put((std::string("time_maa_") + mix).c_str(), {8});
            put("time_maa_w1", {8, 15});
            put("time_maa_w2", {3, 8, 5});
            put("time_decay", {1, 4, 2});
            put("time_decay_w1", {8, 2});
            put("time_decay_w2", {2, 8});
            put("time_faaaa", {1, 4, 2});
            break;
        default:
            put("x_rwkvag", {8, 1, 6});
            for (const char* letter : {"w", "a", "v", "g"}) {
                if (layer == 0 && *letter == 'v') continue;
                if (*letter != 'g') put((std::string(letter) + "0").c_str(), {8, 1, 1});
                put((std::string(letter) + "1").c_str(), {8, 3});
                put((std::string(letter) + "2").c_str(), {3, 8});
            }
            put("k_k", {8, 1, 1});
            put("k_a", {8, 1, 1});
            put("r_k", {4, 2});
    }
}

/// A complete RWKV 4, 5.2, 6 or 7 model of two layers: width 8, 256 tokens.
inline std::string rwkvFile(int version = 5) {
    ByteString file;
    for (const uint32_t field : {0x67676D66U, 101U, 256U, 8U, 2U, 0U}) file.put(field);
    const auto putNorm = [&](const std::string& name) {
        putRwkvTensor(file, name + ".weight", {8});
        putRwkvTensor(file, name + ".bias", {8});
    };
    putRwkvTensor(file, "emb.weight", {8, 256});
    putNorm("blocks.0.ln0");
    for (int layer = 0; layer < 2; ++layer) {
        const std::string block = "blocks." + std::to_string(layer);
        putNorm(block + ".ln1");
        putNorm(block + ".ln2");
        putRwkvTimeMix(file, version, layer);
        const std::string mix = version == 6 ? ".ffn.time_maa_" : ".ffn.time_mix_";
        if (version == 7) {
            putRwkvTensor(file, block + ".ffn.x_k", {8, 1, 1});
        } else {
            putRwkvTensor(file, block + mix + "k", {8});
            putRwkvTensor(file, block + mix + "r", {8});
            putRwkvTensor(file, block + ".ffn.receptance.weight", {8, 8});
        }
        putRwkvTensor(file, block + ".ffn.key.weight", {8, 32});
        putRwkvTensor(file, block + ".ffn.value.weight", {32, 8});
    }
    putNorm("ln_out");
    putRwkvTensor(file, "head.weight", {8, 256});
    return file.bytes();
}

/// A complete llama2.c model of one layer: width 8, two heads sharing one key/value head, 10 tokens, own
/// output matrix.
inline std::string llama2cFile() {
    ByteString file;
    for (const int32_t field : {8, 12, 1, 2, 1, -10, 16}) file.put(field);
    const size_t layer = 8 + 64 + 32 + 32 + 64 + 8 + 96 + 96 + 96;
    file.floats(80 + layer + 8 + 2 * 16 * 2 + 80);
    return file.bytes();
}

/// The same model in version 1, whose header has a magic number and whose norms come first.
inline std::string llama2cVersion1File() {
    ByteString file;
    file.put(uint32_t{0x616B3432}).put(int32_t{1});
    for (const int32_t field : {8, 12, 1, 2, 1, 10, 16}) file.put(field);
    file.put(uint8_t{0}).text(std::string(256 - 37, '\0'));
    file.floats(8 + 8 + 8 + 80 + 64 + 32 + 32 + 64 + 96 + 96 + 96 + 80);
    return file.bytes();
}

/// The same model in version 2: matrices of int8 in groups of 4.
inline std::string llama2cVersion2File() {
    ByteString file;
    file.put(uint32_t{0x616B3432}).put(int32_t{2});
    for (const int32_t field : {8, 12, 1, 2, 1, 10, 16}) file.put(field);
    file.put(uint8_t{0}).put(int32_t{4}).text(std::string(256 - 41, '\0'));
    file.floats(8 + 8 + 8);
    for (const size_t elems : {80, 64, 32, 32, 64, 96, 96, 96, 80}) {
        for (size_t i = 0; i < elems; ++i) file.put(static_cast<int8_t>(i * 29 % 255 - 127));
        for (size_t group = 0; group < elems / 4; ++group)
            file.put(0.002F * static_cast<float>(group % 5 + 1));
    }
    return file.bytes();
}

/// A complete FastLLM file: Llama of one layer, width 64, 40 tokens; matrices of every type.
inline std::string fastLlmFile() {
    ByteString file;
    const auto text = [&](std::string_view words) -> ByteString& {
        return file.put(static_cast<int32_t>(words.size())).text(words);
    };
    const std::pair<const char*, const char*> keys[] = {{"bos_token_id", "1"},
                                                        {"bot_role", "<bot>"},
                                                        {"eos_token_id", "[2]"},
                                                        {"hidden_size", "64"},
                                                        {"history_sep", "\n"},
                                                        {"intermediate_size", "64"},
                                                        {"max_position_embeddings", "32"},
                                                        {"model_type", "llama"},
                                                        {"num_attention_heads", "2"},
                                                        {"num_hidden_layers", "1"},
                                                        {"pre_prompt", "<FLM_FIX_TOKEN_1>"},
                                                        {"rms_norm_eps", "1e-05"},
                                                        {"tokenizer_has_special_tokens", "1"},
                                                        {"tokenizer_use_score", "1"},
                                                        {"user_role", "a"}};
    file.put(int32_t{2}).put(static_cast<int32_t>(std::size(keys)));
    for (const auto& [key, value] : keys) {
        text(key);
        text(value);
    }
    file.put(int32_t{40});
    for (int32_t id = 0; id < 40; ++id) {
        const std::string piece = id == 0   ? "<unk>"
                                  : id == 1 ? "<s>"
                                  : id == 2 ? "</s>"
                                            : std::string(1, static_cast<char>('a' + id));
        file.put(static_cast<int32_t>(piece.size()));
        for (const char c : piece) file.put(static_cast<int32_t>(c));
        file.put(id).put(-static_cast<float>(id));
    }
    file.put(int32_t{1});
    text("<s>");
    const auto ranges = [&](int count) {
        for (int i = 0; i < count; ++i) file.put(-0.1F).put(0.2F);
    };
    const auto weight = [&](const std::string& name, std::initializer_list<int32_t> dims, int32_t type) {
        text(name).put(static_cast<int32_t>(dims.size()));
        size_t elems = 1;
        for (const int32_t dim : dims) {
            file.put(dim);
            elems *= static_cast<size_t>(dim);
        }
        file.put(type);
        if (type == 0) return file.floats(elems);
        if (type == 3 || type == 4 || type == 8 || type == 9) file.put(int32_t{0});
        if (type == 9) file.put(int32_t{2}).put(int32_t{32});
        if (type == 3 || type == 4 || type == 8) ranges(*dims.begin());
        if (type == 9) ranges(2 * *dims.begin());
        const size_t bytes = type == 3 ? elems : type == 1 || type == 7 ? 2 * elems : elems / 2;
        for (size_t i = 0; i < bytes; ++i) file.put(static_cast<uint8_t>(i * 37 % 56));
        return file;
    };
    file.put(int32_t{12});
    const std::string layer = "model.layers.0.";
    weight("model.embed_tokens.weight", {40, 64}, 0);
    weight("model.norm.weight", {64}, 0);
    weight("lm_head.weight", {40, 64}, 7);
    weight(layer + "input_layernorm.weight", {64}, 0);
    weight(layer + "post_attention_layernorm.weight", {64}, 0);
    weight(layer + "self_attn.q_proj.weight", {64, 64}, 3);
    weight(layer + "self_attn.k_proj.weight", {64, 64}, 4);
    weight(layer + "self_attn.v_proj.weight", {64, 64}, 8);
    weight(layer + "self_attn.o_proj.weight", {64, 64}, 9);
    weight(layer + "mlp.gate_proj.weight", {64, 64}, 1);
    weight(layer + "mlp.up_proj.weight", {64, 64}, 7);
    weight(layer + "mlp.down_proj.weight", {64, 64}, 3);
    return file.bytes();
}

inline formats::GgufWriter::RowSource sampleRows(const quant::QuantFormat& format, uint64_t elems) {
    return [&format, elems](uint64_t first, std::span<std::byte> bytes) -> Status {
        const size_t rowBytes = elems / format.blockElems * format.blockBytes;
        std::vector<float> values(elems);
        for (size_t at = 0; at < bytes.size(); at += rowBytes) {
            const uint64_t row = first + at / rowBytes;
            for (size_t i = 0; i < elems; ++i)
                values[i] = 0.01F * static_cast<float>((i * 7 + row * 3) % 23) - 0.1F;
            format.encodeRow(values, {}, bytes.data() + at);
        }
        return {};
    };
}

/// A complete llama model of one layer with a SentencePiece vocabulary of 280 tokens; width 32, one matrix in
/// Q8_0.
inline Status writeLlamaGguf(const std::string& path) {
    constexpr uint64_t kDim = 32;
    constexpr uint64_t kFfn = 64;
    constexpr uint64_t kVocab = 280;
    formats::GgufWriter writer;
    writer.set("general.architecture", std::string("llama"));
    for (const auto& [key, value] :
         std::vector<std::pair<const char*, int64_t>>{{"context_length", 64},
                                                      {"embedding_length", kDim},
                                                      {"block_count", 1},
                                                      {"feed_forward_length", kFfn},
                                                      {"attention.head_count", 4},
                                                      {"attention.head_count_kv", 2},
                                                      {"vocab_size", kVocab}})
        writer.set(std::string("llama.") + key, value);
    writer.set("llama.attention.layer_norm_rms_epsilon", 1e-5);
    writer.set("llama.rope.freq_base", 10000.0);

    std::vector<std::string> tokens = {"<unk>", "<s>", "</s>"};
    std::vector<int64_t> types = {2, 3, 3};
    for (int i = 0; i < 256; ++i) {
        tokens.push_back(fmt::format("<0x{:02X}>", i));
        types.push_back(6);
    }
    for (const char* piece :
         {"\u2581",  "e", "t", "a",  "o",      "h",  "\u2581t",  "he", "\u2581the", "n",  "an",
          "\u2581a", "s", "i", "in", "\u00e9", "on", "\u2581an", "r",  "d",         "and"}) {
        tokens.emplace_back(piece);
        types.push_back(1);
    }
    std::vector<double> scores;
    for (size_t i = 0; i < tokens.size(); ++i) scores.push_back(-static_cast<double>(i));
    writer.set("tokenizer.ggml.model", std::string("llama"));
    writer.set("tokenizer.ggml.tokens", tokens);
    writer.set("tokenizer.ggml.scores", scores);
    writer.set("tokenizer.ggml.token_type", types);
    writer.set("tokenizer.ggml.bos_token_id", int64_t{1});
    writer.set("tokenizer.ggml.eos_token_id", int64_t{2});

    const quant::QuantFormat& f32 = *quant::findFormat("F32");
    const quant::QuantFormat& q8 = *quant::findFormat("Q8_0");
    const auto add = [&](const char* name, uint64_t in, uint64_t out, const quant::QuantFormat& format) {
        return writer.addTensor(name, {{in, out, 1, 1}}, format, sampleRows(format, in));
    };
    INGLE_TRY(add("token_embd.weight", kDim, kVocab, f32));
    INGLE_TRY(add("output_norm.weight", kDim, 1, f32));
    INGLE_TRY(add("output.weight", kDim, kVocab, q8));
    INGLE_TRY(add("blk.0.attn_norm.weight", kDim, 1, f32));
    INGLE_TRY(add("blk.0.attn_q.weight", kDim, kDim, q8));
    INGLE_TRY(add("blk.0.attn_k.weight", kDim, kDim / 2, f32));
    INGLE_TRY(add("blk.0.attn_v.weight", kDim, kDim / 2, f32));
    INGLE_TRY(add("blk.0.attn_output.weight", kDim, kDim, *quant::findFormat("Q4_0")));
    INGLE_TRY(add("blk.0.ffn_norm.weight", kDim, 1, f32));
    INGLE_TRY(add("blk.0.ffn_gate.weight", kDim, kFfn, *quant::findFormat("F16")));
    INGLE_TRY(add("blk.0.ffn_up.weight", kDim, kFfn, *quant::findFormat("BF16")));
    INGLE_TRY(add("blk.0.ffn_down.weight", kFfn, kDim, f32));
    return writer.write(path);
}

/// "<prefix>-00002-of-00003.gguf" for part 1 of 3.
inline std::string shardName(const std::string& prefix, size_t part, size_t count) {
    return fmt::format("{}-{:05}-of-{:05}.gguf", prefix, part + 1, count);
}

/// A model file split into `count` parts, the tensors dealt out in turn.
inline Status writeShards(const formats::ModelFile& model, const std::string& prefix, size_t count) {
    for (size_t part = 0; part < count; ++part) {
        formats::GgufWriter writer;
        if (part == 0) {
            for (const auto& [key, value] : model.metadata.all()) writer.set(key, value);
        }
        writer.set("split.no", static_cast<int64_t>(part));
        writer.set("split.count", static_cast<int64_t>(count));
        writer.set("split.tensors.count", static_cast<int64_t>(model.tensors.size()));
        size_t index = 0;
        for (const auto& [name, tensor] : model.tensors) {
            if (index++ % count != part) continue;
            INGLE_TRY(writer.addTensor(name, tensor.shape, *tensor.format, formats::copyRows(tensor)));
        }
        INGLE_TRY(writer.write(shardName(prefix, part, count)));
    }
    return {};
}

}  // namespace ingle::test
