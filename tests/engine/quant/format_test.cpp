#include "engine/quant/format.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "engine/quant/block.h"
#include "tests/golden.h"

namespace ingle::quant {
namespace {

std::vector<float> decode(const QuantFormat& format, std::string_view raw) {
    std::vector<float> values(raw.size() / format.blockBytes * format.blockElems);
    format.decodeRow(reinterpret_cast<const std::byte*>(raw.data()), values);
    return values;
}

std::string encode(const QuantFormat& format, std::span<const float> values,
                   std::span<const float> importance = {}) {
    std::string raw(rowBytes(format, values.size()).value(), '\0');
    format.encodeRow(values, importance, reinterpret_cast<std::byte*>(raw.data()));
    return raw;
}

std::string hex(std::string_view bytes) {
    std::string out;
    for (const unsigned char c : bytes) out += fmt::format("{:02X}", c);
    return out;
}

bool bitsEqual(std::span<const float> a, std::span<const float> b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size_bytes()) == 0;
}

TEST(QuantFormat, tableHasNoDuplicatesAndIsFound) {
    std::set<Quant> ids;
    std::set<std::string_view> names;
    for (const QuantFormat* format : allFormats()) {
        EXPECT_TRUE(ids.insert(format->id).second) << format->name;
        EXPECT_TRUE(names.insert(format->name).second) << format->name;
        EXPECT_EQ(findFormat(format->id), format);
        EXPECT_EQ(findFormat(format->name), format);
    }
    EXPECT_EQ(findFormat(Quant{4}), nullptr);
    EXPECT_EQ(findFormat("Q4_2"), nullptr);
}

TEST(QuantFormat, rowBytesRefusesPartOfABlockAndOverflow) {
    for (const QuantFormat* format : allFormats()) {
        EXPECT_EQ(rowBytes(*format, 3 * format->blockElems).value(), 3 * format->blockBytes);
        if (format->blockElems > 1) {
            EXPECT_EQ(rowBytes(*format, format->blockElems + 1).error().code, ErrorCode::Corrupt);
        }
        EXPECT_EQ(rowBytes(*format, 0).error().code, ErrorCode::Corrupt);
        EXPECT_EQ(rowBytes(*format, ~uint64_t{0} & ~uint64_t{255}).error().code, ErrorCode::Corrupt);
    }
}

void expectGoldenBlocks(const QuantFormat& format, const std::filesystem::path& folder,
                        const nlohmann::json& entry) {
    EXPECT_EQ(format.name, entry["type"].get<std::string>());
    EXPECT_EQ(format.blockElems, entry["block_elements"].get<uint32_t>());
    EXPECT_EQ(format.blockBytes, entry["block_bytes"].get<uint32_t>());
    std::string raw = test::readBytes(folder / entry["raw"].get<std::string>());
    const auto expected = test::readFloats(folder / entry["f32"].get<std::string>());
    ASSERT_GT(expected.size(), 0U);
    EXPECT_TRUE(bitsEqual(decode(format, raw), expected)) << format.name;

    // Blocks may lie at any byte.
    std::string shifted(1, 'x');
    shifted += raw;
    EXPECT_TRUE(bitsEqual(decode(format, std::string_view(shifted).substr(1)), expected)) << format.name;

    raw[raw.size() / 2] ^= 0x10;
    EXPECT_FALSE(bitsEqual(decode(format, raw), expected)) << format.name;
}

TEST(QuantFormat, decodesGoldenBlocksBitForBit) {
    INGLE_SKIP_WITHOUT_GOLDEN();
    for (const char* group : {"dequant", "dequant2"}) {
        const auto folder = test::goldenRoot() / group;
        for (const auto& entry : test::readJson(folder / "index.json")) {
            const QuantFormat* format = findFormat(Quant{entry["ggml_type_id"].get<uint16_t>()});
            ASSERT_NE(format, nullptr) << entry["type"];
            expectGoldenBlocks(*format, folder, entry);
        }
    }
}

struct DecodeVector {
    const char* name;
    std::vector<size_t> scaleOffsets;  // set to 0x2C00 = 0.0625
    std::vector<size_t> minOffsets;    // set to 0x2800 = 0.03125
    double first, second, beforeMiddle, middle, last, sum, weightedSum;
};

// Computed with the formats' reference decoder for blocks of bytes (37 i + 11) mod 256 with fixed scale
// fields.
const std::vector<DecodeVector> kDecodeVectors = {
    {"Q4_0", {0}, {}, -0.1875, 0.125, -0.5, -0.1875, 0, -1.3125, -32.375},
    {"Q4_1", {0}, {2}, 0.96875, 0.28125, 0.65625, 0.59375, 0.78125, 16.3125, 265.4375},
    {"Q5_0", {0}, {}, 0.5625, -0.125, -0.75, 0.875, 0.0625, 0.9375, 7},
    {"Q5_1", {0}, {2}, 1.21875, 1.53125, 1.90625, 1.21875, 0.34375, 32.5625, 510.3125},
    {"Q8_0", {0}, {}, 5.3125, 7.625, -8, -5.6875, -3, -11, -505},
    {"Q4_K", {0}, {2}, 19.71875, -1.59375, 5.0625, 26.4375, 3.03125, 3402.5, 473302.5},
    {"Q6_K", {208}, {}, -89.4375, 106, 93.75, -21.9375, -3.75, 288.25, 49026.25},
    {"IQ4_NL", {0}, {}, -2.1875, 1.5625, -7.9375, -2.1875, 0.0625, -16.0625, -432.4375},
    {"Q2_K", {80}, {82}, 2.0625, 0, 2.625, 0.46875, 0.28125, 128.6875, 15195.625},
    {"Q3_K", {108}, {}, 5.0625, -6.75, 4.5, 0.125, 2.625, 59.875, 11071.5625},
    {"Q5_K", {0}, {2}, 50.71875, -1.59375, -0.1875, 65.4375, 6.78125, 7263.5, 1001715.5},
    {"IQ4_XS", {0}, {}, 4.0625, -0.0625, 12.25, -36.5625, -1, -687.8125, -130695.875},
    {"IQ2_XXS", {0}, {}, -3.6953125, 3.6953125, 1.6875, -6.0546875, -5.0390625, 47.734375, 2299.5625},
    {"IQ2_XS", {0}, {}, -0.6875, 2.1484375, -0.0625, -1.1875, -1.1875, 93.15625, 7699.8828125},
    {"IQ2_S", {0}, {}, -9.0703125, 5.2734375, 0.3125, -0.5859375, 4.8828125, -50.0390625, -3880.0390625},
    {"IQ3_XXS", {0}, {}, -0.8125, 0.5625, -17.1875, -3.4375, -0.9375, -42.75, 188.9375},
    {"IQ3_S", {0}, {}, -5.0625, 15.1875, -5.3125, -6.5625, 14.0625, 91, 12674.375},
    {"IQ1_S", {0}, {}, -0.1640625, 0.0234375, -0.1171875, -0.4921875, -0.2734375, 1.25, -739.3125},
    {"IQ1_M", {}, {}, -0.0546875, 0.3828125, -0.7734375, 0.1171875, -0.1171875, 2.5625, -139.75},
    {"TQ1_0", {52}, {}, -0.0625, -0.0625, -0.0625, 0, -0.0625, -0.125, -8.1875},
    {"TQ2_0", {64}, {}, 0.125, -0.0625, 0.0625, 0.125, -0.0625, 8.0625, 1077.8125},
    {"NVFP4", {}, {}, -6, 2, -1, -13.5, 0.0068359375, -41.6748046875, -1470.6787109375},
    {"Q1_0", {0}, {}, 0.0625, -0.0625, -0.0625, 0.0625, 0.0625, 0, -33.25},
    {"Q2_0", {0}, {}, 0, 0, 0, 0, 0.0625, 1.875, 50.8125},
    {"MXFP4", {}, {}, 0, 0.375, -0.1875, 0.1875, 0.375, 1.5625, 39.875},
    {"INT4_G32", {}, {}, 0.4375, -0.25, 0.125, 0.0625, 0.25, -0.6875, -15.0625},
    {"INT4_G64", {}, {}, 0.4375, -0.25, 0.25, 0.4375, -0.4375, -1.375, -49.625},
    {"INT4_G128", {}, {}, 0.4375, -0.25, -0.4375, 0.4375, 0.1875, -2.75, -194.25},
    {"INT8_G32", {}, {}, 9.4375, 11.75, 12.125, 14.4375, 1.125, 249.0, 4137.0},
    {"INT8_G128", {}, {}, 9.4375, 11.75, 11.125, 13.4375, 15.125, 980.0, 63588.0},
};

/// IQ1_M keeps its scale in the upper nibbles of four words.
void storeSpreadScale(std::byte* words, uint32_t scale) {
    for (size_t i = 0; i < 4; ++i) {
        const uint32_t nibble = scale >> (4 * i) & 15;
        storeU16(words + 2 * i, static_cast<uint16_t>((u16At(words + 2 * i) & 0xFFF) | nibble << 12));
    }
}

TEST(QuantFormat, decodesReferenceBlocks) {
    for (const DecodeVector& vector : kDecodeVectors) {
        const QuantFormat* format = findFormat(vector.name);
        ASSERT_NE(format, nullptr) << vector.name;
        std::string raw(format->blockBytes, '\0');
        for (size_t i = 0; i < raw.size(); ++i) raw[i] = static_cast<char>(37 * i + 11);
        auto* bytes = reinterpret_cast<std::byte*>(raw.data());
        for (const size_t offset : vector.scaleOffsets) storeU16(bytes + offset, 0x2C00);
        for (const size_t offset : vector.minOffsets) storeU16(bytes + offset, 0x2800);
        if (format->name == "IQ1_M") storeSpreadScale(bytes + 48, 0x2C00);
        if (format->name == "MXFP4") bytes[0] = std::byte{124};
        if (format->name == "NVFP4") storeU32(bytes, 0x07413038);
        if (format->name.starts_with("INT")) storeU32(bytes, 0x3D800000 | 8);  // 0.0625 and a zero

        const auto y = decode(*format, raw);
        double sum = 0;
        double weightedSum = 0;
        for (size_t e = 0; e < y.size(); ++e) {
            sum += y[e];
            weightedSum += static_cast<double>(e + 1) * y[e];
        }
        const std::vector<double> got = {y[0],     y[1], y[y.size() / 2 - 1], y[y.size() / 2],
                                         y.back(), sum,  weightedSum};
        const std::vector<double> expected = {vector.first, vector.second, vector.beforeMiddle, vector.middle,
                                              vector.last,  vector.sum,    vector.weightedSum};
        EXPECT_EQ(got, expected) << vector.name;
    }
}

TEST(QuantFormat, eightBitFloatsAreThoseOfTheDefinition) {
    const QuantFormat& format = *findFormat("F8_E4M3");
    const std::pair<uint8_t, float> values[] = {{0x00, 0.0F},    {0x01, 0x1p-9F}, {0x07, 0x7p-9F},
                                                {0x08, 0x1p-6F}, {0x38, 1.0F},    {0x3C, 1.5F},
                                                {0x7E, 448.0F},  {0xB8, -1.0F},   {0xFE, -448.0F}};
    for (const auto& [bits, value] : values)
        EXPECT_EQ(decode(format, std::string(1, static_cast<char>(bits))), std::vector{value}) << bits;
    for (const char bits : {'\x7f', '\xff'}) EXPECT_TRUE(std::isnan(decode(format, std::string(1, bits))[0]));
}

/// sqrt(sum((x-y)^2) / sum(x^2))
double relRmse(std::span<const float> x, std::span<const float> y) {
    double error = 0;
    double power = 0;
    for (size_t i = 0; i < x.size(); ++i) {
        error += std::pow(double{x[i]} - y[i], 2);
        power += std::pow(double{x[i]}, 2);
    }
    return std::sqrt(error / power);
}

TEST(QuantFormat, encodesReferenceBlocks) {
    std::vector<float> x(32);
    for (int i = 0; i < 32; ++i)
        x[static_cast<size_t>(i)] =
            static_cast<float>((7 * i + 3) % 32 - 13) / 8 + static_cast<float>(i % 3) / 64;
    EXPECT_EQ(hex(encode(*findFormat("Q8_0"), x)),
              "9124BAEC1E4D7FD1003264B3E5174678CAF92B5DACDE103F71C3F22456A5D709386A");
}

constexpr size_t kGaussianElems = size_t{64} * 256;

std::vector<float> gaussianRow() {
    std::mt19937 generator(1);
    std::normal_distribution<float> normal;
    std::vector<float> x(kGaussianElems);
    for (float& value : x) value = normal(generator);
    return x;
}

TEST(QuantFormat, roundTripErrorIsTheStatedOne) {
    for (const QuantFormat* format : allFormats()) {
        if (!format->encodeRow) {
            EXPECT_EQ(format->maxRelRmse, 0) << format->name;
            continue;
        }
        const std::vector<float> x = gaussianRow();
        const double error = relRmse(x, decode(*format, encode(*format, x)));
        EXPECT_LE(error, format->maxRelRmse) << format->name;
        // A bound that says nothing would hide a broken encoder.
        EXPECT_GE(error, format->maxRelRmse / 2) << format->name;
    }
}

TEST(QuantFormat, whatIsImportantIsEncodedBetter) {
    const std::vector<float> x = gaussianRow();
    std::vector<float> importance(x.size());
    for (size_t i = 0; i < x.size(); ++i) importance[i] = i % 8 == 0 ? 25 : 0.5F;
    const auto weightedError = [&](const std::vector<float>& y) {
        double error = 0;
        for (size_t i = 0; i < x.size(); ++i) error += importance[i] * std::pow(double{x[i]} - y[i], 2);
        return error;
    };
    for (const QuantFormat* format : allFormats()) {
        if (!format->encodeRow) continue;
        const double told = weightedError(decode(*format, encode(*format, x, importance)));
        const double untold = weightedError(decode(*format, encode(*format, x)));
        // The others have no scale, or one that every value of a block fits nearly as well.
        const bool hasLevels = format->maxRelRmse > 0.015;
        EXPECT_LE(told, (hasLevels ? 0.99 : 1) * untold) << format->name;
        // Where nothing matters all of it does.
        const std::vector<float> nothing(x.size(), 0.0F);
        EXPECT_EQ(encode(*format, x, nothing), encode(*format, x)) << format->name;
    }
}

TEST(QuantFormat, aWrongBitExceedsTheStatedError) {
    const std::vector<float> x = gaussianRow();
    for (const QuantFormat* format : allFormats()) {
        if (!format->encodeRow) continue;
        std::string raw = encode(*format, x);
        for (size_t last = format->blockBytes - 1; last < raw.size(); last += format->blockBytes)
            raw[last] ^= 8;
        EXPECT_GT(relRmse(x, decode(*format, raw)), format->maxRelRmse) << format->name;
    }
}

TEST(QuantFormat, encodersSurviveAnyFloat) {
    const float inf = std::numeric_limits<float>::infinity();
    const float nan = std::numeric_limits<float>::quiet_NaN();
    for (const QuantFormat* format : allFormats()) {
        if (!format->encodeRow) continue;
        for (const float special : {0.0F, -0.0F, inf, -inf, nan, 1e-45F, 3.4e38F, -3.4e38F}) {
            std::vector<float> x(format->blockElems, special);
            encode(*format, x);
            x.back() = 1;
            encode(*format, x);
        }
        std::vector<float> zeros(format->blockElems, 0.0F);
        for (const float y : decode(*format, encode(*format, zeros))) EXPECT_EQ(y, 0) << format->name;
    }
}

}  // namespace
}  // namespace ingle::quant
