/// Whatever people drop: what it is, one sentence, and what can be done.
#include <gmock/gmock.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "engine/formats/kind.h"
#include "engine/lab/synth.h"
#include "ingle/error_ids.h"
#include "ingle/recognition.h"
#include "tests/engine/formats/sample_folders.h"
#include "tests/engine/formats/sample_pickles.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

using namespace std::string_literals;
using test::FolderFiles;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class Recognise : public testing::Test {
  protected:
    std::string write(const std::string& name, const std::string& bytes) const {
        const std::string path = m_folder.file(name);
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    std::string writeFolder(const std::string& name, const FolderFiles& files) const {
        for (const auto& [file, bytes] : files) write(name + "/" + file, bytes);
        return m_folder.file(name);
    }
    static Recognition only(const std::vector<std::string>& paths) {
        const std::vector<Recognition> all = recognise(paths);
        EXPECT_EQ(all.size(), 1U);
        return all.empty() ? Recognition() : all.front();
    }
    /// One sentence that begins with the path, and says what a person needs before anything else.
    static void expectRefused(const std::string& path, const std::string& kind, ErrorId id,
                              const std::string& words) {
        SCOPED_TRACE(path);
        const Recognition known = only({path});
        ASSERT_TRUE(known.refusal);
        EXPECT_EQ(known.kind, kind) << known.sentence;
        EXPECT_EQ(errorIdOf(*known.refusal), id) << known.sentence;
        EXPECT_THAT(known.sentence, StartsWith(path));
        EXPECT_THAT(known.sentence, HasSubstr(": " + words));
        EXPECT_EQ(known.sentence.find('\n'), std::string::npos);
        EXPECT_FALSE(known.can(ModelAction::Open));
    }
    std::string ggufWith(const std::string& name, const std::string& key, const std::string& value) const {
        formats::GgufWriter writer;
        writer.set("general.architecture", "llama"s);
        writer.set(key, value);
        EXPECT_TRUE(writer.addTensor("a", {{32, 1, 1, 1}}, *quant::findFormat("F32"),
                                     test::sampleRows(*quant::findFormat("F32"), 32)));
        EXPECT_TRUE(writer.write(m_folder.file(name)));
        return m_folder.file(name);
    }
    std::string synth(const std::string& name, const std::string& quant) const {
        const std::string path = m_folder.file(name);
        EXPECT_TRUE(lab::writeSynthModel({.family = "llama", .quant = quant}, path));
        return path;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(Recognise, kindsHaveNamesOfTheirOwnAndEachErrorOneKind) {
    std::set<std::string_view> names;
    std::set<ErrorId> errors;
    for (const formats::Kind* kind : formats::allKinds()) {
        EXPECT_TRUE(names.insert(kind->name).second) << kind->name;
        for (const ErrorId id : kind->errors) EXPECT_TRUE(errors.insert(id).second) << kind->name;
    }
}

TEST_F(Recognise, aQuantisedModelIsOpened) {
    const Recognition known = only({synth("m.gguf", "Q4_0")});
    EXPECT_FALSE(known.refusal);
    EXPECT_EQ(known.kind, "quantised");
    EXPECT_THAT(known.actions, ElementsAre(ModelAction::Open, ModelAction::Import));
    EXPECT_EQ(known.path, m_folder.file("m.gguf"));
    EXPECT_THAT(known.sentence, HasSubstr("(Q4_0): "));
}

TEST_F(Recognise, aPublishedModelCanBeMadeSmaller) {
    const Recognition known = only({synth("m.gguf", "F32")});
    EXPECT_EQ(known.kind, "published");
    EXPECT_THAT(known.actions, ElementsAre(ModelAction::Open, ModelAction::MakeSmaller, ModelAction::Import));
    EXPECT_THAT(known.sentence, HasSubstr(", as published (F32): "));
    EXPECT_THAT(known.sentence, HasSubstr("; it can be used as it is, or made smaller: "));
    EXPECT_GT(known.info.smallerBytes, 0U);
    EXPECT_LT(known.info.smallerBytes, known.info.fileBytes / 2);
}

TEST_F(Recognise, aFolderIsAModelByAnyOfItsFiles) {
    const std::string folder = writeFolder("Qwen", test::shardedFolder());
    const Recognition known = only({folder});
    ASSERT_FALSE(known.refusal) << known.sentence;
    EXPECT_EQ(known.kind, "published");
    EXPECT_EQ(known.path, folder);
    EXPECT_EQ(known.info.name, "Qwen");
    uint64_t bytes = 0;
    for (const auto& [name, text] : test::shardedFolder()) bytes += text.size();
    EXPECT_EQ(known.info.fileBytes, bytes);
    for (const char* name :
         {"model-00002-of-00002.safetensors", "config.json", "model.safetensors.index.json"})
        EXPECT_EQ(only({folder + "/" + name}).path, folder) << name;
}

TEST_F(Recognise, filesOfOneModelAreOneRecognition) {
    const std::string folder = writeFolder("Qwen", test::shardedFolder());
    write("Qwen/README.md", "# Qwen");
    std::vector<std::string> paths{folder + "/README.md"};
    for (const auto& [name, text] : test::shardedFolder()) paths.push_back(folder + "/" + name);
    EXPECT_EQ(only(paths).path, folder);
    paths.push_back(synth("other.gguf", "Q4_0"));
    const auto both = recognise(paths);
    ASSERT_EQ(both.size(), 2U);
    EXPECT_EQ(both[1].path, m_folder.file("other.gguf"));
}

TEST_F(Recognise, whatIsWrongBesideAModelIsSaidAsWell) {
    const auto all = recognise(std::vector{write("page.gguf", "<html>"), synth("m.gguf", "Q4_0")});
    ASSERT_EQ(all.size(), 2U);
    EXPECT_FALSE(all[0].refusal);
    EXPECT_EQ(all[1].kind, "webPage");
}

TEST_F(Recognise, aFolderOfGgufFilesIsItsOneModel) {
    std::filesystem::create_directory(m_folder.file("models"));
    const std::string one = synth("models/m.gguf", "Q4_0");
    write("models/mmproj-m.gguf", "GGUF");
    EXPECT_EQ(only({m_folder.file("models")}).path, one);
    synth("models/n.gguf", "Q4_0");
    expectRefused(m_folder.file("models"), "severalModels", ErrorId::SeveralModels,
                  "the folder holds 2 models");
    std::filesystem::create_directory(m_folder.file("none"));
    expectRefused(m_folder.file("none"), "unknown", ErrorId::NotAModel, "the folder holds no ");
}

TEST_F(Recognise, partsWithoutTheOthers) {
    const FolderFiles files = test::shardedFolder();
    const std::string name = "model-00002-of-00002.safetensors";
    const std::string part = write(name, files.at(name));
    expectRefused(part, "part", ErrorId::PartsMissing, "1 of 2 parts of the model is missing");
    EXPECT_EQ(only({part}).refusal->arguments[1], "1");
    expectRefused(write("alone/model.safetensors", test::mixtralFolder().at("model.safetensors")), "part",
                  ErrorId::WeightsAlone, "holds weights, but no config.json");
    synth("whole.gguf", "Q4_0");
    const auto model = formats::openModelFile(test::opened(m_folder.file("whole.gguf"))).value();
    ASSERT_TRUE(test::writeShards(model, m_folder.file("m"), 3));
    const std::string first = test::shardName(m_folder.file("m"), 0, 3);
    EXPECT_EQ(only({test::shardName(m_folder.file("m"), 2, 3)}).path, first);
    for (const size_t other : {1U, 2U})
        std::filesystem::remove(test::shardName(m_folder.file("m"), other, 3));
    const Recognition known = only({first});
    EXPECT_EQ(known.kind, "part") << known.sentence;
    EXPECT_THAT(known.refusal->arguments, ElementsAre(first, "2", "3"));
}

TEST_F(Recognise, modelsInFoldersWhereOthersPutThem) {
    const auto expectModel = [&](const std::string& path) {
        const Recognition known = only({path});
        EXPECT_FALSE(known.refusal) << known.sentence;
        return known;
    };
    std::filesystem::create_directories(m_folder.file("repository/Q4_0"));
    synth("repository/Q4_0/m.gguf", "Q4_0");
    expectModel(m_folder.file("repository"));
    std::filesystem::create_directories(m_folder.file("repository/Q8_0"));
    synth("repository/Q8_0/m.gguf", "Q8_0");
    expectRefused(m_folder.file("repository"), "severalModels", ErrorId::SeveralModels,
                  "the folder holds 2 models");

    const FolderFiles files = test::mixtralFolder();
    writeFolder("models--ada--mixtral/snapshots/0123", files);
    expectModel(m_folder.file("models--ada--mixtral"));
    write("models--ada--mixtral/snapshots/4567/config.json", "{}");
    write("models--ada--mixtral/refs/main", "0123\n");
    expectModel(m_folder.file("models--ada--mixtral"));

    FolderFiles renamed = files;
    renamed["weights.safetensors"] = renamed.at("model.safetensors");
    renamed.erase("model.safetensors");
    expectModel(writeFolder("renamed", renamed));
    renamed["more.safetensors"] = renamed.at("weights.safetensors");
    EXPECT_TRUE(only({writeFolder("two", renamed)}).refusal);
}

TEST_F(Recognise, aFolderWhoseConfigurationOnlyNamesItsType) {
    FolderFiles files = test::mixtralFolder();
    nlohmann::json config = nlohmann::json::parse(files.at("config.json"));
    config.erase("architectures");
    config["model_type"] = "mixtral";
    files["config.json"] = config.dump();
    EXPECT_EQ(only({writeFolder("typed", files)}).info.family, "llama");
    config["model_type"] = "mixtrals";
    files["config.json"] = config.dump();
    EXPECT_TRUE(only({writeFolder("untyped", files)}).refusal);
}

/// Python writes them; JSON has neither. In texts they are words.
TEST_F(Recognise, numbersThatJsonDoesNotHave) {
    FolderFiles files = test::mixtralFolder();
    files.at("config.json")
        .replace(0, 1, R"({"time_step_limit": [0.0, Infinity], "beta": NaN, "note": "\"NaN",)");
    EXPECT_FALSE(only({writeFolder("python", files)}).refusal) << only({m_folder.file("python")}).sentence;
    files.at("config.json").replace(0, 1, R"({"beta": NAN,)");
    EXPECT_TRUE(only({writeFolder("neither", files)}).refusal);
}

TEST_F(Recognise, adapters) {
    const std::string words = "a LoRA adapter, ";
    expectRefused(ggufWith("adapter.gguf", "general.type", "adapter"), "adapter", ErrorId::Adapter, words);
    const std::string tensors = test::safetensorsFile({{"base.layers.0.q_proj.lora_A.weight", {2, 8}}});
    expectRefused(write("any.safetensors", tensors), "adapter", ErrorId::Adapter, words);
    expectRefused(write("peft/adapter_config.json", R"({"peft_type": "LORA"})"), "adapter", ErrorId::Adapter,
                  words);
    expectRefused(m_folder.file("peft"), "adapter", ErrorId::Adapter, words);
    expectRefused(write("old.bin", "algg\1\0\0\0"s), "adapter", ErrorId::Adapter, words);
}

TEST_F(Recognise, projectors) {
    const std::string words = "what lets a model see";
    expectRefused(ggufWith("a.gguf", "general.type", "mmproj"), "projector", ErrorId::Projector, words);
    expectRefused(ggufWith("b.gguf", "general.architecture", "clip"), "projector", ErrorId::Projector, words);
}

TEST_F(Recognise, whatGoesWithAModel) {
    const auto expectCompanion = [&](const std::string& path, const std::string& what,
                                     const std::string& words) {
        expectRefused(path, "companion", ErrorId::Companion, words);
        EXPECT_EQ(only({path}).refusal->arguments[1], what);
    };
    expectCompanion(ggufWith("a.gguf", "general.architecture", "controlvector"), "controlVector",
                    "a control vector, which steers a model");
    expectCompanion(ggufWith("b.gguf", "general.type", "imatrix"), "imatrix", "an importance matrix");
    expectCompanion(write("imatrix.dat", "\3\0\0\0\7\0\0\0blk.0.at"s), "imatrix", "an importance matrix");
    expectCompanion(ggufWith("c.gguf", "general.architecture", "eagle3"), "draftHead",
                    "a head that predicts words for another model");
    formats::GgufWriter vocabulary;
    vocabulary.set("general.architecture", "llama"s);
    vocabulary.set("tokenizer.ggml.model", "llama"s);
    vocabulary.set("tokenizer.ggml.tokens", std::vector<std::string>{"a", "b", "c"});
    EXPECT_TRUE(vocabulary.write(m_folder.file("vocab.gguf")));
    expectCompanion(m_folder.file("vocab.gguf"), "vocabulary", "a vocabulary without");
}

TEST_F(Recognise, modelsForSomethingElse) {
    const auto expectOther = [&](const std::string& path, const std::string& what, const std::string& words) {
        expectRefused(path, "otherPurpose", ErrorId::OtherPurpose, words);
        EXPECT_EQ(only({path}).refusal->arguments[1], what);
    };
    expectOther(ggufWith("a.gguf", "general.architecture", "flux"), "pictures",
                "a model that makes pictures");
    expectOther(ggufWith("b.gguf", "general.architecture", "wavtokenizer-dec"), "speech",
                "a model that speaks");
    expectOther(ggufWith("c.gguf", "general.architecture", "llada-moe"), "diffusion",
                "a model that writes all words at once");
    expectOther(ggufWith("d.gguf", "general.architecture", "t5"), "translates", "a model with an encoder");
    write("pipe/model_index.json", R"({"_class_name": "FluxPipeline"})");
    expectOther(m_folder.file("pipe"), "pictures", "a model that makes pictures");
    for (const auto& [name, bytes] : test::mixtralFolder()) write("whisper/" + name, bytes);
    write("whisper/config.json", R"({"architectures": ["WhisperForConditionalGeneration"]})");
    expectOther(m_folder.file("whisper"), "speech", "a model that speaks");
    expectOther(ggufWith("e.gguf", "general.architecture", "t5encoder"), "encodes", "an encoder like");
    // Models that write word by word are none of them, whatever their names begin with.
    for (const std::string& name : {"SambaForCausalLM"s, "BartForCausalLM"s}) {
        const std::string folder = writeFolder(name, test::mixtralFolder());
        write(name + "/config.json", R"({"architectures": [")" + name + R"("]})");
        expectRefused(folder, "unsupported", ErrorId::UnknownFamily, "this version cannot run this model");
    }
    expectRefused(ggufWith("f.gguf", "general.architecture", "diana"), "unsupported", ErrorId::UnknownFamily,
                  "this version cannot run this model");
}

TEST_F(Recognise, formatsOfOtherPrograms) {
    const auto expectOther = [&](const std::string& path, const std::string& format) {
        const Recognition known = only({path});
        ASSERT_TRUE(known.refusal) << path;
        EXPECT_EQ(errorIdOf(*known.refusal), ErrorId::OtherFormat) << known.sentence;
        EXPECT_EQ(known.refusal->arguments[1], format);
        EXPECT_EQ(known.kind, "otherFormat");
        EXPECT_THAT(known.actions, ElementsAre(ModelAction::GetInstead));
    };
    const std::string protobuf = "\x08\x07\x12\x07pytorch"s;
    expectOther(write("m.ONNX", protobuf), "ONNX");
    expectOther(write("m.mlmodel", protobuf), "Core ML");
    write("m.mlpackage/Manifest.json", "{}");
    expectOther(m_folder.file("m.mlpackage"), "Core ML");
    expectOther(write("m.bin", "tjgg\3\0\0\0"s), "GGML");
    // Another file under such a name is what it is.
    expectRefused(write("page.onnx", "<html>"), "webPage", ErrorId::WebPage, "a web page");
}

TEST_F(Recognise, cutDownloads) {
    const std::string whole = test::readBytes(synth("m.gguf", "Q4_0"));
    const std::string half = whole.substr(0, whole.size() - whole.size() / 4);
    for (const char* name : {"cut.gguf", "cut.gguf.part", "cut.gguf.crdownload"}) {
        const std::string path = write(name, half);
        expectRefused(path, "cutDownload", ErrorId::DownloadIncomplete, "only ");
        EXPECT_THAT(only({path}).refusal->arguments,
                    ElementsAre(std::to_string(half.size()), std::to_string(whole.size())));
        EXPECT_THAT(only({path}).sentence, HasSubstr(" arrived: tensor '"));
    }
    expectRefused(write("beginning.gguf", whole.substr(0, 100)), "cutDownload", ErrorId::DownloadCutShort,
                  "its download was cut off after ");
    expectRefused(write("zeros.gguf.part", std::string(1000, '\0')), "cutDownload",
                  ErrorId::DownloadUnfinished, "still being downloaded");
    write("m.gguf.aria2", "x");
    expectRefused(m_folder.file("m.gguf"), "cutDownload", ErrorId::DownloadUnfinished,
                  "still being downloaded");
    FolderFiles files = test::mixtralFolder();
    std::string& weights = files["model.safetensors"];
    const size_t all = weights.size();
    weights.resize(all - 100);
    const std::string folder = writeFolder("cut", files);
    expectRefused(folder, "cutDownload", ErrorId::DownloadIncomplete, "only ");
    EXPECT_THAT(only({folder}).refusal->arguments,
                ElementsAre(std::to_string(all - 100), std::to_string(all)));
}

TEST_F(Recognise, archivesAreNotUnpacked) {
    const std::string words = "an archive, ";
    // What a zip bomb is: a small file that says it holds a large one, packed.
    for (const auto& [name, bytes] :
         FolderFiles{{"bomb.zip", test::zipFile({{"zeros", std::string(64, '\0')}}, 8)},
                     {"model.safetensors", test::zipFile({{"model", "x"}})},
                     {"empty.zip", "PK\5\6"s + std::string(18, '\0')},
                     {"m.gz", "\x1F\x8B\x08"s},
                     {"m.7z", "7z\xBC\xAF\x27\x1C"s},
                     {"m.tar", std::string(257, 'a') + "ustar"}})
        expectRefused(write(name, bytes), "archive", ErrorId::Archive, words);
    // PyTorch's own are read, and what is packed in them is not.
    FolderFiles files = test::pytorchFolder(test::PickleForm::Archive);
    EXPECT_FALSE(only({writeFolder("pytorch", files)}).refusal);
    files["pytorch_model.bin"] = test::zipFile({{"m/data.pkl", std::string(64, '\0')}}, 8);
    expectRefused(writeFolder("packed", files), "unsupported", ErrorId::ModelUnsupported,
                  "this version cannot run this model: ");
}

TEST_F(Recognise, pointersAndPages) {
    const std::string pointer =
        "version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 4900000000\n";
    expectRefused(write("m.gguf", pointer), "pointer", ErrorId::FilePointer, "a pointer of Git LFS");
    // A folder that was cloned without Git LFS.
    FolderFiles files = test::shardedFolder();
    files["model-00002-of-00002.safetensors"] = pointer;
    const Recognition known = only({writeFolder("cloned", files)});
    EXPECT_EQ(known.kind, "pointer") << known.sentence;
    EXPECT_THAT(known.sentence, Not(HasSubstr("oid")));
    for (const char* page : {"<!DOCTYPE html><html>", "\xEF\xBB\xBF\n  <HTML lang=en>", "<!doctype HTML>"})
        expectRefused(write("page.gguf", page), "webPage", ErrorId::WebPage, "a web page");
}

TEST_F(Recognise, whatIsNoModelAtAll) {
    expectRefused(write("empty.gguf", ""), "cutDownload", ErrorId::FileEmpty, "the file is empty");
    expectRefused(write("letter.txt", "Dear Ada"), "unknown", ErrorId::NotAModel, "not a model file");
    EXPECT_THAT(only({m_folder.file("letter.txt")}).sentence, Not(HasSubstr("begins with")));
    expectRefused(m_folder.file("nothing"), "unknown", ErrorId::FileMissing, "No such file");
}

/// Neither an index nor a link leads out of the folder.
TEST_F(Recognise, hostileFoldersAreRefused) {
    write("secret.safetensors", test::mixtralFolder().at("model.safetensors"));
    FolderFiles files = test::shardedFolder();
    nlohmann::json index = nlohmann::json::parse(files["model.safetensors.index.json"]);
    index["weight_map"]["model.norm.weight"] = "../secret.safetensors";
    files["model.safetensors.index.json"] = index.dump();
    const Recognition outside = only({writeFolder("index", files)});
    EXPECT_EQ(errorIdOf(*outside.refusal), ErrorId::FileOutside) << outside.sentence;

    const FolderFiles whole = test::mixtralFolder();
    for (const auto& [name, bytes] : whole) {
        SCOPED_TRACE(name);
        const std::string folder = writeFolder("link-" + name, whole);
        std::filesystem::remove(folder + "/" + name);
        write("elsewhere/" + name, bytes);
        std::filesystem::create_symlink("../elsewhere/" + name, folder + "/" + name);
        const Recognition linked = only({folder});
        ASSERT_TRUE(linked.refusal);
        EXPECT_EQ(errorIdOf(*linked.refusal), ErrorId::FileOutside) << linked.sentence;
        EXPECT_THAT(linked.sentence, HasSubstr("a link to a file outside its folder"));
        // One that leads to a file of the same folder, or to a download cache's.
        std::filesystem::remove(folder + "/" + name);
        write("link-" + name + "/the-same", bytes);
        std::filesystem::create_symlink("the-same", folder + "/" + name);
        EXPECT_FALSE(only({folder}).refusal) << only({folder}).sentence;
        std::filesystem::remove(folder + "/" + name);
        write("blobs/1", bytes);
        std::filesystem::create_symlink("../blobs/1", folder + "/" + name);
        EXPECT_FALSE(only({folder}).refusal) << only({folder}).sentence;
        std::filesystem::remove_all(folder);
    }
}

}  // namespace
}  // namespace ingle
