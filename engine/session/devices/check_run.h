/// A small piece of a model on one backend, to try that out.
#pragma once

#include <array>
#include <memory>
#include <span>
#include <vector>

#include "engine/backend/backend.h"
#include "engine/models/family.h"
#include "ingle/types.h"

namespace ingle::session {

/// Rows of two sequences in one step, and how many of the last ones give logits.
struct CheckStep {
    std::array<uint32_t, 2> rows;
    uint32_t logits;
};

/// Known once programs are compiled: sum((a-b)^2) / sum(b^2) that what `device` computes may differ by from
/// what is right.
double maxErrorOf(const backend::Backend& device);
/// sum((a-b)^2) / sum(b^2).
double errorOf(std::span<const float> values, std::span<const float> expected);

class CheckRun {
  public:
    static constexpr uint32_t kMaxRows = 19;
    static constexpr uint32_t kMaxLogits = 7;
    static constexpr uint32_t kMaxTokens = 2 * backend::kPageTokens;

    /// `backend` and `model` must outlive it. Weights that `backend` holds already are not copied again.
    /// Memory is for `contextTokens`, as in chats: how attention is computed may depend on that. `maxRows`:
    /// of a step. Errors: as Backend::createMemory() and compile().
    static Result<CheckRun> create(backend::Backend& backend, const models::BoundModel& model,
                                   uint32_t contextTokens, const LoadOptions& options,
                                   uint32_t maxRows = kMaxRows);

    /// The logits of a step, back to back, with any tokens: the same ones in every run. A sequence may get
    /// kMaxTokens in all. Errors: as Program::run() and readOutput().
    Result<std::vector<float>> logits(const CheckStep& step);
    /// The logits after such tokens, back to back. Errors: as logits().
    Result<std::vector<float>> logitsAfter(std::span<const TokenId> tokens);
    /// Sequences go on with these tokens, the first one with the first, and the best tokens after them. Null:
    /// the host has to choose. Errors: as Program::decodeAhead().
    Result<std::unique_ptr<backend::DecodeQueue>> decodeAhead(std::span<const TokenId> tokens,
                                                              uint32_t maxSteps);
    /// The last kMaxLogits logits of the first sequence, which is fed so many tokens anew, in steps of at
    /// most `rowsPerStep`. The same tokens in every call. Errors: as logits().
    Result<std::vector<float>> prompt(uint32_t numTokens, uint32_t rowsPerStep);
    /// Both sequences are empty again. Errors: as SequenceMemory::truncate().
    Status restart();

  private:
    CheckRun() = default;
    Result<std::vector<float>> run(std::span<const TokenId> tokens,
                                   std::span<const backend::SequenceRun> runs, uint32_t numLogits);
    /// Spread over the vocabulary; any would do.
    TokenId nextToken();

    std::unique_ptr<backend::MemoryPool> m_memory;
    std::unique_ptr<backend::Program> m_program;
    std::array<std::unique_ptr<backend::SequenceMemory>, 2> m_sequences;
    uint32_t m_vocabSize = 0;
    bool m_wholeTexts = false;  ///< an encoder: every step is a text of its own
    /// The first rows of a sequence are a prefix: prompts are read as a whole.
    bool m_hasPrefixes = false;
    std::array<uint32_t, 2> m_prefixes{};  ///< see backend::SequenceRun
    uint32_t m_token = 0;
};

}  // namespace ingle::session
