#include "engine/backend/vulkan/matvec/tiling_cache.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

constexpr uint64_t kScratch = uint64_t{16} << 20;

/// As a large card describes itself.
DeviceInfo card() {
    DeviceInfo device;
    device.kind = DeviceKind::Discrete;
    device.features.cooperativeMatrices = true;
    device.limits.maxWorkgroupSize = 1024;
    device.limits.maxSharedBytes = 48 * 1024;
    device.limits.multiprocessors = 132;
    device.matrixUnits = {16, 16, 16, 32};
    return device;
}

std::vector<uint32_t> chosen(const DeviceInfo& device, const MatmulSize& size) {
    const auto tilings = likelyTilings(device, size, kScratch);
    if (tilings.empty()) return {};
    return {tilings[0].tile.outputs, tilings[0].tile.tokens, tilings[0].numParts};
}

TEST(MatmulTiles, areAsLargeAsAllMultiprocessorsAreBusy) {
    using testing::ElementsAre;
    EXPECT_THAT(chosen(card(), {14336, 4096, 512}), ElementsAre(128, 128, 1));
    EXPECT_THAT(chosen(card(), {4096, 4096, 512}), ElementsAre(128, 128, 1));
    EXPECT_THAT(chosen(card(), {2048, 2048, 512}), ElementsAre(64, 128, 1));
    EXPECT_THAT(chosen(card(), {14336, 4096, 64}), ElementsAre(64, 64, 1));
    EXPECT_THAT(chosen(card(), {2048, 2048, 64}), ElementsAre(64, 64, 4));
    EXPECT_EQ(chosen(card(), {14336, 4096, 16})[1], 16u);
}

TEST(MatmulTiles, areWhatTheDeviceCanDo) {
    const MatrixUnits shapes[] = {{16, 16, 16, 32}, {16, 16, 16, 64}, {8, 16, 16, 16},
                                  {8, 8, 16, 8},    {8, 8, 8, 8},     {8, 8, 8, 4}};
    for (const MatrixUnits& units : shapes) {
        for (const DeviceKind kind : {DeviceKind::Discrete, DeviceKind::Cpu}) {
            DeviceInfo device = card();
            device.kind = kind;
            device.matrixUnits = units;
            device.limits.maxSharedBytes = 32 * 1024;
            const auto tiles = matmulTiles(device);
            EXPECT_THAT(tiles, testing::Not(testing::IsEmpty()))
                << units.m << " " << units.n << " " << units.subgroupSize;
            for (const MatmulTile& tile : tiles) {
                EXPECT_LE(tile.numSubgroups() * units.subgroupSize, 1024u);
                EXPECT_LE((tile.outputs + tile.tokens) * 144, 32u * 1024);
                EXPECT_EQ(tile.subgroupOutputs % (2 * units.m), 0u);
                EXPECT_EQ(tile.subgroupTokens % units.n, 0u);
                EXPECT_LE(tile.subgroupOutputs * tile.subgroupTokens, 64 * units.subgroupSize);
            }
        }
    }
    DeviceInfo device = card();
    device.limits.maxSharedBytes = 1024;
    EXPECT_THAT(chosen(device, {4096, 4096, 512}), testing::IsEmpty());
    device = card();
    device.features.cooperativeMatrices = false;
    EXPECT_THAT(chosen(device, {4096, 4096, 512}), testing::IsEmpty());
}

TEST(MatmulTiles, noPartIsEmptyNorTooLargeForScratch) {
    size_t numSplit = 0;
    for (uint32_t k = 1; k <= 20000; k += 37) {
        const auto tilings = likelyTilings(card(), {200, k, 16}, 1 << 16);
        ASSERT_FALSE(tilings.empty());
        const MatmulTiling& tiling = tilings[0];
        const uint32_t steps = (k + kTileColumns - 1) / kTileColumns;
        const uint32_t ofPart = (steps + tiling.numParts - 1) / tiling.numParts;
        EXPECT_LT((tiling.numParts - 1) * ofPart, steps);
        const uint32_t groups = (200 + tiling.tile.outputs - 1) / tiling.tile.outputs;
        if (tiling.numParts == 1) continue;
        ++numSplit;
        EXPECT_LE(tiling.numParts * groups * tiling.tile.outputs * tiling.tile.tokens * 4, 1u << 16);
    }
    EXPECT_GT(numSplit, 100u);
}

/// Each tile once, and the one that is expected to be fastest first.
TEST(MatmulTiles, areRankedBeforeTheyAreTimed) {
    const auto tilings = likelyTilings(card(), {4096, 4096, 512}, kScratch);
    EXPECT_EQ(tilings.size(), matmulTiles(card()).size());
    EXPECT_EQ(tilings[0].tile.outputs, 128u);
    EXPECT_EQ(tilings.back().tile.tokens, 16u);
    for (const MatmulTiling& tiling : tilings) EXPECT_TRUE(isPossibleSplit(tiling.numParts, 4096));
}

TEST(MatmulTiles, whatWasMeasuredIsKept) {
    const test::TemporaryFolder folder;
    const std::string path = tilingCachePath(folder.path().string(), card());
    const MatmulTile tile = matmulTiles(card())[1];
    const TilingTable table{{{"q8_0", 4096, 1024, 512}, {{tile, 4}, 7}}};
    ASSERT_TRUE(writeTilingCache(path, table));
    const auto read = readTilingCache(path, card());
    ASSERT_EQ(read.size(), 1u);
    EXPECT_EQ(read.begin()->first, table.begin()->first);
    EXPECT_EQ(read.begin()->second.tiling, (MatmulTiling{tile, 4}));
    EXPECT_EQ(read.begin()->second.productsPerSecond, 7u);

    DeviceInfo other = card();
    other.matrixUnits = {8, 8, 8, 8};
    other.limits.maxWorkgroupSize = 64;
    EXPECT_TRUE(readTilingCache(path, other).empty()) << "a tile that the device cannot do";
}

TEST(MatmulTiles, aDamagedFileIsIgnored) {
    const test::TemporaryFolder folder;
    const std::string path = tilingCachePath(folder.path().string(), card());
    const auto found = [&](const std::string& row) {
        std::ofstream(path) << fmt::format(R"({{"version":1,"rows":[{}]}})", row);
        return readTilingCache(path, card()).size();
    };
    EXPECT_EQ(found(R"(["q8_0",4096,1024,512,128,128,32,64,4,7])"), 1u);
    for (const char* row : {
             R"(["q8_0",4096,1024,512,127,128,32,64,4,7])",  // no tile
             R"(["q8_0",4096,1024,512,128,128,0,0,4,7])",
             R"(["q8_0",4096,1024,512,128,128,32,64,0,7])",  // no parts
             R"(["q8_0",4096,1024,512,128,128,32,64,5,7])",  // parts of too few columns
             R"(["q8_0",4096,1024,512,128,128,32,64,4000000000,7])",
             R"(["q8_0",4096,1024,512,128,128,32,64,4])",
             R"([0,4096,1024,512,128,128,32,64,4,7])",
             R"(["q8_0",4096,1024,-512,128,128,32,64,4,7])",
         })
        EXPECT_EQ(found(row), 0u) << row;
}

}  // namespace
}  // namespace ingle::backend::vulkan
