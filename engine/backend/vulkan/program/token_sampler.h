/// Chooses the next tokens of a step on the device, see shaders/sample.comp.
#pragma once

#include <string_view>

#include "engine/backend/vulkan/memory/vulkan_memory.h"
#include "ingle/types.h"

namespace ingle::backend::vulkan {

/// Of logits that are infinite or no number. The processor, which goes on, finds out whether it is the
/// file's fault.
inline constexpr std::string_view kNotFiniteMessage =
    "the graphics device computed a value that is not a number";

/// Each row of each of its turns has parameters and a result of its own, so that steps may be queued.
class TokenSampler {
  public:
    /// Most candidates the shaders keep: what sampling::needsOnlyBest() is asked.
    static constexpr uint32_t kMaxCandidates = 64;

    /// Errors: OutOfMemory, Device.
    static Result<std::unique_ptr<TokenSampler>> create(const DeviceContext& context, uint32_t numTurns,
                                                        uint32_t maxRows);
    uint32_t maxRows() const { return m_maxRows; }

    /// What the dispatches of a turn read and write.
    struct Buffers {
        BufferRange logits;   ///< [rows, padded width]
        BufferRange step;     ///< see step_buffer.h; becomes the next step
        BufferRange scratch;  ///< overwritten
    };
    /// Where a token is chosen.
    struct Place {
        uint32_t turn, row;
    };
    /// Records choosing a token for each of up to `numRows` rows, those that the step has, of `numLogits`.
    /// Errors: as Pipelines::compile() and Recorder::dispatch().
    Status record(uint32_t turn, uint32_t numRows, uint32_t numLogits, const Buffers& buffers,
                  Recorder& recorder) const;

    /// How the turn, when it is submitted next, chooses token `position` of an answer, below `numIds`.
    /// params: sampling::needsOnlyBest().
    void setParams(Place place, const SamplerParams& params, uint64_t position, uint32_t numIds);
    /// What was chosen there, below `numIds`; the submission is over. Errors: Device (a logit is no number,
    /// or nothing was chosen).
    Result<TokenId> chosen(Place place, uint32_t numIds) const;

  private:
    TokenSampler(const DeviceContext& context, uint32_t maxRows)
        : m_context(context),
          m_maxRows(maxRows),
          m_paramsMemory(context.device, MemoryUse::HostWrite),
          m_resultMemory(context.device, MemoryUse::HostRead) {}

    DeviceContext m_context;
    const uint32_t m_maxRows;
    Allocator m_paramsMemory;
    Allocator m_resultMemory;
    std::vector<BufferRange> m_params;   // of each turn
    std::vector<BufferRange> m_results;  // of each turn
};

}  // namespace ingle::backend::vulkan
