#include <webp/decode.h>
#include <webp/demux.h>

#include <algorithm>
#include <memory>

#include "app/documents/picture_refusals.h"
#include "app/documents/readers/pictures/pixels.h"

namespace ingle::documents {
namespace {

std::string_view exifOf(const WebPDemuxer* file) {
    WebPChunkIterator chunk;
    if (!WebPDemuxGetChunk(file, "EXIF", 1, &chunk)) return {};
    std::string_view exif(reinterpret_cast<const char*>(chunk.chunk.bytes), chunk.chunk.size);
    WebPDemuxReleaseChunkIterator(&chunk);
    constexpr std::string_view kPrefix("Exif\0\0", 6);
    if (exif.starts_with(kPrefix)) exif.remove_prefix(kPrefix.size());
    return exif;
}

/// The first frame, at its place in the picture.
bool decodeFrame(const WebPIterator& frame, Transparency transparency, Picture& picture) {
    const auto width = static_cast<uint64_t>(frame.width), height = static_cast<uint64_t>(frame.height);
    const auto left = static_cast<uint64_t>(frame.x_offset), top = static_cast<uint64_t>(frame.y_offset);
    if (left + width > picture.width || top + height > picture.height) return false;
    if (transparency == Transparency::OnWhite) {
        std::vector<uint8_t> rgba(4 * width * height);
        if (!WebPDecodeRGBAInto(frame.fragment.bytes, frame.fragment.size, rgba.data(), rgba.size(),
                                static_cast<int>(4 * width)))
            return false;
        std::ranges::fill(picture.rgb, uint8_t{0xFF});
        for (uint64_t line = 0; line < height; ++line)
            putOnWhite(std::span(rgba).subspan(4 * width * line, 4 * width),
                       picture.rgb.data() + 3 * ((top + line) * picture.width + left));
        return true;
    }
    const size_t stride = size_t{3} * picture.width;
    const size_t before = top * stride + 3 * left;
    return WebPDecodeRGBInto(frame.fragment.bytes, frame.fragment.size, picture.rgb.data() + before,
                             picture.rgb.size() - before, static_cast<int>(stride)) != nullptr;
}

}  // namespace

Result<StoredPicture> decodeWebp(std::string_view bytes, Transparency transparency) {
    const WebPData data{reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size()};
    const std::unique_ptr<WebPDemuxer, decltype(&WebPDemuxDelete)> file(WebPDemux(&data), &WebPDemuxDelete);
    if (!file) return refuse(PictureRefusal::Damaged);
    StoredPicture stored;
    INGLE_TRY_ASSIGN(stored.picture, emptyPicture(WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_WIDTH),
                                                  WebPDemuxGetI(file.get(), WEBP_FF_CANVAS_HEIGHT)));
    WebPIterator frame;
    if (!WebPDemuxGetFrame(file.get(), 1, &frame)) return refuse(PictureRefusal::Damaged);
    const bool isDecoded = decodeFrame(frame, transparency, stored.picture);
    WebPDemuxReleaseIterator(&frame);
    if (!isDecoded) return refuse(PictureRefusal::Damaged);
    stored.orientation = orientationOf(exifOf(file.get()));
    return stored;
}

}  // namespace ingle::documents
