/// What ops record with: where values, weights and sequence memory lie, and how a dispatch is added.
#pragma once

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <optional>
#include <string_view>
#include <variant>

#include "engine/backend/plan.h"
#include "engine/backend/vulkan/memory/vulkan_memory.h"
#include "engine/backend/vulkan/recording/left_part.h"
#include "engine/backend/vulkan/recording/row_forms.h"
#include "engine/backend/vulkan/weights/weight_store.h"

namespace ingle::backend::vulkan {

/// Rows of values are padded to whole vectors of four floats.
constexpr uint32_t paddedWidth(uint32_t width) {
    return (width + 3) / 4 * 4;
}

/// Rows a recording has room for; steps may have fewer.
struct RowCounts {
    uint32_t tokens = 0;
    uint32_t logits = 0;
    auto operator<=>(const RowCounts&) const = default;
};

/// The buffers of a program that ops read and write.
struct ProgramBuffers {
    std::span<const BufferRange> values;  ///< by ValueId; empty where a fused run keeps a value to itself
    BufferRange step;                     ///< see step_buffer.h
    BufferRange scratch;                  ///< for what passes from one dispatch of an op to the next
    BufferRange arrivals;                 ///< 0 between dispatches: see shaders/attention_splits.glsl
    BufferRange unused;                   ///< bound where a variant of a shader reads nothing; never written
    RowForms::Buffers rowForms;           ///< see OpRecording::rowsAs()
    BufferRange expertPlan = {};          ///< see OpRecording::expertPlan()
    // Of a plan with OpCode::PictureRows: see picture_buffer.h; and the rows of a step's pictures.
    BufferRange pictures = {}, pictureRows = {};
    BufferRange inputRows = {};  ///< of a plan with OpCode::InputRows: [rows, padded(width)] on the host
    // Of a plan with OpCode::Elsewhere, on the host: what parts read, and what they give.
    BufferRange partInputs = {}, partOutput = {};
};

/// Bytes of ProgramBuffers::scratch, at least, where a device can bind so many.
inline constexpr uint64_t kScratchBytes = uint64_t{16} << 20;

/// Where dispatches go: they are recorded, or only their kernels are noted, to be compiled all at once.
using DispatchTarget = std::variant<Recorder*, std::vector<PipelineSpec>*>;

class OpRecording {
  public:
    /// `forms`: of all that is recorded to be submitted together.
    OpRecording(const Plan& plan, const ProgramBuffers& buffers, const VulkanMemoryPool& memory,
                WeightStore& weights, RowCounts rows, RowForms& forms, DispatchTarget target)
        : m_plan(plan),
          m_buffers(buffers),
          m_memory(memory),
          m_weights(weights),
          m_rows(rows),
          m_forms(forms),
          m_target(target) {}

    const VulkanMemoryPool& memory() const { return m_memory; }
    const DeviceInfo& device() const { return m_memory.context().device.info(); }
    const MatvecShapes& matvecShapes() const { return m_memory.context().matvecShapes; }
    const MatmulKernels& matmulKernels() const { return m_memory.context().matmulKernels; }
    const AttentionKernels& attentionKernels() const { return m_memory.context().attentionKernels; }
    WeightStore& weights() { return m_weights; }

    const BufferRange& rows(ValueId value) const { return m_buffers.values[value]; }
    /// The value's rows converted; the dispatch for it is added the first time that a form is asked for, and
    /// the range is valid until a form of another value is. Errors: as dispatch().
    Result<BufferRange> rowsAs(ValueId value, RowForm form);
    /// The form that the next product reads the value in, if it does in one: the op that makes the value
    /// writes that, too, to the range, where rowsAs() finds it.
    struct FormedRows {
        RowForm form;
        BufferRange range;
    };
    std::optional<FormedRows> formedRows(ValueId value);
    /// As shaders/row_form_store.glsl numbers them: none, and the forms.
    static uint32_t formNumber(const std::optional<FormedRows>& formed) {
        return formed ? 1 + static_cast<uint32_t>(formed->form) : 0;
    }
    /// Which rows each of `numExperts` multiplies, as `routing` has it, in tiles of so many rows, of which
    /// there are `maxTiles` at most: see shaders/expert_plan.comp. Errors: as dispatch().
    Result<BufferRange> expertPlan(ValueId routing, uint32_t numExperts, uint32_t tile, uint32_t maxTiles);
    uint32_t numRows(ValueId value) const { return m_plan.numRows(value, m_rows.tokens, m_rows.logits); }
    uint32_t numTokens() const { return m_rows.tokens; }
    const BufferRange& step() const { return m_buffers.step; }
    const BufferRange& scratch() const { return m_buffers.scratch; }
    const BufferRange& arrivals() const { return m_buffers.arrivals; }
    const BufferRange& unused() const { return m_buffers.unused; }
    bool takesPictures() const { return m_buffers.pictures.bytes > 0; }
    const BufferRange& pictures() const { return m_buffers.pictures; }
    const BufferRange& pictureRows() const { return m_buffers.pictureRows; }
    const BufferRange& inputRows() const { return m_buffers.inputRows; }
    const BufferRange& partInputs() const { return m_buffers.partInputs; }
    const BufferRange& partOutput() const { return m_buffers.partOutput; }

    const tensor::Tensor& tensor(const Op& op, size_t index) const {
        return *m_plan.weights[op.weights[index]].tensor;
    }
    /// A weight's values as floats. Errors: as WeightStore.
    Result<BufferRange> vector(const Op& op, size_t index) {
        const tensor::Tensor& tensor = this->tensor(op, index);
        const VectorPart part{&tensor, static_cast<uint32_t>(tensor.shape.numElems())};
        return m_weights.vector({&part, 1});
    }

    /// Adds a dispatch. Errors: as Pipelines::compile() and
    /// Recorder::dispatch().
    Status dispatch(PipelineSpec spec, std::vector<Binding> bindings, PushConstants push,
                    std::array<uint32_t, 3> groups);
    /// In subgroups as the driver likes.
    Status dispatch(std::string_view shader, std::vector<uint32_t> constants, std::vector<Binding> bindings,
                    PushConstants push, std::array<uint32_t, 3> groups) {
        return dispatch({std::string(shader), std::move(constants)}, std::move(bindings), push, groups);
    }
    /// Adds a copy. Errors: as Recorder::copy().
    Status copy(const BufferRange& from, const BufferRange& to);
    /// What was recorded ends here: the host goes on with this part.
    void leave(LeftPart part) { m_left = std::move(part); }
    const std::optional<LeftPart>& leftPart() const { return m_left; }
    /// Of weights that the dispatches added so far have bound.
    uint64_t weightBytes() const { return m_weightBytes; }

  private:
    BufferRange formRange(ValueId value, RowForm form) const;
    /// None: as floats.
    std::optional<RowForm> formReadBy(const Op& linear, uint32_t numRows) const;

    const Plan& m_plan;
    const ProgramBuffers& m_buffers;
    const VulkanMemoryPool& m_memory;
    WeightStore& m_weights;
    RowCounts m_rows;
    RowForms& m_forms;
    DispatchTarget m_target;
    uint64_t m_weightBytes = 0;
    std::optional<LeftPart> m_left;
};

/// Invocations of a workgroup for work that is counted in single elements.
inline constexpr uint32_t kElementGroup = 64;

}  // namespace ingle::backend::vulkan
