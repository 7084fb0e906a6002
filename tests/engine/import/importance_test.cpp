/// Importance matrices: both forms of the file, what is wrong with one, and what they do to a quantised
/// model.
#include "engine/import/importance.h"

#include <gmock/gmock.h>

#include <cmath>
#include <fstream>
#include <list>

#include "engine/formats/gguf_writer.h"
#include "engine/import/import.h"
#include "engine/lab/synth.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::importer {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

tensor::Tensor matrix(const std::string& name, const tensor::Shape& shape) {
    return {name, shape, quant::findFormat(quant::kF32), {}};
}

class ImportanceTest : public testing::Test {
  protected:
    void addFloats(formats::GgufWriter& writer, const std::string& name, const tensor::Shape& shape,
                   const std::vector<float>& values) {
        m_kept.push_back(values);
        tensor::Tensor tensor = matrix(name, shape);
        tensor.data = std::as_bytes(std::span(m_kept.back()));
        ASSERT_TRUE(writer.addTensor(name, shape, *tensor.format, formats::copyRows(tensor)));
    }
    std::string writeGguf(const std::vector<float>& sums, const tensor::Shape& shape,
                          const std::vector<float>& counts) {
        formats::GgufWriter writer;
        writer.set("general.type", std::string("imatrix"));
        addFloats(writer, "m.weight.in_sum2", shape, sums);
        addFloats(writer, "m.weight.counts", tensor::Shape::of(1, counts.size()), counts);
        EXPECT_TRUE(writer.write(m_folder.file("i.gguf")));
        return m_folder.file("i.gguf");
    }
    std::string writeBinary(const std::string& name, int32_t calls, const std::vector<float>& values,
                            size_t cut = 0) {
        std::string bytes;
        const auto add = [&bytes](const auto& value) {
            bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
        };
        add(int32_t{1});
        add(static_cast<int32_t>(name.size()));
        bytes += name;
        add(calls);
        add(static_cast<int32_t>(values.size()));
        for (const float value : values) add(value);
        bytes.resize(bytes.size() - cut);
        std::ofstream(m_folder.file("i.dat"), std::ios::binary) << bytes;
        return m_folder.file("i.dat");
    }
    static std::vector<float> rowOf(const Importance& importance, const tensor::Tensor& tensor,
                                    uint64_t row) {
        const auto values = importance.ofRow(tensor, row);
        return {values.begin(), values.end()};
    }

    test::TemporaryFolder m_folder;
    std::list<std::vector<float>> m_kept;
};

TEST_F(ImportanceTest, bothFormsGiveMeans) {
    const auto gguf = Importance::read(writeGguf({2, 4, 6, 10, 20, 30}, tensor::Shape::of(3, 2), {2, 10}));
    ASSERT_TRUE(gguf) << gguf.error().message;
    const tensor::Tensor experts = matrix("m.weight", tensor::Shape::of(3, 5, 2));
    ASSERT_TRUE(gguf->knows(experts).value());
    EXPECT_THAT(rowOf(*gguf, experts, 4), ElementsAre(1, 2, 3));
    EXPECT_THAT(rowOf(*gguf, experts, 5), ElementsAre(1, 2, 3)) << "the second expert";
    EXPECT_FALSE(gguf->knows(matrix("n.weight", tensor::Shape::of(3, 5))).value());

    const auto binary = Importance::read(writeBinary("m.weight", 4, {4, 8, NAN}));
    ASSERT_TRUE(binary) << binary.error().message;
    EXPECT_THAT(rowOf(*binary, matrix("m.weight", tensor::Shape::of(3, 5)), 2), ElementsAre(1, 2, 0));
}

TEST_F(ImportanceTest, anExpertThatWasNeverAskedCountsAlike) {
    const auto importance = Importance::read(writeGguf({2, 4, 0, 0}, tensor::Shape::of(2, 2), {2, 0}));
    ASSERT_TRUE(importance);
    EXPECT_THAT(rowOf(*importance, matrix("m.weight", tensor::Shape::of(2, 1, 2)), 1), ElementsAre(1, 1));
}

TEST_F(ImportanceTest, whatIsWrongIsSaidInOneSentence) {
    const auto errorOf = [](const std::string& path) { return Importance::read(path).error().message; };
    EXPECT_THAT(errorOf(m_folder.file("none")), HasSubstr("none"));
    EXPECT_THAT(errorOf(writeBinary("m.weight", 1, {1, 2, 3}, 1)), HasSubstr("bytes are needed"));
    EXPECT_THAT(errorOf(writeBinary("", 1, {1})), HasSubstr("no name"));
    EXPECT_THAT(errorOf(writeGguf({1, 2, 3}, tensor::Shape::of(3), {1, 1})),
                HasSubstr("3 sums and 2 counts"));
    ASSERT_TRUE(lab::writeSynthModel({.family = "llama"}, m_folder.file("model.gguf")));
    EXPECT_THAT(errorOf(m_folder.file("model.gguf")), HasSubstr("not an importance matrix"));
    std::ofstream(m_folder.file("empty")).flush();
    EXPECT_FALSE(Importance::read(m_folder.file("empty")));
    const auto importance = Importance::read(writeBinary("m.weight", 1, {1, 2, 3}));
    ASSERT_TRUE(importance);
    const auto known = importance->knows(matrix("m.weight", tensor::Shape::of(4, 5)));
    ASSERT_FALSE(known);
    EXPECT_THAT(known.error().message, HasSubstr("another model"));
}

TEST_F(ImportanceTest, importantColumnsAreStoredBetter) {
    const std::string source = m_folder.file("source.gguf");
    ASSERT_TRUE(lab::writeSynthModel(
        {.family = "llama", .sizes = {.dim = 256, .ffnDim = 512, .numLayers = 1}, .quant = "F32"}, source));
    const std::string name = "blk.0.attn_q.weight";
    std::vector<float> values(256, 0.01F);
    values[7] = 10;
    std::string notices;
    const auto errorOfColumn = [&](const std::string& importance) {
        notices.clear();
        const std::string target = m_folder.file("target.gguf");
        const Status status = importModel(
            {.source = source, .target = target, .quant = "Q4_K_S", .importance = importance, .threads = 1},
            {.progress = {}, .notice = [&](const std::string& said) { notices += said; }, .isCancelled = {}});
        EXPECT_TRUE(status) << status.error().message;
        const formats::ModelFile before = formats::openModelFile(test::opened(source)).value();
        const formats::ModelFile after = formats::openModelFile(test::opened(target)).value();
        double error = 0;
        std::vector<float> was(256), is(256);
        for (uint64_t row = 0; row < before.find(name)->shape.numRows(); ++row) {
            before.find(name)->decodeRow(row, was);
            after.find(name)->decodeRow(row, is);
            error += std::pow(double{was[7]} - is[7], 2);
        }
        return error;
    };
    const double without = errorOfColumn("");
    EXPECT_EQ(notices, "");
    EXPECT_LT(errorOfColumn(writeBinary(name, 1, values)), 0.2 * without);
    EXPECT_THAT(notices, HasSubstr("says nothing of 8 tensors"));
}

}  // namespace
}  // namespace ingle::importer
