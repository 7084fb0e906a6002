#include "engine/models/pooling.h"

#include <algorithm>

#include "engine/models/decoder.h"
#include "engine/models/limits.h"

namespace ingle::models {
namespace {

using backend::ActivationKind;
using tensor::Shape;

constexpr uint32_t kRank = 4;

Result<Pooling> classifierPooling(const Keys& keys, Pooling usual) {
    INGLE_TRY_ASSIGN(const std::string stated, keys.stringOr("classifier.pooling", ""));
    if (stated.empty()) return usual;
    if (stated == "mean") return Pooling::Mean;
    if (stated == "cls") return Pooling::First;
    if (stated == "last") return Pooling::Last;
    return keys.cannotBe("classifier.pooling", shown(stated));
}

/// Rows of a matrix that the file has.
Result<uint32_t> rowsOf(const Keys& keys, const tensor::Tensor& matrix) {
    const uint64_t rows = matrix.shape.dims[1];
    if (rows > kMaxRowElems)
        return fail(ErrorCode::Corrupt, "{}: the tensor {} has {} rows", keys.file().path, matrix.name, rows);
    return static_cast<uint32_t>(rows);
}

Status readClassifier(const Keys& keys, const ClassifierTraits& classifier, float normEps,
                      ModelFacts& facts) {
    INGLE_TRY_ASSIGN(facts.pooling, classifierPooling(keys, classifier.pooling));
    const tensor::Tensor* labels = keys.file().find("cls.output.weight");
    if (!labels)
        return fail(ErrorCode::Corrupt, "{}: a classifier without the tensor cls.output.weight",
                    keys.file().path);
    INGLE_TRY_ASSIGN(const uint32_t numLabels, rowsOf(keys, *labels));
    if (keys.file().find("cls.weight")) {
        PooledStep dense{"cls", facts.dim, facts.dim, classifier.activation};
        if (keys.file().find("cls.norm.weight")) dense.norm = "cls.norm.weight";
        dense.normEps = normEps;
        facts.pooledSteps.push_back(std::move(dense));
    }
    facts.isClassifier = true;
    facts.pooledSteps.push_back({.name = "cls.output",
                                 .in = facts.dim,
                                 .out = numLabels,
                                 .makesShares = classifier.makesShares && numLabels > 1});
    return {};
}

/// Layers of sentence-transformers, which llama.cpp names by their place among the modules.
Status readDense(const Keys& keys, ModelFacts& facts) {
    uint32_t width = facts.dim;
    for (const std::string name : {"dense_2", "dense_3"}) {
        const tensor::Tensor* matrix = keys.file().find(name + ".weight");
        if (!matrix) continue;
        INGLE_TRY_ASSIGN(const uint32_t out, rowsOf(keys, *matrix));
        INGLE_TRY_ASSIGN(const std::string activation, keys.stringOr(name + "_activation", "identity"));
        PooledStep step{name, width, out};
        if (activation == "tanh")
            step.activation = ActivationKind::Tanh;
        else if (activation != "identity")
            return fail(ErrorCode::Unsupported, "{}: the activation \"{}\" of {} is not supported",
                        keys.file().path, shown(activation), name);
        facts.pooledSteps.push_back(std::move(step));
        width = out;
    }
    return {};
}

/// llama.cpp writes -1 where a converter left it open.
Result<uint32_t> poolingType(const Keys& keys) {
    constexpr uint32_t kOpen = UINT32_MAX;
    INGLE_TRY_ASSIGN(const uint32_t type, keys.u32Or("pooling_type", 0));
    return type == kOpen ? 0 : type;
}

}  // namespace

Status readPooling(const Keys& keys, const ClassifierTraits& classifier, float normEps, ModelFacts& facts) {
    INGLE_TRY_ASSIGN(const uint32_t pooling, poolingType(keys));
    if (pooling > kRank) return keys.cannotBe("pooling_type", pooling);
    if (pooling == kRank) return readClassifier(keys, classifier, normEps, facts);
    facts.pooling = static_cast<Pooling>(pooling);
    return facts.pooling == Pooling::None ? Status() : readDense(keys, facts);
}

Status readPooling(const Keys& keys, FamilyKind kind, DecoderSpec& spec) {
    INGLE_TRY_ASSIGN(const uint32_t pooling, poolingType(keys));
    if (pooling == 0 && kind != FamilyKind::Encoder) return {};
    INGLE_TRY(readPooling(keys, spec.classifier, spec.normEps, spec.facts));
    INGLE_TRY_ASSIGN(const bool isCausal, keys.boolOr("attention.causal", true));
    if (isCausal) return {};
    for (LayerSpec& layer : spec.layers) {
        auto* attention = std::get_if<AttentionSpec>(&layer.mixer);
        if (!attention || attention->chunk > 0)
            return fail(ErrorCode::Unsupported,
                        "{}: embeddings of a {} whose tokens see those behind them are not supported",
                        keys.file().path, keys.arch());
        attention->mask = backend::Mask::Full;
    }
    return {};
}

void listPooledSteps(const ModelFacts& facts, std::vector<TensorSpec>& specs) {
    using enum backend::WeightUse;
    for (const PooledStep& step : facts.pooledSteps) {
        specs.push_back({step.name + ".weight", Shape::of(step.in, step.out)});
        specs.push_back({step.name + ".bias", Shape::of(step.out), Vector, Presence::Optional});
        if (!step.norm.empty()) specs.push_back({step.norm, Shape::of(step.out), Vector});
    }
}

Result<ActivationKind> readActivation(const Keys& keys, std::string_view key) {
    struct Named {
        std::string_view name;
        ActivationKind kind;
    };
    constexpr Named kNames[] = {
        {"gelu", ActivationKind::Gelu},     {"gelu_erf", ActivationKind::GeluErf},
        {"gelu_new", ActivationKind::Gelu}, {"gelu_pytorch_tanh", ActivationKind::Gelu},
        {"silu", ActivationKind::Silu},     {"relu", ActivationKind::Relu}};
    INGLE_TRY_ASSIGN(const std::string name, keys.stringOr(key, "gelu"));
    const auto found = std::ranges::find(kNames, name, &Named::name);
    if (found != std::end(kNames)) return found->kind;
    return fail(ErrorCode::Unsupported, "{}: the activation \"{}\" is not supported", keys.file().path,
                shown(name));
}

}  // namespace ingle::models
