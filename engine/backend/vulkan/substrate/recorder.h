/// Records dispatches once, with the barriers they need, into commands that are submitted again and again.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <memory>
#include <span>
#include <type_traits>
#include <variant>
#include <vector>

#include "engine/backend/vulkan/substrate/allocator.h"
#include "engine/backend/vulkan/substrate/barriers.h"
#include "engine/backend/vulkan/substrate/pipelines.h"

namespace ingle::backend::vulkan {

/// A storage buffer of a dispatch and what the kernel does to it.
struct Binding {
    BufferRange range;
    AccessKind access = AccessKind::Read;
};
inline Binding reads(const BufferRange& range) {
    return {range, AccessKind::Read};
}
inline Binding writes(const BufferRange& range) {
    return {range, AccessKind::Write};
}
inline Binding updates(const BufferRange& range) {
    return {range, AccessKind::ReadWrite};
}

/// The bytes of a plain struct that mirrors the shader's push constant block (std430).
class PushConstants {
  public:
    PushConstants() = default;
    template <typename T>
    requires(std::is_trivially_copyable_v<T>&& std::is_class_v<T>)
        PushConstants(const T& values)  // NOLINT(google-explicit-constructor): reads as a field of Dispatch
        : m_numBytes(sizeof(T)) {
        static_assert(sizeof(T) <= kMaxPushBytes && sizeof(T) % 4 == 0);
        std::memcpy(m_bytes.data(), &values, sizeof(T));
    }
    std::span<const std::byte> bytes() const { return {m_bytes.data(), m_numBytes}; }

  private:
    std::array<std::byte, kMaxPushBytes> m_bytes{};
    size_t m_numBytes = 0;
};

struct Dispatch {
    const Pipeline* pipeline = nullptr;
    std::vector<Binding> bindings;  ///< in the order of the shader's binding numbers, from 0
    PushConstants push;
    std::array<uint32_t, 3> groups{1, 1, 1};
};

/// Workgroups of `size` that cover `count` elements.
constexpr uint32_t groupsFor(uint64_t count, uint32_t size) {
    return static_cast<uint32_t>((count + size - 1) / size);
}

/// A finished recording. May be submitted any number of times, but only when the submission before is over.
/// The buffers and pipelines in it must outlive its last submission.
class Commands {
  public:
    ~Commands();
    Commands(const Commands&) = delete;
    Commands& operator=(const Commands&) = delete;

    /// Queues it behind everything queued before, with full ordering. Host writes made before the call are
    /// seen by it; after Device::wait() for the returned value its own writes are seen by the host. Errors:
    /// InvalidArgument (still running), Device, OutOfMemory.
    Result<uint64_t> submit();
    /// Submits and waits. Errors: as submit() and Device::wait().
    Status run(std::chrono::nanoseconds limit);

    uint32_t numDispatches() const { return m_numDispatches; }
    /// Those between dispatches, copies and fills; not the one at each end.
    uint32_t numBarriers() const { return m_numBarriers; }

  private:
    friend class Recorder;
    explicit Commands(Device& device) : m_device(device) {}

    Device& m_device;
    VkDescriptorPool m_descriptors = VK_NULL_HANDLE;
    VkCommandPool m_pool = VK_NULL_HANDLE;
    VkCommandBuffer m_buffer = VK_NULL_HANDLE;
    uint64_t m_lastSubmission = 0;
    uint32_t m_numDispatches = 0;
    uint32_t m_numBarriers = 0;
};

/// Collects what a submission does, in order. Its effects are those of running each entry alone; entries that
/// do not depend on each other may overlap.
class Recorder {
  public:
    Recorder(Device& device, const Pipelines& pipelines) : m_device(device), m_pipelines(pipelines) {}

    /// Errors: InvalidArgument (no pipeline, no or too many bindings, a range that a kernel cannot bind,
    /// group counts of 0 or beyond the device's limit).
    Status dispatch(Dispatch dispatch);
    /// Copies bytes between ranges of the same size that do not overlap. Errors: InvalidArgument.
    Status copy(const BufferRange& from, const BufferRange& to);
    /// Fills with a repeated 32-bit value; offset and size are multiples of 4. Errors: InvalidArgument.
    Status fill(const BufferRange& range, uint32_t value);

    /// Records it. May be called several times, for commands that take turns. Errors: Device, OutOfMemory.
    Result<std::unique_ptr<Commands>> finish() const;

  private:
    struct Copy {
        BufferRange from, to;
    };
    struct Fill {
        BufferRange range;
        uint32_t value = 0;
    };
    using Entry = std::variant<Dispatch, Copy, Fill>;

    Status checkBinding(const Dispatch& dispatch, const Binding& binding) const;
    Result<std::vector<VkDescriptorSet>> bindBuffers(Commands& commands) const;
    /// Entries that a barrier belongs before.
    std::vector<size_t> findBarriers() const;
    VkPipelineStageFlags stagesOf(size_t begin, size_t end) const;
    void record(const Entry& entry, VkCommandBuffer buffer, VkDescriptorSet set) const;

    Device& m_device;
    const Pipelines& m_pipelines;
    std::vector<Entry> m_entries;
    uint32_t m_numDispatches = 0;
};

}  // namespace ingle::backend::vulkan
