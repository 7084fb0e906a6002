/// ChatGLM-6B against its formulas, evaluated in double precision by loops that share nothing with the
/// engine but the reading of the file. Sources: modeling_chatglm.py of THUDM/chatglm-6b; Du et al., "GLM:
/// General Language Model Pretraining with Autoregressive Blank Infilling" (2022), section 2.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr uint32_t kDim = 64, kInner = 160, kLayers = 3, kHeads = 2, kVocab = 320;
constexpr uint32_t kHeadDim = kDim / kHeads;
constexpr TokenId kBegin = 1;  // begins the answer: <sop>

/// What somebody might get wrong.
enum class Mistake {
    None,
    BlocksFromZero,   ///< the answer's first token is at 0 in its block
    PromptEndsLater,  ///< the answer stays at the position behind the prompt
    OnePosition,      ///< both halves of a head are rotated by the token's position
    PairsSideBySide,  ///< (2p, 2p + 1) are rotated in place of (p, p + pairs)
    CausalPrompt,     ///< tokens of the prompt see those before them only
    NoAlpha,          ///< residuals are not multiplied
    PlainResidual,    ///< what was not normalised is carried on
    ExactGelu,        ///< by the error function
    QkvOfAllHeads,    ///< all queries first, then all keys, then all values
};

using Row = std::vector<double>;
using Rows = std::vector<Row>;

class Reference {
  public:
    Reference(const formats::ModelFile& file, Mistake mistake) : m_file(file), m_mistake(mistake) {}

    /// Logits of every token.
    Rows logits(const std::vector<TokenId>& ids) const {
        const size_t context = static_cast<size_t>(std::ranges::find(ids, kBegin) - ids.begin());
        Rows h;
        const Rows table = matrix("token_embd.weight");
        for (const TokenId id : ids) h.push_back(table[static_cast<size_t>(id)]);
        for (uint32_t layer = 0; layer < kLayers; ++layer) h = block(layer, h, context);
        const Rows out = matrix("output.weight");
        Rows logits;
        for (const Row& row : norm(h, "output_norm")) logits.push_back(product(out, row));
        return logits;
    }

  private:
    Rows matrix(const std::string& name) const {
        const tensor::Tensor* tensor = m_file.find(name);
        EXPECT_TRUE(tensor) << name;
        Rows rows;
        std::vector<float> values(tensor->shape.rowElems());
        for (uint64_t i = 0; i < tensor->shape.numRows(); ++i) {
            tensor->decodeRow(i, values);
            rows.emplace_back(values.begin(), values.end());
        }
        return rows;
    }
    Row vector(const std::string& name) const { return matrix(name)[0]; }

    static Row product(const Rows& matrix, const Row& x) {
        Row y;
        for (const Row& row : matrix) {
            double sum = 0;
            for (size_t i = 0; i < row.size(); ++i) sum += row[i] * x[i];
            y.push_back(sum);
        }
        return y;
    }
    Rows linear(const Rows& x, const std::string& name) const {
        const Rows weight = matrix(name + ".weight");
        const Row bias = vector(name + ".bias");
        Rows y;
        for (const Row& row : x) {
            y.push_back(product(weight, row));
            for (size_t i = 0; i < bias.size(); ++i) y.back()[i] += bias[i];
        }
        return y;
    }
    Rows norm(const Rows& x, const std::string& name) const {
        const Row gain = vector(name + ".weight");
        const Row bias = vector(name + ".bias");
        Rows y = x;
        for (Row& row : y) {
            double mean = 0, variance = 0;
            for (const double value : row) mean += value / kDim;
            for (const double value : row) variance += (value - mean) * (value - mean) / kDim;
            for (size_t i = 0; i < row.size(); ++i)
                row[i] = (row[i] - mean) / std::sqrt(variance + 1e-5) * gain[i] + bias[i];
        }
        return y;
    }

    /// One half of a head, turned: emb = cat(freqs, freqs), x cos + rotate_half(x) sin.
    void rotate(double* x, double position) const {
        constexpr uint32_t kHalf = kHeadDim / 2, kPairs = kHalf / 2;
        Row turned(kHalf);
        for (uint32_t p = 0; p < kPairs; ++p) {
            const double angle = position * std::pow(10000.0, -2.0 * p / kHalf);
            const bool side = m_mistake == Mistake::PairsSideBySide;
            const uint32_t a = side ? 2 * p : p;
            const uint32_t b = side ? 2 * p + 1 : p + kPairs;
            turned[a] = x[a] * std::cos(angle) - x[b] * std::sin(angle);
            turned[b] = x[b] * std::cos(angle) + x[a] * std::sin(angle);
        }
        std::ranges::copy(turned, x);
    }

    /// position_ids and block_position_ids; `context`: the tokens before <sop>, the last of which is gMASK.
    std::pair<double, double> positionsOf(size_t token, size_t context) const {
        if (m_mistake == Mistake::OnePosition) return {token, token};
        if (token < context) return {token, 0};
        const size_t mask = m_mistake == Mistake::PromptEndsLater ? context : context - 1;
        const size_t first = m_mistake == Mistake::BlocksFromZero ? 0 : 1;
        return {mask, token - context + first};
    }

    Rows attention(uint32_t layer, const Rows& x, size_t context) const {
        const std::string blk = fmt::format("blk.{}.", layer);
        Rows qkv = linear(x, blk + "attn_qkv");
        const bool byHead = m_mistake != Mistake::QkvOfAllHeads;
        const auto at = [&](Row& row, uint32_t head, uint32_t part) {
            return row.data() + (byHead ? (3 * head + part) * kHeadDim : (kHeads * part + head) * kHeadDim);
        };
        for (size_t i = 0; i < qkv.size(); ++i) {
            const auto [position, blockPosition] = positionsOf(i, context);
            for (uint32_t head = 0; head < kHeads; ++head) {
                for (const uint32_t part : {0u, 1u}) {
                    rotate(at(qkv[i], head, part), position);
                    rotate(at(qkv[i], head, part) + kHeadDim / 2, blockPosition);
                }
            }
        }
        Rows attended(x.size(), Row(kDim));
        const double coefficient = layer + 1;
        for (uint32_t head = 0; head < kHeads; ++head) {
            for (size_t i = 0; i < x.size(); ++i) {
                const double* q = at(qkv[i], head, 0);
                Row scores;
                for (size_t j = 0; j < x.size(); ++j) {
                    const double* k = at(qkv[j], head, 1);
                    double score = 0;
                    for (uint32_t d = 0; d < kHeadDim; ++d)
                        score += q[d] / (std::sqrt(double{kHeadDim}) * coefficient) * k[d];
                    const bool inPrompt = j < context && m_mistake != Mistake::CausalPrompt;
                    const bool isSeen = j <= i || inPrompt;
                    scores.push_back((isSeen ? score : -10000) * coefficient);
                }
                const double most = *std::ranges::max_element(scores);
                double sum = 0;
                for (double& score : scores) sum += score = std::exp(score - most);
                for (size_t j = 0; j < x.size(); ++j)
                    for (uint32_t d = 0; d < kHeadDim; ++d)
                        attended[i][head * kHeadDim + d] += scores[j] / sum * at(qkv[j], head, 2)[d];
            }
        }
        return linear(attended, blk + "attn_output");
    }

    Rows mlp(uint32_t layer, const Rows& x) const {
        const std::string blk = fmt::format("blk.{}.", layer);
        Rows up = linear(x, blk + "ffn_up");
        for (Row& row : up)
            for (double& value : row) value = gelu(value);
        return linear(up, blk + "ffn_down");
    }
    double gelu(double x) const {
        if (m_mistake == Mistake::ExactGelu) return x / 2 * (1 + std::erf(x / std::numbers::sqrt2));
        return 0.5 * x * (1 + std::tanh(std::sqrt(2 / std::numbers::pi) * x * (1 + 0.044715 * x * x)));
    }

    Rows block(uint32_t layer, const Rows& h, size_t context) const {
        const std::string blk = fmt::format("blk.{}.", layer);
        const double alpha = m_mistake == Mistake::NoAlpha ? 1 : std::sqrt(2.0 * kLayers);
        const auto carriedOn = [&](const Rows& before, const Rows& normed, Rows added) {
            const Rows& kept = m_mistake == Mistake::PlainResidual ? before : normed;
            for (size_t i = 0; i < added.size(); ++i)
                for (size_t d = 0; d < kDim; ++d) added[i][d] += alpha * kept[i][d];
            return added;
        };
        const Rows a = norm(h, blk + "attn_norm");
        const Rows middle = carriedOn(h, a, attention(layer, a, context));
        const Rows m = norm(middle, blk + "ffn_norm");
        return carriedOn(middle, m, mlp(layer, m));
    }

    const formats::ModelFile& m_file;
    const Mistake m_mistake;
};

class ChatGlm1 : public testing::Test {
  protected:
    void SetUp() override {
        const std::string path = m_folder.file("model.gguf");
        const models::SynthSizes sizes{.dim = kDim,
                                       .ffnDim = kInner,
                                       .numLayers = kLayers,
                                       .numHeads = kHeads,
                                       .numKvHeads = kHeads,
                                       .vocabSize = kVocab};
        ASSERT_TRUE(lab::writeSynthModel({.family = "chatglm1", .sizes = sizes, .quant = "F32"}, path));
        const LoadOptions exact{.kv = KvType::F32, .activations = ActivationType::F32};
        m_model = Model::load(test::opened(path), exact, nullptr).value();
        // A prompt that ends with its mask, then what begins the answer, and some of that.
        for (int i = 0; i < 40; ++i) m_ids.push_back(3 + (i * 37 + 11) % 300);
        m_ids[27] = kBegin;
    }
    /// Largest difference of a logit between the engine, fed in chunks, and the formulas.
    double difference(const std::vector<float>& ours, Mistake mistake) const {
        const Rows expected = Reference(m_model->opened().file, mistake).logits(m_ids);
        double most = 0;
        for (size_t i = 0; i < m_ids.size(); ++i)
            for (size_t id = 0; id < kVocab; ++id)
                most = std::max(most, std::abs(double{ours[i * kVocab + id]} - expected[i][id]));
        return most;
    }

    test::TemporaryFolder m_folder;
    std::unique_ptr<Model> m_model;
    std::vector<TokenId> m_ids;
};

/// Logits are about 1 in size, and what f32 rounds adds up to some 1e-6 of that.
constexpr double kTolerance = 2e-5;

TEST_F(ChatGlm1, agreesWithItsFormulasInDoublePrecision) {
    for (const size_t chunk : {1u, 64u}) {
        const std::vector<float> ours = test::logitsInChunks(*m_model, m_ids, chunk);
        EXPECT_LT(difference(ours, Mistake::None), kTolerance) << chunk;
    }
}

TEST_F(ChatGlm1, everyMistakeIsSeen) {
    const std::vector<float> ours = test::logitsInChunks(*m_model, m_ids, 64);
    for (const Mistake mistake : {Mistake::BlocksFromZero, Mistake::PromptEndsLater, Mistake::OnePosition,
                                  Mistake::PairsSideBySide, Mistake::CausalPrompt, Mistake::NoAlpha,
                                  Mistake::PlainResidual, Mistake::ExactGelu, Mistake::QkvOfAllHeads}) {
        EXPECT_GT(difference(ours, mistake), 10 * kTolerance) << static_cast<int>(mistake);
    }
}

}  // namespace
}  // namespace ingle::session
