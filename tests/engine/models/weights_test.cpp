/// Where weights lie in files: under their own names, among the rows of others, with a factor.
#include "engine/models/weights.h"

#include <gtest/gtest.h>

#include <list>
#include <numeric>

#include "engine/models/decoder.h"

namespace ingle::models {
namespace {

using tensor::Shape;

/// A file of float tensors, whose values count up from 0 in each.
class Weight : public testing::Test {
  protected:
    void add(const std::string& name, const Shape& shape, std::string_view format = "F32") {
        tensor::Tensor tensor{name, shape, quant::findFormat(format), {}};
        auto& values = m_values.emplace_back(tensor.bytes() / sizeof(float) + 1);
        std::iota(values.begin(), values.end(), 0.0f);
        tensor.data = std::as_bytes(std::span(values)).first(tensor.bytes());
        m_file.tensors[name] = tensor;
    }
    std::vector<float> row(const tensor::Tensor* tensor, uint64_t index) {
        std::vector<float> values(tensor->shape.rowElems());
        tensor->decodeRow(index, values);
        return values;
    }

    std::list<std::vector<float>> m_values;
    formats::ModelFile m_file{.path = "m"};
};

/// Rows 2 and 3 of four.
const TensorSpec kRows{.name = "up.weight",
                       .shape = Shape::of(3, 2),
                       .sources = {{"up.weight", Shape::of(3, 2)}, {"fused.weight", Shape::of(3, 4), 2}}};

TEST_F(Weight, liesInItsOwnTensorOrAmongTheRowsOfAnother) {
    add("fused.weight", Shape::of(3, 4));
    const Weights fused = Weights::bind(m_file, {{kRows}}).value();
    EXPECT_EQ(fused["up.weight"]->shape, kRows.shape);
    EXPECT_EQ(fused["up.weight"]->data.data(), m_file.tensors["fused.weight"].data.data() + 2 * 3 * 4);
    EXPECT_EQ(row(fused["up.weight"], 1), (std::vector<float>{9, 10, 11}));
    add("up.weight", Shape::of(3, 2));
    EXPECT_EQ(Weights::bind(m_file, {{kRows}}).value()["up.weight"], &m_file.tensors["up.weight"]);
}

/// Of each of two matrices rows 2 and 3 of four, and of each of two vectors the same elements.
TEST_F(Weight, ofExpertsLiesAmongTheRowsOfEach) {
    const TensorSpec up{
        .name = "up.weight",
        .shape = Shape::of(3, 2, 2),
        .sources = {{"up.weight", Shape::of(3, 2, 2)}, {"fused.weight", Shape::of(3, 4, 2), 2}}};
    const TensorSpec bias{.name = "up.bias",
                          .shape = Shape::of(2, 2),
                          .use = backend::WeightUse::Vector,
                          .sources = {{"up.bias", Shape::of(2, 2)}, {"fused.bias", Shape::of(4, 2), 2}}};
    add("fused.weight", Shape::of(3, 4, 2));
    add("fused.bias", Shape::of(4, 2));
    const Weights weights = Weights::bind(m_file, {{up, bias}}).value();
    const tensor::Tensor& found = *weights["up.weight"];
    EXPECT_EQ(found.data.data(), m_file.tensors["fused.weight"].data.data() + 2 * 3 * 4);
    EXPECT_EQ(found.bytes(), 4U * 3 * 4);
    EXPECT_EQ(found.data.size(), 6U * 3 * 4);
    std::vector<float> all;
    for (uint64_t i = 0; i < 4; ++i)
        for (const float value : row(&found, i)) all.push_back(value);
    EXPECT_EQ(all, (std::vector<float>{6, 7, 8, 9, 10, 11, 18, 19, 20, 21, 22, 23}));
    EXPECT_EQ(row(weights["up.bias"], 0), (std::vector<float>{2, 3}));
    EXPECT_EQ(row(weights["up.bias"], 1), (std::vector<float>{6, 7}));

    TensorSpec inParts = up;
    inParts.numParts = 2;
    const auto cut = Weights::bind(m_file, {{inParts}});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().message,
              "m: the tensor up.weight is stored in a way that cannot be cut into parts");
}

TEST_F(Weight, thatIsNowhereIsMissedByItsUsualName) {
    const auto missing = Weights::bind(m_file, {{kRows}});
    ASSERT_FALSE(missing);
    EXPECT_EQ(missing.error().message, "m: the tensor up.weight is missing");
    add("fused.weight", Shape::of(3, 5));
    const auto misshapen = Weights::bind(m_file, {{kRows}});
    ASSERT_FALSE(misshapen);
    EXPECT_EQ(misshapen.error().message,
              "m: the tensor fused.weight has shape {3, 5} where {3, 4} is needed");
}

TEST_F(Weight, elementsOfAVectorAreWholeBlocks) {
    const TensorSpec spec{.name = "b",
                          .shape = Shape::of(32),
                          .use = backend::WeightUse::Vector,
                          .sources = {{"all", Shape::of(96), 16}}};
    add("all", Shape::of(96));
    EXPECT_EQ(row(Weights::bind(m_file, {{spec}}).value()["b"], 0)[0], 16);
    add("all", Shape::of(96), "Q8_0");
    const auto cut = Weights::bind(m_file, {{spec}});
    ASSERT_FALSE(cut);
    EXPECT_EQ(cut.error().code, ErrorCode::Unsupported);
}

/// y = factor (W x + b / factor).
TEST_F(Weight, aBiasBehindAFactorIsDividedByIt) {
    const TensorSpec bias{
        .name = "x.bias", .shape = Shape::of(4), .use = backend::WeightUse::Vector, .dividedBy = "x.scale"};
    const TensorSpec factor{.name = "x.scale",
                            .shape = Shape::of(1),
                            .use = backend::WeightUse::Vector,
                            .presence = Presence::Optional};
    add("x.bias", Shape::of(4));
    const Weights plain = Weights::bind(m_file, {{bias, factor}}).value();
    EXPECT_EQ(plain["x.bias"], &m_file.tensors["x.bias"]);
    EXPECT_EQ(plain.factor("x.scale"), 1);
    add("x.scale", Shape::of(1));
    EXPECT_FALSE(Weights::bind(m_file, {{bias, factor}}));  // it is 0
    m_values.back()[0] = 0.5;
    const Weights scaled = Weights::bind(m_file, {{bias, factor}}).value();
    EXPECT_EQ(scaled.factor("x.scale"), 0.5);
    EXPECT_EQ(row(scaled["x.bias"], 0), (std::vector<float>{0, 2, 4, 6}));
    const Weights copy = scaled.withLayers({});
    EXPECT_EQ(copy["x.bias"], scaled["x.bias"]);
}

TEST_F(Weight, aFactorThatNobodyMultipliesByIsRefused) {
    const TensorSpec matrix{"x.weight", Shape::of(3, 2)};
    add("x.weight", Shape::of(3, 2));
    EXPECT_TRUE(Weights::bind(m_file, {{matrix}}));
    add("x.scale", Shape::of(1));
    const auto refused = Weights::bind(m_file, {{matrix}});
    ASSERT_FALSE(refused);
    EXPECT_EQ(refused.error().message, "m: the tensor x.scale is not supported");
}

TEST(UsualTensors, areEachThereOnce) {
    DecoderSpec spec{.facts = {.dim = 8, .vocabSize = 16}, .layers = std::vector<LayerSpec>(1)};
    spec.layers[0].mixer = AttentionSpec{.numHeads = 2,
                                         .numKvHeads = 1,
                                         .keyDim = 4,
                                         .valueDim = 4,
                                         .projections = AttentionSpec::Projections::Fused};
    spec.layers[0].ffn = FeedForwardSpec{.dim = 6, .form = FeedForwardSpec::Form::GatedFused};
    std::map<std::string, std::string> matrices;
    for (const TensorSpec& tensor : usualTensors(decoderTensors(spec)))
        if (tensor.use == backend::WeightUse::Matrix) matrices[tensor.name] = tensor.shape.text();
    EXPECT_EQ(matrices, (std::map<std::string, std::string>{{"token_embd.weight", "{8, 16}"},
                                                            {"output.weight", "{8, 16}"},
                                                            {"blk.0.attn_qkv.weight", "{8, 16}"},
                                                            {"blk.0.attn_output.weight", "{8, 8}"},
                                                            {"blk.0.ffn_up.weight", "{8, 12}"},
                                                            {"blk.0.ffn_down.weight", "{6, 8}"}}));
}

/// What a device is tried with: layers that only differ in what they compute are both there.
TEST(LayersOfEachKind, differInWhatTheyCompute) {
    DecoderSpec spec{.facts = {.numLayers = 6, .dim = 8, .vocabSize = 16},
                     .layers = std::vector<LayerSpec>(6)};
    for (LayerSpec& layer : spec.layers)
        layer.mixer = AttentionSpec{.numHeads = 2, .numKvHeads = 1, .keyDim = 4, .valueDim = 4, .scale = 0.5};
    attentionOf(spec.layers[4]).scale = 0.25;
    std::vector<TensorSpec> specs = decoderTensors(spec);
    formats::ModelFile file;
    for (const TensorSpec& tensor : specs)
        if (tensor.name.ends_with(".weight"))
            file.tensors[tensor.name] = {tensor.name, tensor.shape, quant::findFormat("F32"), {}};
    const BoundModel model{
        std::make_shared<Definition<DecoderSpec, decoderTensors, decoderMemory, buildDecoder>>(spec),
        Weights::bind(file, specs).value()};
    EXPECT_EQ(layersOfEachKind(model), (std::vector<uint32_t>{0, 1, 4}));
    const BoundModel small = withOneLayerOfEachKind(model);
    EXPECT_EQ(small.facts().numLayers, 3u);
    EXPECT_EQ(small.definition->memory().kv.size(), 3u);
    EXPECT_FALSE(small.definition->areAlike(1, 2));
    EXPECT_EQ(small.weights["blk.2.attn_q.weight"], model.weights["blk.4.attn_q.weight"]);
}

}  // namespace
}  // namespace ingle::models
