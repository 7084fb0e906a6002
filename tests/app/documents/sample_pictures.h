/// Small pictures in each format, written by the formats' own libraries.
#pragma once

#include <gtest/gtest.h>
#include <png.h>
#include <webp/encode.h>
#include <webp/mux.h>

#include <cstdio>
#include <cstdlib>
#include <string>
// clang-format off: it needs what is above
#include <jpeglib.h>
// clang-format on

#include "ingle/pictures.h"

namespace ingle::test {

/// Three lines of four pixels, of which no two are alike.
inline Picture samplePicture() {
    Picture picture{4, 3, {}};
    for (int i = 0; i < 4 * 3 * 3; ++i) picture.rgb.push_back(static_cast<uint8_t>(i * 7));
    return picture;
}

/// EXIF data that say how a picture is to be turned.
inline std::string exifOf(uint8_t orientation) {
    std::string exif("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19);
    exif += static_cast<char>(orientation);
    return exif + std::string(6, '\0');
}

inline std::string pngOf(const Picture& picture, int type = PNG_COLOR_TYPE_RGB, uint8_t orientation = 0) {
    std::string bytes;
    png_structp png = ::png_create_write_struct(PNG_LIBPNG_VER_STRING, nullptr, nullptr, nullptr);
    png_infop info = ::png_create_info_struct(png);
    const auto append = [](png_structp to, png_bytep data, size_t size) {
        static_cast<std::string*>(::png_get_io_ptr(to))->append(reinterpret_cast<const char*>(data), size);
    };
    ::png_set_write_fn(png, &bytes, append, nullptr);
    ::png_set_IHDR(png, info, picture.width, picture.height, 8, type, PNG_INTERLACE_ADAM7,
                   PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    std::string exif = exifOf(orientation);
    if (orientation > 0)
        ::png_set_eXIf_1(png, info, static_cast<png_uint_32>(exif.size()),
                         reinterpret_cast<png_bytep>(exif.data()));
    ::png_write_info(png, info);
    const size_t channels = ::png_get_channels(png, info);
    std::vector<uint8_t> pixels;
    for (size_t i = 0; i < picture.rgb.size(); i += 3) {
        const size_t colours = channels <= 2 ? 1 : 3;
        pixels.insert(pixels.end(), picture.rgb.begin() + static_cast<long>(i),
                      picture.rgb.begin() + static_cast<long>(i + colours));
        if (channels % 2 == 0) pixels.push_back(99);
    }
    std::vector<uint8_t*> lines;
    for (size_t y = 0; y < picture.height; ++y) lines.push_back(pixels.data() + y * picture.width * channels);
    ::png_write_image(png, lines.data());
    ::png_write_end(png, info);
    ::png_destroy_write_struct(&png, &info);
    return bytes;
}

inline std::string jpegOf(const Picture& picture, uint8_t orientation = 0) {
    jpeg_compress_struct info{};
    jpeg_error_mgr error{};
    info.err = ::jpeg_std_error(&error);
    ::jpeg_create_compress(&info);
    unsigned char* memory = nullptr;
    unsigned long size = 0;
    ::jpeg_mem_dest(&info, &memory, &size);
    info.image_width = picture.width;
    info.image_height = picture.height;
    info.input_components = 3;
    info.in_color_space = JCS_RGB;
    ::jpeg_set_defaults(&info);
    ::jpeg_set_quality(&info, 100, TRUE);
    for (int i = 0; i < 3; ++i) info.comp_info[i].h_samp_factor = info.comp_info[i].v_samp_factor = 1;
    ::jpeg_start_compress(&info, TRUE);
    const std::string exif = std::string("Exif\0\0", 6) + exifOf(orientation);
    if (orientation > 0)
        ::jpeg_write_marker(&info, JPEG_APP0 + 1, reinterpret_cast<const JOCTET*>(exif.data()),
                            static_cast<unsigned>(exif.size()));
    for (size_t y = 0; y < picture.height; ++y) {
        auto* line = const_cast<JSAMPROW>(picture.rgb.data() + y * picture.width * 3);
        ::jpeg_write_scanlines(&info, &line, 1);
    }
    ::jpeg_finish_compress(&info);
    ::jpeg_destroy_compress(&info);
    const std::string bytes(reinterpret_cast<const char*>(memory), size);
    std::free(memory);
    return bytes;
}

inline std::string webpOf(const Picture& picture) {
    uint8_t* memory = nullptr;
    const size_t size = ::WebPEncodeLosslessRGB(picture.rgb.data(), static_cast<int>(picture.width),
                                                static_cast<int>(picture.height),
                                                static_cast<int>(3 * picture.width), &memory);
    const std::string bytes(reinterpret_cast<const char*>(memory), size);
    ::WebPFree(memory);
    return bytes;
}

/// A lossless WebP file with EXIF data behind the image.
inline std::string webpWith(const std::string& webp, const std::string& exif) {
    WebPMux* mux = ::WebPMuxNew();
    const WebPData image{reinterpret_cast<const uint8_t*>(webp.data()), webp.size()};
    const WebPData data{reinterpret_cast<const uint8_t*>(exif.data()), exif.size()};
    ::WebPMuxSetImage(mux, &image, 1);
    ::WebPMuxSetChunk(mux, "EXIF", &data, 1);
    WebPData all;
    EXPECT_EQ(::WebPMuxAssemble(mux, &all), WEBP_MUX_OK);
    const std::string bytes(reinterpret_cast<const char*>(all.bytes), all.size);
    ::WebPDataClear(&all);
    ::WebPMuxDelete(mux);
    return bytes;
}

/// Files of red, green, blue and opacity.
inline std::string transparentPng(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgba) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = width;
    image.height = height;
    image.format = PNG_FORMAT_RGBA;
    png_alloc_size_t size = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string bytes(size, '\0');
    EXPECT_TRUE(::png_image_write_to_memory(&image, bytes.data(), &size, 0, rgba.data(), 0, nullptr));
    bytes.resize(size);
    return bytes;
}
inline std::string transparentWebp(uint32_t width, uint32_t height, const std::vector<uint8_t>& rgba) {
    WebPConfig config;
    ::WebPConfigInit(&config);
    config.lossless = config.exact = 1;
    WebPMemoryWriter writer;
    ::WebPMemoryWriterInit(&writer);
    WebPPicture picture;
    ::WebPPictureInit(&picture);
    picture.use_argb = 1;
    picture.width = static_cast<int>(width);
    picture.height = static_cast<int>(height);
    picture.writer = ::WebPMemoryWrite;
    picture.custom_ptr = &writer;
    ::WebPPictureImportRGBA(&picture, rgba.data(), static_cast<int>(4 * width));
    EXPECT_TRUE(::WebPEncode(&config, &picture));
    const std::string bytes(reinterpret_cast<const char*>(writer.mem), writer.size);
    ::WebPPictureFree(&picture);
    ::WebPMemoryWriterClear(&writer);
    return bytes;
}

/// An animation that begins with `first` and goes on with `second`.
inline std::string animationOf(const Picture& first, const Picture& second) {
    const int width = static_cast<int>(first.width), height = static_cast<int>(first.height);
    WebPAnimEncoderOptions options;
    ::WebPAnimEncoderOptionsInit(&options);
    WebPAnimEncoder* encoder = ::WebPAnimEncoderNew(width, height, &options);
    WebPConfig config;
    ::WebPConfigInit(&config);
    config.lossless = 1;
    int time = 0;
    for (const Picture* picture : {&first, &second}) {
        WebPPicture frame;
        ::WebPPictureInit(&frame);
        frame.use_argb = 1;
        frame.width = width;
        frame.height = height;
        ::WebPPictureImportRGB(&frame, picture->rgb.data(), 3 * width);
        EXPECT_TRUE(::WebPAnimEncoderAdd(encoder, &frame, time, &config));
        ::WebPPictureFree(&frame);
        time += 100;
    }
    ::WebPAnimEncoderAdd(encoder, nullptr, time, nullptr);
    WebPData data;
    ::WebPDataInit(&data);
    EXPECT_TRUE(::WebPAnimEncoderAssemble(encoder, &data));
    const std::string bytes(reinterpret_cast<const char*>(data.bytes), data.size);
    ::WebPDataClear(&data);
    ::WebPAnimEncoderDelete(encoder);
    return bytes;
}

}  // namespace ingle::test
