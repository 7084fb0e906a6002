/// Vision files that no tower can be made of end in one sentence; towers of made-up files compute the same in
/// any order.
#include "engine/vision/family.h"

#include <gmock/gmock.h>

#include <deque>

#include "engine/backend/cpu/cpu_backend.h"
#include "engine/base/cpu_features.h"
#include "engine/vision/encoder.h"
#include "tests/engine/vision/png_file.h"
#include "tests/random_weights.h"

namespace ingle::vision {
namespace {

using tensor::Shape;
using testing::HasSubstr;

/// A vision file of Gemma 3 in memory: 2 layers of 4 heads, pictures of 4 × 4 patches, one token of each 2
/// × 2.
class SmallFile {
  public:
    SmallFile() {
        file.path = "small.gguf";
        set("general.architecture", std::string("clip"));
        set("clip.has_vision_encoder", true);
        set("clip.projector_type", std::string("gemma3"));
        set("clip.use_gelu", true);
        for (const auto& [key, value] : std::map<std::string, int64_t>{{"image_size", 32},
                                                                       {"patch_size", 8},
                                                                       {"embedding_length", 16},
                                                                       {"feed_forward_length", 24},
                                                                       {"block_count", 2},
                                                                       {"projection_dim", 12},
                                                                       {"attention.head_count", 4},
                                                                       {"projector.scale_factor", 2}})
            set("clip.vision." + key, value);
        set("clip.vision.attention.layer_norm_epsilon", 1e-6);
        set("clip.vision.image_mean", std::vector<double>{0.5, 0.5, 0.5});
        set("clip.vision.image_std", std::vector<double>{0.5, 0.5, 0.5});
        add("v.patch_embd.weight", Shape::of(8, 8, 3, 16));
        add("v.patch_embd.bias", Shape::of(16));
        add("v.position_embd.weight", Shape::of(16, 16));
        for (const std::string layer : {"v.blk.0.", "v.blk.1."}) {
            for (const std::string norm : {"ln1", "ln2"}) {
                add(layer + norm + ".weight", Shape::of(16));
                add(layer + norm + ".bias", Shape::of(16));
            }
            for (const std::string matrix : {"attn_q", "attn_k", "attn_v", "attn_out"}) {
                add(layer + matrix + ".weight", Shape::of(16, 16));
                add(layer + matrix + ".bias", Shape::of(16));
            }
            add(layer + "ffn_up.weight", Shape::of(16, 24));
            add(layer + "ffn_down.weight", Shape::of(24, 16));
        }
        add("v.post_ln.weight", Shape::of(16));
        add("v.post_ln.bias", Shape::of(16));
        add("mm.soft_emb_norm.weight", Shape::of(16));
        add("mm.input_projection.weight", Shape::of(12, 16));
    }

    void set(const std::string& key, formats::MetaValue value) { file.metadata.set(key, std::move(value)); }
    void add(const std::string& name, const Shape& shape) {
        const auto& values = m_values.emplace_back(test::gaussian(m_random, shape.numElems()));
        file.tensors[name] = {name, shape, quant::findFormat(quant::kF32), std::as_bytes(std::span(values))};
    }
    std::string complaint(const std::optional<PictureTokens>& tokens = {}) {
        const auto tower = bindTower(file, tokens);
        return tower ? std::string() : tower.error().message;
    }
    std::vector<float> rowsOf(const Picture& picture,
                              const backend::cpu::CpuOptions& options = {.threads = 2}) {
        const auto tower = bindTower(file, {});
        EXPECT_TRUE(tower) << tower.error().message;
        const auto cpu = backend::cpu::createCpuBackend(options);
        auto encoder = TowerEncoder::create(tower->spec, tower->weights, *cpu);
        EXPECT_TRUE(encoder) << encoder.error().message;
        const auto encoded = (*encoder)->encode(picture);
        EXPECT_TRUE(encoded) << encoded.error().message;
        return encoded->rows;
    }

    formats::ModelFile file;

  private:
    std::mt19937 m_random{5};
    std::deque<std::vector<float>> m_values;
};

TEST(Tower, aSmallOneMakesRows) {
    SmallFile small;
    const std::vector<float> rows = small.rowsOf(test::gradient(50, 31));
    EXPECT_EQ(rows.size(), 4u * 12u);
    EXPECT_EQ(rows, small.rowsOf(test::gradient(50, 31)));
    EXPECT_NE(rows, small.rowsOf(test::gradient(31, 50)));
}

TEST(Tower, everyInstructionSetAndAnyThreadsMakeTheSameRows) {
    SmallFile small;
    const Picture picture = test::gradient(33, 44);
    const std::vector<float> expected = small.rowsOf(picture);
    for (const auto isa : {base::Isa::Scalar, base::Isa::Neon, base::Isa::Avx2, base::Isa::Avx512}) {
        if (!base::isaSupported(isa)) continue;
        const std::vector<float> rows = small.rowsOf(picture, {.threads = 1, .isa = isa});
        ASSERT_EQ(rows.size(), expected.size());
        for (size_t i = 0; i < rows.size(); ++i) EXPECT_NEAR(rows[i], expected[i], 1e-4) << i;
        EXPECT_EQ(small.rowsOf(picture, {.threads = 3, .isa = isa}), rows);
    }
}

/// Towers may be quantised as text models are.
TEST(Tower, blocksAreMultipliedAsInTextModels) {
    SmallFile small;
    std::mt19937 random(9);
    const quant::QuantFormat& format = *quant::findFormat("Q8_0");
    const std::vector<float> values = test::gaussian(random, 32 * 32);
    std::vector<std::byte> blocks(format.blockBytes * 32);
    format.encodeRow(values, {}, blocks.data());
    std::vector<float> decoded(values.size());
    format.decodeRow(blocks.data(), decoded);
    // Feed-forwards 32 wide, whose second matrix has whole blocks in its rows.
    const auto rowsWith = [&](const tensor::Tensor& down) {
        small.set("clip.vision.feed_forward_length", int64_t{32});
        for (const std::string layer : {"v.blk.0.", "v.blk.1."}) {
            small.add(layer + "ffn_up.weight", Shape::of(16, 32));
            small.file.tensors[layer + "ffn_down.weight"] = down;
        }
        return small.rowsOf(test::gradient(20, 20), {.threads = 2, .activations = ActivationType::F32});
    };
    const auto half = [](auto bytes) { return bytes.first(bytes.size() / 2); };
    SmallFile again;
    const std::vector<float> quantised =
        rowsWith({"down", Shape::of(32, 16), &format, half(std::as_bytes(std::span(blocks)))});
    std::swap(small, again);
    const std::vector<float> floats = rowsWith(
        {"down", Shape::of(32, 16), quant::findFormat(quant::kF32), half(std::as_bytes(std::span(decoded)))});
    ASSERT_EQ(quantised.size(), floats.size());
    for (size_t i = 0; i < floats.size(); ++i) EXPECT_NEAR(quantised[i], floats[i], 1e-4) << i;
}

/// Some converters wrote up and down under each other's names.
TEST(Tower, exchangedMatricesAreReadAsTheyAreMeant) {
    SmallFile small, old;
    for (const std::string layer : {"v.blk.0.", "v.blk.1."})
        std::swap(old.file.tensors[layer + "ffn_up.weight"], old.file.tensors[layer + "ffn_down.weight"]);
    const Picture picture = test::gradient(40, 40);
    EXPECT_EQ(old.rowsOf(picture), small.rowsOf(picture));
}

TEST(Tower, whatIsMissingOrWrongIsNamed) {
    const auto complaintOf = [](auto change) {
        SmallFile small;
        change(small);
        return small.complaint();
    };
    EXPECT_EQ(SmallFile().complaint(), "");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.set("general.architecture", std::string("llama")); }),
              "small.gguf: the file is no vision file (mmproj)");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.set("clip.has_vision_encoder", false); }),
              "small.gguf: the file has no part that sees");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.set("clip.projector_type", std::string("glm4v")); }),
              "small.gguf: vision files of the type \"glm4v\" are not supported");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.file.tensors.erase("v.blk.1.ln2.bias"); }),
              "small.gguf: the tensor v.blk.1.ln2.bias is missing");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.file.tensors.erase("v.post_ln.weight"); }),
              "small.gguf: the tensor v.post_ln.weight is missing");
    EXPECT_EQ(complaintOf([](SmallFile& f) { f.add("v.blk.0.attn_out.weight", Shape::of(16, 15)); }),
              "small.gguf: the tensor v.blk.0.attn_out.weight has shape {16, 15} where {16, 16} is needed");
    EXPECT_THAT(complaintOf([](SmallFile& f) { f.set("clip.use_silu", true); }),
                HasSubstr("use_gelu and use_silu at once"));
    EXPECT_EQ(SmallFile().complaint(PictureTokens{4, 8}),
              "small.gguf: pictures of this model always have as many tokens");
    EXPECT_THAT(SmallFile().complaint(PictureTokens{8, 4}), HasSubstr("cannot have 8 to 4 tokens"));
}

TEST(Tower, hostileNumbersAreRefused) {
    const std::pair<const char*, int64_t> hostile[] = {
        {"image_size", 1 << 30},       {"image_size", 0},         {"patch_size", 0},
        {"patch_size", 1 << 20},       {"block_count", 1 << 30},  {"embedding_length", 1 << 30},
        {"attention.head_count", 0},   {"projection_dim", 0},     {"projector.scale_factor", 1 << 20},
        {"attention.head_count", 3},   {"attention.head_dim", 6}, {"feed_forward_length", -1},
        {"attention.head_count_kv", 0}};
    for (const auto& [key, value] : hostile) {
        SmallFile small;
        small.set(std::string("clip.vision.") + key, value);
        EXPECT_NE(small.complaint(), "") << key << " " << value;
    }
}

TEST(Tower, picturesThatAreNoneAreRefused) {
    SmallFile small;
    const auto tower = bindTower(small.file, {});
    ASSERT_TRUE(tower) << tower.error().message;
    const auto cpu = backend::cpu::createCpuBackend({.threads = 1});
    const auto encoder = TowerEncoder::create(tower->spec, tower->weights, *cpu);
    ASSERT_TRUE(encoder);
    for (const Picture& picture : {Picture{}, Picture{2, 2, std::vector<uint8_t>(11)}}) {
        const auto encoded = (*encoder)->encode(picture);
        ASSERT_FALSE(encoded);
        EXPECT_EQ(encoded.error().code, ErrorCode::InvalidArgument);
    }
}

}  // namespace
}  // namespace ingle::vision
