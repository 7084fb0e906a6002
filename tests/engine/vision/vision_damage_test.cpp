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

uint64_t numMutations() {
    const char* count = std::getenv("INGLE_MUTATIONS");
    return count ? std::strtoull(count, nullptr, 10) : 500;
}

/// config.json and preprocessor_config.json of folders that see, and the names and sizes of their tensors.
TEST(VisionDamage, foldersOnlyMakeResults) {
    namespace fs = std::filesystem;
    std::vector<fs::path> folders;
    for (const auto& entry : fs::directory_iterator(INGLE_SOURCE_DIR "/tests/vectors/vision"))
        folders.push_back(entry.path());
    const Picture picture{9, 7, std::vector<uint8_t>(9 * 7 * 3, 77)};
    std::mt19937 random(8);
    // A number becomes another one as often as anything becomes nonsense.
    const auto damaged = [&](std::string text) {
        const size_t digit = text.find_first_of("0123456789", random() % text.size());
        if (digit == text.npos || random() % 2 == 0) return mutated(std::move(text), random);
        constexpr std::string_view kNumbers[] = {"0",     "-1",          "3",    "1e9",
                                                 "70000", "99999999999", "null", "0.5"};
        return text.replace(digit, 1, kNumbers[random() % std::size(kNumbers)]);
    };
    const uint64_t eachFolder = numMutations() / folders.size() + 1;
    for (const fs::path& folder : folders) {
        const test::TemporaryFolder made;
        fs::copy(folder, made.path(), fs::copy_options::recursive);
        for (uint64_t i = 0; i < eachFolder; ++i) {
            const char* const names[] = {"config.json", "preprocessor_config.json", "model.safetensors"};
            const char* const name = names[random() % std::size(names)];
            if (!fs::exists(folder / name)) continue;
            std::ofstream(made.file(name), std::ios::binary) << damaged(test::readBytes(folder / name));
            const auto encoder = PictureEncoder::load(made.path(), {.threads = 1}, std::nullopt);
            if (encoder) (void)(*encoder)->encode(picture);  // an error is as good as rows
            fs::copy_file(folder / name, made.file(name), fs::copy_options::overwrite_existing);
        }
    }
}

TEST(VisionDamage, filesOnlyMakeResults) {
    const auto folder = test::goldenRoot() / "vision";
    if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no golden vectors in " << folder;
    std::vector<std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
        if (entry.path().string().ends_with(".mmproj.gguf")) files.push_back(test::readBytes(entry.path()));
    const test::TemporaryFolder made;
    const std::string path = made.file("a.gguf");
    const Picture picture{9, 7, std::vector<uint8_t>(9 * 7 * 3, 77)};
    std::mt19937 random(8);
    for (uint64_t i = 0; i < numMutations(); ++i) {
        std::ofstream(path, std::ios::binary) << mutated(files[i % files.size()], random);
        const auto encoder = PictureEncoder::load(path, {.threads = 1}, std::nullopt);
        if (encoder) (void)(*encoder)->encode(picture);  // an error is as good as rows
    }
}

}  // namespace
}  // namespace ingle
