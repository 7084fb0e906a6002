#include "engine/backend/vulkan/substrate/transfer.h"

#include "tests/engine/backend_vulkan/vulkan_test.h"

namespace ingle::backend::vulkan {
namespace {

class TransferTest : public VulkanTest {
  protected:
    void SetUp() override {
        VulkanTest::SetUp();
        if (!device) return;
        memory = std::make_unique<Allocator>(*device, MemoryUse::Device);
        auto created = Transfer::create(*device, *pipelines);
        ASSERT_TRUE(created.has_value()) << created.error().message;
        transfer = std::move(*created);
    }
    void TearDown() override {
        transfer.reset();
        memory.reset();
        VulkanTest::TearDown();
    }

    std::unique_ptr<Allocator> memory;
    std::unique_ptr<Transfer> transfer;
};

std::vector<std::byte> pattern(size_t bytes) {
    std::vector<std::byte> data(bytes);
    for (size_t i = 0; i < bytes; ++i) data[i] = static_cast<std::byte>(i * 2654435761u >> 13);
    return data;
}

TEST_F(TransferTest, bytesComeBack) {
    for (const size_t bytes : {size_t{1}, size_t{4097}, kPieceBytes, 2 * kPieceBytes + 12345}) {
        SCOPED_TRACE(bytes);
        const auto range = memory->allocate(bytes);
        ASSERT_TRUE(range.has_value()) << range.error().message;
        const auto sent = pattern(bytes);
        const Status up = transfer->upload(*range, sent);
        ASSERT_TRUE(up.has_value()) << up.error().message;
        std::vector<std::byte> received(bytes);
        const Status down = transfer->download(*range, received);
        ASSERT_TRUE(down.has_value()) << down.error().message;
        EXPECT_TRUE(received == sent);
    }
}

TEST_F(TransferTest, piecesComeInOrder) {
    const uint64_t bytes = 2 * kPieceBytes + 100;
    const auto range = memory->allocate(bytes);
    ASSERT_TRUE(range.has_value());
    std::vector<std::pair<uint64_t, uint64_t>> pieces;
    const Status up = transfer->upload(*range, [&](uint64_t offset, std::span<std::byte> piece) -> Status {
        pieces.emplace_back(offset, piece.size());
        std::ranges::fill(piece, static_cast<std::byte>(pieces.size()));
        return {};
    });
    ASSERT_TRUE(up.has_value()) << up.error().message;
    EXPECT_THAT(pieces, ::testing::ElementsAre(std::pair(uint64_t{0}, kPieceBytes),
                                               std::pair(kPieceBytes, kPieceBytes),
                                               std::pair(2 * kPieceBytes, uint64_t{100})));
    std::vector<std::byte> last(100);
    ASSERT_TRUE(transfer->download(range->part(2 * kPieceBytes, 100), last).has_value());
    EXPECT_THAT(last, ::testing::Each(std::byte{3}));
}

TEST_F(TransferTest, aWritersErrorEndsTheUpload) {
    const auto range = memory->allocate(1000);
    ASSERT_TRUE(range.has_value());
    const Status up = transfer->upload(*range, [](uint64_t, std::span<std::byte>) -> Status {
        return fail(ErrorCode::Cancelled, "enough");
    });
    ASSERT_FALSE(up.has_value());
    EXPECT_EQ(up.error().code, ErrorCode::Cancelled);
    EXPECT_TRUE(transfer->upload(*range, pattern(1000)).has_value());
}

TEST_F(TransferTest, sizesMustAgree) {
    const auto range = memory->allocate(1000);
    ASSERT_TRUE(range.has_value());
    std::vector<std::byte> bytes(999);
    EXPECT_EQ(transfer->upload(*range, bytes).error().code, ErrorCode::InvalidArgument);
    EXPECT_EQ(transfer->download(*range, bytes).error().code, ErrorCode::InvalidArgument);
}

TEST_F(TransferTest, aLossInTheMiddleIsAResult) {
    const uint64_t bytes = 3 * kPieceBytes;
    const auto range = memory->allocate(bytes);
    ASSERT_TRUE(range.has_value());
    failCall(device->api().QueueSubmit, 2, VK_ERROR_DEVICE_LOST);
    const Status up = transfer->upload(*range, [](uint64_t, std::span<std::byte>) -> Status { return {}; });
    ASSERT_FALSE(up.has_value());
    EXPECT_EQ(up.error().code, ErrorCode::Device);
    EXPECT_TRUE(device->lost());
}

}  // namespace
}  // namespace ingle::backend::vulkan
