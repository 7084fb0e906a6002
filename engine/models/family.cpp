#include "engine/models/family.h"

#include <algorithm>

#include "engine/models/decoder.h"
#include "engine/models/limits.h"
#include "engine/models/prediction_head.h"
#include "ingle/error_ids.h"

namespace ingle::models {

uint32_t ModelFacts::prefixTokens(std::span<const TokenId> prompt) const {
    if (!prefixEnd) return 0;
    const auto end = std::ranges::find(prompt, *prefixEnd);
    return end == prompt.end() ? 0 : static_cast<uint32_t>(end - prompt.begin());
}

Result<ModelFacts> readFacts(const Keys& keys) {
    ModelFacts facts{.arch = keys.arch()};
    const auto numTokens = static_cast<uint32_t>(keys.file().tokenizer.tokens.size());
    INGLE_TRY_ASSIGN(const uint32_t numBlocks, keys.u32("block_count"));
    INGLE_TRY_ASSIGN(const uint32_t numPredicting, keys.numPredicting());
    INGLE_TRY_ASSIGN(facts.dim, keys.u32("embedding_length"));
    INGLE_TRY_ASSIGN(facts.vocabSize, keys.u32Or("vocab_size", numTokens));
    facts.tiedOutput = !keys.file().find("output.weight");
    if (numBlocks == 0 || numBlocks > kMaxLayers) return keys.cannotBe("block_count", numBlocks);
    if (numPredicting >= numBlocks)
        return fail(ErrorCode::Corrupt, "{}: {} of {} layers cannot be there to predict further tokens",
                    keys.file().path, numPredicting, numBlocks);
    facts.numLayers = numBlocks - numPredicting;
    facts.numPredicting = numPredicting;
    if (facts.dim == 0 || facts.dim > kMaxRowElems) return keys.cannotBe("embedding_length", facts.dim);
    if (facts.vocabSize == 0 || facts.vocabSize > INT32_MAX)
        return keys.cannotBe("vocab_size", facts.vocabSize);
    return facts;
}

Result<std::shared_ptr<const ModelDefinition>> openDefinition(const ModelFamily& family,
                                                              const formats::ModelFile& file,
                                                              uint32_t contextTokens) {
    INGLE_TRY_ASSIGN(const Keys keys, Keys::of(file, contextTokens));
    if (!family.describe) return family.open(keys);
    INGLE_TRY_ASSIGN(DecoderSpec spec, family.describe(keys));
    INGLE_TRY(checkSharedExperts(keys, spec));
    INGLE_TRY(readPooling(keys, family.kind, spec));
    return std::make_shared<const Definition<DecoderSpec, decoderTensors, decoderMemory, buildDecoder>>(
        std::move(spec));
}

Result<BoundModel> bindModel(const formats::ModelFile& file, uint32_t contextTokens) {
    INGLE_TRY_ASSIGN(const std::string arch, file.metadata.string("general.architecture"));
    const auto families = allFamilies();
    const auto family = std::ranges::find(families, arch, &ModelFamily::arch);
    if (family == families.end()) {
        return withId<ErrorId::UnknownFamily>(
            fail(ErrorCode::Unsupported, "{}: the model family \"{}\" is not supported", file.path,
                 shown(arch)),
            shown(arch));
    }
    BoundModel model;
    INGLE_TRY_ASSIGN(model.definition, openDefinition(**family, file, contextTokens));
    // Every layer has tensors of its own: a damaged count cannot make the list below longer than the file.
    const uint32_t numLayers = model.facts().numLayers;
    if (numLayers > file.tensors.size()) {
        return fail(ErrorCode::Corrupt, "{}: {} layers, but only {} tensors", file.path, numLayers,
                    file.tensors.size());
    }
    INGLE_TRY_ASSIGN(model.weights, Weights::bind(file, model.definition->tensors()));
    return model;
}

std::optional<BoundModel> bindHead(const formats::ModelFile& file, const BoundModel& model) {
    BoundModel head{.definition = model.definition->head()};
    if (!head.definition) return std::nullopt;
    auto weights = Weights::bind(file, head.definition->tensors());
    if (!weights) return std::nullopt;
    head.weights = *std::move(weights);
    return head;
}

Result<graph::Graph> buildGraph(const BoundModel& model) {
    graph::Builder builder;
    model.definition->build(builder, model.weights);
    Result<graph::Graph> graph = builder.take();
    if (graph) return graph;
    return fail(graph.error().code, "the model family \"{}\" does not fit together: {}", model.facts().arch,
                graph.error().message);
}

std::vector<uint32_t> layersOfEachKind(const BoundModel& model) {
    return model.weights.layersOfEachKind(
        [&](uint32_t layer, uint32_t other) { return model.definition->areAlike(layer, other); });
}

BoundModel withOneLayerOfEachKind(const BoundModel& model) {
    const std::vector<uint32_t> layers = layersOfEachKind(model);
    return {model.definition->withLayers(layers), model.weights.withLayers(layers)};
}

}  // namespace ingle::models
