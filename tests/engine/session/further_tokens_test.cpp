/// Files whose last blocks predict further tokens: the model is that of the blocks before them, to the bit.
#include <gtest/gtest.h>

#include "engine/formats/gguf_writer.h"
#include "engine/import/import.h"
#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"
#include "tests/test_name.h"

namespace ingle::session {
namespace {

/// The same model, with two blocks behind the last one that predict further tokens.
void writeWithBlocks(const formats::ModelFile& model, const std::string& path) {
    const std::string arch = model.metadata.string("general.architecture").value();
    const auto key = [&](const char* name) { return fmt::format("{}.{}", arch, name); };
    const uint32_t numLayers = model.metadata.u32(key("block_count")).value();
    formats::GgufWriter writer;
    for (auto [name, value] : model.metadata.all()) {
        if (auto* each = std::get_if<std::vector<int64_t>>(&value);
            each && each->size() == numLayers && name.starts_with(arch))
            each->insert(each->end(), 2, each->back());
        writer.set(name, value);
    }
    writer.set(key("block_count"), int64_t{numLayers} + 2);
    writer.set(key("nextn_predict_layers"), int64_t{2});
    const auto add = [&](const std::string& name, const tensor::Tensor& tensor) {
        ASSERT_TRUE(writer.addTensor(name, tensor.shape, *tensor.format, formats::copyRows(tensor)));
    };
    const std::string last = fmt::format("blk.{}.", numLayers - 1);
    for (const auto& [name, tensor] : model.tensors) {
        add(name, tensor);
        for (uint32_t block = numLayers; name.starts_with(last) && block < numLayers + 2; ++block)
            add(fmt::format("blk.{}.{}", block, name.substr(last.size())), tensor);
    }
    const tensor::Tensor& table = *model.find("token_embd.weight");
    for (const uint32_t block : {numLayers, numLayers + 1})
        for (const char* part : {"eh_proj", "embed_tokens", "shared_head_head"})
            add(fmt::format("blk.{}.nextn.{}.weight", block, part), table);
    ASSERT_TRUE(writer.write(path));
}

class FurtherTokens : public testing::TestWithParam<const models::ModelFamily*> {
  protected:
    std::vector<float> logitsOf(const std::string& path) {
        m_model =
            Model::load(test::opened(path), {.backend = BackendChoice::Cpu, .threads = 1}, nullptr).value();
        const std::vector<TokenId> tokens{5, 70, 33, 41, 8, 9, 9, 250, 31, 77, 12};
        return test::logitsInChunks(*m_model, tokens, 4);
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Model> m_model;
};

TEST_P(FurtherTokens, areNotComputed) {
    const std::string alone = m_folder.file("alone.gguf"), both = m_folder.file("both.gguf"),
                      small = m_folder.file("small.gguf");
    lab::SynthOptions options{.family = std::string(GetParam()->arch), .quant = "F16"};
    options.sizes.numLayers = 3;
    ASSERT_TRUE(lab::writeSynthModel(options, alone));
    writeWithBlocks(formats::openModelFile(test::opened(alone)).value(), both);
    const std::vector<float> wanted = logitsOf(alone);
    const uint64_t bytes = m_model->opened().shape.weightBytes;
    const uint32_t numLayers = m_model->opened().info.numLayers;
    EXPECT_EQ(logitsOf(both), wanted);
    EXPECT_EQ(m_model->opened().info.numLayers, numLayers);
    // They take no memory, beyond what the list of tensors in the file does.
    EXPECT_LT(m_model->opened().shape.weightBytes, bytes + 8192);
    // And they stay in what is made of the file.
    ASSERT_TRUE(importer::importModel({.source = both, .target = small, .quant = "Q8_0"}, {}));
    const auto requantised = formats::openModelFile(test::opened(small)).value();
    EXPECT_EQ(requantised.tensors.size(), m_model->opened().file.tensors.size());
    EXPECT_NE(requantised.find(fmt::format("blk.{}.nextn.eh_proj.weight", numLayers + 1)), nullptr);
    EXPECT_EQ(logitsOf(small).size(), wanted.size());
}

std::vector<const models::ModelFamily*> writers() {
    std::vector<const models::ModelFamily*> families;
    for (const models::ModelFamily* family : models::allFamilies())
        if (family->kind == models::FamilyKind::Writer) families.push_back(family);
    return families;
}

INSTANTIATE_TEST_SUITE_P(Families, FurtherTokens, testing::ValuesIn(writers()),
                         [](const auto& info) { return test::testName(info.param->arch); });

}  // namespace
}  // namespace ingle::session
