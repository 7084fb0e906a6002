/// Importance matrices that we make: sums that a trace of the same tokens gives, too.
#include "engine/lab/column_sums.h"

#include <gmock/gmock.h>

#include <cmath>

#include "engine/formats/model_file.h"
#include "engine/lab/synth.h"
#include "engine/lab/trace.h"
#include "ingle/engine.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::lab {
namespace {

using testing::HasSubstr;

constexpr uint32_t kWindow = 40;

std::string sampleText() {
    std::string text;
    for (int i = 0; i < 60; ++i) text += "fire number " + std::to_string(i * i) + ", ";
    return text;
}

class ColumnSumsTest : public testing::Test {
  protected:
    void makeModel(const std::string& family) {
        ASSERT_TRUE(writeSynthModel({.family = family, .quant = "F32"}, m_path));
    }
    importer::ColumnSums sums() {
        auto sums = columnSums(m_path, {}, sampleText(), kWindow, nullptr);
        EXPECT_TRUE(sums) << sums.error().message;
        return std::move(sums).value();
    }
    /// Of all windows, one after the other.
    std::vector<Trace> traces(uint32_t numWindows) {
        const auto vocabulary = Vocabulary::open(m_path).value();
        std::vector<TokenId> ids = vocabulary->tokenize(sampleText(), {.addSpecial = true}).value();
        std::vector<Trace> all;
        LoadOptions plain;
        plain.fuse = false;
        for (uint32_t window = 0; window < numWindows; ++window) {
            const auto begin = ids.begin() + window * kWindow;
            std::vector<TokenId> tokens(begin, begin + kWindow);
            tokens[0] = ids[0];  // BOS
            all.push_back(traceModel(m_path, plain, tokens).value());
        }
        return all;
    }
    static const TracedValue& value(const Trace& trace, const std::string& name) {
        for (const TracedValue& each : trace)
            if (each.name == name) return each;
        ADD_FAILURE() << "no value " << name;
        return trace.front();
    }

    test::TemporaryFolder m_folder;
    std::string m_path = m_folder.file("model.gguf");
};

TEST_F(ColumnSumsTest, areThoseOfWhatTheMatricesAreGiven) {
    makeModel("llama");
    const importer::ColumnSums made = sums();
    ASSERT_GT(made.numWindows, 2U);
    EXPECT_EQ(made.windowTokens, kWindow);
    EXPECT_FALSE(made.matrices.contains("output.weight"));
    const std::vector<Trace> all = traces(made.numWindows);
    struct Case {
        const char* matrix;
        const char* input;
        uint32_t rows;  // of each window
    };
    // What predicts nothing, the last layer does not compute behind its attention.
    for (const auto& [matrix, input, rows] : {Case{"blk.0.attn_q.weight", "blk.0.attn_norm", kWindow},
                                              Case{"blk.1.ffn_up.weight", "blk.1.ffn_norm", kWindow - 1}}) {
        SCOPED_TRACE(matrix);
        ASSERT_TRUE(made.matrices.contains(matrix));
        const auto& [squares, counts] = made.matrices.at(matrix);
        EXPECT_EQ(counts, std::vector<uint64_t>{uint64_t{rows} * made.numWindows});
        std::vector<double> expected(squares.size());
        for (const Trace& trace : all) {
            const TracedValue& x = value(trace, input);
            ASSERT_EQ(x.width, squares.size());
            for (size_t i = 0; i < rows * x.width; ++i)
                expected[i % x.width] += double{x.rows[i]} * x.rows[i];
        }
        for (size_t i = 0; i < squares.size(); ++i) EXPECT_NEAR(squares[i], expected[i], 1e-4 * expected[i]);
    }
}

TEST_F(ColumnSumsTest, ofExpertsAreThoseOfTheRowsTheyWereGiven) {
    makeModel("qwen3moe");
    const importer::ColumnSums made = sums();
    const auto& [squares, counts] = made.matrices.at("blk.0.ffn_up_exps.weight");
    const size_t columns = squares.size() / counts.size();
    std::vector<double> expected(squares.size());
    std::vector<uint64_t> asked(counts.size());
    for (const Trace& trace : traces(made.numWindows)) {
        const TracedValue& x = value(trace, "blk.0.ffn_norm");
        const TracedValue& routing = value(trace, "blk.0.ffn_routing");
        for (size_t row = 0; row < kWindow; ++row) {
            for (size_t s = 0; s < routing.width / 2; ++s) {
                const auto expert = static_cast<size_t>(routing.rows[row * routing.width + s]);
                ++asked[expert];
                for (size_t i = 0; i < columns; ++i)
                    expected[expert * columns + i] += std::pow(double{x.rows[row * x.width + i]}, 2);
            }
        }
    }
    EXPECT_EQ(counts, asked);
    for (size_t i = 0; i < squares.size(); ++i)
        EXPECT_NEAR(squares[i], expected[i], 1e-4 * expected[i] + 1e-12);
    // What comes out of the experts is another row for each of them.
    const auto& down = made.matrices.at("blk.0.ffn_down_exps.weight");
    EXPECT_EQ(down.counts, asked);
}

TEST_F(ColumnSumsTest, areReadBackAsMeans) {
    makeModel("llama");
    const importer::ColumnSums made = sums();
    const std::string path = m_folder.file("importance.gguf");
    ASSERT_TRUE(importer::writeImportance(made, "a text", path));
    const auto read = importer::Importance::read(path);
    ASSERT_TRUE(read) << read.error().message;
    EXPECT_EQ(read->all().size(), made.matrices.size());
    const formats::ModelFile model = formats::openModelFile(test::opened(m_path)).value();
    const tensor::Tensor& matrix = *model.find("blk.0.ffn_down.weight");
    ASSERT_TRUE(read->knows(matrix).value());
    const auto row = read->ofRow(matrix, 0);
    const auto& [squares, counts] = made.matrices.at(matrix.name);
    for (size_t i = 0; i < row.size(); ++i)
        EXPECT_FLOAT_EQ(row[i], static_cast<float>(squares[i]) / static_cast<float>(counts[0]));
}

}  // namespace
}  // namespace ingle::lab
