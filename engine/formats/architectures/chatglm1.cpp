/// ChatGLM-6B, the first of its name: positions in two dimensions, biases everywhere, q, k and v of each head
/// side by side. Sources: THUDM/chatglm-6b, modeling_chatglm.py, tokenization_chatglm.py and config.json.
#include <algorithm>

#include "engine/formats/checkpoint/architecture.h"
#include "engine/formats/checkpoint/tokenizer_files.h"

namespace ingle::formats::chatglm1_architectures {
namespace {

constexpr TensorRule kRules[] = {
    {"transformer.word_embeddings.weight", "token_embd.weight"},
    {"transformer.final_layernorm.weight", "output_norm.weight"},
    {"transformer.final_layernorm.bias", "output_norm.bias"},
    {"transformer.layers.#.input_layernorm.weight", "blk.#.attn_norm.weight"},
    {"transformer.layers.#.input_layernorm.bias", "blk.#.attn_norm.bias"},
    {"transformer.layers.#.post_attention_layernorm.weight", "blk.#.ffn_norm.weight"},
    {"transformer.layers.#.post_attention_layernorm.bias", "blk.#.ffn_norm.bias"},
    {"transformer.layers.#.attention.query_key_value.weight", "blk.#.attn_qkv.weight"},
    {"transformer.layers.#.attention.query_key_value.bias", "blk.#.attn_qkv.bias"},
    {"transformer.layers.#.attention.dense.weight", "blk.#.attn_output.weight"},
    {"transformer.layers.#.attention.dense.bias", "blk.#.attn_output.bias"},
    {"transformer.layers.#.attention.rotary_emb.inv_freq", ""},
    {"transformer.layers.#.mlp.dense_h_to_4h.weight", "blk.#.ffn_up.weight"},
    {"transformer.layers.#.mlp.dense_h_to_4h.bias", "blk.#.ffn_up.bias"},
    {"transformer.layers.#.mlp.dense_4h_to_h.weight", "blk.#.ffn_down.weight"},
    {"transformer.layers.#.mlp.dense_4h_to_h.bias", "blk.#.ffn_down.bias"},
};

bool isFirst(const Config& config) {
    return config.find("position_encoding_2d") != nullptr;
}

Status setKeys(Translation& t) {
    INGLE_TRY(expectFlag(t.config, "position_encoding_2d", true, true));
    // Its files never say that matrices are packed by its own rule but so.
    INGLE_TRY_ASSIGN(const uint32_t bits, t.config.u32Or("quantization_bit", 0, 0));
    if (bits != 0)
        return fail(ErrorCode::Unsupported, "ChatGLM-6B packed in {} bits is not read from such files", bits);
    INGLE_TRY_ASSIGN(const DecoderSizes sizes,
                     setDecoderKeys(t, {.numLayers = "num_layers",
                                        .ffnDim = "inner_hidden_size",
                                        .numKvHeads = "",
                                        .context = "max_sequence_length",
                                        .epsilon = "layernorm_epsilon",
                                        .epsilonKey = "attention.layer_norm_epsilon",
                                        .usualEpsilon = 1e-5,
                                        .usualRotated = 0.5}));
    t.setCount("attention.head_count_kv", sizes.numHeads);
    INGLE_TRY_ASSIGN(const uint32_t begin, t.config.u32("bos_token_id"));
    t.setCount("prefix_end_token_id", begin);
    return {};
}

/// Tokens of the first checkpoints have ids behind those of images, of which they have no pieces.
void shiftBehindImages(TokenizerData& data, uint64_t numTokens) {
    constexpr uint64_t kImages = 20000, kTextTokens = 130528;
    if (numTokens < kTextTokens + kImages || data.tokens.size() > kTextTokens) return;
    data.types.resize(data.tokens.size(), TokenType::Normal);
    std::vector<std::string> images;
    for (uint64_t id = 0; id < kImages; ++id) images.push_back(fmt::format("<image_{}>", id));
    data.tokens.insert(data.tokens.begin(), images.begin(), images.end());
    data.scores.insert(data.scores.begin(), kImages, 0.0F);
    data.types.insert(data.types.begin(), kImages, TokenType::Unused);
    for (auto* id : {&data.bos, &data.eos, &data.unknown, &data.padding})
        if (*id && static_cast<uint64_t>(**id) < kTextTokens) **id += static_cast<TokenId>(kImages);
}

Status finishTokens(Translation& t) {
    constexpr std::string_view kControls[] = {"[MASK]", "[gMASK]", "[sMASK]", "<sop>", "<eop>",
                                              "<pad>",  "<s>",     "</s>",    "<eos>", "eop"};
    TokenizerData& data = t.model.tokenizer;
    const bool hasPieces = data.model == "t5" || data.model == "llama";
    if (!hasPieces || data.scores.size() != data.tokens.size()) return {};
    data.model = "chatglm1";
    data.addBos = data.addEos = false;
    shiftBehindImages(data, t.numTokens());
    data.types.resize(data.tokens.size(), TokenType::Normal);
    for (size_t id = 0; id < data.tokens.size(); ++id)
        if (std::ranges::find(kControls, data.tokens[id]) != std::end(kControls))
            data.types[id] = TokenType::Control;
    const auto set = [&](std::string_view key, std::optional<TokenId>& id) -> Status {
        INGLE_TRY_ASSIGN(const uint32_t stated, t.config.u32Or(key, UINT32_MAX, UINT32_MAX));
        if (stated < data.tokens.size()) id = static_cast<TokenId>(stated);
        return {};
    };
    INGLE_TRY(set("bos_token_id", data.bos));
    return set("eos_token_id", data.eos);
}

constexpr Architecture named(std::string_view name) {
    return {.name = name,
            .family = "chatglm1",
            .setKeys = setKeys,
            .tensors = kRules,
            .fusesByHead = true,
            .finish = finishTokens,
            .suits = isFirst};
}

constexpr Architecture kArchitectures[] = {named("ChatGLMModel"), named("ChatGLMForConditionalGeneration")};

}  // namespace

extern const ArchitectureGroup architectures{kArchitectures};

}  // namespace ingle::formats::chatglm1_architectures
