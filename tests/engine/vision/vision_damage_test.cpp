/// Damaged vision files can only produce a Result. INGLE_MUTATIONS sets their number, in turn of each kind.
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <random>

#include "ingle/pictures.h"
#include "tests/golden.h"
#include "tests/temporary_folder.h"

namespace ingle {
namespace {

/// Most of the beginning, where sizes and names stand.
std::string mutated(std::string bytes, std::mt19937& random) {
    const size_t head = std::min<size_t>(bytes.size(), 12'000);
    for (uint32_t i = 0; i < 1 + random() % 4; ++i) bytes[random() % head] = static_cast<char>(random());
    if (random() % 8 == 0) bytes.resize(random() % bytes.size());
    return bytes;
}

TEST(VisionDamage, filesOnlyMakeResults) {
    const auto folder = test::goldenRoot() / "vision";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden vectors in " << folder;
    const char* count = std::getenv("INGLE_MUTATIONS");
    const uint64_t numMutations = count ? std::strtoull(count, nullptr, 10) : 500;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().string().ends_with(".mmproj.gguf")) files.push_back(test::readBytes(entry.path()));
    const test::TemporaryFolder made;
    const std::string path = made.file("a.gguf");
    const Picture picture{9, 7, std::vector<uint8_t>(9 * 7 * 3, 77)};
    std::mt19937 random(8);
    for (uint64_t i = 0; i < numMutations; ++i) {
        std::ofstream(path, std::ios::binary) << mutated(files[i % files.size()], random);
        const auto encoder = PictureEncoder::load(path, {.threads = 1}, std::nullopt);
        if (encoder) (void)(*encoder)->encode(picture);  // an error is as good as rows
    }
}

}  // namespace
}  // namespace ingle
