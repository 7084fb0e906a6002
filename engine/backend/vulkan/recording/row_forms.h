/// Rows of values in the forms that matrix products read.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <utility>

#include "engine/backend/plan.h"
#include "engine/backend/vulkan/substrate/allocator.h"

namespace ingle::backend::vulkan {

/// In the order of shaders/row_form_store.glsl.
enum class RowForm : uint8_t {
    Halves,  ///< see shaders/convert_rows.comp
    Bytes,   ///< of few rows; see shaders/row_bytes.glsl
};
inline constexpr size_t kNumRowForms = 2;

/// Of `rows` rows of `width` values.
uint64_t rowFormBytes(RowForm form, uint32_t width, uint32_t rows);

/// Of what each form's buffer holds: the rows of one value at a time.
class RowForms {
  public:
    /// By form; empty where no product reads it.
    struct Buffers {
        std::array<BufferRange, kNumRowForms> ranges{};
        BufferRange& at(RowForm form) { return ranges[static_cast<size_t>(form)]; }
        const BufferRange& at(RowForm form) const { return ranges[static_cast<size_t>(form)]; }
    };

    /// Notes that the form's buffer holds `value` from now on. False: it does already.
    bool hold(RowForm form, ValueId value) {
        return std::exchange(m_held[static_cast<size_t>(form)], value) != value;
    }

    /// The same of the plan of shaders/expert_plan.comp: for the experts of `routing`, in tiles of so many
    /// rows.
    bool holdPlan(ValueId routing, uint32_t tile) {
        const std::pair plan{routing, tile};
        return std::exchange(m_plan, plan) != plan;
    }

  private:
    std::array<std::optional<ValueId>, kNumRowForms> m_held;
    std::optional<std::pair<ValueId, uint32_t>> m_plan;
};

}  // namespace ingle::backend::vulkan
