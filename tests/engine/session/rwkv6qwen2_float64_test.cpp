/// QRWKV 6 against its formulas, evaluated in double precision by loops that share nothing with the engine
/// but the reading of the file: no other engine's numbers of it are at hand. Source: Peng et al., "Eagle and
/// Finch: RWKV with Matrix-Valued States and Dynamic Recurrence" (2024), section 4.2.
#include <gtest/gtest.h>

#include <cmath>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session::qrwkv {
namespace {

constexpr uint32_t kDim = 64, kFfn = 160, kLayers = 2, kHeads = 4, kKvHeads = 2, kVocab = 320, kMixRank = 32;
constexpr uint32_t kHeadSize = kDim / kHeads;

/// What somebody might get wrong.
enum class Mistake {
    None,
    StateBefore,     ///< a token reads the state without its own part
    WholeKeys,       ///< keys are not weakened by what decays
    HeadsTakeTurns,  ///< head h reads keys of head h mod their number
    GateOfSilu,      ///< in place of the sigmoid
    Unscaled,        ///< what is read is not divided by the root of a head
};

using Row = std::vector<double>;

class QRwkvReference {
  public:
    QRwkvReference(const formats::ModelFile& file, Mistake mistake) : m_file(file), m_mistake(mistake) {}

    /// Logits of every token, one behind the other.
    Row logits(const std::vector<TokenId>& ids) {
        m_shift.assign(kLayers, Row(kDim));
        m_state.assign(kLayers, Row(kDim * kHeadSize));
        Row all;
        for (const TokenId id : ids) {
            Row h = numbers("token_embd.weight", static_cast<size_t>(id) * kDim, kDim);
            for (uint32_t layer = 0; layer < kLayers; ++layer) {
                m_prefix = "blk." + std::to_string(layer) + ".";
                addTo(h, timeMix(layer, normed(h, m_prefix + "attn_norm.weight")));
                addTo(h, feedForward(normed(h, m_prefix + "ffn_norm.weight")));
            }
            const Row row = product("output.weight", normed(h, "output_norm.weight"), kVocab);
            all.insert(all.end(), row.begin(), row.end());
        }
        return all;
    }

  private:
    Row numbers(const std::string& name, size_t first, size_t count) const {
        const tensor::Tensor* tensor = m_file.find(name);
        EXPECT_TRUE(tensor) << name;
        const auto* floats = reinterpret_cast<const float*>(tensor->data.data()) + first;
        return {floats, floats + count};
    }
    /// Rows [firstRow, firstRow + numRows) of a matrix times x.
    Row product(const std::string& name, const Row& x, size_t numRows, size_t firstRow = 0) const {
        const Row w = numbers(name, firstRow * x.size(), numRows * x.size());
        Row y(numRows);
        for (size_t i = 0; i < numRows; ++i)
            for (size_t j = 0; j < x.size(); ++j) y[i] += w[i * x.size() + j] * x[j];
        return y;
    }
    Row normed(const Row& x, const std::string& gain) const {
        double squares = 0;
        for (const double number : x) squares += number * number;
        Row y = numbers(gain, 0, x.size());
        for (size_t i = 0; i < x.size(); ++i) y[i] *= x[i] / std::sqrt(squares / kDim + 1e-6);
        return y;
    }
    static void addTo(Row& h, const Row& more) {
        for (size_t i = 0; i < h.size(); ++i) h[i] += more[i];
    }
    static double sigmoid(double x) { return 1 / (1 + std::exp(-x)); }

    Row timeMix(uint32_t layer, const Row& x) {
        const Row previous = m_shift[layer];
        m_shift[layer] = x;
        Row xx = numbers(m_prefix + "time_mix_lerp_x.weight", 0, kDim);
        for (uint32_t i = 0; i < kDim; ++i) xx[i] = x[i] + (previous[i] - x[i]) * xx[i];
        const auto mixed = [&](uint32_t which) {
            Row low = product(m_prefix + "time_mix_w1.weight", xx, kMixRank, size_t{which} * kMixRank);
            for (double& number : low) number = std::tanh(number);
            const Row shift = product(m_prefix + "time_mix_w2.weight", low, kDim, size_t{which} * kDim);
            Row y = numbers(m_prefix + "time_mix_lerp_fused.weight", size_t{which} * kDim, kDim);
            for (uint32_t i = 0; i < kDim; ++i) y[i] = x[i] + (previous[i] - x[i]) * (y[i] + shift[i]);
            return y;
        };
        Row decay = product(m_prefix + "time_mix_decay_w1.weight", mixed(0), 64);
        for (double& number : decay) number = std::tanh(number);
        decay = product(m_prefix + "time_mix_decay_w2.weight", decay, kDim);
        addTo(decay, numbers(m_prefix + "time_mix_decay.weight", 0, kDim));
        for (double& number : decay) number = std::exp(-std::exp(number));
        const Row k = product(m_prefix + "time_mix_key.weight", mixed(1), kKvHeads * kHeadSize);
        const Row v = product(m_prefix + "time_mix_value.weight", mixed(2), kKvHeads * kHeadSize);
        const Row r = product(m_prefix + "time_mix_receptance.weight", mixed(3), kDim);
        const Row g = product(m_prefix + "time_mix_gate.weight", mixed(4), kDim);
        Row y(kDim);
        for (uint32_t h = 0; h < kHeads; ++h) {
            const uint32_t kvHead =
                m_mistake == Mistake::HeadsTakeTurns ? h % kKvHeads : h / (kHeads / kKvHeads);
            for (uint32_t i = 0; i < kHeadSize; ++i) {
                const double w = decay[h * kHeadSize + i];
                const double key = k[kvHead * kHeadSize + i] * (m_mistake == Mistake::WholeKeys ? 1 : 1 - w);
                for (uint32_t j = 0; j < kHeadSize; ++j) {
                    double& state = m_state[layer][(h * kHeadSize + i) * kHeadSize + j];
                    const double before = state;
                    state = w * state + key * v[kvHead * kHeadSize + j];
                    const double read = m_mistake == Mistake::StateBefore ? before : state;
                    y[h * kHeadSize + j] += r[h * kHeadSize + i] * read;
                }
            }
        }
        for (uint32_t i = 0; i < kDim; ++i) {
            if (m_mistake != Mistake::Unscaled) y[i] /= std::sqrt(double{kHeadSize});
            y[i] *= sigmoid(g[i]) * (m_mistake == Mistake::GateOfSilu ? g[i] : 1);
        }
        return product(m_prefix + "time_mix_output.weight", y, kDim);
    }
    Row feedForward(const Row& x) const {
        Row gate = product(m_prefix + "ffn_gate.weight", x, kFfn);
        const Row up = product(m_prefix + "ffn_up.weight", x, kFfn);
        for (uint32_t i = 0; i < kFfn; ++i) gate[i] *= sigmoid(gate[i]) * up[i];
        return product(m_prefix + "ffn_down.weight", gate, kDim);
    }

    const formats::ModelFile& m_file;
    Mistake m_mistake;
    std::string m_prefix;
    std::vector<Row> m_shift, m_state;
};

TEST(QRwkv6, agreesWithItsFormulasInDoublePrecisionAndEveryMistakeIsSeen) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    ASSERT_TRUE(lab::writeSynthModel({.family = "rwkv6qwen2", .quant = "F32"}, path));
    const auto model = Model::load(test::opened(path), {}, nullptr);
    ASSERT_TRUE(model) << model.error().message;
    std::vector<TokenId> ids;
    for (int i = 0; i < 20; ++i) ids.push_back((i * 37 + 11) % static_cast<int>(kVocab));
    const std::vector<float> ours = test::logitsInChunks(**model, ids, 7);
    const auto difference = [&](Mistake mistake) {
        const Row theirs = QRwkvReference((*model)->opened().file, mistake).logits(ids);
        EXPECT_EQ(theirs.size(), ours.size());
        double most = 0;
        for (size_t i = 0; i < ours.size(); ++i) most = std::max(most, std::abs(ours[i] - theirs[i]));
        return most;
    };
    constexpr double kTolerance = 1e-4;
    EXPECT_LT(difference(Mistake::None), kTolerance);
    for (const Mistake mistake : {Mistake::StateBefore, Mistake::WholeKeys, Mistake::HeadsTakeTurns,
                                  Mistake::GateOfSilu, Mistake::Unscaled})
        EXPECT_GT(difference(mistake), 10 * kTolerance) << static_cast<int>(mistake);
}

}  // namespace
}  // namespace ingle::session::qrwkv
