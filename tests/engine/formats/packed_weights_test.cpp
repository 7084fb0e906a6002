/// Packed weights of folders: rows in blocks are made once, and what is wrong is one sentence. That they are
/// the right numbers is for tests/folders to judge.
#include <gmock/gmock.h>

#include <filesystem>

#include "engine/formats/model_file.h"
#include "engine/tensor/side_data.h"
#include "tests/engine/formats/refusals.h"
#include "tests/engine/formats/sample_packed.h"
#include "tests/opened.h"

namespace ingle::formats {
namespace {

using nlohmann::json;
using test::FolderFiles;
using test::openFolder;
using test::PackedTensors;
using testing::HasSubstr;

TEST(PackedWeights, becomeBlocksOfTheirOwn) {
    const std::map<std::string, std::string> formats = {
        {"gptq", "INT4_G32"}, {"awq", "INT4_G32"},    {"compressed-tensors", "INT4_G32"},
        {"fp8", "F8_E4M3"},   {"modelopt", "NVFP4"},  {"mlx", "Q4_1"},
        {"mlx6", "INT8_G32"}, {"mlx-mxfp4", "MXFP4"}, {"nf4", "BF16"},
        {"int8", "INT8_G32"}, {"mxfp4", "MXFP4"}};
    for (const auto& [method, files] : test::packedFolders()) {
        SCOPED_TRACE(method);
        const test::TemporaryFolder folder;
        auto model = openFolder(files, folder);
        ASSERT_TRUE(model) << model.error().message;
        const char* name = method == "mxfp4" ? "blk.0.ffn_up_exps.weight" : "blk.0.ffn_up.weight";
        const tensor::Tensor& matrix = *model->find(name);
        EXPECT_EQ(matrix.format->name, formats.at(method));
        if (method == "fp8") {
            EXPECT_EQ(model->expandedBytes(), 0U);
            continue;
        }
        // Row by row as all at once.
        std::vector<float> before(matrix.shape.rowElems()), after(before.size());
        const uint64_t row = matrix.shape.numRows() - 1;
        matrix.decodeRow(row, before);
        EXPECT_TRUE(matrix.data.empty());
        // In one piece, and once.
        const size_t numBuffers = model->buffers.size();
        for (int i = 0; i < 2; ++i) {
            ASSERT_TRUE(model->expand(2));
            ASSERT_EQ(model->buffers.size(), numBuffers + 1);
        }
        ASSERT_EQ(matrix.data.size(), matrix.bytes());
        EXPECT_EQ(reinterpret_cast<uintptr_t>(matrix.data.data()) % base::Buffer::kAlignment, 0U);
        matrix.decodeRow(row, after);
        EXPECT_EQ(after, before);
        EXPECT_NE(after, std::vector<float>(after.size()));
    }
}

TEST(PackedWeights, columnsOfScatteredGroupsAreOrdered) {
    const test::TemporaryFolder folder;
    const auto model = openFolder(test::gptqFolder(), folder);
    ASSERT_TRUE(model);
    // 64 columns by turns in two groups: those of the first come first.
    const tensor::Tensor& down = *model->find("blk.0.ffn_down.weight");
    ASSERT_NE(down.side, nullptr);
    EXPECT_FALSE(down.side->hasScales());
    EXPECT_TRUE(checkSideData(*down.side, down.shape));
    for (uint32_t i = 0; i < 64; ++i) EXPECT_EQ(down.side->columns[i], i / 2 + i % 2 * 32) << i;
    EXPECT_EQ(model->find("blk.0.ffn_up.weight")->side, nullptr);
}

/// A folder whose file or configuration is changed first.
FolderFiles changed(FolderFiles files, const char* file, const std::function<void(json&)>& change) {
    std::string& bytes = files.at(file);
    if (std::string_view(file) == "config.json") {
        json config = json::parse(bytes);
        change(config);
        bytes = config.dump();
        return files;
    }
    uint64_t length = 0;
    std::memcpy(&length, bytes.data(), sizeof length);
    json header = json::parse(bytes.substr(8, length));
    change(header);
    const std::string text = header.dump();
    bytes = test::ByteString().put(uint64_t{text.size()}).text(text).text(bytes.substr(8 + length)).bytes();
    return files;
}
FolderFiles withSetting(FolderFiles files, const char* key, const json& value) {
    return changed(std::move(files), "config.json",
                   [&](json& config) { config["quantization_config"][key] = value; });
}
FolderFiles withMlx(FolderFiles files, const char* key, const json& value) {
    return changed(std::move(files), "config.json",
                   [&](json& config) { config["quantization"][key] = value; });
}
/// Of the header of the tensors' file.
FolderFiles withShape(FolderFiles files, const std::string& name, const json& shape) {
    return changed(std::move(files), "model.safetensors",
                   [&](json& header) { header["model.layers.0." + name]["shape"] = shape; });
}
FolderFiles withType(FolderFiles files, const std::string& name, const char* type) {
    return changed(std::move(files), "model.safetensors",
                   [&](json& header) { header["model.layers.0." + name]["dtype"] = type; });
}
FolderFiles renamed(FolderFiles files, const std::string& from, const std::string& to) {
    return changed(std::move(files), "model.safetensors", [&](json& header) {
        header["model.layers.0." + to] = header["model.layers.0." + from];
        header.erase("model.layers.0." + from);
    });
}

/// Groups of 16 columns.
void packSmallGroups(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packAwq(tensors, module, rows, columns);
    tensors[module + ".qzeros"] = test::filled("I32", {columns / 16, rows / 8}, uint32_t{0});
    tensors[module + ".scales"] = test::filled("F16", {columns / 16, rows}, test::kScale);
}

void packFiveBits(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packGptq(tensors, module, rows, columns);
    tensors[module + ".qzeros"] = test::filled("I32", {columns / 32, rows * 5 / 32}, uint32_t{0});
}

void packWrongGroup(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packGptq(tensors, module, rows, columns);
    tensors[module + ".g_idx"] = test::filled("I32", {columns}, int32_t{-3});
}

void packShortMap(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packNf4(tensors, module, rows, columns);
    tensors[module + ".weight.nested_quant_map"] = test::filled("F32", {255}, 0.25F);
}

void packFewBlocks(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packNf4(tensors, module, rows, columns);
    tensors[module + ".weight.absmax"] = test::filled("U8", {rows * columns / 128}, uint8_t{200});
}

void packWithoutState(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packNf4(tensors, module, rows, columns);
    tensors[module + ".weight.quant_state.bitsandbytes__nf4"] = {"U8", {2}, "{}"};
}

/// As a kind of graphics cards wants them.
void packTurned(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packInt8(tensors, module, rows, columns);
    tensors[module + ".weight_format"] = test::filled("U8", {}, uint8_t{2});
}

void packFewScales(PackedTensors& tensors, const std::string& module, uint64_t rows, uint64_t columns) {
    test::packInt8(tensors, module, rows, columns);
    tensors[module + ".SCB"] = test::filled("F32", {rows / 2}, 0.5F);
}

TEST(PackedWeights, whatIsWrongIsOneSentence) {
    auto folders = test::packedFolders();
    const json gptqSettings = {{"quant_method", "gptq"}}, bitsandbytes = {{"quant_method", "bitsandbytes"}};
    test::expectRefusals({
        {withSetting(folders["gptq"], "quant_method", "quip"),
         "weights packed by \"quip\" are not supported"},
        {withSetting(folders["gptq"], "checkpoint_format", "marlin"),
         "GPTQ weights in the layout \"marlin\" are not supported"},
        {withSetting(folders["gptq"], "rotation", "hadamard"),
         "GPTQ weights that were rotated (\"hadamard\") before they were packed"},
        {withSetting(folders["modelopt"], "quant_algo", "W4A8_AWQ"),
         "weights packed by Model Optimizer as \"W4A8_AWQ\" are not supported"},
        {test::packedFolder(packFiveBits, gptqSettings), "have 5 bits; 2, 3, 4 and 8 are supported"},
        {test::packedFolder(packWrongGroup, gptqSettings), "names group -3 of"},
        {withType(folders["gptq"], "mlp.up_proj.qweight", "F32"), "is stored as F32, which is not supported"},
        {withShape(folders["gptq"], "mlp.up_proj.scales", {64, 1}),
         "the scales, zeros and levels of the GPTQ weights 'model.layers.0.mlp.up_proj' do not fit"},
        {withShape(folders["gptq"], "mlp.up_proj.scales", {0, 64}), "its shape says 0"},
        {withShape(folders["gptq"], "mlp.up_proj.g_idx", {4, 8}), "has 2 dimensions instead of 1"},
        {withShape(folders["gptq"], "mlp.up_proj.qweight", {uint64_t{1} << 40, uint64_t{1} << 40}),
         "its shape is too large"},
        {renamed(folders["gptq"], "mlp.up_proj.qzeros", "mlp.up_proj.weight"),
         "tensor 'model.layers.0.mlp.up_proj.qzeros' is missing"},
        {changed(folders["gptq"], "model.safetensors",
                 [](json& header) {
                     for (json& offset : header["model.layers.0.mlp.up_proj.qzeros"]["data_offsets"])
                         offset = offset.get<int>() - 4;
                 }),
         "its data overlaps that of another tensor"},
        {withSetting(folders["awq"], "version", "GEMV"),
         "AWQ weights in the layout \"gemv\" are not supported"},
        {withSetting(folders["awq"], "bits", 3), "AWQ weights of 3 bits are not supported"},
        {withShape(folders["awq"], "mlp.down_proj.scales", {1, 64}), "of the AWQ weights"},
        {test::packedFolder(packSmallGroups, {{"quant_method", "awq"}}),
         "its groups of columns are not whole blocks of 32"},
        {withSetting(folders["compressed-tensors"], "format", "marlin-24"),
         "weights compressed as \"marlin-24\" are not supported"},
        {withSetting(folders["compressed-tensors"], "transform_config",
                     {{"config_groups", {{"u", {{"type", "hadamard"}, {"apply", json::array()}}}}}}),
         "weights that were rotated before they were compressed (transform_config) are not supported"},
        {withShape(folders["compressed-tensors"], "mlp.up_proj.weight_packed", {32, 8}),
         "are no matrix of 64 × 32 levels of 4 or 8 bits"},
        {withShape(folders["compressed-tensors"], "mlp.up_proj.weight_scale", {1, 64}), "do not fit"},
        {withType(folders["compressed-tensors"], "mlp.up_proj.weight_scale", "I16"), "is stored as I16"},
        {renamed(folders["fp8"], "mlp.up_proj.weight_scale_inv", "mlp.up_proj.other"), "has no scales"},
        {withSetting(folders["fp8"], "weight_block_size", {16, 16}), "which has 8 parts of 16 × 16"},
        {withSetting(folders["fp8"], "weight_block_size", 128), "weight_block_size is no block"},
        {withSetting(folders["fp8"], "fmt", "e5m2"), "FP8 weights of the kind \"e5m2\""},
        {withShape(folders["mxfp4"], "mlp.experts.down_proj_scales", {1, 64, 1}), "MXFP4 weights"},
        {withShape(folders["mxfp4"], "mlp.experts.down_proj_blocks", {2, 32, 16, 1}), "MXFP4 weights"},
        {withShape(folders["modelopt"], "mlp.up_proj.weight_scale", {32, 8}), "of the NVFP4 weights"},
        {withType(folders["modelopt"], "mlp.up_proj.weight_scale_2", "I32"), "is not one number"},
        {withShape(folders["modelopt"], "mlp.up_proj.weight", {1024, 2}),
         "have rows of 4 values, no multiple of 64"},
        {renamed(folders["modelopt"], "mlp.up_proj.weight_scale", "mlp.up_proj.pre_quant_scale"),
         "weights with scales of activations"},
        {withMlx(folders["mlx"], "mode", "mxfp8"), "MLX weights of the mode \"mxfp8\" are not supported"},
        {withMlx(folders["mlx"], "mode", "mxfp4"), "is stored as F16, which is not supported"},
        {withShape(folders["mlx-mxfp4"], "mlp.up_proj.scales", {32, 2, 1}), "has 3 dimensions instead of 2"},
        {withMlx(folders["mlx"], "group_size", 16), "have groups of 16, no multiple of 32"},
        {withMlx(folders["mlx"], "model.layers.0.mlp.up_proj", {{"group_size", 0}}), "have groups of 0"},
        {withMlx(folders["mlx"], "model.layers.0.mlp.up_proj", {{"group_size", 96}}), "of the MLX weights"},
        {withShape(folders["mlx"], "mlp.up_proj.biases", {32, 2}), "of the MLX weights"},
        {renamed(folders["mlx"], "mlp.up_proj.biases", "mlp.up_proj.other"), "biases' is missing"},
        {test::packedFolder(packShortMap, bitsandbytes), "is packed in do not fit"},
        {test::packedFolder(packFewBlocks, bitsandbytes), "numbers and shape of the weights"},
        {test::packedFolder(packWithoutState, bitsandbytes), "does not say how its weights are packed"},
        {test::packedFolder(packFewScales, bitsandbytes), "the scales of the weights"},
        {test::packedFolder(packTurned, bitsandbytes), "do not lie in rows ('weight_format')"},
        {renamed(renamed(folders["mxfp4"], "mlp.experts.down_proj_blocks", "mlp.experts.down_proj"),
                 "mlp.experts.down_proj_scales", "unknown"),
         "and 4 dimensions is not supported"},
    });
}

TEST(PackedWeights, noTransformIsAsGoodAsNone) {
    for (const json& none : {json(nullptr), json::object(), json({{"config_groups", json::object()}})}) {
        const test::TemporaryFolder folder;
        const auto model = openFolder(
            withSetting(test::packedFolders()["compressed-tensors"], "transform_config", none), folder);
        EXPECT_TRUE(model) << model.error().message;
    }
}

/// Older folders say it in files of their own.
TEST(PackedWeights, settingsMayLieBesideTheConfiguration) {
    FolderFiles files =
        changed(test::gptqFolder(), "config.json", [](json& config) { config.erase("quantization_config"); });
    {
        const test::TemporaryFolder folder;
        const auto unsaid = openFolder(files, folder);
        ASSERT_FALSE(unsaid);
        EXPECT_THAT(unsaid.error().message, HasSubstr("has no use for the tensor"));
    }
    files["quantize_config.json"] = R"({"bits": 4, "group_size": 32, "desc_act": true})";
    const test::TemporaryFolder folder;
    const auto model = openFolder(files, folder);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->find("blk.0.ffn_up.weight")->format->name, "INT4_G32");
}

}  // namespace
}  // namespace ingle::formats
