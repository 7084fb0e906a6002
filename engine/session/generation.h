/// One answer being made: first the prompt is read in chunks, then one token a step.
#pragma once

#include <atomic>
#include <chrono>
#include <vector>

#include "engine/sampling/sampler.h"
#include "engine/session/prompt_planner.h"
#include "engine/tokenizer/stream_decoder.h"
#include "ingle/engine.h"

namespace ingle::session {

/// The memory of a conversation and which tokens are in it.
struct CachedSequence {
    std::unique_ptr<backend::SequenceMemory> memory;
    std::vector<TokenId> ids;

    /// Makes the memory hold a prefix of `wanted`, as long as can be had, but not all of it (the last token
    /// must be fed to get logits). Returns its length.
    Result<size_t> keepCommonPrefix(std::span<const TokenId> wanted, const backend::MemorySpec& spec);
    Status feed(backend::Program& program, std::span<const TokenId> tokens,
                std::span<const uint32_t> logitRows);
};

/// One thread, but cancel().
class Generation {
  public:
    Generation(GenerationId id, GenerateRequest request, GenerateSink& sink)
        : m_id(id), m_request(std::move(request)), m_sink(sink), m_decoder({}) {}

    GenerationId id() const { return m_id; }
    void cancel() { m_cancelled = true; }

    enum class Outcome { Running, Finished };
    /// Does one step and tells the sink. After Finished the sink has had onDone or onError.
    Outcome step(Model& model, CachedSequence& sequence);

  private:
    using Clock = std::chrono::steady_clock;

    Result<Outcome> tryStep(Model& model, CachedSequence& sequence);
    Status start(Model& model, CachedSequence& sequence);
    Status prefillChunk(Model& model, CachedSequence& sequence);
    /// Chooses the next token from the program's logits, and gives it out or ends.
    Result<Outcome> takeToken(Model& model, backend::Program& program);
    Outcome finish(StopReason reason);
    std::optional<StopReason> limitReached(const Model& model, const CachedSequence& sequence) const;

    GenerationId m_id;
    GenerateRequest m_request;
    GenerateSink& m_sink;
    std::atomic<bool> m_cancelled{false};

    bool m_started = false;
    PlannedPrompt m_prompt;
    std::vector<TokenId> m_ids;  ///< prompt, then the answer so far
    size_t m_fed = 0;            ///< how many of m_ids are in the sequence's memory
    size_t m_prefillEnd = 0;     ///< how many there were to read before the first new token
    uint64_t m_answerLength = 0;
    sampling::Sampler m_sampler;
    tokenizer::StreamDecoder m_decoder;
    GenerateStats m_stats;
};

}  // namespace ingle::session
