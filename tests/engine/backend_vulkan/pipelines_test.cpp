#include "engine/backend/vulkan/substrate/pipelines.h"

#include <fstream>

#include "engine/backend/vulkan/substrate/pipeline_cache.h"
#include "engine/backend/vulkan/substrate/shaders.h"
#include "tests/engine/backend_vulkan/vulkan_test.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle::backend::vulkan {
namespace {

using ::testing::HasSubstr;

TEST(Shaders, areListedByName) {
    EXPECT_FALSE(allShaders().empty());
    for (const Shader& shader : allShaders()) {
        ASSERT_GT(shader.words.size(), 5u) << shader.name;
        EXPECT_EQ(shader.words[0], 0x0723'0203u) << shader.name;  // SPIR-V's magic number
        EXPECT_EQ(findShader(shader.name), &shader);
    }
    EXPECT_EQ(findShader("no such shader"), nullptr);
}

class PipelinesTest : public VulkanTest {};

TEST_F(PipelinesTest, everyShaderCompiles) {
    std::vector<PipelineSpec> specs;
    for (const Shader& shader : allShaders()) {
        // Of those that want units for matrices others look at the instructions and the results.
        const bool usesMatrices =
            shader.name == "matrix_layout" || shader.name.find("_halves") != shader.name.npos;
        if (usesMatrices && info.matrixUnits.m != 16) continue;
        specs.push_back({std::string(shader.name), {64}});
    }
    const auto compiled = pipelines->compile(specs);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    for (size_t i = 0; i < specs.size(); ++i) EXPECT_EQ((*compiled)[i]->shader, specs[i].shader);
}

/// Characters that this process has read so far.
uint64_t readSoFar() {
    std::ifstream io("/proc/self/io");
    std::string name;
    uint64_t count = 0;
    io >> name >> count;  // "rchar: 123"
    return count;
}

/// A step is recorded from hundreds of them.
TEST_F(PipelinesTest, askingForAKnownOneReadsNoFile) {
    const PipelineSpec spec{"add", {64}};
    ASSERT_TRUE(pipelines->compile(spec));
    const uint64_t before = readSoFar();
    for (int i = 0; i < 1000; ++i) ASSERT_TRUE(pipelines->compile(spec));
    EXPECT_LT(readSoFar() - before, 1000);
}

TEST_F(PipelinesTest, equalSpecsShareAPipeline) {
    const std::vector<PipelineSpec> specs{{"add", {64}}, {"add", {128}}, {"add", {64}}};
    const auto compiled = pipelines->compile(specs);
    ASSERT_TRUE(compiled.has_value()) << compiled.error().message;
    EXPECT_EQ((*compiled)[0], (*compiled)[2]);
    EXPECT_NE((*compiled)[0], (*compiled)[1]);
    EXPECT_EQ(pipeline({"add", {64}}), (*compiled)[0]);
}

TEST_F(PipelinesTest, whatTheDeviceCannotDoIsRefused) {
    const PipelineSpec impossible[] = {{"no such shader", {64}},
                                       {"add", {0}},
                                       {"add", {info.limits.maxWorkgroupSize + 1}},
                                       {"add", {64}, info.limits.maxSubgroupSize * 2}};
    for (const PipelineSpec& spec : impossible) {
        const auto compiled = pipelines->compile(spec);
        ASSERT_FALSE(compiled.has_value()) << spec.shader;
        EXPECT_EQ(compiled.error().code, ErrorCode::InvalidArgument);
    }
}

TEST_F(PipelinesTest, aSubgroupSizeCanBeDemanded) {
    if (!info.features.subgroupSizeControl) GTEST_SKIP() << "this device has one subgroup size";
    EXPECT_NE(pipeline({"rms_norm", {64}, info.limits.maxSubgroupSize}), nullptr);
}

TEST_F(PipelinesTest, aFailureNamesTheShaderAndKeepsTheOthers) {
    failCall(device->api().CreateComputePipelines, 1, VK_ERROR_OUT_OF_HOST_MEMORY);
    const std::vector<PipelineSpec> specs{{"add", {64}}};
    const auto refused = pipelines->compile(specs);
    ASSERT_FALSE(refused.has_value());
    EXPECT_EQ(refused.error().code, ErrorCode::OutOfMemory);
    EXPECT_THAT(refused.error().message, HasSubstr("add"));
    EXPECT_NE(pipeline({"add", {64}}), nullptr);
}

/// Whether what the driver gives is for itself, as it must be: Mesa 26.2's software driver names another.
bool namesItself(Device& device, const DeviceInfo& info) {
    VkPipelineCacheCreateInfo create{.sType = VK_STRUCTURE_TYPE_PIPELINE_CACHE_CREATE_INFO};
    VkPipelineCache cache = VK_NULL_HANDLE;
    const Api& api = device.api();
    if (api.CreatePipelineCache(device.handle(), &create, nullptr, &cache) != VK_SUCCESS) return false;
    std::array<std::byte, 4096> data{};
    size_t bytes = data.size();
    api.GetPipelineCacheData(device.handle(), cache, &bytes, data.data());
    api.DestroyPipelineCache(device.handle(), cache, nullptr);
    VkPipelineCacheHeaderVersionOne header{};
    std::memcpy(&header, data.data(), sizeof header);
    return bytes >= sizeof header && header.vendorID == info.vendorId && header.deviceID == info.deviceId &&
           std::memcmp(header.pipelineCacheUUID, info.pipelineCacheUuid.data(), VK_UUID_SIZE) == 0;
}

TEST_F(PipelinesTest, theCacheIsWrittenAndReadAgain) {
    if (!namesItself(*device, info)) GTEST_SKIP() << "this driver's caches name another device";
    const test::TemporaryFolder folder;
    const std::string path = pipelineCachePath(folder.path().string(), info);
    for (int start = 0; start < 2; ++start) {
        const auto made = Pipelines::create(*device, folder.path().string());
        ASSERT_TRUE(made.has_value()) << made.error().message;
        ASSERT_TRUE((*made)->compile({"add", {64}}).has_value());
        const Status saved = (*made)->saveCache();
        ASSERT_TRUE(saved.has_value()) << saved.error().message;
        EXPECT_GE(readPipelineCache(path, info).size(), sizeof(VkPipelineCacheHeaderVersionOne));
    }
}

TEST_F(PipelinesTest, damagedCachesAreIgnored) {
    const test::TemporaryFolder folder;
    const std::string path = pipelineCachePath(folder.path().string(), info);
    const auto made = Pipelines::create(*device, folder.path().string());
    ASSERT_TRUE(made.has_value()) << made.error().message;
    ASSERT_TRUE((*made)->saveCache().has_value());
    const std::string whole = test::readBytes(path);
    const auto rewrite = [&](const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; };
    for (size_t length = 0; length < whole.size(); ++length) {
        rewrite(whole.substr(0, length));
        EXPECT_TRUE(readPipelineCache(path, info).empty()) << length;
    }
    for (size_t i = 0; i < whole.size(); ++i) {
        std::string flipped = whole;
        flipped[i] = static_cast<char>(flipped[i] ^ 4);
        rewrite(flipped);
        EXPECT_TRUE(readPipelineCache(path, info).empty()) << i;
    }
    EXPECT_TRUE(Pipelines::create(*device, folder.path().string()).has_value());
}

TEST_F(PipelinesTest, anotherDriversCacheIsIgnored) {
    const test::TemporaryFolder folder;
    const std::string path = folder.file("cache");
    VkPipelineCacheHeaderVersionOne header{.headerSize = sizeof header,
                                           .headerVersion = VK_PIPELINE_CACHE_HEADER_VERSION_ONE,
                                           .vendorID = info.vendorId,
                                           .deviceID = info.deviceId};
    std::ranges::copy(info.pipelineCacheUuid, header.pipelineCacheUUID);
    const auto accepted = [&] {
        EXPECT_TRUE(writePipelineCache(path, std::as_bytes(std::span(&header, 1))).has_value());
        return !readPipelineCache(path, info).empty();
    };
    EXPECT_TRUE(accepted());
    header.vendorID ^= 1;
    EXPECT_FALSE(accepted());
    header.vendorID ^= 1;
    header.pipelineCacheUUID[5] ^= 1;
    EXPECT_FALSE(accepted());
    header.pipelineCacheUUID[5] ^= 1;
    header.headerSize = 1000;
    EXPECT_FALSE(accepted());
}

TEST_F(PipelinesTest, withoutAFolderNothingIsKept) {
    EXPECT_TRUE(pipelines->saveCache().has_value());
    const auto made = Pipelines::create(*device, "/no/such/folder");
    ASSERT_TRUE(made.has_value()) << made.error().message;
    const Status saved = (*made)->saveCache();
    ASSERT_FALSE(saved.has_value());
    EXPECT_EQ(saved.error().code, ErrorCode::Io);
}

}  // namespace
}  // namespace ingle::backend::vulkan
