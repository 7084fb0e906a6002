#include <png.h>

#include <algorithm>
#include <csetjmp>

#include "app/documents/limits.h"
#include "app/documents/picture_refusals.h"
#include "app/documents/readers/pictures/pixels.h"

namespace ingle::documents {
namespace {

/// Chunks beside the picture are not kept beyond this.
constexpr png_alloc_size_t kMostChunkBytes = png_alloc_size_t{1} << 20;

[[noreturn]] void leave(png_structp png, png_const_charp) {
    ::png_longjmp(png, 1);
}
void saysNothing(png_structp, png_const_charp) {}

void readBytes(png_structp png, png_bytep out, size_t count) {
    auto* rest = static_cast<std::string_view*>(::png_get_io_ptr(png));
    if (rest->size() < count) ::png_error(png, "the file ends");
    std::copy_n(rest->data(), count, reinterpret_cast<char*>(out));
    rest->remove_prefix(count);
}

/// A file being decoded. As of jpeg.cpp, nothing is destroyed on the way out of an error.
struct PngFile {
    png_structp png = nullptr;
    png_infop info = nullptr;
    std::string_view rest;
    uint32_t width = 0, height = 0;

    explicit PngFile(std::string_view bytes) : rest(bytes) {
        png = ::png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, leave, saysNothing);
        if (png) info = ::png_create_info_struct(png);
    }
    ~PngFile() { ::png_destroy_read_struct(&png, &info, nullptr); }
    PngFile(const PngFile&) = delete;
    PngFile& operator=(const PngFile&) = delete;

    bool readHead() {
        if (!info || setjmp(png_jmpbuf(png))) return false;
        ::png_set_chunk_malloc_max(png, kMostChunkBytes);
        ::png_set_read_fn(png, &rest, readBytes);
        ::png_read_info(png, info);
        width = ::png_get_image_width(png, info);
        height = ::png_get_image_height(png, info);
        return true;
    }

    /// Red, green and blue of 8 bits, whatever is stored, and opacity where `channels` is 4.
    bool readLines(uint8_t* pixels, uint32_t channels, uint8_t** lines) {
        if (setjmp(png_jmpbuf(png))) return false;
        ::png_set_expand(png);
        ::png_set_strip_16(png);
        if (channels == 4)
            ::png_set_add_alpha(png, 0xFF, PNG_FILLER_AFTER);
        else
            ::png_set_strip_alpha(png);
        ::png_set_gray_to_rgb(png);
        ::png_set_interlace_handling(png);
        ::png_read_update_info(png, info);
        const size_t lineBytes = size_t{channels} * width;
        if (::png_get_rowbytes(png, info) != lineBytes) return false;
        for (uint32_t line = 0; line < height; ++line) lines[line] = pixels + line * lineBytes;
        ::png_read_image(png, lines);
        return true;
    }

    /// What stands behind the picture's data. Damage there is none of the picture.
    void readTail() {
        if (!setjmp(png_jmpbuf(png))) ::png_read_end(png, info);
    }

    uint32_t orientation() const {
        png_bytep exif = nullptr;
        png_uint_32 count = 0;
        if (!::png_get_eXIf_1(png, info, &count, &exif)) return kUpright;
        return orientationOf({reinterpret_cast<const char*>(exif), count});
    }
};

}  // namespace

std::string encodePng(const Picture& picture) {
    png_image image{};
    image.version = PNG_IMAGE_VERSION;
    image.width = picture.width;
    image.height = picture.height;
    image.format = PNG_FORMAT_RGB;
    image.flags = PNG_IMAGE_FLAG_FAST;
    png_alloc_size_t numBytes = PNG_IMAGE_PNG_SIZE_MAX(image);
    std::string file(numBytes, '\0');
    if (!::png_image_write_to_memory(&image, file.data(), &numBytes, 0, picture.rgb.data(), 0, nullptr))
        return {};
    file.resize(numBytes);
    return file;
}

Result<StoredPicture> decodePng(std::string_view bytes, Transparency transparency) {
    PngFile file(bytes);
    if (!file.readHead()) return refuse(PictureRefusal::Damaged);
    StoredPicture stored;
    INGLE_TRY_ASSIGN(stored.picture, emptyPicture(file.width, file.height));
    std::vector<uint8_t*> lines(file.height);
    const bool isOnWhite = transparency == Transparency::OnWhite;
    std::vector<uint8_t> rgba(isOnWhite ? size_t{4} * file.width * file.height : 0);
    if (!file.readLines(isOnWhite ? rgba.data() : stored.picture.rgb.data(), isOnWhite ? 4 : 3, lines.data()))
        return refuse(PictureRefusal::Damaged);
    putOnWhite(rgba, stored.picture.rgb.data());
    file.readTail();
    stored.orientation = file.orientation();
    return stored;
}

}  // namespace ingle::documents
