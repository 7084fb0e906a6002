#include <csetjmp>
#include <cstdio>
// clang-format off: it needs what is above
#include <jerror.h>
#include <jpeglib.h>
// clang-format on

#include "app/documents/picture_refusals.h"
#include "app/documents/readers/pictures/pixels.h"

namespace ingle::documents {
namespace {

constexpr int kExifMarker = JPEG_APP0 + 1;
constexpr unsigned kMostMarkerBytes = 0xFFFF;

/// libjpeg's way back out of an error: no function between has anything to destroy.
struct ErrorExit {
    jpeg_error_mgr manager;
    std::jmp_buf back;
    bool isCutShort = false;  ///< data of pixels are missing, in whose place grey would stand
};

[[noreturn]] void leave(j_common_ptr info) {
    std::longjmp(reinterpret_cast<ErrorExit*>(info->err)->back, 1);
}
void saysNothing(j_common_ptr) {}
void noteWarning(j_common_ptr info, int) {
    if (info->err->msg_code == JWRN_HIT_MARKER) reinterpret_cast<ErrorExit*>(info->err)->isCutShort = true;
}

/// A file being decoded.
struct JpegFile {
    jpeg_decompress_struct info{};
    ErrorExit error{};
    // Not on the stack, where a jump back may leave what was.
    uint8_t* out = nullptr;   ///< of the next pixel, three bytes each
    uint8_t* inks = nullptr;  ///< room for a line of four bytes each

    explicit JpegFile(std::string_view bytes) {
        info.err = ::jpeg_std_error(&error.manager);
        error.manager.error_exit = leave;
        error.manager.output_message = saysNothing;
        error.manager.emit_message = noteWarning;
        if (setjmp(error.back)) return;
        ::jpeg_create_decompress(&info);
        ::jpeg_mem_src(&info, reinterpret_cast<const unsigned char*>(bytes.data()), bytes.size());
        ::jpeg_save_markers(&info, kExifMarker, kMostMarkerBytes);
    }
    ~JpegFile() { ::jpeg_destroy_decompress(&info); }
    JpegFile(const JpegFile&) = delete;
    JpegFile& operator=(const JpegFile&) = delete;

    bool readHead() {
        if (setjmp(error.back)) return false;
        return ::jpeg_read_header(&info, TRUE) == JPEG_HEADER_OK;
    }

    bool hasFourInks() const {
        return info.jpeg_color_space == JCS_CMYK || info.jpeg_color_space == JCS_YCCK;
    }

    /// All lines to `out`.
    bool readLines() {
        if (setjmp(error.back)) return false;
        info.out_color_space = hasFourInks() ? JCS_CMYK : JCS_RGB;
        ::jpeg_start_decompress(&info);
        while (info.output_scanline < info.output_height) {
            ::jpeg_read_scanlines(&info, hasFourInks() ? &inks : &out, 1);
            if (hasFourInks()) mixInks();
            out += size_t{3} * info.output_width;
        }
        ::jpeg_finish_decompress(&info);
        return !error.isCutShort;
    }

    /// Programs of Adobe, which write such files, turn the inks around: 255 is none.
    void mixInks() const {
        const bool isTurned = info.saw_Adobe_marker != 0;
        for (size_t x = 0; x < info.output_width; ++x) {
            const uint8_t* pixel = inks + 4 * x;
            for (size_t i = 0; i < 3; ++i) {
                const unsigned ink = isTurned ? pixel[i] : 255U - pixel[i];
                const unsigned black = isTurned ? pixel[3] : 255U - pixel[3];
                out[3 * x + i] = static_cast<uint8_t>(ink * black / 255);
            }
        }
    }

    uint32_t orientation() const {
        constexpr std::string_view kPrefix("Exif\0\0", 6);
        for (jpeg_saved_marker_ptr marker = info.marker_list; marker; marker = marker->next) {
            const std::string_view data(reinterpret_cast<const char*>(marker->data), marker->data_length);
            if (marker->marker == kExifMarker && data.starts_with(kPrefix))
                return orientationOf(data.substr(kPrefix.size()));
        }
        return kUpright;
    }
};

}  // namespace

Result<StoredPicture> decodeJpeg(std::string_view bytes) {
    JpegFile file(bytes);
    if (!file.readHead()) return refuse(PictureRefusal::Damaged);
    StoredPicture stored;
    INGLE_TRY_ASSIGN(stored.picture, emptyPicture(file.info.image_width, file.info.image_height));
    std::vector<uint8_t> inks(file.hasFourInks() ? size_t{4} * stored.picture.width : 0);
    file.inks = inks.data();
    file.out = stored.picture.rgb.data();
    stored.orientation = file.orientation();  // the end of decoding forgets it
    if (!file.readLines()) return refuse(PictureRefusal::Damaged);
    return stored;
}

}  // namespace ingle::documents
