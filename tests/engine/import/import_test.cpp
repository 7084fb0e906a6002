/// Imports of every kind of file: the same model comes out, or one sentence and no file.
#include "engine/import/import.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <filesystem>
#include <fstream>

#include "engine/formats/gguf_writer.h"
#include "engine/import/quant_mix.h"
#include "engine/lab/synth.h"
#include "ingle/error_ids.h"
#include "tests/engine/formats/sample_files.h"
#include "tests/engine/session/model_runs.h"
#include "tests/full_disk.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::importer {
namespace {

using formats::ModelFile;
using formats::openModelFile;
using ::testing::HasSubstr;

class Import : public testing::Test {
  protected:
    Status import(const std::string& source, const std::string& quant = "", uint32_t threads = 1) {
        m_notices.clear();
        return importModel({.source = source, .target = m_target, .quant = quant, .threads = threads},
                           {.progress = [this](double fraction, const char*) { m_fraction = fraction; },
                            .notice = [this](const std::string& sentence) { m_notices += sentence + "\n"; },
                            .isCancelled = [this] { return m_cancelAfter > 0 && --m_cancelAfter == 0; }});
    }
    std::string write(const std::string& bytes) {
        std::ofstream(m_folder.file("source"), std::ios::binary) << bytes;
        return m_folder.file("source");
    }
    std::string synth(const std::string& family, models::SynthSizes sizes = {}) {
        const std::string path = m_folder.file(family + ".gguf");
        EXPECT_TRUE(lab::writeSynthModel({.family = family, .sizes = sizes, .quant = "F32"}, path));
        return path;
    }
    static std::vector<float> logitsOf(const std::string& path) {
        auto model = session::Model::load(test::opened(path),
                                          {.threads = 1, .activations = ActivationType::F32}, nullptr)
                         .value();
        std::vector<TokenId> tokens;
        for (int i = 0; i < 20; ++i) tokens.push_back(i * 7 % static_cast<int>(model->info().vocabSize));
        return test::logitsInChunks(*model, tokens, 64);
    }
    void expectSameModel(const std::string& source) {
        SCOPED_TRACE(source);
        const Status status = import(source);
        ASSERT_TRUE(status) << status.error().message;
        EXPECT_EQ(openModelFile(test::opened(m_target))->format, "GGUF v3");
        EXPECT_EQ(logitsOf(m_target), logitsOf(source));
        EXPECT_EQ(m_fraction, 1);
        EXPECT_EQ(m_notices, "");
    }

    test::TemporaryFolder m_folder;
    std::string m_target = m_folder.file("target.gguf");
    std::string m_notices;
    double m_fraction = 0;
    int m_cancelAfter = 0;
};

TEST_F(Import, everySourceGivesTheSameModel) {
    for (const models::ModelFamily* family : models::allFamilies())
        expectSameModel(synth(std::string(family->arch)));
    for (const std::string& file : {test::rwkvFile(4), test::rwkvFile(5), test::rwkvFile(6),
                                    test::rwkvFile(7), test::llama2cFile(), test::llama2cVersion1File()})
        expectSameModel(write(file));
}

TEST_F(Import, integersWithScalesBecomeFloats) {
    for (const std::string& file : {test::llama2cVersion2File(), test::fastLlmFile()}) {
        const std::string source = write(file);
        ASSERT_TRUE(import(source));
        EXPECT_THAT(m_notices, HasSubstr("as F32, since GGUF has no such integers with scales"));
        EXPECT_LT(test::nmse(logitsOf(m_target), logitsOf(source)), 1e-10);
        ASSERT_TRUE(import(source, "Q8_0"));
        EXPECT_THAT(m_notices, HasSubstr("the source is quantised already"));
        EXPECT_LT(test::nmse(logitsOf(m_target), logitsOf(source)), 0.01);
    }
}

TEST_F(Import, llama2cFilesHaveTheirVocabularyBeside) {
    const std::string source = synth("llama", {.dim = 64, .ffnDim = 128});
    const auto before = openModelFile(test::opened(source)).value();
    const std::vector<float> logits = logitsOf(source);
    for (const auto& [quant, format, error] :
         {std::tuple("", "llama2.c v0", 1e-10), std::tuple("Q8_0", "llama2.c v2", 0.01)}) {
        m_target = m_folder.file("out.bin");
        const Status status = import(source, quant);
        ASSERT_TRUE(status) << status.error().message;
        const auto after = openModelFile(test::opened(m_target)).value();
        EXPECT_EQ(after.format, format);
        EXPECT_EQ(after.tokenizer.tokens, before.tokenizer.tokens);
        EXPECT_EQ(after.tokenizer.scores, before.tokenizer.scores);
        EXPECT_LT(test::nmse(logitsOf(m_target), logits), error);
        EXPECT_EQ(m_fraction, 1);
    }
    // One of another model is not replaced.
    std::filesystem::remove(m_target);
    std::ofstream(m_folder.file("tokenizer.bin")) << "of another model";
    EXPECT_THAT(import(source).error().message, HasSubstr("vocabulary of another model"));
    EXPECT_EQ(test::readBytes(m_folder.file("tokenizer.bin")), "of another model");
    EXPECT_FALSE(std::filesystem::exists(m_target));
    std::filesystem::remove(m_folder.file("tokenizer.bin"));
    m_target = m_folder.file("tokenizer.bin");
    EXPECT_THAT(import(source).error().message, HasSubstr("is the name of the vocabulary"));
    m_target = m_folder.file("upper.BIN");
    EXPECT_TRUE(import(source));
    EXPECT_EQ(openModelFile(test::opened(m_target)).value().format, "llama2.c v0");
    std::filesystem::remove(m_target);
    std::filesystem::remove(m_folder.file("tokenizer.bin"));
    m_target = m_folder.file("out.bin");
    m_cancelAfter = 2;
    EXPECT_EQ(import(source).error().code, ErrorCode::Cancelled);
    m_cancelAfter = 0;
    EXPECT_EQ(import(source, "Q6_K").error().code, ErrorCode::InvalidArgument);
    const Status refused = import(synth("qwen2"));
    EXPECT_THAT(refused.error().message, HasSubstr("it is of the family qwen2, not llama"));
    EXPECT_FALSE(std::filesystem::exists(m_target));
    EXPECT_FALSE(std::filesystem::exists(m_folder.file("tokenizer.bin")));
}

TEST_F(Import, goldenFilesGiveTheSameModel) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    for (const char* file : {"rwkv/random-4v0.bin", "rwkv/random-5v2.bin", "rwkv/random-6v0.bin",
                             "rwkv/random-7v0.bin", "rwkv/tiny-rwkv-7v0-834K-FP16.bin",
                             "llama2c/random_gqa.bin", "models/llama_moe.gguf", "quant/llama_q-Q4_K_M.gguf"})
        expectSameModel(test::goldenRoot() / file);
}

TEST_F(Import, keysTokenizerAndTemplateAreCarriedOver) {
    ASSERT_TRUE(test::writeLlamaGguf(m_folder.file("source")).has_value());
    ASSERT_TRUE(import(m_folder.file("source"), "Q8_0"));
    const ModelFile source = openModelFile(test::opened(m_folder.file("source"))).value();
    const ModelFile target = openModelFile(test::opened(m_target)).value();
    EXPECT_FALSE(target.tokenizer.tokens.empty());
    for (const auto& [key, value] : source.metadata.all()) {
        if (key == "general.file_type") continue;
        ASSERT_NE(target.metadata.find(key), nullptr) << key;
        EXPECT_EQ(*target.metadata.find(key), value) << key;
    }
    EXPECT_EQ(target.metadata.u32("general.file_type").value(), 7u);
}

TEST_F(Import, byteLevelModelsKeepTheirTextAndIds) {
    const std::string source = write(test::rwkvFile());
    ASSERT_TRUE(import(source));
    const auto before = tokenizer::createTokenizer(openModelFile(test::opened(source))->tokenizer).value();
    const auto after = tokenizer::createTokenizer(openModelFile(test::opened(m_target))->tokenizer).value();
    std::string bytes;
    for (int byte = 0; byte < 256; ++byte) bytes += static_cast<char>(byte);
    const tokenizer::TextSegment text{bytes, false};
    const std::vector<TokenId> ids = before->encode({&text, 1}, false).value();
    EXPECT_EQ(after->encode({&text, 1}, false).value(), ids);
    for (const TokenId id : ids) EXPECT_EQ(after->pieceBytes(id), before->pieceBytes(id));
}

/// What the file says of itself must not be carried over: parts are joined, the alignment is the writer's
/// own.
TEST_F(Import, aSplitModelBecomesOneFile) {
    ASSERT_TRUE(test::writeLlamaGguf(m_folder.file("whole")).has_value());
    ModelFile whole = openModelFile(test::opened(m_folder.file("whole"))).value();
    whole.metadata.set("general.alignment", int64_t{32});
    ASSERT_TRUE(test::writeShards(whole, m_folder.file("model"), 3).has_value());
    ASSERT_TRUE(import(test::shardName(m_folder.file("model"), 1, 3)));
    const ModelFile target = openModelFile(test::opened(m_target)).value();
    EXPECT_EQ(target.metadata.find("split.count"), nullptr);
    EXPECT_EQ(target.metadata.find("general.alignment"), nullptr);
    EXPECT_EQ(target.tensors.size(), whole.tensors.size());
    EXPECT_EQ(logitsOf(m_target), logitsOf(m_folder.file("whole")));

    m_target = test::shardName(m_folder.file("model"), 2, 3);
    EXPECT_THAT(import(test::shardName(m_folder.file("model"), 0, 3)).error().message,
                HasSubstr("is the source itself"));
}

TEST_F(Import, quantisedRowsAreTheEncodersWhateverTheThreads) {
    const std::string path = synth("llama", {.dim = 256, .ffnDim = 512, .numLayers = 2});
    const ModelFile source = openModelFile(test::opened(path)).value();
    std::string alone;
    for (const uint32_t threads : {1U, 3U}) {
        ASSERT_TRUE(import(path, "Q4_K_M", threads));
        const std::string bytes = test::readBytes(m_target);
        if (threads == 1) alone = bytes;
        EXPECT_EQ(bytes, alone);
    }
    const ModelFile target = openModelFile(test::opened(m_target)).value();
    for (const auto& [name, tensor] : target.tensors) {
        const auto floats = reinterpret_cast<const float*>(source.find(name)->data.data());
        const size_t elems = tensor.shape.rowElems();
        std::vector<std::byte> row(tensor.data.size() / tensor.shape.numRows());
        for (uint64_t r = 0; r < tensor.shape.numRows(); ++r) {
            tensor.format->encodeRow({floats + r * elems, elems}, {}, row.data());
            ASSERT_TRUE(std::ranges::equal(tensor.data.subspan(r * row.size(), row.size()), row)) << name;
        }
    }
    EXPECT_EQ(target.find("blk.0.attn_q.weight")->format->name, "Q4_K");
    EXPECT_EQ(target.find("output.weight")->format->name, "Q6_K");
    // Near the original, and not by accident: the model with other weights is far from it.
    EXPECT_LT(test::nmse(logitsOf(m_target), logitsOf(path)), 0.05);
    const std::string other = m_folder.file("other.gguf");
    ASSERT_TRUE(lab::writeSynthModel(
        {.family = "llama", .sizes = {.dim = 256, .ffnDim = 512, .numLayers = 2}, .quant = "F32", .seed = 2},
        other));
    EXPECT_GT(test::nmse(logitsOf(other), logitsOf(path)), 0.05);
}

TEST_F(Import, aModelMadeSmallerIsAsLargeAsWasSaid) {
    for (const uint32_t dim : {256U, 64U}) {  // rows that are whole blocks of Q4_K, and rows that are not
        const std::string path = synth("llama", {.dim = dim, .ffnDim = 2 * dim, .numLayers = 2});
        const ModelInfo info = inspectModel(path, {}).value();
        ASSERT_TRUE(import(path, info.smallerQuant));
        const auto smaller = openModelFile(test::opened(m_target)).value();
        uint64_t bytes = 0;
        for (const auto& [name, tensor] : smaller.tensors) bytes += tensor.bytes();
        EXPECT_EQ(info.smallerBytes, bytes) << dim;
    }
}

TEST_F(Import, saysWhatPeopleShouldKnow) {
    const std::string narrow = synth("llama");  // rows of 64 and 160
    ASSERT_TRUE(import(narrow, "Q4_K_M"));
    EXPECT_THAT(m_notices,
                HasSubstr("tensors are written as Q8_0, since their rows are not whole blocks of Q4_K"));
    EXPECT_THAT(m_notices, Not(HasSubstr("quantised already")));
    ASSERT_TRUE(import(narrow, "Q8_0"));
    EXPECT_EQ(m_notices, "");
    std::filesystem::rename(m_target, m_folder.file("q8.gguf"));
    ASSERT_TRUE(import(m_folder.file("q8.gguf"), "Q4_0"));
    EXPECT_THAT(m_notices, HasSubstr("the source is quantised already"));
    ASSERT_TRUE(import(m_folder.file("q8.gguf"), "Q8_0"));
    EXPECT_EQ(m_notices, "");
}

TEST_F(Import, refusesToOverwriteItsSource) {
    const std::string source = synth("llama");
    const std::string before = test::readBytes(source);
    std::filesystem::create_symlink(source, m_folder.file("link"));
    std::filesystem::create_hard_link(source, m_folder.file("hard"));
    for (const std::string& target : {source, m_folder.file("link"), m_folder.file("hard")}) {
        m_target = target;
        const Status status = import(source, "Q8_0");
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::InvalidArgument);
    }
    EXPECT_EQ(test::readBytes(source), before);
}

TEST_F(Import, aStoppedImportLeavesTheTargetAsItWas) {
    const std::string source = synth("llama");
    for (const char* present : {"", "what was there"}) {
        if (*present) std::ofstream(m_target) << present;
        m_cancelAfter = 5;
        const Status status = import(source, "Q8_0");
        ASSERT_FALSE(status);
        EXPECT_EQ(status.error().code, ErrorCode::Cancelled);
        EXPECT_EQ(test::readBytes(m_target), present);
        EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), *present ? 2 : 1);
    }
}

TEST_F(Import, aFullDiskIsOneSentenceAndNoFile) {
    const std::string source = synth("llama");
    const FullDisk full;
    const Status status = import(source, "Q8_0");
    ASSERT_FALSE(status);
    EXPECT_EQ(status.error().code, ErrorCode::Io);
    EXPECT_THAT(status.error().message, HasSubstr("target.gguf: writing failed"));
    EXPECT_EQ(errorIdOf(status.error()), ErrorId::DiskFull);
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1);
}

/// What is larger than any disk is refused before anything is written: a source that is mostly a hole.
TEST_F(Import, aDiskWithoutRoomIsSaidBeforehand) {
    const uint64_t free = std::filesystem::space(m_folder.path()).available;
    constexpr uint64_t kWidth = 1 << 14, kMostBytes = uint64_t{1} << 43;  // of files that may have holes
    const uint64_t rows = free / kWidth / 4 + (1 << 16);
    if (rows * kWidth > kMostBytes) GTEST_SKIP() << "the disk is too large";
    const std::string path = m_folder.file("hole.gguf");
    std::string header("GGUF\3\0\0\0", 8);
    const auto put = [&](auto value) { header.append(reinterpret_cast<const char*>(&value), sizeof value); };
    const auto text = [&](const std::string& value) {
        put(uint64_t{value.size()});
        header += value;
    };
    put(uint64_t{1});
    put(uint64_t{1});
    text("general.architecture");
    put(uint32_t{8});
    text("llama");
    text("a.weight");
    put(uint32_t{2});
    put(uint64_t{kWidth});
    put(uint64_t{rows});
    put(uint32_t{2});  // Q4_0
    put(uint64_t{0});
    header.resize((header.size() + 31) / 32 * 32);
    std::ofstream(path, std::ios::binary) << header;
    std::error_code error;
    std::filesystem::resize_file(path, header.size() + rows * (kWidth / 32 * 18), error);
    if (error) GTEST_SKIP() << "no such holes here: " << error.message();
    const Status status = import(path, "F32");
    ASSERT_FALSE(status);
    EXPECT_EQ(errorIdOf(status.error()), ErrorId::ModelNeedsRoom) << status.error().message;
    EXPECT_EQ(std::distance(std::filesystem::directory_iterator(m_folder.path()), {}), 1);
}

TEST_F(Import, dequantWritesWhatTheDecoderGives) {
    const quant::QuantFormat& format = *quant::findFormat("Q4_K");
    std::vector<float> values(70000 / 256 * 256);  // more than one piece
    for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 97) - 40;
    std::vector<std::byte> blocks(values.size() / 256 * format.blockBytes);
    format.encodeRow(values, {}, blocks.data());
    std::ofstream(m_folder.file("raw"), std::ios::binary)
        .write(reinterpret_cast<const char*>(blocks.data()), static_cast<std::streamsize>(blocks.size()));
    ASSERT_TRUE(dequantFile("Q4_K", m_folder.file("raw"), m_target));
    format.decodeRow(blocks.data(), values);
    EXPECT_EQ(test::readFloats(m_target), values);

    EXPECT_THAT(dequantFile("Q4_X", m_folder.file("raw"), m_target).error().message,
                HasSubstr("is not known"));
    std::ofstream(m_folder.file("raw"), std::ios::app) << "x";
    EXPECT_THAT(dequantFile("Q4_K", m_folder.file("raw"), m_target).error().message,
                HasSubstr("are not whole blocks of Q4_K"));
    EXPECT_EQ(dequantFile("Q4_K", m_folder.file("absent"), m_target).error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace ingle::importer
