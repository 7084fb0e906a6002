#include "app/library/found_models.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::library {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

class FoundModels : public testing::Test {
  protected:
    std::string put(const std::string& name, const std::string& bytes = "GGUF and more") {
        const std::string path = m_folder.file(name);
        std::filesystem::create_directories(std::filesystem::path(path).parent_path());
        std::ofstream(path, std::ios::binary) << bytes;
        return path;
    }
    static std::vector<std::string> described(const std::vector<FoundModel>& models) {
        std::vector<std::string> texts;
        for (const FoundModel& model : models) texts.push_back(model.program + ": " + model.name);
        return texts;
    }

    test::TemporaryFolder m_folder;
};

TEST_F(FoundModels, eachProgramsOwnPlaces) {
    put("gpt4all/Llama.Q4_0.gguf");
    put("lmstudio/maker/Qwen-GGUF/Qwen-Q4_K_M.gguf");
    put("jan/author/Mistral-7B/model.gguf");
    put("ollama/blobs/sha256-abc");
    put("ollama/manifests/registry.ollama.ai/library/llama3.2/latest",
        R"({"layers": [{"mediaType": "application/vnd.ollama.image.license", "digest": "sha256:def"},
                       {"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:abc"}]})");
    put("llama.cpp/ggml-org_gemma.gguf");
    const std::string blob = put("hub/models--maker--name/blobs/123");
    std::filesystem::create_directories(m_folder.path() / "hub/models--maker--name/snapshots/rev");
    std::filesystem::create_symlink(blob, m_folder.path() / "hub/models--maker--name/snapshots/rev/Phi.gguf");
    const auto found = findModels({.gpt4all = m_folder.file("gpt4all"),
                                   .lmStudio = {m_folder.file("none"), m_folder.file("lmstudio")},
                                   .jan = {m_folder.file("jan")},
                                   .ollama = {m_folder.file("ollama")},
                                   .llamaCpp = m_folder.file("llama.cpp"),
                                   .huggingFace = m_folder.file("hub")});
    EXPECT_THAT(described(found),
                ElementsAre("GPT4All: Llama.Q4_0", "Jan: Mistral-7B", "Hugging Face: Phi",
                            "LM Studio: Qwen-Q4_K_M", "llama.cpp: ggml-org_gemma", "Ollama: llama3.2"));
    for (const FoundModel& model : found) EXPECT_EQ(model.bytes, 13U) << model.path;
}

TEST_F(FoundModels, onlyWhatBeginsAsAModel) {
    put("a/page.gguf", "<html>");
    put("a/empty.gguf", "");
    put("a/notes.txt");
    put("a/mmproj-model-f16.gguf");
    put("a/big-00001-of-00002.gguf");
    put("a/big-00002-of-00002.gguf");
    const auto found = findModels({.gpt4all = m_folder.file("a")});
    EXPECT_THAT(described(found), ElementsAre("GPT4All: big-00001-of-00002"));
    EXPECT_EQ(found[0].bytes, 2 * 13U);
}

TEST_F(FoundModels, damagedManifestsNameNothing) {
    const std::string manifests = "ollama/manifests/registry.ollama.ai/library/x/";
    put("ollama/secret");
    put(manifests + "text", "not json");
    put(manifests + "list", "[]");
    put(manifests + "layers", R"({"layers": 3})");
    put(manifests + "types",
        R"({"layers": [3, {"mediaType": 4}, {"mediaType": "application/vnd.ollama.image.model", "digest": 5}]})");
    put(manifests + "outside",
        R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "../secret"}]})");
    put(manifests + "gone",
        R"({"layers": [{"mediaType": "application/vnd.ollama.image.model", "digest": "sha256:gone"}]})");
    EXPECT_THAT(findModels({.ollama = {m_folder.file("ollama")}}), IsEmpty());
}

TEST_F(FoundModels, aFolderThatContainsItselfEnds) {
    put("a/b/one.gguf");
    std::filesystem::create_directory_symlink(m_folder.path() / "a", m_folder.path() / "a/b/again");
    EXPECT_THAT(described(findModels({.gpt4all = m_folder.file("a")})), ElementsAre("GPT4All: one"));
}

TEST_F(FoundModels, aBoundedNumberOfFilesIsLookedAt) {
    for (int i = 0; i < 600; ++i) put("a/" + std::to_string(i) + ".gguf");
    EXPECT_EQ(findModels({.gpt4all = m_folder.file("a")}).size(), 500U);
}

}  // namespace
}  // namespace ingle::library
