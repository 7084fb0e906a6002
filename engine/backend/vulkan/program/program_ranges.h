/// The buffers of a program, but for its values and weights: listed once, for whoever makes them and for
/// whoever asks whether they find room.
#pragma once

#include <array>
#include <vector>

#include "engine/backend/vulkan/memory/step_buffer.h"
#include "engine/backend/vulkan/program/decode_queue.h"
#include "engine/backend/vulkan/recording/row_forms.h"

namespace ingle::backend::vulkan {

/// Most rows of a decode queue.
uint32_t mostQueuedRows(const StepCapacity& capacity);

/// Those that a plan has no use for stay empty.
struct ProgramRanges {
    // On the device.
    BufferRange step, scratch, arrivals, unused;
    RowForms::Buffers rowForms;
    BufferRange expertPlan;             ///< of a plan with experts
    BufferRange pictures, pictureRows;  ///< of one with OpCode::PictureRows or InputRows
    // What the host writes.
    BufferRange hostStep, hostPictures;
    BufferRange hostInput;   ///< of a plan with OpCode::InputRows: [rows, padded width]
    BufferRange partOutput;  ///< of one with OpCode::Elsewhere: [rows, padded width]
    // What it reads.
    BufferRange hostLogits;  ///< [logit rows, padded width]
    BufferRange partInputs;  ///< of a plan with OpCode::Elsewhere, one behind the other
    BufferRange hostHidden;  ///< of a plan with Plan::hidden: [rows, padded width]
    std::array<BufferRange, kNumTurns> turnsHidden;  ///< as well, of the rows of a decode queue
};

/// One of them, to be made.
struct WantedRange {
    BufferRange* range;
    uint64_t bytes;
    MemoryUse use;
};
std::vector<WantedRange> wantedRanges(ProgramRanges& ranges, const Plan& plan, const StepCapacity& capacity,
                                      const DeviceContext& context);

}  // namespace ingle::backend::vulkan
