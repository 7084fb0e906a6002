/// Chooses the next token on the device, see shaders/sample.comp.
#pragma once

#include <string_view>

#include "engine/backend/vulkan/memory/vulkan_memory.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// Of logits that are infinite or no number. The processor, which goes on, finds out whether it is the
/// file's fault.
inline constexpr std::string_view kNotFiniteMessage =
    "the graphics device computed a value that is not a number";

/// Each of its turns has parameters and a result of its own, so that steps may be queued.
class TokenSampler {
  public:
    /// Most candidates the shaders keep: what sampling::needsOnlyBest() is asked.
    static constexpr uint32_t kMaxCandidates = 64;

    /// Errors: OutOfMemory, Device.
    static Result<std::unique_ptr<TokenSampler>> create(const DeviceContext& context, uint32_t numTurns);

    /// What the dispatches of a turn read and write.
    struct Buffers {
        BufferRange logits;   ///< of one row
        BufferRange step;     ///< see step_buffer.h; becomes the next step
        BufferRange scratch;  ///< overwritten
    };
    /// Records choosing among `numLogits`. Errors: as Pipelines::compile() and Recorder::dispatch().
    Status record(uint32_t turn, uint32_t numLogits, const Buffers& buffers, Recorder& recorder) const;

    /// How the turn, when it is submitted next, chooses token `position` of an answer, below `numIds`.
    /// params: sampling::needsOnlyBest().
    void setParams(uint32_t turn, const SamplerParams& params, uint64_t position, uint32_t numIds);
    /// What the turn has chosen, below `numIds`; its submission is over. Errors: Device (a logit is no
    /// number, or nothing was chosen).
    Result<TokenId> chosen(uint32_t turn, uint32_t numIds) const;

  private:
    explicit TokenSampler(const DeviceContext& context)
        : m_context(context),
          m_paramsMemory(context.device, MemoryUse::HostWrite),
          m_resultMemory(context.device, MemoryUse::HostRead) {}

    DeviceContext m_context;
    Allocator m_paramsMemory;
    Allocator m_resultMemory;
    std::vector<BufferRange> m_params;   // of each turn
    std::vector<BufferRange> m_results;  // of each turn
};

}  // namespace ingle::backend::vulkan
