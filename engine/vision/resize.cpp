#include "engine/vision/resize.h"

#include <algorithm>
#include <cmath>
#include <numbers>

namespace ingle::vision {
namespace {

constexpr size_t kPixelBytes = 3;
/// Of a weight, behind the point.
constexpr int kFractionBits = 22;

double sinc(double x) {
    if (x == 0) return 1;
    x *= std::numbers::pi;
    return std::sin(x) / x;
}

/// Half the width of a filter that neither shrinks nor enlarges.
double supportOf(Filter filter) {
    switch (filter) {
        case Filter::Bilinear:
            return 1;
        case Filter::Bicubic:
            return 2;
        case Filter::Lanczos:
            break;
    }
    return 3;
}

double valueOf(Filter filter, double x) {
    const double distance = std::abs(x);
    if (filter == Filter::Bilinear) return distance < 1 ? 1 - distance : 0;
    if (filter == Filter::Lanczos) return x >= -3 && x < 3 ? sinc(x) * sinc(x / 3) : 0;
    constexpr double kA = -0.5;
    if (distance < 1) return ((kA + 2) * distance - (kA + 3)) * distance * distance + 1;
    if (distance < 2) return (((distance - 5) * distance + 8) * distance - 4) * kA;
    return 0;
}

/// What makes one pixel of a line: weights of some that follow each other.
struct Taps {
    size_t first = 0;
    std::vector<int32_t> weights;
};

std::vector<Taps> tapsOf(uint32_t from, uint32_t to, Filter filter) {
    const double scale = static_cast<double>(from) / to;
    const double widened = std::max(scale, 1.0);
    const double support = supportOf(filter) * widened;
    std::vector<Taps> all(to);
    std::vector<double> weights;
    for (uint32_t i = 0; i < to; ++i) {
        const double centre = (i + 0.5) * scale;
        const auto first = static_cast<int64_t>(std::max(centre - support + 0.5, 0.0));
        const auto end = std::min<int64_t>(static_cast<int64_t>(centre + support + 0.5), from);
        weights.clear();
        double sum = 0;
        for (int64_t x = first; x < end; ++x) {
            weights.push_back(valueOf(filter, (static_cast<double>(x) - centre + 0.5) / widened));
            sum += weights.back();
        }
        all[i].first = static_cast<size_t>(first);
        for (const double weight : weights)
            all[i].weights.push_back(
                static_cast<int32_t>(std::lround((sum != 0 ? weight / sum : weight) * (1 << kFractionBits))));
    }
    return all;
}

uint8_t rounded(int32_t sum) {
    return static_cast<uint8_t>(std::clamp(sum >> kFractionBits, 0, 255));
}

constexpr int32_t kHalf = 1 << (kFractionBits - 1);

Picture resizedAcross(const Picture& picture, uint32_t width, Filter filter) {
    const std::vector<Taps> taps = tapsOf(picture.width, width, filter);
    Picture made{width, picture.height, std::vector<uint8_t>(kPixelBytes * width * picture.height)};
    uint8_t* out = made.rgb.data();
    for (size_t y = 0; y < picture.height; ++y) {
        const uint8_t* line = picture.rgb.data() + y * picture.width * kPixelBytes;
        for (const Taps& tap : taps) {
            int32_t sums[kPixelBytes] = {kHalf, kHalf, kHalf};
            const uint8_t* pixel = line + tap.first * kPixelBytes;
            for (const int32_t weight : tap.weights)
                for (int32_t& sum : sums) sum += weight * *pixel++;
            for (const int32_t sum : sums) *out++ = rounded(sum);
        }
    }
    return made;
}

Picture resizedDown(const Picture& picture, uint32_t height, Filter filter) {
    const std::vector<Taps> taps = tapsOf(picture.height, height, filter);
    const size_t lineBytes = kPixelBytes * picture.width;
    Picture made{picture.width, height, std::vector<uint8_t>(lineBytes * height)};
    std::vector<int32_t> sums(lineBytes);
    uint8_t* out = made.rgb.data();
    for (const Taps& tap : taps) {
        std::ranges::fill(sums, kHalf);
        const uint8_t* line = picture.rgb.data() + tap.first * lineBytes;
        for (const int32_t weight : tap.weights) {
            for (size_t i = 0; i < lineBytes; ++i) sums[i] += weight * line[i];
            line += lineBytes;
        }
        for (const int32_t sum : sums) *out++ = rounded(sum);
    }
    return made;
}

}  // namespace

Picture resized(const Picture& picture, Size size, Filter filter) {
    if (picture.width == size.width && picture.height == size.height) return picture;
    if (picture.height == size.height) return resizedAcross(picture, size.width, filter);
    if (picture.width == size.width) return resizedDown(picture, size.height, filter);
    return resizedDown(resizedAcross(picture, size.width, filter), size.height, filter);
}

Picture fitted(const Picture& picture, Size size, Filter filter, const Colour& padding) {
    const float scale = std::min(static_cast<float>(size.width) / static_cast<float>(picture.width),
                                 static_cast<float>(size.height) / static_cast<float>(picture.height));
    const auto scaled = [&](uint32_t from, uint32_t most) {
        const float length = std::ceil(static_cast<float>(from) * scale);
        return std::clamp(static_cast<uint32_t>(length), 1U, most);
    };
    const Picture small =
        resized(picture, {scaled(picture.width, size.width), scaled(picture.height, size.height)}, filter);
    if (sizeOf(small) == size) return small;
    Picture made{size.width, size.height, std::vector<uint8_t>(kPixelBytes * size.area())};
    for (size_t i = 0; i < made.rgb.size(); ++i) made.rgb[i] = padding[i % kPixelBytes];
    const size_t x = (size.width - small.width) / 2;
    const size_t y = (size.height - small.height) / 2;
    for (size_t line = 0; line < small.height; ++line)
        std::copy_n(small.rgb.data() + line * small.width * kPixelBytes, small.width * kPixelBytes,
                    made.rgb.data() + ((y + line) * size.width + x) * kPixelBytes);
    return made;
}

Picture cropped(const Picture& picture, uint32_t x, uint32_t y, Size size) {
    Picture made{size.width, size.height, std::vector<uint8_t>(kPixelBytes * size.area())};
    for (size_t line = 0; line < size.height; ++line)
        std::copy_n(picture.rgb.data() + ((y + line) * picture.width + x) * kPixelBytes,
                    size.width * kPixelBytes, made.rgb.data() + line * size.width * kPixelBytes);
    return made;
}

}  // namespace ingle::vision
