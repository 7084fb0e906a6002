#include "engine/models/draft_head.h"

#include <algorithm>

#include "engine/models/layer_parts.h"

namespace ingle::models {
namespace {

using tensor::Shape;
using enum backend::WeightUse;

struct DraftSpec {
    ModelFacts facts;
    DecoderSpec decoder;  ///< of the one layer
    uint32_t numChoices = 0;
    bool normsResidual = false;  ///< norm(g) in place of g is added to

    bool areAlike(uint32_t, uint32_t) const { return true; }
    void keepLayers(std::span<const uint32_t>) {}
    const LayerSpec& layer() const { return decoder.layers.front(); }
};

std::vector<TensorSpec> draftTensors(const DraftSpec& spec) {
    const uint64_t dim = spec.facts.dim;
    const auto& attention = std::get<AttentionSpec>(spec.layer().mixer);
    std::vector<TensorSpec> specs{{"token_embd.weight", Shape::of(dim, spec.facts.vocabSize)},
                                  {"output.weight", Shape::of(dim, spec.numChoices)},
                                  {"output_norm.weight", Shape::of(dim), Vector}};
    LayerTensors tensors(specs, 0, spec.facts.dim);
    for (const std::string_view name : {"attn_norm", "attn_norm_2", "ffn_norm"})
        tensors.norm(name, NormKind::Rms);
    const auto add = [&](std::string_view name, uint64_t in, uint64_t out) {
        tensors.linear(name, in, out, Presence::Optional, BiasOrder::BehindFactor);
    };
    add("attn_q", 2 * dim, uint64_t{attention.numHeads} * attention.keyDim);
    add("attn_k", 2 * dim, uint64_t{attention.numKvHeads} * attention.keyDim);
    add("attn_v", 2 * dim, uint64_t{attention.numKvHeads} * attention.valueDim);
    add("attn_output", uint64_t{attention.numHeads} * attention.valueDim, dim);
    listTensors(std::get<FeedForwardSpec>(spec.layer().ffn), tensors);
    return specs;
}

backend::MemorySpec draftMemory(const DraftSpec& spec) {
    return decoderMemory(spec.decoder);
}

void buildDraft(graph::Builder& b, const DraftSpec& spec, const Weights& w) {
    const LayerBuilder layer{.b = b, .weights = w, .layer = 0, .normEps = spec.decoder.normEps};
    const auto normed = [&](graph::Value x, std::string_view name) {
        return b.rmsNorm(x, layer.w(fmt::format("{}.weight", name)), layer.normEps, name);
    };
    const graph::Value token = b.embed(w["token_embd.weight"], "embed");
    const graph::Value features = b.inputRows(spec.facts.dim, "features");
    b.setScope("blk.0");
    const graph::Value n = normed(features, "attn_norm_2");
    const graph::Value both = b.concat(normed(token, "attn_norm"), n, 1, "both");
    graph::Value h = b.add(mix(std::get<AttentionSpec>(spec.layer().mixer), layer, both),
                           spec.normsResidual ? n : features, "attn_residual");
    const graph::Value fed =
        feedForward(std::get<FeedForwardSpec>(spec.layer().ffn), layer, normed(h, "ffn_norm"));
    h = b.add(fed, h, "ffn_residual");
    b.setScope("");
    const graph::Value last = b.rmsNorm(h, w["output_norm.weight"], layer.normEps, "output_norm");
    b.logits(b.linear(last, w["output.weight"], nullptr, "logits"));
    b.hidden(h);
}

struct FusionSpec {
    ModelFacts facts;
    uint32_t width = 0;  ///< of what is read
    float normEps = 0;
    bool isNormed = false;

    bool areAlike(uint32_t, uint32_t) const { return true; }
    void keepLayers(std::span<const uint32_t>) {}
};

constexpr std::string_view kFusionNorm = "enc.output_norm.weight";

std::vector<TensorSpec> fusionTensors(const FusionSpec& spec) {
    std::vector<TensorSpec> specs{{"fc.weight", Shape::of(spec.width, spec.facts.dim)}};
    if (spec.isNormed) specs.push_back({std::string(kFusionNorm), Shape::of(spec.width), Vector});
    return specs;
}

backend::MemorySpec fusionMemory(const FusionSpec&) {
    return {};
}

void buildFusion(graph::Builder& b, const FusionSpec& spec, const Weights& w) {
    graph::Value x = b.inputRows(spec.width, "features");
    if (spec.isNormed) x = b.rmsNorm(x, w[kFusionNorm], spec.normEps, "features_norm");
    const graph::Value fused = b.linear(x, w["fc.weight"], nullptr, "fused");
    b.rows(fused);
    b.hidden(fused);
}

/// What the head has no own of.
Status share(formats::ModelFile& file, std::string_view name, const tensor::Tensor* of) {
    if (!of || file.find(name)) return {};
    if (of->decoder || of->table)
        return fail(ErrorCode::InvalidArgument,
                    "{}: this head reads '{}' of the model that it is for, which is packed there", file.path,
                    of->name);
    tensor::Tensor shared = *of;
    shared.name = name;
    file.tensors.emplace(name, std::move(shared));
    return {};
}

/// Ids of the decoder's tokens, in the order of the head's.
Result<std::vector<TokenId>> readTokens(const formats::ModelFile& file, uint32_t vocabSize) {
    std::vector<TokenId> tokens;
    const formats::MetaValue* value = file.metadata.find("d2t");
    if (!value) return tokens;
    const auto* ids = std::get_if<std::vector<int64_t>>(value);
    const auto isToken = [&](int64_t id) { return id >= 0 && id < int64_t{vocabSize}; };
    if (!ids || ids->empty() || !std::ranges::all_of(*ids, isToken))
        return fail(ErrorCode::Corrupt, "{}: d2t does not hold ids of tokens", file.path);
    for (const int64_t id : *ids) tokens.push_back(static_cast<TokenId>(id));
    return tokens;
}

Result<DraftSpec> readDraft(const Keys& keys, const ModelFacts& decoder, size_t numChoices) {
    DraftSpec spec;
    INGLE_TRY_ASSIGN(spec.decoder, readDecoder(keys, {.ropeStyle = backend::RopeStyle::Interleaved}));
    INGLE_TRY_ASSIGN(spec.normsResidual, keys.boolOr("norm_before_residual", false));
    if (spec.decoder.layers.size() != 1) return keys.cannotBe("block_count", spec.decoder.layers.size());
    spec.facts = spec.decoder.facts;
    spec.facts.vocabSize = decoder.vocabSize;
    spec.numChoices = static_cast<uint32_t>(numChoices > 0 ? numChoices : decoder.vocabSize);
    return spec;
}

Result<FusionSpec> readFusion(const Keys& keys, const DraftSpec& draft, uint32_t width) {
    FusionSpec spec{.facts = draft.facts, .width = width, .normEps = draft.decoder.normEps};
    INGLE_TRY_ASSIGN(spec.isNormed, keys.boolOr("norm_before_fc", false));
    return spec;
}

}  // namespace

Result<DraftHead> bindDraftHead(formats::ModelFile& file, const formats::ModelFile& decoder,
                                const ModelFacts& facts) {
    DraftHead made;
    INGLE_TRY_ASSIGN(const Keys keys, Keys::of(file));
    INGLE_TRY_ASSIGN(made.layers, keys.numbers("target_layers"));
    INGLE_TRY_ASSIGN(const uint32_t width, keys.u32Or("target_hidden_size", facts.dim));
    constexpr size_t kNumLayers = 3;
    if (made.layers.size() != kNumLayers) return keys.cannotBe("target_layers", "of another number than 3");
    const uint32_t last = *std::ranges::max_element(made.layers);
    if (width != facts.dim || last >= facts.numLayers)
        return fail(ErrorCode::InvalidArgument,
                    "{}: this head is for another model: of rows of {} numbers and more than {} layers",
                    file.path, width, last);
    INGLE_TRY_ASSIGN(made.tokens, readTokens(file, facts.vocabSize));
    INGLE_TRY(share(file, "token_embd.weight", decoder.find("token_embd.weight")));
    const bool isTied = !decoder.find("output.weight");
    INGLE_TRY(share(file, "output.weight", decoder.find(isTied ? "token_embd.weight" : "output.weight")));
    INGLE_TRY_ASSIGN(DraftSpec draft, readDraft(keys, facts, made.tokens.size()));
    INGLE_TRY_ASSIGN(FusionSpec fusion, readFusion(keys, draft, static_cast<uint32_t>(kNumLayers * width)));
    made.head.definition =
        std::make_shared<const Definition<DraftSpec, draftTensors, draftMemory, buildDraft>>(
            std::move(draft));
    made.fusion.definition =
        std::make_shared<const Definition<FusionSpec, fusionTensors, fusionMemory, buildFusion>>(
            std::move(fusion));
    for (BoundModel* part : {&made.head, &made.fusion}) {
        INGLE_TRY_ASSIGN(part->weights, Weights::bind(file, part->definition->tensors()));
    }
    return made;
}

}  // namespace ingle::models
