/// Moves bytes of any size between host and device through a little staging memory, so that neither side
/// ever holds a model twice.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>

#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {

/// Bytes that travel at a time. One piece is filled while the one before is copied.
inline constexpr uint64_t kPieceBytes = uint64_t{16} << 20;

/// One thread. Everything it does is ordered with other submissions of the device.
class Transfer {
  public:
    /// Fills `piece`, which becomes bytes [offset, offset + piece.size()) of the target. Pieces come in
    /// order. The memory may be slow to read: write it once, front to back.
    using PieceWriter = std::function<Status(uint64_t offset, std::span<std::byte> piece)>;

    /// Errors: OutOfMemory, Device.
    static Result<std::unique_ptr<Transfer>> create(Device& device, const Pipelines& pipelines);

    /// Fills `target` with what `writer` writes. When it returns, the last pieces may still be on their way;
    /// later submissions see them all. Errors: the writer's, Device, OutOfMemory. After an error the target's
    /// contents are undefined.
    Status upload(const BufferRange& target, const PieceWriter& writer);
    /// target.bytes must equal bytes.size(). Errors: InvalidArgument, Device, OutOfMemory.
    Status upload(const BufferRange& target, std::span<const std::byte> bytes);
    /// source.bytes must equal bytes.size(). Errors: InvalidArgument, Device, OutOfMemory.
    Status download(const BufferRange& source, std::span<std::byte> bytes);

  private:
    /// A piece of staging memory and the submission that uses it.
    struct Stage {
        BufferRange range;
        std::unique_ptr<Commands> commands;
        uint64_t submission = 0;
    };
    Transfer(Device& device, const Pipelines& pipelines)
        : m_device(device),
          m_pipelines(pipelines),
          m_writeMemory(device, MemoryUse::HostWrite),
          m_readMemory(device, MemoryUse::HostRead) {}
    Status submitCopy(Stage& stage, const BufferRange& from, const BufferRange& to);

    Device& m_device;
    const Pipelines& m_pipelines;
    Allocator m_writeMemory;
    Allocator m_readMemory;
    std::array<Stage, 2> m_up;
    std::array<Stage, 2> m_down;
};

}  // namespace ingle::backend::vulkan
