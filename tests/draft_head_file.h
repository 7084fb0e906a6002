/// Files of heads that predict for another model (engine/models/draft_head.h), with random weights.
#pragma once

#include <cmath>
#include <cstring>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "engine/formats/gguf_writer.h"
#include "engine/models/draft_head.h"
#include "tests/random_weights.h"

namespace ingle::test {

inline constexpr uint32_t kDraftDim = 64, kDraftFfn = 96, kDraftHeads = 4, kDraftKvHeads = 2,
                          kDraftHeadDim = kDraftDim / kDraftHeads, kDraftVocab = 320;
inline constexpr uint32_t kDraftChoices = 200;  // of a head with a vocabulary of its own
inline constexpr double kDraftEps = 1e-5;

/// Of one kind of heads: what its file has beside the layer.
struct DraftKind {
    bool hasTokens = false;  ///< its logits are of some tokens
    bool hasEmbedding = false;
    bool normsResidual = false;
    bool normsFeatures = false;
};

/// Matrices and vectors by name, as the file has them.
struct DraftFile {
    std::map<std::string, std::pair<tensor::Shape, std::vector<float>>> tensors;
    std::vector<int64_t> tokens;

    explicit DraftFile(const DraftKind& kind, uint32_t features = 3 * kDraftDim) {
        const auto add = [&](const std::string& name, uint64_t in, uint64_t out, float size) {
            std::vector<float> values = test::gaussian(m_random, in * out);
            for (float& value : values) value *= size;
            tensors[name] = {out == 1 ? tensor::Shape::of(in) : tensor::Shape::of(in, out), values};
        };
        const auto norm = [&](const std::string& name, uint64_t width) {
            add(name, width, 1, 0.1F);
            for (float& value : tensors[name].second) value += 1;
        };
        const auto matrix = [&](const std::string& name, uint64_t in, uint64_t out) {
            add(name, in, out, 1.2F / std::sqrt(static_cast<float>(in)));
        };
        matrix("fc.weight", features, kDraftDim);
        if (kind.normsFeatures) norm("enc.output_norm.weight", features);
        for (const char* name : {"attn_norm", "attn_norm_2", "ffn_norm"})
            norm(fmt::format("blk.0.{}.weight", name), kDraftDim);
        matrix("blk.0.attn_q.weight", 2 * kDraftDim, kDraftDim);
        matrix("blk.0.attn_k.weight", 2 * kDraftDim, kDraftKvHeads * kDraftHeadDim);
        matrix("blk.0.attn_v.weight", 2 * kDraftDim, kDraftKvHeads * kDraftHeadDim);
        matrix("blk.0.attn_output.weight", kDraftDim, kDraftDim);
        matrix("blk.0.ffn_gate.weight", kDraftDim, kDraftFfn);
        matrix("blk.0.ffn_up.weight", kDraftDim, kDraftFfn);
        matrix("blk.0.ffn_down.weight", kDraftFfn, kDraftDim);
        norm("output_norm.weight", kDraftDim);
        if (kind.hasEmbedding) matrix("token_embd.weight", kDraftDim, kDraftVocab);
        if (!kind.hasTokens) return;
        matrix("output.weight", kDraftDim, kDraftChoices);
        for (int64_t i = 0; i < int64_t{kDraftChoices}; ++i) tokens.push_back(i * 3 % kDraftVocab);
    }
    [[nodiscard]] Status write(const std::string& path, const DraftKind& kind,
                               std::vector<int64_t> layers) const {
        formats::GgufWriter writer;
        writer.set("general.architecture", std::string(models::kDraftHeadArch));
        const auto set = [&](std::string_view key, formats::MetaValue value) {
            writer.set(fmt::format("{}.{}", models::kDraftHeadArch, key), std::move(value));
        };
        for (const auto& [key, value] :
             {std::pair("block_count", 1U), std::pair("embedding_length", kDraftDim),
              std::pair("feed_forward_length", kDraftFfn), std::pair("attention.head_count", kDraftHeads),
              std::pair("attention.head_count_kv", kDraftKvHeads), std::pair("context_length", 256U),
              std::pair("vocab_size", kDraftVocab)})
            set(key, int64_t{value});
        set("attention.layer_norm_rms_epsilon", kDraftEps);
        set("target_layers", std::move(layers));
        set("norm_before_residual", kind.normsResidual);
        set("norm_before_fc", kind.normsFeatures);
        if (!tokens.empty()) writer.set("d2t", tokens);
        for (const auto& [name, tensor] : tensors) {
            const std::vector<float>& values = tensor.second;
            INGLE_TRY(writer.addTensor(
                name, tensor.first, *quant::findFormat(quant::kF32),
                [&values, width = tensor.first.rowElems()](uint64_t first, std::span<std::byte> bytes) {
                    std::memcpy(bytes.data(), values.data() + first * width, bytes.size());
                    return Status{};
                }));
        }
        return writer.write(path);
    }

  private:
    std::mt19937 m_random{5};
};

}  // namespace ingle::test
