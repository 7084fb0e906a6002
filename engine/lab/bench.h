/// How fast a model runs on this machine.
#pragma once

#include <array>
#include <optional>
#include <string>

#include "engine/backend/backend.h"
#include "engine/backend/op_facts.h"
#include "engine/lab/kernel_bench.h"
#include "ingle/types.h"

namespace ingle::lab {

/// Adds up where the time of steps went.
class OpProfile final : public backend::OpObserver {
  public:
    void afterOp(const backend::SeenOp& seen) override {
        m_seconds[static_cast<size_t>(seen.op.code)] += seen.seconds;
    }
    double seconds(backend::OpCode code) const { return m_seconds[static_cast<size_t>(code)]; }

  private:
    std::array<double, backend::kNumOpCodes> m_seconds{};
};

struct BenchOptions {
    uint32_t promptTokens = 128;
    uint32_t newTokens = 32;
    uint32_t depth = 0;      ///< tokens, of which all is zero, that memory holds before
    uint32_t sequences = 1;  ///< decoded together, one token of each per step
    bool profile = false;
    bool kernels = false;
    /// How many of the guesses that answers are made with are right (see ForcedGuesses). Nothing: none are.
    std::optional<double> rightGuesses = std::nullopt;
    bool ownGuesses = false;  ///< as well, with the guesses that answers of the model have anyway
};

/// Answers with guesses beside the same without.
struct GuessingResult {
    double tokensPerSecond = 0;      ///< the median
    double bareTokensPerSecond = 0;  ///< without guesses, as well
    double ratio = 0;                ///< the median of the ratios of each two that were made in turn
    double leastRatio = 0, mostRatio = 0;
    uint64_t guessedTokens = 0;
    uint64_t takenTokens = 0;
};

/// Prompt and answer start from sequences of `depth` tokens, after a warm-up step each.
struct BenchResult {
    double prefillTokensPerSecond = 0;
    double decodeTokensPerSecond = 0;  ///< of all sequences together
    double decodeBytesPerSecond = 0;   ///< weights read while decoding; of experts only the chosen ones
    double readBytesPerSecond = 0;  ///< a plain read of the mapped file with as many threads, best of three
    double prefillProductsPerSecond = 0;  ///< multiply-adds with weights while the prompt is read
    double peakProductsPerSecond = 0;     ///< of bytes in registers, all threads; 0: another device computes
    double peakResidentBytes = 0;
    double peakAnonymousBytes = 0;  ///< without the mapped file
    std::string device;
    OpProfile prefillProfile;
    OpProfile decodeProfile;
    KernelSpeeds kernels;  ///< empty unless asked for
    std::optional<GuessingResult> guessing;
};

/// Loads the model and measures. Errors: those of loading; InvalidArgument when the tokens do not fit the
/// context.
Result<BenchResult> benchModel(const std::string& path, const LoadOptions& load, const BenchOptions& options);

}  // namespace ingle::lab
