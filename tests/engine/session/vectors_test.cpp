/// Our own vectors: logits of a tiny synthetic model of every family as floats, and of those whose matrices
/// are read by different ops in every format we can write, kept in tests/vectors so that a plain clone
/// notices a changed number. (What makes the numbers right are the golden tests.) INGLE_WRITE_VECTORS=1
/// writes them anew.
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "engine/lab/synth.h"
#include "tests/engine/session/model_runs.h"
#include "tests/golden.h"
#include "tests/opened.h"
#include "tests/temporary_folder.h"

namespace ingle::session {
namespace {

constexpr uint32_t kVectorVocab = 64;
// 256 is the largest block: every format fits every row.
constexpr models::SynthSizes kSizes{.dim = 256,
                                    .ffnDim = 512,
                                    .numLayers = 1,
                                    .numHeads = 8,
                                    .numKvHeads = 4,
                                    .vocabSize = kVectorVocab,
                                    .context = 128};

/// Logits after the last of 70 tokens (more than a page), and after the first. Empty where the family's rows
/// are no whole blocks of the format.
std::vector<float> logitsOf(const std::string& family, const models::SynthSizes& sizes,
                            const quant::QuantFormat& format) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("model.gguf");
    const Status written =
        lab::writeSynthModel({.family = family, .sizes = sizes, .quant = std::string(format.name)}, path);
    if (!written && written.error().message.find("is not a whole number of") != std::string::npos) return {};
    EXPECT_TRUE(written) << written.error().message;
    const auto model =
        Model::load(test::opened(path), {.kv = KvType::F32, .activations = ActivationType::F32}, nullptr)
            .value();
    std::vector<TokenId> tokens;
    for (int i = 0; i < 70; ++i) tokens.push_back((i * 37 + 11) % static_cast<int>(kVectorVocab));
    const std::vector<float> all = test::logitsInChunks(*model, tokens, 64);
    std::vector<float> kept(all.begin(), all.begin() + kVectorVocab);
    kept.insert(kept.end(), all.end() - kVectorVocab, all.end());
    return kept;
}

std::filesystem::path pathOf(const std::string& name) {
    return std::filesystem::path(INGLE_SOURCE_DIR) / "tests/vectors" / (name + ".f32");
}

/// Compares with the kept logits of that name, or writes them.
void expectKept(const std::string& name, const std::vector<float>& logits) {
    SCOPED_TRACE(name);
    const auto path = pathOf(name);
    if (std::getenv("INGLE_WRITE_VECTORS")) {
        std::ofstream(path, std::ios::binary)
            .write(reinterpret_cast<const char*>(logits.data()),
                   static_cast<std::streamsize>(logits.size() * sizeof(float)));
    }
    ASSERT_TRUE(std::filesystem::exists(path)) << "write it with INGLE_WRITE_VECTORS=1";
    // Other compilers may order or contract differently; a real mistake moves logits by 1e-2 and more.
    EXPECT_LE(test::maxAbsDiff(logits, test::readFloats(path)), 2e-4);
}

/// Those with kernels of their own, and floats.
constexpr const char* kFormats[] = {"F32", "F16", "BF16", "Q8_0", "Q4_0", "Q4_K", "Q5_K", "Q6_K"};

TEST(Vectors, everyFamilyInFormatsOfEveryKindGivesTheKeptLogits) {
    size_t compared = 0;
    for (const models::ModelFamily* family : models::allFamilies()) {
        if (family->kind == models::FamilyKind::Encoder) continue;  // see embedder_test.cpp
        for (const char* name : kFormats) {
            const quant::QuantFormat* format = quant::findFormat(name);
            const std::string arch(family->arch);
            const std::string kept = fmt::format("{}-{}", arch, format->name);
            if (format != quant::findFormat(quant::kF32) && !std::filesystem::exists(pathOf(kept))) continue;
            const std::vector<float> logits = logitsOf(arch, kSizes, *format);
            if (logits.empty()) continue;
            expectKept(kept, logits);
            ++compared;
        }
    }
    EXPECT_GE(compared, 354u);  // as many as there are kept
}

TEST(Vectors, mixturesOfExpertsGiveTheKeptLogits) {
    models::SynthSizes sizes = kSizes;
    sizes.numExperts = 5;
    sizes.numExpertsUsed = 2;
    for (const char* format : {"F32", "Q8_0"}) {
        expectKept(fmt::format("llama_moe-{}", format), logitsOf("llama", sizes, *quant::findFormat(format)));
    }
}

/// Of one layer, these have attention only.
TEST(Vectors, gatedDeltaNetsGiveTheKeptLogits) {
    models::SynthSizes sizes = kSizes;
    sizes.numLayers = 2;
    for (const char* family : {"qwen35", "qwen3next"}) {
        expectKept(fmt::format("{}_delta-F32", family),
                   logitsOf(family, sizes, *quant::findFormat(quant::kF32)));
    }
}

}  // namespace
}  // namespace ingle::session
