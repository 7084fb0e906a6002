/// Pictures of tests.
#pragma once

#include <gtest/gtest.h>
#include <png.h>

#include <string>

#include "ingle/pictures.h"

namespace ingle::test {

/// A PNG file without transparency.
inline Picture readPng(const std::string& path) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    EXPECT_TRUE(::png_image_begin_read_from_file(&image, path.c_str())) << path;
    image.format = PNG_FORMAT_RGB;
    Picture picture{image.width, image.height, std::vector<uint8_t>(PNG_IMAGE_SIZE(image))};
    EXPECT_TRUE(::png_image_finish_read(&image, nullptr, picture.rgb.data(), 0, nullptr)) << path;
    return picture;
}

/// A picture that is no other way round, nor upside down.
inline Picture gradient(uint32_t width, uint32_t height) {
    Picture picture{width, height, {}};
    for (uint32_t y = 0; y < height; ++y) {
        for (uint32_t x = 0; x < width; ++x) {
            picture.rgb.push_back(static_cast<uint8_t>(255 * x / width));
            picture.rgb.push_back(static_cast<uint8_t>(255 * y / height));
            picture.rgb.push_back(static_cast<uint8_t>((x * y) % 251));
        }
    }
    return picture;
}

}  // namespace ingle::test
