/// Packed weights of folders become blocks when something is computed with them, and not before.
#include <gmock/gmock.h>

#include <sys/mman.h>

#include <filesystem>
#include <fstream>

#include "engine/lab/kernel_check.h"
#include "engine/session/loading/model.h"
#include "ingle/engine.h"
#include "tests/engine/formats/sample_packed.h"
#include "tests/engine/session/little_memory.h"
#include "tests/opened.h"

namespace ingle::session {
namespace {

using nlohmann::json;

/// A part of a packed matrix.
struct PackedShape {
    std::string type;
    std::vector<uint64_t> (*dims)(uint64_t rows, uint64_t columns);
};

uint64_t bufferBytes(const formats::ModelFile& file) {
    uint64_t bytes = 0;
    for (const base::Buffer& buffer : file.buffers) bytes += buffer.size();
    return bytes;
}

/// A folder of a packed model with 134 million weights that are zeros and lie nowhere on the disk.
test::FolderFiles hollowFolder(const json& settings, const std::map<std::string, PackedShape>& parts,
                               uint64_t& weightBytes) {
    constexpr uint64_t kDim = 2048, kFfn = 8192;
    json header = json::object();
    weightBytes = 0;
    const auto add = [&](const std::string& name, const std::string& type,
                         const std::vector<uint64_t>& dims) {
        uint64_t bytes = type == "F16" ? 2 : 4;
        for (const uint64_t dim : dims) bytes *= dim;
        header[name] = {
            {"dtype", type}, {"shape", dims}, {"data_offsets", {weightBytes, weightBytes + bytes}}};
        weightBytes += bytes;
    };
    add("model.embed_tokens.weight", "F16", {300, kDim});
    add("model.norm.weight", "F16", {kDim});
    for (const std::string layer : {"model.layers.0.", "model.layers.1."}) {
        for (const char* norm : {"input_layernorm", "post_attention_layernorm"})
            add(layer + norm + ".weight", "F16", {kDim});
        const std::tuple<const char*, uint64_t, uint64_t> matrices[] = {
            {"self_attn.q_proj", kDim, kDim}, {"self_attn.k_proj", kDim, kDim},
            {"self_attn.v_proj", kDim, kDim}, {"self_attn.o_proj", kDim, kDim},
            {"mlp.gate_proj", kFfn, kDim},    {"mlp.up_proj", kFfn, kDim},
            {"mlp.down_proj", kDim, kFfn}};
        for (const auto& [name, rows, columns] : matrices)
            for (const auto& [part, shape] : parts)
                add(fmt::format("{}{}.{}", layer, name, part), shape.type, shape.dims(rows, columns));
    }
    const std::string text = header.dump();
    return {{"config.json", json{{"architectures", {"LlamaForCausalLM"}},
                                 {"hidden_size", kDim},
                                 {"intermediate_size", kFfn},
                                 {"num_hidden_layers", 2},
                                 {"num_attention_heads", 16},
                                 {"max_position_embeddings", 2048},
                                 {"tie_word_embeddings", true},
                                 {"quantization_config", settings}}
                                .dump()},
            {"tokenizer.json", test::piecesTokenizer().dump()},
            {"model.safetensors", test::ByteString().put(uint64_t{text.size()}).text(text).bytes()}};
}

/// Bytes of a file that somebody has read.
uint64_t residentBytes(const std::string& path) {
    const auto mapping = io::MappedFile::open(path).value();
    const std::span<const std::byte> bytes = mapping->bytes();
    std::vector<unsigned char> pages((bytes.size() + 4095) / 4096);
    EXPECT_EQ(::mincore(const_cast<std::byte*>(bytes.data()), bytes.size(), pages.data()), 0);
    return 4096 *
           static_cast<uint64_t>(std::ranges::count_if(pages, [](unsigned char page) { return page & 1; }));
}

TEST(ExpandedWeights, tooLargeOnesAreRefusedBeforeTheyAreRead) {
    using Dims = std::vector<uint64_t>;
    const std::map<std::string, std::pair<json, std::map<std::string, PackedShape>>> methods = {
        {"gptq",
         {{{"quant_method", "gptq"}, {"bits", 4}, {"group_size", 128}},
          {{"qweight",
            {"I32",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns / 8, rows};
             }}},
           {"qzeros",
            {"I32",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns / 128, rows / 8};
             }}},
           {"scales",
            {"F16",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns / 128, rows};
             }}}}}},
        {"awq",
         {{{"quant_method", "awq"}, {"version", "gemm"}, {"bits", 4}, {"group_size", 128}},
          {{"qweight",
            {"I32",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns, rows / 8};
             }}},
           {"qzeros",
            {"I32",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns / 128, rows / 8};
             }}},
           {"scales",
            {"F16",
             [](uint64_t rows, uint64_t columns) {
                 return Dims{columns / 128, rows};
             }}}}}},
    };
    constexpr uint64_t kMiB = 1 << 20;
    for (const auto& [method, packed] : methods) {
        SCOPED_TRACE(method);
        const test::TemporaryFolder folder;
        uint64_t weightBytes = 0;
        const test::FolderFiles files = hollowFolder(packed.first, packed.second, weightBytes);
        test::writeFolder(files, folder);
        const std::string weights = folder.file("model.safetensors");
        const uint64_t headerBytes = files.at("model.safetensors").size();
        std::filesystem::resize_file(weights, headerBytes + weightBytes);
        ASSERT_GT(weightBytes, 64 * kMiB);

        const test::LittleMemory little(64 * kMiB, 16 * kMiB);
        const std::string path = folder.path().string();
        EXPECT_FALSE(inspectModel(path, {}).value().memory.fits());
        const auto engine = Engine::load(path, {.backend = BackendChoice::Cpu, .threads = 1}, nullptr);
        ASSERT_FALSE(engine);
        EXPECT_EQ(engine.error().code, ErrorCode::OutOfMemory);
        EXPECT_THAT(engine.error().message,
                    testing::MatchesRegex(".* needs [0-9.]+ MB of memory .*, but 17 MB of 67 MB are free"));
        // Beside the header there is what the system read ahead of it.
        EXPECT_LT(residentBytes(weights), weightBytes / 4);
        // What is read is seen.
        std::ifstream(weights, std::ios::binary)
            .ignore(static_cast<std::streamsize>(headerBytes + weightBytes));
        EXPECT_GT(residentBytes(weights), weightBytes / 2);
    }
}

TEST(ExpandedWeights, areForetoldAndMadeByLoading) {
    const test::TemporaryFolder folder;
    test::writeFolder(test::gptqFolder(), folder);
    const io::Source source = test::opened(folder.path().string());
    const auto opened = openModel(source, {}).value();
    const uint64_t expandedBytes = opened->file.expandedBytes();
    const uint64_t made = bufferBytes(opened->file);  // by reading the folder: small vectors
    EXPECT_LT(made, expandedBytes);
    // What they will take, without what they are made of.
    uint64_t readOnce = 0;
    for (const auto bytes : opened->file.readOnce()) readOnce += bytes.size();
    EXPECT_GT(readOnce, 0U);
    EXPECT_EQ(opened->shape.weightBytes, opened->file.fileBytes() + expandedBytes - readOnce);

    const auto model = Model::load(source, {.threads = 1}, nullptr);
    ASSERT_TRUE(model) << model.error().message;
    const formats::ModelFile& file = (*model)->opened().file;
    EXPECT_GE(bufferBytes(file), made + expandedBytes);
    EXPECT_LT(bufferBytes(file), made + expandedBytes + file.tensors.size() * base::Buffer::kAlignment);
    const Status checked = lab::checkKernels(source.path(), {.threads = 1});
    EXPECT_TRUE(checked) << checked.error().message;
}

}  // namespace
}  // namespace ingle::session
