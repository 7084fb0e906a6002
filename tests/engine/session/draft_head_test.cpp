/// A head in a file of its own guesses: as its equations say, in double precision, and answers stay the same.
#include "engine/models/draft_head.h"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <numeric>

#include "engine/lab/synth.h"
#include "engine/session/conversations/head_guesses.h"
#include "engine/session/conversations/scheduler.h"
#include "tests/draft_head_file.h"
#include "tests/engine/session/recording_sink.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

using test::DraftFile;
using test::DraftKind;
using test::kDraftDim;
using test::kDraftEps;
using test::kDraftFfn;
using test::kDraftHeadDim;
using test::kDraftHeads;
using test::kDraftKvHeads;
using test::kDraftVocab;
using test::RecordingSink;
using DraftRow = std::vector<double>;

/// The equations of the head, from its file and the model's tables.
class DraftEquations {
  public:
    DraftEquations(const DraftFile& file, const DraftKind& kind, const formats::ModelFile& decoder)
        : m_file(file), m_kind(kind), m_decoder(decoder) {}

    /// The first guesses behind `ids`, of whose tokens but the last `rows` are hidden rows.
    std::vector<TokenId> guesses(std::span<const TokenId> ids, std::span<const float> rows, size_t count) {
        std::vector<TokenId> out;
        DraftRow h;
        for (size_t t = 0; t + 1 < ids.size(); ++t) {
            DraftRow features(rows.begin() + static_cast<std::ptrdiff_t>(t * 3 * kDraftDim),
                              rows.begin() + static_cast<std::ptrdiff_t>((t + 1) * 3 * kDraftDim));
            if (m_kind.normsFeatures) features = normed(features, "enc.output_norm.weight");
            h = step(ids[t + 1], product("fc.weight", features));
        }
        for (size_t i = 0; i < count; ++i) {
            out.push_back(best(h));
            h = step(out.back(), h);
        }
        return out;
    }

  private:
    DraftRow product(const std::string& name, const DraftRow& x) const {
        const auto& [shape, values] = m_file.tensors.at(name);
        DraftRow y(shape.dims[1]);
        for (size_t row = 0; row < y.size(); ++row)
            y[row] = std::inner_product(x.begin(), x.end(),
                                        values.begin() + static_cast<std::ptrdiff_t>(row * x.size()), 0.0);
        return y;
    }
    DraftRow normed(DraftRow x, const std::string& name) const {
        const double square = std::inner_product(x.begin(), x.end(), x.begin(), 0.0);
        const double factor = 1 / std::sqrt(square / static_cast<double>(x.size()) + kDraftEps);
        const auto& gain = m_file.tensors.at(name).second;
        for (size_t i = 0; i < x.size(); ++i) x[i] *= factor * gain[i];
        return x;
    }
    DraftRow tableRow(const std::string& name, uint64_t row) const {
        std::vector<float> values(kDraftDim);
        m_decoder.find(name)->decodeRow(row, values);
        return {values.begin(), values.end()};
    }
    static void rotate(DraftRow& heads, size_t position) {
        for (size_t i = 0; i < heads.size(); i += 2) {
            const double angle = static_cast<double>(position) *
                                 std::pow(10000.0, -static_cast<double>(i % kDraftHeadDim) / kDraftHeadDim);
            const double a = heads[i], b = heads[i + 1];
            heads[i] = a * std::cos(angle) - b * std::sin(angle);
            heads[i + 1] = b * std::cos(angle) + a * std::sin(angle);
        }
    }
    DraftRow attended(const DraftRow& q) const {
        DraftRow out(kDraftDim, 0);
        for (size_t head = 0; head < kDraftHeads; ++head) {
            const size_t from = head / (kDraftHeads / kDraftKvHeads) * kDraftHeadDim;
            DraftRow shares;
            for (const DraftRow& k : m_keys)
                shares.push_back(
                    std::inner_product(k.begin() + static_cast<std::ptrdiff_t>(from),
                                       k.begin() + static_cast<std::ptrdiff_t>(from + kDraftHeadDim),
                                       q.begin() + static_cast<std::ptrdiff_t>(head * kDraftHeadDim), 0.0) /
                    std::sqrt(kDraftHeadDim));
            double sum = 0;
            for (double& share : shares) sum += share = std::exp(share);
            for (size_t t = 0; t < shares.size(); ++t)
                for (size_t i = 0; i < kDraftHeadDim; ++i)
                    out[head * kDraftHeadDim + i] += shares[t] / sum * m_values[t][from + i];
        }
        return out;
    }
    DraftRow step(TokenId token, const DraftRow& g) {
        DraftRow embedding;
        if (m_kind.hasEmbedding) {
            const auto& table = m_file.tensors.at("token_embd.weight").second;
            embedding.assign(table.begin() + token * int64_t{kDraftDim},
                             table.begin() + (token + 1) * int64_t{kDraftDim});
        } else {
            embedding = tableRow("token_embd.weight", static_cast<uint64_t>(token));
        }
        DraftRow x = normed(embedding, "blk.0.attn_norm.weight");
        const DraftRow n = normed(g, "blk.0.attn_norm_2.weight");
        x.insert(x.end(), n.begin(), n.end());
        const size_t position = m_keys.size();
        DraftRow q = product("blk.0.attn_q.weight", x);
        rotate(q, position);
        m_keys.push_back(product("blk.0.attn_k.weight", x));
        rotate(m_keys.back(), position);
        m_values.push_back(product("blk.0.attn_v.weight", x));
        DraftRow h = product("blk.0.attn_output.weight", attended(q));
        for (size_t i = 0; i < kDraftDim; ++i) h[i] += m_kind.normsResidual ? n[i] : g[i];
        const DraftRow read = normed(h, "blk.0.ffn_norm.weight");
        DraftRow inner = product("blk.0.ffn_gate.weight", read);
        const DraftRow up = product("blk.0.ffn_up.weight", read);
        for (size_t i = 0; i < kDraftFfn; ++i) inner[i] *= up[i] / (1 + std::exp(-inner[i]));
        const DraftRow fed = product("blk.0.ffn_down.weight", inner);
        for (size_t i = 0; i < kDraftDim; ++i) h[i] += fed[i];
        return h;
    }
    TokenId best(const DraftRow& h) const {
        const DraftRow n = normed(h, "output_norm.weight");
        if (m_kind.hasTokens) {
            const DraftRow logits = product("output.weight", n);
            return static_cast<TokenId>(
                m_file.tokens[static_cast<size_t>(std::ranges::max_element(logits) - logits.begin())]);
        }
        double largest = -std::numeric_limits<double>::infinity();
        TokenId token = 0;
        for (uint64_t row = 0; row < kDraftVocab; ++row) {
            const DraftRow table = tableRow("output.weight", row);
            const double logit = std::inner_product(n.begin(), n.end(), table.begin(), 0.0);
            if (logit > largest) token = static_cast<TokenId>(row);
            largest = std::max(largest, logit);
        }
        return token;
    }

    const DraftFile& m_file;
    const DraftKind& m_kind;
    const formats::ModelFile& m_decoder;
    std::vector<DraftRow> m_keys, m_values;
};

class OtherDraftHeads : public testing::Test {
  protected:
    std::string model(const char* family = "llama") {
        const std::string path = m_folder.file(fmt::format("{}.gguf", family));
        EXPECT_TRUE(
            lab::writeSynthModel({.family = family, .sizes = {.numLayers = 5}, .quant = "F32"}, path));
        return path;
    }
    std::string head(const DraftKind& kind, std::vector<int64_t> layers = {0, 2, 4},
                     uint32_t features = 3 * kDraftDim) {
        const std::string path = m_folder.file("head.gguf");
        EXPECT_TRUE(DraftFile(kind, features).write(path, kind, std::move(layers)));
        return path;
    }
    static LoadOptions options(const std::string& draft) {
        return {.backend = BackendChoice::Cpu, .threads = 2, .contextTokens = 512, .draft = draft};
    }
    static std::vector<TokenId> ids(size_t count) {
        std::vector<TokenId> ids;
        for (size_t i = 0; i < count; ++i) ids.push_back(static_cast<TokenId>(3 + i * 7 % 300));
        return ids;
    }

    test::TemporaryFolder m_folder;
};

class DraftHeads : public OtherDraftHeads, public testing::WithParamInterface<DraftKind> {};

TEST_P(DraftHeads, guessAsTheirEquationsSay) {
    auto loaded = Model::load(test::opened(model()), options(head(GetParam())), nullptr);
    ASSERT_TRUE(loaded) << loaded.error().message;
    Model& decoder = **loaded;
    const auto predictor = HeadPredictor::create(decoder);
    ASSERT_NE(predictor, nullptr);
    ASSERT_EQ(predictor->rowWidth(), 3U * kDraftDim);
    const DraftFile file(GetParam());
    for (const size_t count : {2U, 30U, 90U}) {
        const std::vector<TokenId> text = ids(count);
        std::vector<float> rows;
        const auto sequence = decoder.memory().createSequence().value();
        for (size_t at = 0; at + 1 < count; at += Model::kPrefillTokens) {
            const std::span<const TokenId> part =
                std::span(text).subspan(at, std::min<size_t>(Model::kPrefillTokens, count - 1 - at));
            const backend::SequenceRun run{sequence.get(), static_cast<uint32_t>(part.size())};
            ASSERT_TRUE(decoder.program().run({.tokens = part, .runs = {&run, 1}}));
            const auto hidden = decoder.program().hiddenRows();
            rows.insert(rows.end(), hidden.begin(), hidden.end());
        }
        ASSERT_EQ(rows.size(), (count - 1) * 3 * kDraftDim);
        // What the first layer reads is the embedding.
        std::vector<float> embedding(kDraftDim);
        decoder.opened().file.find("token_embd.weight")->decodeRow(static_cast<uint64_t>(text[0]), embedding);
        EXPECT_EQ(std::vector<float>(rows.begin(), rows.begin() + kDraftDim), embedding);
        const auto source = predictor->guesses({.temperature = 0});
        source->see(0, rows, 3 * kDraftDim);
        std::vector<TokenId> guesses;
        source->guess(text, 0, 4, guesses);
        EXPECT_EQ(guesses, DraftEquations(file, GetParam(), decoder.opened().file).guesses(text, rows, 4))
            << count;
    }
}

TEST_P(DraftHeads, changeNoAnswer) {
    const std::string path = model();
    std::vector<TokenId> plain;
    for (const bool isGuessed : {false, true}) {
        auto decoder =
            Model::load(test::opened(path), options(isGuessed ? head(GetParam()) : ""), nullptr).value();
        Scheduler scheduler(*decoder, nullptr);
        GenerateRequest request;
        request.rawTokens = ids(30);
        request.sampler = {.temperature = 0};
        request.maxTokens = 80;
        request.guesses = isGuessed ? Guesses::Draft : Guesses::Off;
        RecordingSink sink;
        scheduler.submit(request, sink);
        while (scheduler.step()) {
        }
        ASSERT_TRUE(sink.result) << sink.error->message;
        if (!isGuessed) plain = sink.ids;
        EXPECT_EQ(sink.ids, plain);
        EXPECT_EQ(sink.result->stats.guessedTokens > 0, isGuessed);
    }
}

INSTANTIATE_TEST_SUITE_P(All, DraftHeads,
                         testing::Values(DraftKind{}, DraftKind{.hasTokens = true},
                                         DraftKind{.hasEmbedding = true}, DraftKind{.normsResidual = true},
                                         DraftKind{.hasTokens = true, .normsFeatures = true}));

TEST_F(OtherDraftHeads, ofAnotherModelAreRefused) {
    const auto expectRefused = [&](const std::string& path, const std::string& draft, const char* sentence) {
        const auto loaded = Model::load(test::opened(path), options(draft), nullptr);
        ASSERT_FALSE(loaded) << sentence;
        EXPECT_EQ(loaded.error().id, "draftUnfit");
        EXPECT_NE(loaded.error().message.find(sentence), std::string::npos) << loaded.error().message;
    };
    expectRefused(model(), head({}, {0, 2, 5}), "this head is for another model");
    expectRefused(model(), head({}, {0, 2}), "target_layers cannot be of another number than 3");
    expectRefused(model(), head({}, {0, 2, 4}, 3 * kDraftDim + 8), "fc.weight");
    expectRefused(model("rwkv7"), head({}, {0, 1, 2}), "do not hand over what this head reads");
}

}  // namespace
}  // namespace ingle::session
