/// Folders of Hugging Face: what they say is read, and what is wrong with them is one sentence. That they
/// compute what they should is for tests/folders to judge.
#include <gmock/gmock.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>

#include "engine/formats/checkpoint/config.h"
#include "engine/formats/gguf_layout.h"
#include "engine/formats/tokenizer_data.h"
#include "engine/tokenizer/tokenizer.h"
#include "tests/engine/formats/refusals.h"
#include "tests/engine/formats/sample_architectures.h"
#include "tests/engine/formats/sample_folders.h"
#include "tests/engine/formats/sample_lists.h"
#include "tests/golden.h"
#include "tests/opened.h"

namespace ingle::formats {
namespace {

using nlohmann::json;
using test::FolderFiles;
using test::openFolder;
using testing::HasSubstr;

TEST(Folders, areReadLikeAFile) {
    for (const FolderFiles& files : {test::mixtralFolder(), test::shardedFolder()}) {
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(model->path, folder.path().string());
        EXPECT_EQ(model->format, "safetensors");
        EXPECT_EQ(model->metadata.string("general.name").value(), folder.path().filename().string());
        EXPECT_EQ(model->metadata.u32("llama.expert_count").value(), 2U);
        EXPECT_EQ(model->metadata.u32("general.sampling.top_k").value(), 20U);
        EXPECT_EQ(model->rotaryPairs, RotaryPairs::Halves);
        EXPECT_EQ(model->find("output.weight"), nullptr);
        EXPECT_EQ(model->sources.size(), files.size());
        EXPECT_EQ(model->mappings.size(), files.size());
        const TokenizerData& tokenizer = model->tokenizer;
        EXPECT_EQ(tokenizer.tokens.size(), 300U);
        EXPECT_EQ(tokenizer.bos, 1);
        EXPECT_EQ(tokenizer.eos, 2);
        EXPECT_EQ(tokenizer.eot, 261);
        EXPECT_EQ(tokenizer.addBos, true);
        EXPECT_EQ(tokenizer.chatTemplate, "{{ messages }}");
    }
}

/// Matrices of one layer are read where they lie; experts are put together only if they are scattered.
TEST(Folders, areReadInPlace) {
    const test::TemporaryFolder whole, parts;
    const auto model = openFolder(test::mixtralFolder(), whole);
    auto scattered = openFolder(test::shardedFolder(), parts);
    ASSERT_TRUE(model && scattered);
    EXPECT_EQ(model->expandedBytes(), 0U);
    const uint64_t bytesOfExperts = 3 * 2 * 16 * 8 * sizeof(float);
    EXPECT_GT(scattered->expandedBytes(), 0U);
    EXPECT_LE(scattered->expandedBytes(), bytesOfExperts);
    for (const auto& [name, tensor] : model->tensors) {
        const bool isMade = name == "rope_freqs.weight";
        EXPECT_EQ(io::MappedFile::isMapped(tensor.data.data()), !isMade) << name;
    }
    const auto rowsOf = [](const ModelFile& file, const char* name) {
        const tensor::Tensor& tensor = *file.find(name);
        std::vector<float> values(tensor.shape.numElems());
        for (uint64_t row = 0; row < tensor.shape.numRows(); ++row)
            tensor.decodeRow(
                row, std::span(values).subspan(row * tensor.shape.rowElems(), tensor.shape.rowElems()));
        return values;
    };
    const auto before = rowsOf(*scattered, "blk.0.ffn_down_exps.weight");
    ASSERT_TRUE(scattered->expand(2));
    EXPECT_EQ(rowsOf(*scattered, "blk.0.ffn_down_exps.weight"), before);
    EXPECT_EQ(scattered->find("blk.0.ffn_down_exps.weight")->data.size(), 2 * 16 * 8 * sizeof(float));
}

/// A head of four: rows 0, 1, 2, 3 are the first and second numbers of two pairs, 0 and 2, 1 and 3.
TEST(Folders, rowsOfHeadsAreInterleavedForGguf) {
    const test::TemporaryFolder folder;
    auto model = openFolder(test::mixtralFolder(), folder);
    ASSERT_TRUE(model);
    const auto rowsOf = [&] {
        std::vector<std::vector<float>> rows(8, std::vector<float>(8));
        for (uint64_t row = 0; row < 8; ++row) model->find("blk.0.attn_q.weight")->decodeRow(row, rows[row]);
        return rows;
    };
    const auto halves = rowsOf();
    ASSERT_TRUE(layOutRotaryPairs(*model, RotaryPairs::AsInGguf));
    const auto pairs = rowsOf();
    const size_t sources[] = {0, 2, 1, 3, 4, 6, 5, 7};
    for (size_t row = 0; row < 8; ++row) EXPECT_EQ(pairs[row], halves[sources[row]]) << row;
    EXPECT_EQ(model->rotaryPairs, RotaryPairs::AsInGguf);
}

TEST(Folders, everyPartOpensTheWhole) {
    const test::TemporaryFolder folder;
    const auto whole = openFolder(test::shardedFolder(), folder);
    ASSERT_TRUE(whole);
    for (const char* name : {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors",
                             "model.safetensors.index.json", "config.json"}) {
        const auto model = openModelFile(test::opened(folder.file(name)));
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(model->tensors.size(), whole->tensors.size()) << name;
        EXPECT_EQ(model->path, folder.file(name));
    }
    // Without the index the names say which parts there are.
    std::filesystem::remove(folder.file("model.safetensors.index.json"));
    const auto model = openModelFile(test::opened(folder.file("model-00002-of-00002.safetensors")));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->tensors.size(), whole->tensors.size());
}

TEST(Folders, templatesOfChatsHaveSeveralPlaces) {
    const std::pair<FolderFiles, std::string> places[] = {
        {{{"chat_template.jinja", "own"}, {"tokenizer_config.json", R"({"chat_template": "in it"})"}},
         "own/"},
        {{{"tokenizer_config.json", R"({"chat_template": "in it"})"}}, "in it/"},
        {{{"tokenizer_config.json",
           R"({"chat_template": [{"name": "default", "template": "one"}, {"name": "tool_use", "template": "two"}]})"}},
         "one/two"},
        {{{"tokenizer_config.json", "{}"}, {"chat_template.json", R"({"chat_template": "beside"})"}},
         "beside/"},
    };
    for (const auto& [changed, expected] : places) {
        FolderFiles files = test::mixtralFolder();
        for (const auto& [name, bytes] : changed) files[name] = bytes;
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(model->tokenizer.chatTemplate + "/" + model->tokenizer.toolTemplate, expected);
    }
}

TEST(Folders, ofTheDownloadCacheHaveTheModelsName) {
    const test::TemporaryFolder cache;
    const auto path = cache.path() / "models--owner--Tiny-1B" / "snapshots" / "0123abcd";
    std::filesystem::create_directories(path);
    for (const auto& [name, bytes] : test::mixtralFolder())
        std::ofstream(path / name, std::ios::binary) << bytes;
    const auto model = openModelFile(test::opened(path.string()));
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->metadata.string("general.name").value(), "Tiny-1B");
}

/// A header with one tensor changed, as JSON.
FolderFiles withHeader(const std::string& header, size_t numFloats) {
    FolderFiles files = test::mixtralFolder();
    files["model.safetensors"] =
        test::ByteString().put(uint64_t{header.size()}).text(header).floats(numFloats).bytes();
    return files;
}

FolderFiles withConfig(const std::string& key, const json& value) {
    FolderFiles files = test::mixtralFolder();
    json config = json::parse(files["config.json"]);
    config[key] = value;
    files["config.json"] = config.dump();
    return files;
}

FolderFiles withoutKey(const std::string& key) {
    FolderFiles files = test::mixtralFolder();
    json config = json::parse(files["config.json"]);
    config.erase(key);
    files["config.json"] = config.dump();
    return files;
}

FolderFiles withIndex(const std::string& tensor, const std::string& file) {
    FolderFiles files = test::shardedFolder();
    json index = json::parse(files["model.safetensors.index.json"]);
    index["weight_map"][tensor] = file;
    files["model.safetensors.index.json"] = index.dump();
    return files;
}

FolderFiles without(FolderFiles files, const std::vector<std::string>& names) {
    for (const std::string& name : names) files.erase(name);
    return files;
}

FolderFiles withConfig(const std::string& config) {
    FolderFiles files = test::mixtralFolder();
    files["config.json"] = config;
    return files;
}

FolderFiles withTokenizer(const std::string& tokenizer) {
    FolderFiles files = test::mixtralFolder();
    files["tokenizer.json"] = tokenizer;
    return files;
}

TEST(Folders, whatIsWrongIsOneSentence) {
    const auto one = [](const std::string& fields) { return fmt::format(R"({{"a": {{{}}}}})", fields); };
    const std::string deep(100, '[');
    test::expectRefusals({
        {without(test::mixtralFolder(), {"model.safetensors"}), "the folder holds no model.safetensors"},
        {without(test::mixtralFolder(), {"config.json"}), "no config.json beside it says of which model"},
        {withConfig("[1"), "/config.json: it is no object"},
        {withoutKey("hidden_size"), "/config.json: missing key 'hidden_size'"},
        {without(test::shardedFolder(), {"model-00002-of-00002.safetensors"}),
         "1 of 2 parts of the model is missing: model-00002-of-00002.safetensors"},
        {without(test::shardedFolder(),
                 {"model-00001-of-00002.safetensors", "model-00002-of-00002.safetensors"}),
         "2 of 2 parts of the model are missing: "},
        {withIndex("model.norm.weight", "../outside.safetensors"), "is not the name of a file beside it"},
        {withIndex("model.norm.weight", "/etc/passwd"), "is not the name of a file beside it"},
        {withIndex("model.norm.weight", std::string(100'000, 'x') + ".safetensors"),
         "is not the name of a file beside it"},
        {withIndex("nothing", "model-00001-of-00002.safetensors"),
         "'nothing' is not in model-00001-of-00002"},
        {withHeader("{\"a\": 5}", 1), "its description is not one of a tensor"},
        {withHeader("{\"a\"", 1), "it is no JSON"},
        {withHeader("{\"a\": " + deep, 1), "it is nested too deeply"},
        {withHeader(one(R"("shape": [1], "data_offsets": [0, 4])"), 1), "it has no type"},
        {withHeader(one(R"("dtype": "F32", "shape": [1], "data_offsets": [4, 0])"), 1),
         "its place in the file"},
        {withHeader(one(R"("dtype": "F32", "shape": [1], "data_offsets": [0, 4])"), 2),
         "4 bytes behind the last tensor"},
        {withHeader(one(R"("dtype": "F32", "shape": [2], "data_offsets": [0, 4])"), 1),
         "takes 4 bytes, its shape says 8"},
        {withHeader(one(R"("dtype": "F32", "shape": [4294967296, 4294967296, 8], "data_offsets": [0, 4])"),
                    1),
         "its shape is too large"},
        {withHeader(one(R"("dtype": "F32", "shape": [1], "data_offsets": [0, 99999999])"), 1),
         "its shape says 4"},
        {withHeader(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                        "b": {"dtype": "F32", "shape": [1], "data_offsets": [2, 6]}})",
                    2),
         "its data overlaps that of another tensor"},
        {withHeader(R"({"a": {"dtype": "F32", "shape": [1], "data_offsets": [0, 4]},
                        "a": {"dtype": "F32", "shape": [1], "data_offsets": [4, 8]}})",
                    2),
         "tensor 'a' occurs twice"},
        {withHeader(one(R"("dtype": "F32", "shape": [1], "data_offsets": [4, 8])"), 2),
         "bytes before its data"},
        {withHeader(one(R"("dtype": "F32", "shape": [1], "data_offsets": [0, 4])"), 1),
         "has no use for the tensor 'a'"},
        {withConfig("architectures", {"NoSuchModel"}), "the model family \"NoSuchModel\" is not supported"},
        {withConfig("architectures", 5), "names no architecture"},
        {withConfig("hidden_size", "wide"), "hidden_size"},
        {withConfig("num_hidden_layers", 4000000000U), "num_hidden_layers cannot be 4000000000"},
        {withConfig("head_dim", 4000000000U), "heads of 4000000000 numbers are too large"},
        {withConfig("hidden_act", "relu"), "hidden_act \"relu\" is not supported"},
        {withConfig("hidden_act", nullptr),
         "/config.json: 'hidden_act' is null or empty, which is not supported"},
        {withConfig("rms_norm_eps", nullptr), "'rms_norm_eps' is null"},
        {withConfig("num_hidden_layers", nullptr), "'num_hidden_layers' is null"},
        {withConfig("rope_parameters", {{"sliding_attention", {{"rope_theta", 500.0}}}}),
         "'rope_parameters.sliding_attention.rope_theta' is not supported for such models"},
        {withConfig("clip_qkv", 8.5), "/config.json: 'clip_qkv' is not supported for such models"},
        {withConfig("use_bidirectional_attention", true),
         "'use_bidirectional_attention' is not supported for such models"},
        {withConfig("logit_scale", 0.25), "'logit_scale' is not supported for such models"},
        {withConfig("no_rope_layers", {1, 0}), "'no_rope_layers' is not supported for such models"},
        {withConfig("rope_scaling", {{"rope_type", "spiral"}, {"factor", 2}}), "rope scaling \"spiral\""},
        {withTokenizer("{}"), "tokenizer.json: its vocabulary is empty"},
        {withTokenizer(R"({"model": {"type": "BPE", "vocab": {"a": 16000000}}})"),
         "its 1 tokens have ids up to 16000000"},
        {withTokenizer(R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 0}}})"),
         "two tokens have the id 0"},
        {withTokenizer(R"({"model": {"type": "Guess"}})"), "vocabularies of the kind \"Guess\""},
        {withTokenizer(
             R"({"added_tokens": [{"id": 99999999, "content": "x"}], "model": {"vocab": {"a": 0}, "merges": ["a"]}})"),
         "merge 0 has one side only"},
        {withTokenizer(
             R"({"added_tokens": [{"id": 99999999, "content": "x"}], "model": {"type": "WordPiece",)"
             R"( "vocab": {"a": 0}}})"),
         "the added token 'x' has the id 99999999"},
        {withTokenizer(
             R"({"normalizer": {"type": "Guess"}, "model": {"type": "WordPiece", "vocab": {"a": 0}}})"),
         "its rule \"Guess\" is not supported in vocabularies of words"},
        {withTokenizer(R"({"normalizer": {"type": "BertNormalizer", "clean_text": false},
                           "model": {"type": "WordPiece", "vocab": {"a": 0}}})"),
         "its rule \"BertNormalizer\" without clean_text is not supported"},
        {withTokenizer(R"({"normalizer": {"type": "Sequence", "normalizers": [
                               {"type": "Replace", "pattern": {"String": " "}, "content": "\u2581"}, {"type": "NFKC"}]},
                           "model": {"type": "BPE", "vocab": {"a": 0}, "merges": []}})"),
         "its rule \"NFKC\" is not supported in vocabularies of pieces"},
    });
}

/// What pictures need of the text model, and other engines of every file.
TEST(Folders, ofModelsThatSeeSayHowPicturesLie) {
    FolderFiles files = test::qwen3VlMoeFolder();
    json config = json::parse(files["config.json"]);
    config["vision_config"] = {{"deepstack_visual_indexes", {1, 0}}};
    for (const bool isStated : {false, true}) {
        if (isStated) config["rope_scaling"] = {{"rope_type", "default"}, {"mrope_section", {1, 1, 0}}};
        files["config.json"] = config.dump();
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->metadata.u32("qwen3vlmoe.n_deepstack_layers").value(), 2U);
        const auto* sections =
            std::get_if<std::vector<int64_t>>(model->metadata.find("qwen3vlmoe.rope.dimension_sections"));
        ASSERT_NE(sections, nullptr);
        EXPECT_EQ(*sections,
                  isStated ? (std::vector<int64_t>{1, 1, 0, 0}) : (std::vector<int64_t>{24, 20, 20, 0}));
    }
}

/// Layers that read others' keys and values have them all the same in files that other engines read.
TEST(Folders, layersWithoutKeysGetThoseOfOthers) {
    FolderFiles files = test::gemma3nFolder(21);
    const test::TemporaryFolder folder;
    const auto model = openFolder(files, folder);
    ASSERT_TRUE(model) << model.error().message;
    for (const char* part : {"attn_k.weight", "attn_v.weight", "attn_k_norm.weight"})
        EXPECT_NE(model->find(fmt::format("blk.20.{}", part)), nullptr) << part;
}

/// What families compute with whatever a configuration says is refused where that says otherwise.
TEST(Folders, constantsOfFamiliesAreChecked) {
    const auto with = [](json config, const char* key, const json& value) {
        for (const char* size : {"hidden_size", "num_attention_heads", "max_position_embeddings"})
            config[size] = 8;
        config["num_hidden_layers"] = 12;
        config[key] = value;
        FolderFiles files = test::mixtralFolder();
        files["config.json"] = config.dump();
        return files;
    };
    const json llama4 = {{"architectures", {"Llama4ForCausalLM"}}, {"num_key_value_heads", 8}};
    const json gemma3n = {
        {"architectures", {"Gemma3nForCausalLM"}}, {"num_key_value_heads", 8}, {"num_kv_shared_layers", 0}};
    const json jina = {{"architectures", {"JinaBertForMaskedLM"}}, {"intermediate_size", 8}};
    const json nomic = {{"architectures", {"NomicBertModel"}},
                        {"n_embd", 8},
                        {"n_layer", 12},
                        {"activation_function", "gelu"},
                        {"num_experts", 4},
                        {"moe_top_k", 2},
                        {"moe_every_n_layers", 2}};
    std::vector<double> open(12, 0.0), half(12, 0.5);
    test::expectRefusals({
        {with(llama4, "attention_chunk_size", 4096), "attention_chunk_size 4096 is not supported"},
        {with(llama4, "attention_chunk_size", nullptr), "attention_chunk_size 0 is not supported"},
        {with(llama4, "no_rope_layers", {1, 1, 0, 1}), "no_rope_layers names other layers"},
        {with(llama4, "use_qk_norm", false), "use_qk_norm = false is not supported"},
        {with(llama4, "num_local_experts", 128), "use_qk_norm = true is not supported"},
        {with(llama4, "attn_temperature_tuning", false), "queries that grow with their position"},
        {with(llama4, "attn_scale", 0.2), "queries that grow with their position"},
        {with(llama4, "moe_layers", {1, 2}), "moe_layers names other layers than every 2th"},
        {with(gemma3n, "laurel_rank", 32), "laurel_rank 32 is not supported"},
        {with(gemma3n, "altup_num_inputs", 2), "altup_num_inputs 2 is not supported"},
        {with(gemma3n, "hidden_size_per_layer_input", 128), "hidden_size_per_layer_input 128"},
        {with(gemma3n, "final_logit_softcapping", 20), "final_logit_softcapping 20 is not supported"},
        {with(gemma3n, "num_kv_shared_layers", 2), "num_kv_shared_layers 2 of 12 layers"},
        {with(gemma3n, "activation_sparsity_pattern", open), "activation_sparsity_pattern is not 0.95"},
        {with(gemma3n, "activation_sparsity_pattern", half), "activation_sparsity_pattern is not 0.95"},
        {with(jina, "position_embedding_type", "absolute"), "position_embedding_type \"absolute\""},
        {with(jina, "feed_forward_type", "original"), "feed_forward_type \"original\""},
        {with(nomic, "num_shared_experts", 1), "num_shared_experts 1 is not supported"},
        {with(nomic, "moe_normalize_expert_weights", true), "moe_normalize_expert_weights = true"},
        {with({{"architectures", {"InternLM2ForCausalLM"}}, {"intermediate_size", 8}}, "bias", true),
         "bias = true is not supported"},
    });
}

/// transformers takes None where it is stated, and its own value where nothing is.
TEST(Folders, nullIsNotTheUsualValue) {
    for (const char* key : {"num_key_value_heads", "head_dim", "sliding_window", "rope_scaling"}) {
        const test::TemporaryFolder folder;
        const auto model = openFolder(withConfig(key, nullptr), folder);
        EXPECT_TRUE(model) << key << ": " << model.error().message;
    }
    const Config config = parseConfig(R"({"a": null, "b": 1, "c": {"d": 2, "e": null}, "flag": null,
                                          "text_config": {"a": 3, "b": null, "c": null}})")
                              .value();
    EXPECT_EQ(config.u32Or("a", 9, 0).value(), 3U);
    EXPECT_EQ(config.u32Or("b", 9, 0).value(), 0U);
    EXPECT_EQ(config.u32Or("none", 9, 0).value(), 9U);
    EXPECT_FALSE(config.boolOr("flag", true).value());
    EXPECT_TRUE(config.isNull("c") && config.isNull("c.e"));
    EXPECT_EQ(config.find("c.d"), nullptr);
    EXPECT_EQ(config.u32Or("b", 9).error().message,
              "'b' is null or empty, which is not supported for such models");
    EXPECT_EQ(config.f32("b").error().message,
              "'b' is null or empty, which is not supported for such models");
}

/// A key that would change numbers is no reason to refuse a model where it holds what changes none.
TEST(Folders, keysMayHoldWhatChangesNothing) {
    const json harmless[] = {nullptr, 0, 0.0, false};
    for (const char* key : {"clip_qkv", "alibi", "attn_logit_softcapping"}) {
        for (const json& value : harmless) {
            const test::TemporaryFolder folder;
            const auto model = openFolder(withConfig(key, value), folder);
            EXPECT_TRUE(model) << key << ": " << model.error().message;
        }
    }
    const test::TemporaryFolder folder;
    EXPECT_TRUE(openFolder(withConfig("logits_scaling", 1.0), folder));
}

/// Of Gemma 2: without a cap where it holds null, with the usual one where it holds nothing.
TEST(Folders, capsMayBeOff) {
    for (const bool isNull : {false, true}) {
        FolderFiles files = test::mixtralFolder();
        json config = {{"architectures", {"Gemma2ForCausalLM"}},
                       {"hidden_size", 8},
                       {"intermediate_size", 16},
                       {"num_hidden_layers", 1},
                       {"num_attention_heads", 2},
                       {"num_key_value_heads", 2},
                       {"head_dim", 4},
                       {"query_pre_attn_scalar", 4},
                       {"max_position_embeddings", 32}};
        for (const char* key : {"attn_logit_softcapping", "final_logit_softcapping", "sliding_window"})
            if (isNull) config[key] = nullptr;
        files["config.json"] = config.dump();
        files["model.safetensors"] =
            test::safetensorsFile(test::FolderTensors{{"model.embed_tokens.weight", {300, 8}}});
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model) << model.error().message;
        EXPECT_EQ(model->metadata.f32("gemma2.attn_logit_softcapping").value(), isNull ? 0 : 50);
        EXPECT_EQ(model->metadata.f32("gemma2.final_logit_softcapping").value(), isNull ? 0 : 30);
        EXPECT_EQ(model->metadata.u32("gemma2.attention.sliding_window").value(), isNull ? 0U : 4096U);
    }
}

/// Whatever they are called: other engines put them behind the last layer.
TEST(Folders, layersThatPredictFurtherTokensAreLeftOut) {
    test::FolderTensors tensors = test::mixtralTensors();
    const test::FolderTensors own = tensors;
    const std::string layer = "model.layers.0.";
    for (const auto& [name, dims] : own)
        if (name.starts_with(layer)) tensors["model.layers.1." + name.substr(layer.size())] = dims;
    tensors["model.layers.1.eh_proj.weight"] = {8, 16};
    tensors["model.layers.1.shared_head.head.weight"] = {300, 8};
    FolderFiles files = withConfig("num_nextn_predict_layers", 1);
    files["model.safetensors"] = test::safetensorsFile(tensors);
    const test::TemporaryFolder folder;
    const auto model = openFolder(files, folder);
    ASSERT_TRUE(model) << model.error().message;
    EXPECT_EQ(model->metadata.u32("llama.block_count").value(), 1U);
    for (const auto& entry : model->tensors) EXPECT_FALSE(entry.first.starts_with("blk.1.")) << entry.first;
}

FolderFiles with(FolderFiles files, const FolderFiles& changed) {
    for (const auto& [name, bytes] : changed) files[name] = bytes;
    return files;
}

TEST(Folders, listsAreVocabularies) {
    for (const FolderFiles& files : {test::mergesFolder(), test::tiktokenFolder()}) {
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model.has_value()) << model.error().message;
        const TokenizerData& data = model->tokenizer;
        EXPECT_EQ(data.model, "gpt2");
        EXPECT_EQ(data.pre, "qwen2");
        EXPECT_EQ(data.merges, std::vector<std::string>{"a b"});
        EXPECT_EQ(data.eos, 257);
        EXPECT_EQ(data.types.at(257), TokenType::Control);
        const auto tokenizer = tokenizer::createTokenizer(data);
        ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
        const tokenizer::TextSegment text{"aab\xFF<|end|>", true};
        EXPECT_EQ((*tokenizer)->encode({&text, 1}, false).value(),
                  (std::vector<TokenId>{'a', 256, 255, 257}));
    }
}

/// Merges as of the halves' ranks: "abc" is "a" and "bc", or "ab" and "c".
TEST(Folders, ranksBecomeAllMerges) {
    const test::TemporaryFolder folder;
    const auto model = openFolder(
        with(test::qwenFolder(), {{"tokenizer.model", "YQ== 0\nYg== 1\nYw== 2\nYmM= 3\nYWI= 4\nYWJj 5\n"}}),
        folder);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->tokenizer.merges, (std::vector<std::string>{"b c", "a b", "a bc", "ab c"}));
}

TEST(Folders, wordListsAreVocabularies) {
    const test::TemporaryFolder folder;
    const auto model = openFolder(test::bertFolder(), folder);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->metadata.u32("bert.pooling_type").value(), 1U);
    const auto tokenizer = tokenizer::createTokenizer(model->tokenizer);
    ASSERT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
    const tokenizer::TextSegment text{"Hello, wlo [SEP] x", true};
    EXPECT_EQ((*tokenizer)->encode({&text, 1}, true).value(), (std::vector<TokenId>{2, 4, 7, 6, 5, 3, 1, 3}));
}

/// As sentence-transformers has them; an import keeps them.
TEST(Folders, wordsInFrontOfTexts) {
    const test::TemporaryFolder folder;
    const auto model =
        openFolder(with(test::bertFolder(),
                        {{"config_sentence_transformers.json",
                          R"({"prompts": {"query": "query: ", "passage": "passage: ", "sts": "alike: "},
                   "default_prompt_name": "sts"})"}}),
                   folder);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->metadata.string("embedding.prompt.query").value(), "query: ");
    EXPECT_EQ(model->metadata.string("embedding.prompt.document").value(), "passage: ");
    EXPECT_EQ(model->metadata.string("embedding.prompt.alone").value(), "alike: ");
    const test::TemporaryFolder without;
    EXPECT_FALSE(openFolder(test::bertFolder(), without)->metadata.find("embedding.prompt.query"));
}

TEST(Folders, whatIsWrongWithListsIsOneSentence) {
    const FolderFiles qwen = test::qwenFolder(), bert = test::bertFolder();
    const auto modules = [&](const char* type, const char* path) {
        return with(bert, {{"modules.json", json::array({{{"type", type}, {"path", path}}}).dump()}});
    };
    FolderFiles unsaid = without(test::mixtralFolder(), {"tokenizer.json"});
    test::expectRefusals({
        {with(unsaid, {{"vocab.json", R"({"a": 0})"}, {"merges.txt", "a a"}}),
         "vocab.json: it does not say how text is cut into words"},
        {with(unsaid, {{"tokenizer.model", "YQ== 0"}}), "tokenizer.model: it does not say how text is cut"},
        {with(qwen, {{"vocab.json", R"({"a": "b"})"}, {"merges.txt", "a a"}}),
         "vocab.json: it is no list of tokens and their ids"},
        {with(qwen, {{"vocab.json", R"({"a": {"b": 0}})"}, {"merges.txt", "a a"}}),
         "vocab.json: it is no list of tokens and their ids"},
        {with(qwen, {{"vocab.json", "{}"}, {"merges.txt", "a a"}}), "vocab.json: its vocabulary is empty"},
        {with(qwen, {{"vocab.json", R"({"a": 0, "b": 0})"}, {"merges.txt", "a a"}}),
         "vocab.json: two tokens have the id 0"},
        {with(qwen, {{"vocab.json", R"({"a": 0})"}, {"merges.txt", "#version: 0.2\na a\n\naa "}}),
         "vocab.json: merge 1 has one side only"},
        {with(qwen, {{"tokenizer.model", "YQ== 0\nYg=="}}),
         "tokenizer.model: line 2 is no token with its rank"},
        {with(qwen, {{"tokenizer.model", "YQ== 0\nY*== 1"}}), "line 2 is no token with its rank"},
        {with(qwen, {{"tokenizer.model", "YQ== 0\nYg== 99999999999"}}), "line 2 is no token with its rank"},
        {with(qwen, {{"tokenizer.model", "YQ== 0\nYg== 0"}}), "tokenizer.model: two tokens have the id 0"},
        {with(qwen, {{"tokenizer.model", "YQ== 0\n" + std::string(40000, 'A') + " 1"}}),
         "tokenizer.model: its tokens are longer than those of any text"},
        {modules("sentence_transformers.models.CNN", "2_CNN"), "models.CNN\" are not supported"},
        {modules("sentence_transformers.models.Dense", "1_Pooling"), "1_Pooling"},
        {modules("sentence_transformers.models.Pooling", ".."), "is not the name of a file beside it"},
        {modules("sentence_transformers.models.Pooling", "../other"), "is not the name of a file beside it"},
        {modules("sentence_transformers.models.Pooling", "1_Pooling"), "1_Pooling: "},
        {with(bert, {{"modules.json", "[{"}}), "modules.json: it is no JSON"},
    });
}

TEST(Folders, linksAndPipesAreNoParts) {
    const auto opensWith = [](const auto& make) {
        const test::TemporaryFolder folder;
        test::writeFolder(without(test::shardedFolder(), {"model-00002-of-00002.safetensors"}), folder);
        make(folder.file("model-00002-of-00002.safetensors"));
        return openModelFile(test::opened(folder.path().string()));
    };
    const auto looped =
        opensWith([](const std::string& path) { std::filesystem::create_symlink(path, path); });
    ASSERT_FALSE(looped.has_value());
    EXPECT_THAT(looped.error().message, HasSubstr("symbolic links"));
    const auto foreign =
        opensWith([](const std::string& path) { std::filesystem::create_symlink("/etc/passwd", path); });
    ASSERT_FALSE(foreign.has_value());
    EXPECT_THAT(foreign.error().message, HasSubstr("a link to a file outside its folder"));
    const auto pipe = opensWith([](const std::string& path) { ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0); });
    ASSERT_FALSE(pipe.has_value());
    EXPECT_THAT(pipe.error().message, HasSubstr("not a regular file"));
    const auto inner = opensWith([](const std::string& path) { std::filesystem::create_directory(path); });
    ASSERT_FALSE(inner.has_value());
    EXPECT_THAT(inner.error().message, HasSubstr("a folder, where a file is needed"));
    // A folder that seems to hold itself is not looked into again and again.
    const test::TemporaryFolder endless;
    std::filesystem::create_symlink(".", endless.file("model.safetensors"));
    const auto same = openModelFile(test::opened(endless.path().string()));
    ASSERT_FALSE(same.has_value());
    EXPECT_THAT(same.error().message, HasSubstr("a folder, where a file is needed"));
    // Download caches keep parts as links to files of another folder.
    const test::TemporaryFolder cache;
    std::filesystem::create_directory(cache.file("blobs"));
    const std::string part = "model-00002-of-00002.safetensors";
    std::ofstream(cache.file("blobs/2"), std::ios::binary) << test::shardedFolder().at(part);
    const auto linked = opensWith(
        [&](const std::string& path) { std::filesystem::create_symlink(cache.file("blobs/2"), path); });
    EXPECT_TRUE(linked.has_value()) << linked.error().message;
}

std::vector<TokenId> idsOf(const TokenizerData& data, const std::string& text) {
    const auto tokenizer = tokenizer::createTokenizer(data);
    EXPECT_TRUE(tokenizer.has_value()) << tokenizer.error().message;
    const tokenizer::TextSegment segment{text, true};
    return (*tokenizer)->encode({&segment, 1}, false).value();
}

/// What a GGUF file with these data says to who reads it.
TokenizerData asInGguf(const TokenizerData& data) {
    Metadata metadata;
    writeTokenizerData(data, metadata);
    return readTokenizerData(metadata).value();
}

/// Ids are bytes there, but for "ab": those of U+00E9 are C3 A9, and those of U+0301 CC 81.
TEST(Folders, textIsComposedWhereTheyAskForIt) {
    const std::vector<TokenId> composed{0xC3, 0xA9, 257, 0xC3, 0xA9}, apart{'e', 0xCC, 0x81, 257, 0xC3, 0xA9};
    const std::string text = "e\u0301<|end|>\u00E9";
    FolderFiles rules = test::mergesFolder();
    const json added = json::array({{{"id", 257}, {"content", "<|end|>"}, {"special", true}}});
    json tokenizer = {
        {"added_tokens", added},
        {"normalizer", {{"type", "NFC"}}},
        {"pre_tokenizer", {{"type", "ByteLevel"}, {"add_prefix_space", false}}},
        {"model", {{"type", "BPE"}, {"vocab", json::parse(rules["vocab.json"])}, {"merges", {"a b"}}}}};
    rules["tokenizer.json"] = tokenizer.dump();
    FolderFiles chain = rules, none = rules, letters = rules;
    tokenizer["normalizer"] = {{"type", "Sequence"}, {"normalizers", {{{"type", "NFC"}}}}};
    chain["tokenizer.json"] = tokenizer.dump();
    tokenizer["normalizer"] = nullptr;
    none["tokenizer.json"] = tokenizer.dump();
    // The lists of Qwen's models do not say it: their tokenizers do it all the same.
    for (const FolderFiles& files : {rules, chain, test::mergesFolder(), test::tiktokenFolder()}) {
        const test::TemporaryFolder folder;
        const auto model = openFolder(files, folder);
        ASSERT_TRUE(model.has_value()) << model.error().message;
        EXPECT_EQ(idsOf(model->tokenizer, text), composed);
        EXPECT_EQ(idsOf(asInGguf(model->tokenizer), text), apart) << "GGUF has no place for it";
    }
    const test::TemporaryFolder folder, other;
    const auto plain = openFolder(none, folder);
    ASSERT_TRUE(plain.has_value()) << plain.error().message;
    EXPECT_EQ(idsOf(plain->tokenizer, text), apart);
    tokenizer["normalizer"] = {
        {"type", "Sequence"},
        {"normalizers", {{{"type", "NFD"}}, {{"type", "Lowercase"}}, {{"type", "StripAccents"}}}}};
    letters["tokenizer.json"] = tokenizer.dump();
    const auto bare = openFolder(letters, other);
    ASSERT_TRUE(bare.has_value()) << bare.error().message;
    EXPECT_EQ(idsOf(bare->tokenizer, "\u00C9\u1E69"), (std::vector<TokenId>{'e', 's'}));
}

/// By the rules of BertNormalizer, and by the same flags beside a list of words.
TEST(Folders, wordsHaveTheCaseAndAccentsOfTheirVocabulary) {
    constexpr TokenId kUnknown = 1, kCapital = 4, kSmall = 5, kAccent = 6, kBare = 7;
    const auto files = [](const json& normalizer, const json& config) {
        FolderFiles folder = test::bertFolder();
        folder["vocab.txt"] = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nHe\nhe\nh\u00E9\nh\n";
        folder["tokenizer_config.json"] = config.dump();
        if (normalizer.is_null()) return folder;
        const json vocabulary = {{"[PAD]", 0}, {"[UNK]", 1}, {"[CLS]", 2},   {"[SEP]", 3},
                                 {"He", 4},    {"he", 5},    {"h\u00E9", 6}, {"h", 7}};
        folder["tokenizer.json"] =
            json{{"normalizer", normalizer},
                 {"model", {{"type", "WordPiece"}, {"unk_token", "[UNK]"}, {"vocab", vocabulary}}}}
                .dump();
        return folder;
    };
    struct Case {
        json lowercase, stripAccents;
        std::vector<TokenId> ids;  // of "He he h\u00E9 he\u0301 h"
    };
    const Case cases[] = {
        {true, nullptr, {kSmall, kSmall, kSmall, kSmall, kBare}},
        {true, false, {kSmall, kSmall, kAccent, kUnknown, kBare}},
        {false, nullptr, {kCapital, kSmall, kAccent, kUnknown, kBare}},
        {false, true, {kCapital, kSmall, kSmall, kSmall, kBare}},
    };
    for (const Case& each : cases) {
        const json rules = {
            {"type", "BertNormalizer"}, {"lowercase", each.lowercase}, {"strip_accents", each.stripAccents}};
        const json flags = {{"do_lower_case", each.lowercase}, {"strip_accents", each.stripAccents}};
        for (const FolderFiles& folderFiles : {files(rules, json::object()), files(nullptr, flags)}) {
            SCOPED_TRACE(flags.dump());
            const test::TemporaryFolder folder;
            const auto model = openFolder(folderFiles, folder);
            ASSERT_TRUE(model.has_value()) << model.error().message;
            EXPECT_EQ(idsOf(model->tokenizer, "He he h\u00E9 he\u0301 h"), each.ids);
            // GGUF says the same, and its readers keep accents that stand alone.
            EXPECT_EQ(idsOf(asInGguf(model->tokenizer), "He he h\u00E9 h"),
                      (std::vector<TokenId>{each.ids[0], each.ids[1], each.ids[2], each.ids[4]}));
        }
    }
}

/// Rules that have no name in GGUF files are kept as they are, and survive being written there.
TEST(Folders, ownPatternsCutText) {
    json tokenizer =
        json::parse(R"({"model": {"type": "BPE", "vocab": {"a": 0, "b": 1, "ab": 2}, "merges": ["a b"]},
        "pre_tokenizer": {"type": "Sequence", "pretokenizers": [
            {"type": "Split", "pattern": {"Regex": "a"}, "behavior": "Isolated"},
            {"type": "ByteLevel", "use_regex": false, "add_prefix_space": false}]}})");
    const test::TemporaryFolder folder;
    const auto model = openFolder(withTokenizer(tokenizer.dump()), folder);
    ASSERT_TRUE(model.has_value()) << model.error().message;
    EXPECT_EQ(model->tokenizer.patterns, std::vector<std::string>{"a"});
    GgufWriter writer;
    Metadata metadata;
    writeTokenizerData(model->tokenizer, metadata);
    for (const auto& [key, value] : metadata.all()) writer.set(key, value);
    writer.set("general.architecture", std::string("llama"));
    const std::string path = folder.file("written.gguf");
    ASSERT_TRUE(writer.write(path));
    const auto written = openModelFile(test::opened(path));
    ASSERT_TRUE(written.has_value()) << written.error().message;
    for (const TokenizerData* data : {&model->tokenizer, &written->tokenizer}) {
        const auto made = tokenizer::createTokenizer(*data);
        ASSERT_TRUE(made.has_value()) << made.error().message;
        const tokenizer::TextSegment text{"ab", false};
        EXPECT_EQ((*made)->encode({&text, 1}, false).value(), (std::vector<TokenId>{0, 1}));
    }
    tokenizer["pre_tokenizer"]["pretokenizers"][0]["pattern"]["Regex"] = "(";
    const test::TemporaryFolder other;
    const auto broken = openFolder(withTokenizer(tokenizer.dump()), other);
    ASSERT_TRUE(broken.has_value());
    EXPECT_FALSE(tokenizer::createTokenizer(broken->tokenizer).has_value());
}

}  // namespace
}  // namespace ingle::formats
