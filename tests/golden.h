/// Where the golden vectors of other engines lie, and how a test reads them.
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace ingle::test {

/// INGLE_GOLDEN, default ../shared/golden beside the checkout.
inline std::filesystem::path goldenRoot() {
    const char* configured = std::getenv("INGLE_GOLDEN");
    return configured ? configured : std::filesystem::path(INGLE_SOURCE_DIR) / "../shared/golden";
}

inline bool goldenIsPresent() {
    return std::filesystem::exists(goldenRoot() / "manifest.json");
}

inline std::string readBytes(const std::filesystem::path& path) {
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), {}};
}

inline nlohmann::json readJson(const std::filesystem::path& path) {
    return nlohmann::json::parse(readBytes(path));
}

inline std::vector<float> readFloats(const std::filesystem::path& path) {
    const std::string bytes = readBytes(path);
    std::vector<float> values(bytes.size() / sizeof(float));
    std::memcpy(values.data(), bytes.data(), values.size() * sizeof(float));
    return values;
}

}  // namespace ingle::test

/// For the first line of a test that compares with golden vectors.
#define INGLE_SKIP_WITHOUT_GOLDEN()        \
    if (!::ingle::test::goldenIsPresent()) \
    GTEST_SKIP() << "no golden vectors in " << ::ingle::test::goldenRoot() << " (set INGLE_GOLDEN)"
