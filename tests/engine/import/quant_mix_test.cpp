#include "engine/import/quant_mix.h"

#include <gtest/gtest.h>

#include <set>
#include <sstream>
#include <vector>

#include "engine/models/family.h"

namespace ingle::importer {
namespace {

/// A model of so many layers, without tensors but for an output matrix if wanted.
formats::ModelFile modelOf(uint32_t numLayers, bool hasOutput = true) {
    formats::ModelFile model;
    model.metadata.set("general.architecture", std::string("llama"));
    model.metadata.set("llama.block_count", int64_t{numLayers});
    if (hasOutput) model.tensors["output.weight"] = {};
    return model;
}

std::string_view formatOf(std::string_view mix, const formats::ModelFile& model, std::string name,
                          tensor::Shape shape, std::string_view stored = "F32",
                          std::span<const TensorType> wanted = {}) {
    return TensorFormats::create(mix.empty() ? nullptr : findMix(mix).value(), wanted)
        ->of(model, {std::move(name), shape, quant::findFormat(stored), {}})
        .format->name;
}

TEST(QuantMix, givesSomeMatricesABetterFormat) {
    const tensor::Shape matrix = tensor::Shape::of(512, 512);
    const formats::ModelFile model = modelOf(16);
    struct Case {
        const char* mix;
        const char* tensor;
        std::set<int> better;
        const char* betterFormat;
        const char* format;
    };
    const std::set<int> eighthsAndThirds{0, 1, 4, 7, 10, 13, 14, 15};
    for (const Case& c :
         {Case{"Q4_K_M", "attn_v", eighthsAndThirds, "Q6_K", "Q4_K"},
          Case{"Q4_K_M", "ffn_down", eighthsAndThirds, "Q6_K", "Q4_K"},
          Case{"Q4_K", "ffn_down_exps", eighthsAndThirds, "Q6_K", "Q4_K"},
          Case{"Q4_K_M", "channel_mix_value", eighthsAndThirds, "Q6_K", "Q4_K"},
          Case{"Q4_K_M", "ffn_up", {}, "", "Q4_K"}, Case{"Q4_K_S", "attn_v", {0, 1}, "Q5_K", "Q4_K"},
          Case{"Q5_K_M", "time_mix_value", eighthsAndThirds, "Q6_K", "Q5_K"},
          Case{"Q2_K", "ffn_down", {}, "", "Q3_K"}, Case{"Q2_K", "attn_v", {}, "", "Q4_K"},
          Case{"Q3_K_M", "attn_v", {0}, "Q5_K", "Q4_K"}, Case{"Q3_K_M", "attn_output", {}, "", "Q4_K"},
          Case{"Q3_K_M", "ffn_gate", {}, "", "Q3_K"}, Case{"IQ4_XS", "ffn_down", {0, 1}, "Q5_K", "IQ4_XS"},
          Case{"MXFP4_MOE", "ffn_up_exps", {}, "", "MXFP4"}, Case{"MXFP4_MOE", "attn_q", {}, "", "Q8_0"},
          Case{"Q4_0", "ffn_down", {}, "", "Q4_0"}, Case{"F16", "attn_v", {}, "", "F16"}}) {
        for (int layer = 0; layer < 16; ++layer) {
            const std::string name = fmt::format("blk.{}.{}.weight", layer, c.tensor);
            EXPECT_EQ(formatOf(c.mix, model, name, matrix),
                      c.better.contains(layer) ? c.betterFormat : c.format)
                << c.mix << " " << name;
        }
    }
}

TEST(QuantMix, theOutputIsTheEmbeddingWhereThereIsNoOther) {
    const tensor::Shape table = tensor::Shape::of(512, 1000);
    EXPECT_EQ(formatOf("Q4_K_M", modelOf(4), "token_embd.weight", table), "Q4_K");
    EXPECT_EQ(formatOf("Q4_K_M", modelOf(4), "output.weight", table), "Q6_K");
    EXPECT_EQ(formatOf("Q4_K_M", modelOf(4, false), "token_embd.weight", table), "Q6_K");
    EXPECT_EQ(formatOf("Q8_0", modelOf(4, false), "token_embd.weight", table), "Q8_0");
}

TEST(QuantMix, rowsThatAreNotWholeBlocksFallBack) {
    const formats::ModelFile model = modelOf(4);
    EXPECT_EQ(formatOf("Q4_K_M", model, "blk.0.attn_q.weight", tensor::Shape::of(96, 8)), "Q8_0");
    EXPECT_EQ(formatOf("Q4_K_M", model, "blk.0.attn_q.weight", tensor::Shape::of(100, 8)), "F16");
    EXPECT_EQ(formatOf("Q8_0", model, "blk.0.attn_q.weight", tensor::Shape::of(100, 8)), "F16");
}

TEST(QuantMix, vectorsAndSensitiveMatricesStayFloats) {
    const formats::ModelFile model = modelOf(4);
    EXPECT_EQ(formatOf("Q4_0", model, "blk.0.attn_norm.weight", tensor::Shape::of(512), "F16"), "F32");
    EXPECT_EQ(formatOf("Q4_0", model, "blk.0.ffn_gate_inp.weight", tensor::Shape::of(512, 8), "BF16"), "F32");
    EXPECT_EQ(formatOf("Q4_0", model, "blk.0.ffn_gate_inp.weight", tensor::Shape::of(512, 8), "Q8_0"), "F32");
}

TEST(QuantMix, smallAndSensitiveMatricesStayFloats) {
    const tensor::Shape matrix = tensor::Shape::of(512, 64);
    for (const char* name :
         {"position_embd", "token_types", "blk.0.ffn_gate_inp", "blk.0.time_mix_w1", "blk.0.time_mix_w2",
          "blk.0.time_mix_a1", "blk.0.time_mix_a2", "blk.0.time_mix_v1", "blk.0.time_mix_v2",
          "blk.0.time_mix_g1", "blk.0.time_mix_g2", "blk.0.time_mix_decay_w1", "blk.0.time_mix_decay_w2"})
        EXPECT_FALSE(isQuantizable(fmt::format("{}.weight", name), matrix)) << name;
    for (const char* name : {"token_embd", "blk.0.attn_q", "blk.0.ffn_gate", "blk.0.time_mix_key"})
        EXPECT_TRUE(isQuantizable(fmt::format("{}.weight", name), matrix)) << name;
}

TEST(QuantMix, whatAFamilyUsesAsVectorsStaysFloats) {
    size_t compared = 0;
    for (const models::ModelFamily* family : models::allFamilies()) {
        formats::ModelFile described;
        described.metadata.set("general.architecture", std::string(family->arch));
        family->synthesize({.numExperts = 4, .numExpertsUsed = 2}, described.metadata);
        const auto definition = models::openDefinition(*family, described).value();
        for (const models::TensorSpec& spec : models::usualTensors(definition->tensors())) {
            if (spec.use != backend::WeightUse::Vector) continue;
            EXPECT_FALSE(isQuantizable(spec.name, spec.shape)) << family->arch << " " << spec.name;
            // llama.cpp's loaders take these as F32 only, also where nothing else is to be changed.
            for (const char* mix : {"", "Q8_0"})
                EXPECT_EQ(formatOf(mix, described, spec.name, spec.shape, "BF16"), "F32")
                    << family->arch << " " << spec.name;
            compared += spec.shape.numRows() > 1 ? 1 : 0;
        }
    }
    EXPECT_GT(compared, 0U) << "vectors with the shape of a matrix";
}

TEST(QuantMix, unknownNamesAreRefusedWithAList) {
    const auto mix = findMix("Q4_X");
    ASSERT_FALSE(mix);
    EXPECT_EQ(mix.error().code, ErrorCode::InvalidArgument);
    EXPECT_NE(mix.error().message.find("Q4_K_M"), std::string::npos);
}

TEST(QuantMix, everyFormatOfEveryMixCanBeWritten) {
    std::istringstream names(mixNames());
    int numMixes = 0;
    for (std::string name; std::getline(names >> std::ws, name, ','); ++numMixes) {
        const QuantMix& mix = *findMix(name).value();
        std::vector<std::string_view> formats{mix.matrices, mix.output};
        for (const MixRule& rule : mix.rules)
            if (!rule.format.empty()) formats.push_back(rule.format);
        for (const std::string_view format : formats) {
            ASSERT_NE(quant::findFormat(format), nullptr) << format;
            EXPECT_NE(quant::findFormat(format)->encodeRow, nullptr) << format;
        }
    }
    EXPECT_GT(numMixes, 20);
}

TEST(QuantMix, whatIsWantedByNameGoesFirst) {
    const tensor::Shape matrix = tensor::Shape::of(512, 512);
    const std::vector<TensorType> wanted{{"attn_[qk]\\.", "Q8_0"}, {"blk\\.1\\.", "F16"}};
    const auto of = [&](const char* mix, const char* name, const tensor::Shape& shape) {
        return formatOf(mix, modelOf(4), name, shape, "F32", wanted);
    };
    EXPECT_EQ(of("Q4_K_M", "blk.1.attn_q.weight", matrix), "Q8_0");
    EXPECT_EQ(of("Q4_K_M", "blk.1.ffn_up.weight", matrix), "F16");
    EXPECT_EQ(of("Q4_K_M", "blk.2.ffn_up.weight", matrix), "Q4_K");
    EXPECT_EQ(of("", "blk.2.ffn_up.weight", matrix), "F32") << "as it is stored";
    EXPECT_EQ(of("", "blk.1.attn_q.weight", matrix), "Q8_0");
    EXPECT_EQ(of("", "blk.1.attn_q.weight", tensor::Shape::of(100, 8)), "F16") << "no whole blocks";
    EXPECT_EQ(of("", "blk.1.attn_norm.weight", tensor::Shape::of(512)), "F32") << "a vector";
}

TEST(QuantMix, aWishThatCannotBeIsRefused) {
    const auto refusal = [](const TensorType& wanted) {
        const auto formats = TensorFormats::create(nullptr, {&wanted, 1});
        return formats ? std::string() : formats.error().message;
    };
    EXPECT_NE(refusal({"attn_v", "Q4_X"}).find("Q4_X"), std::string::npos);
    EXPECT_NE(refusal({"attn_v", "IQ1_S"}).find("IQ1_S"), std::string::npos);
    EXPECT_NE(refusal({"attn_(v", "Q8_0"}).find("regular expression"), std::string::npos);
    formats::ModelFile model;
    model.tensors["blk.0.attn_v.weight"] = {};
    for (const auto& [pattern, isName] : {std::pair("attn_v", true), std::pair("attn_w", false)}) {
        const TensorType wanted{pattern, "Q8_0"};
        const Status status = TensorFormats::create(nullptr, {&wanted, 1})->checkNames(model);
        EXPECT_EQ(status.has_value(), isName) << pattern;
    }
}

}  // namespace
}  // namespace ingle::importer
