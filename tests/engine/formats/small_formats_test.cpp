// The two formats without metadata: rwkv.cpp and llama2.c.
#include <gmock/gmock.h>

#include <fstream>

#include "engine/formats/model_file.h"
#include "engine/tensor/side_data.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::formats {
namespace {

using test::ByteString;
using ::testing::HasSubstr;

Result<ModelFile> openSmall(std::string_view bytes) {
    const test::TemporaryFolder folder;
    std::ofstream(folder.file("model"), std::ios::binary) << bytes;
    return openModelFile(test::opened(folder.file("model")));
}

void expectSmallRefused(std::string_view bytes, ErrorCode code, const char* message) {
    const auto model = openSmall(bytes);
    ASSERT_FALSE(model.has_value()) << message;
    EXPECT_EQ(model.error().code, code) << model.error().message;
    EXPECT_THAT(model.error().message, HasSubstr(message));
}

ByteString rwkvHead(uint32_t version = 101, uint32_t numLayers = 1, uint32_t dataType = 0) {
    ByteString file;
    for (const uint32_t field : {0x67676D66U, version, 256U, 8U, numLayers, dataType}) file.put(field);
    return file;
}

TEST(RwkvCppReader, translatesKeysAndNames) {
    const auto model = openSmall(test::rwkvFile());
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->format, "rwkv.cpp");
    EXPECT_EQ(model->metadata.string("general.architecture").value(), "rwkv5");
    EXPECT_EQ(model->metadata.u32("rwkv5.embedding_length").value(), 8U);
    EXPECT_EQ(model->metadata.u32("rwkv5.block_count").value(), 2U);
    EXPECT_EQ(model->metadata.u32("rwkv5.vocab_size").value(), 256U);
    EXPECT_EQ(model->metadata.u32("rwkv5.feed_forward_length").value(), 32U);
    EXPECT_EQ(model->metadata.u32("rwkv5.wkv.head_size").value(), 4U);
    EXPECT_FLOAT_EQ(model->metadata.f32("rwkv5.group_norm_epsilon").value(), 64e-5F);
    EXPECT_EQ(model->tokenizer.model, "bytes");
    for (const char* name :
         {"token_embd.weight", "token_embd_norm.weight", "token_embd_norm.bias", "blk.0.attn_norm.weight",
          "blk.0.attn_norm_2.bias", "output_norm.weight", "output.weight", "blk.0.time_mix_lerp_g.weight",
          "blk.0.time_mix_key.weight", "blk.0.time_mix_output.weight", "blk.0.time_mix_ln.bias",
          "blk.0.channel_mix_lerp_r.weight", "blk.0.channel_mix_receptance.weight"})
        EXPECT_NE(model->find(name), nullptr) << name;
    ASSERT_NE(model->find("blk.0.time_mix_decay.weight"), nullptr);
    EXPECT_EQ(model->find("blk.0.time_mix_decay.weight")->shape, (tensor::Shape{{1, 4, 2, 1}}));
    ASSERT_NE(model->find("blk.0.time_mix_first.weight"), nullptr);
    for (const auto& [name, tensor] : model->tensors) EXPECT_FALSE(name.starts_with("blocks.")) << name;
}

TEST(RwkvCppReader, refusesDamage) {
    expectSmallRefused(rwkvHead(99).bytes(), ErrorCode::Unsupported, "version 99");
    expectSmallRefused(rwkvHead(100, 1, 7).bytes(), ErrorCode::Unsupported, "outdated");
    expectSmallRefused(rwkvHead().bytes(), ErrorCode::Corrupt, "1 layers, the file holds 0 tensors");
    expectSmallRefused(rwkvHead().put(uint32_t{4}).put(uint32_t{1}).put(uint32_t{0}).bytes(),
                       ErrorCode::Corrupt, "4 dimensions");
    expectSmallRefused(
        rwkvHead().put(uint32_t{1}).put(uint32_t{1}).put(uint32_t{5}).put(uint32_t{8}).text("t").bytes(),
        ErrorCode::Unsupported, "data type 5");
    expectSmallRefused(
        rwkvHead().put(uint32_t{1}).put(uint32_t{1}).put(uint32_t{10}).put(uint32_t{32}).text("t").bytes(),
        ErrorCode::Unsupported, "Q8_1");
    expectSmallRefused(
        rwkvHead().put(uint32_t{1}).put(~uint32_t{0}).put(uint32_t{0}).put(uint32_t{8}).text("t").bytes(),
        ErrorCode::Corrupt, "name of 4294967295 bytes");
    expectSmallRefused(
        rwkvHead().put(uint32_t{1}).put(uint32_t{1}).put(uint32_t{0}).put(uint32_t{8}).text("t").bytes(),
        ErrorCode::Corrupt, "past the end");
    ByteString twice = rwkvHead();
    test::putRwkvTensor(twice, "blocks.0.att.time_first", {1});
    test::putRwkvTensor(twice, "blocks.0.att.time_faaaa", {1});
    expectSmallRefused(twice.bytes(), ErrorCode::Corrupt, "occurs twice");
    ByteString heads = rwkvHead();
    test::putRwkvTensor(heads, "blocks.0.att.ln_x.weight", {8});
    test::putRwkvTensor(heads, "blocks.0.att.time_decay", {1, 1, 3});
    expectSmallRefused(heads.bytes(), ErrorCode::Corrupt, "3 heads do not divide the width 8");
    const std::string whole = test::rwkvFile();
    expectSmallRefused(std::string_view(whole).substr(0, whole.size() - 1), ErrorCode::Corrupt,
                       "past the end");
}

TEST(RwkvCppReader, shapesOfVersions6And7AreThoseOfGguf) {
    struct Case {
        int version;
        const char* name;
        tensor::Shape shape;
    };
    for (const Case& c :
         {Case{6, "time_mix_decay", tensor::Shape::of(8)}, Case{6, "time_mix_first", tensor::Shape::of(4, 2)},
          Case{6, "time_mix_w2", tensor::Shape::of(3, 8, 5)},
          Case{6, "time_mix_decay_w1", tensor::Shape::of(8, 2)},
          Case{7, "time_mix_lerp_fused", tensor::Shape::of(8, 1, 1, 6)},
          Case{7, "time_mix_r_k", tensor::Shape::of(8)}, Case{7, "time_mix_v2", tensor::Shape::of(3, 8)},
          Case{7, "channel_mix_lerp_k", tensor::Shape::of(8)}}) {
        const auto model = openSmall(test::rwkvFile(c.version));
        ASSERT_TRUE(model.has_value()) << model.error().message;
        for (const int layer : {0, 1}) {
            const auto* tensor = model->find(fmt::format("blk.{}.{}.weight", layer, c.name));
            ASSERT_NE(tensor, nullptr) << c.name;
            EXPECT_EQ(tensor->shape, c.shape) << c.name << " " << tensor->shape.text();
        }
    }
    const auto six = openSmall(test::rwkvFile(6));
    EXPECT_EQ(six->metadata.string("general.architecture").value(), "rwkv6");
    EXPECT_EQ(six->metadata.u32("rwkv6.time_mix_extra_dim").value(), 3U);
    EXPECT_EQ(six->metadata.u32("rwkv6.time_decay_extra_dim").value(), 2U);
    const auto seven = openSmall(test::rwkvFile(7));
    EXPECT_EQ(seven->metadata.u32("rwkv7.wkv.head_size").value(), 4U);
    for (const char* rank : {"decay", "iclr", "value_residual_mix", "gate"})
        EXPECT_EQ(seven->metadata.u32(fmt::format("rwkv7.attention.{}_lora_rank", rank)).value(), 3U) << rank;
    EXPECT_EQ(openSmall(test::rwkvFile(4))->metadata.string("general.architecture").value(), "rwkv4");
}

TEST(Llama2cReader, translatesKeysAndSlicesTheStackedArrays) {
    const auto model = openSmall(test::llama2cFile());
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->format, "llama2.c v0");
    EXPECT_EQ(model->metadata.string("general.architecture").value(), "llama");
    EXPECT_EQ(model->metadata.u32("llama.attention.head_count_kv").value(), 1U);
    EXPECT_EQ(model->metadata.u32("llama.vocab_size").value(), 10U);
    EXPECT_EQ(model->tensors.size(), 12U);
    EXPECT_EQ(model->find("blk.0.attn_k.weight")->shape, (tensor::Shape{{8, 4, 1, 1}}));
    EXPECT_EQ(model->find("blk.0.ffn_down.weight")->shape, (tensor::Shape{{12, 8, 1, 1}}));
    const auto bytes = model->mappings[0]->bytes();
    EXPECT_EQ(model->find("token_embd.weight")->data.data(), bytes.data() + 28);
    const auto output = model->find("output.weight")->data;
    EXPECT_EQ(output.data() + output.size(), bytes.data() + bytes.size());
}

TEST(Llama2cReader, takesExactSizesOnly) {
    const std::string whole = test::llama2cFile();
    expectSmallRefused(std::string_view(whole).substr(0, whole.size() - 1), ErrorCode::Unsupported,
                       "known format");
    expectSmallRefused(whole + "x", ErrorCode::Unsupported, "known format");
    for (size_t field = 0; field < 7; ++field) {
        for (const int32_t value : {0, -8, 1 << 30, INT32_MAX, INT32_MIN}) {
            std::string damaged = whole;
            std::memcpy(damaged.data() + 4 * field, &value, 4);
            EXPECT_FALSE(openSmall(damaged).has_value()) << field << " " << value;
        }
    }
    expectSmallRefused("a", ErrorCode::Unsupported, "not a model file of a known format");
}

/// Overwrites the i32 at `offset`.
std::string withField(std::string file, size_t offset, int32_t value) {
    std::memcpy(file.data() + offset, &value, sizeof value);
    return file;
}

TEST(Llama2cReader, readsVersion1) {
    const auto model = openSmall(test::llama2cVersion1File());
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->format, "llama2.c v1");
    EXPECT_EQ(model->metadata.u32("llama.attention.head_count_kv").value(), 1U);
    EXPECT_EQ(model->metadata.u32("llama.vocab_size").value(), 10U);
    EXPECT_EQ(model->tensors.size(), 12U);
    EXPECT_EQ(model->find("blk.0.ffn_down.weight")->shape, (tensor::Shape{{12, 8, 1, 1}}));
    const std::byte* next = model->mappings[0]->bytes().data() + 256;
    for (const char* name : {"blk.0.attn_norm", "blk.0.ffn_norm", "output_norm", "token_embd", "blk.0.attn_q",
                             "blk.0.attn_k", "blk.0.attn_v", "blk.0.attn_output", "blk.0.ffn_gate",
                             "blk.0.ffn_down", "blk.0.ffn_up", "output"}) {
        const tensor::Tensor* tensor = model->find(std::string(name) + ".weight");
        ASSERT_NE(tensor, nullptr) << name;
        EXPECT_EQ(tensor->data.data(), next) << name;
        next += tensor->data.size();
    }
    EXPECT_EQ(next, model->mappings[0]->bytes().data() + model->mappings[0]->bytes().size());

    std::string shared = test::llama2cVersion1File();
    shared[36] = 1;
    const auto sharedModel = openSmall(shared);
    ASSERT_TRUE(sharedModel.has_value()) << sharedModel.error().message;
    EXPECT_EQ(sharedModel->find("output.weight"), nullptr);
}

TEST(Llama2cReader, refusesBadVersion1Files) {
    const std::string whole = test::llama2cVersion1File();
    expectSmallRefused(withField(whole, 4, 3), ErrorCode::Unsupported, "version 3");
    expectSmallRefused(withField(whole, 4, 0), ErrorCode::Unsupported, "version 0");
    expectSmallRefused(whole.substr(0, 255), ErrorCode::Corrupt, "takes 256 bytes");
    expectSmallRefused(whole.substr(0, whole.size() - 1), ErrorCode::Corrupt, "'output.weight'");
    for (size_t offset = 8; offset < 36; offset += 4)
        for (const int32_t value : {0, -8, INT32_MAX, INT32_MIN})
            expectSmallRefused(withField(whole, offset, value), ErrorCode::Corrupt, "");
}

TEST(Llama2cReader, leavesTheGroupsOfVersion2WhereTheyLie) {
    const std::string file = test::llama2cVersion2File();
    auto model = openSmall(file);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->format, "llama2.c v2");
    EXPECT_EQ(model->tensors.size(), 12U);
    EXPECT_EQ(model->expandedBytes(), 0U);
    const std::byte* begin = model->mappings[0]->bytes().data();
    EXPECT_EQ(model->find("blk.0.attn_norm.weight")->data.data(), begin + 256);
    const tensor::Tensor& query = *model->find("blk.0.attn_q.weight");
    ASSERT_EQ(query.shape, (tensor::Shape{{8, 8, 1, 1}}));
    const size_t start = 256 + 24 * 4 + (80 + 20 * 4);  // after header, norms and embedding
    EXPECT_EQ(query.data.data(), begin + start);
    EXPECT_EQ(reinterpret_cast<const std::byte*>(query.side->scales.data()), begin + start + 64);
    std::vector<float> rows(64);
    for (size_t row = 0; row < 8; ++row) query.decodeRow(row, std::span(rows).subspan(row * 8, 8));
    for (size_t i = 0; i < 64; ++i) {
        float scale = 0;
        std::memcpy(&scale, file.data() + start + 64 + i / 4 * sizeof scale, sizeof scale);
        EXPECT_EQ(rows[i], static_cast<float>(static_cast<int8_t>(file[start + i])) * scale) << i;
    }
}

TEST(Llama2cReader, refusesBadVersion2Files) {
    const std::string whole = test::llama2cVersion2File();
    for (const int32_t groupSize : {0, -4, 3, 8, INT32_MAX, INT32_MIN})
        expectSmallRefused(withField(whole, 37, groupSize), ErrorCode::Corrupt, "groups of");
    expectSmallRefused(whole.substr(0, whole.size() - 1), ErrorCode::Corrupt, "'output.weight'");
}

}  // namespace
}  // namespace ingle::formats
