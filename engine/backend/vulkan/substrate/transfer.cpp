#include "engine/backend/vulkan/substrate/transfer.h"

#include <algorithm>

namespace ingle::backend::vulkan {
namespace {

/// A piece takes milliseconds, but may wait behind other work that is bounded by its own limit.
constexpr std::chrono::seconds kPieceLimit{10};

/// Calls body(index, offset, bytes) for each piece of `bytes`.
template <typename Body>
Status forEachPiece(uint64_t bytes, Body&& body) {
    for (uint64_t index = 0; index * kPieceBytes < bytes; ++index) {
        const uint64_t offset = index * kPieceBytes;
        INGLE_TRY(body(index, offset, std::min(kPieceBytes, bytes - offset)));
    }
    return {};
}

}  // namespace

Result<std::unique_ptr<Transfer>> Transfer::create(Device& device, const Pipelines& pipelines) {
    std::unique_ptr<Transfer> transfer(new Transfer(device, pipelines));
    const uint64_t sizes[] = {kPieceBytes, kPieceBytes};
    INGLE_TRY_ASSIGN(const auto up, transfer->m_writeMemory.allocate(sizes));
    INGLE_TRY_ASSIGN(const auto down, transfer->m_readMemory.allocate(sizes));
    for (size_t i = 0; i < up.size(); ++i) {
        transfer->m_up[i].range = up[i];
        transfer->m_down[i].range = down[i];
    }
    return transfer;
}

Status Transfer::submitCopy(Stage& stage, const BufferRange& from, const BufferRange& to) {
    Recorder recorder(m_device, m_pipelines);
    INGLE_TRY(recorder.copy(from, to));
    INGLE_TRY_ASSIGN(stage.commands, recorder.finish());
    INGLE_TRY_ASSIGN(stage.submission, stage.commands->submit());
    return {};
}

Status Transfer::upload(const BufferRange& target, const PieceWriter& writer) {
    return forEachPiece(target.bytes, [&](uint64_t index, uint64_t offset, uint64_t bytes) -> Status {
        Stage& stage = m_up[index % m_up.size()];
        INGLE_TRY(m_device.wait(stage.submission, kPieceLimit));
        INGLE_TRY(writer(offset, {stage.range.host, bytes}));
        return submitCopy(stage, stage.range.part(0, bytes), target.part(offset, bytes));
    });
}

Status Transfer::upload(const BufferRange& target, std::span<const std::byte> bytes) {
    if (target.bytes != bytes.size())
        return fail(ErrorCode::InvalidArgument, "an upload of {} bytes into {} bytes", bytes.size(),
                    target.bytes);
    return upload(target, [&](uint64_t offset, std::span<std::byte> piece) -> Status {
        std::ranges::copy(bytes.subspan(offset, piece.size()), piece.begin());
        return {};
    });
}

Status Transfer::download(const BufferRange& source, std::span<std::byte> bytes) {
    if (source.bytes != bytes.size())
        return fail(ErrorCode::InvalidArgument, "a download of {} bytes into {} bytes", source.bytes,
                    bytes.size());
    const auto submitPiece = [&](uint64_t index) -> Status {
        const uint64_t offset = index * kPieceBytes;
        if (offset >= bytes.size()) return {};
        const uint64_t count = std::min<uint64_t>(kPieceBytes, bytes.size() - offset);
        Stage& stage = m_down[index % m_down.size()];
        return submitCopy(stage, source.part(offset, count), stage.range.part(0, count));
    };
    INGLE_TRY(submitPiece(0));
    return forEachPiece(bytes.size(), [&](uint64_t index, uint64_t offset, uint64_t count) -> Status {
        INGLE_TRY(submitPiece(index + 1));
        Stage& stage = m_down[index % m_down.size()];
        INGLE_TRY(m_device.wait(stage.submission, kPieceLimit));
        std::ranges::copy(std::span(stage.range.host, count), bytes.data() + offset);
        return {};
    });
}

}  // namespace ingle::backend::vulkan
