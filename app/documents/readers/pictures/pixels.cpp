#include "app/documents/readers/pictures/pixels.h"

#include <algorithm>

#include "app/documents/limits.h"
#include "app/documents/picture_refusals.h"

namespace ingle::documents {
namespace {

constexpr std::string_view kPng = "\x89PNG\r\n\x1a\n";
constexpr std::string_view kJpeg = "\xFF\xD8\xFF";

bool isWebp(std::string_view bytes) {
    return bytes.starts_with("RIFF") && bytes.substr(0, 12).ends_with("WEBP");
}

/// HEIF files begin with a box that names their kind, and the kinds that it is as well.
PictureRefusal refusalOf(std::string_view bytes) {
    constexpr size_t kBrandBytes = 4, kMostBrands = 16;
    if (bytes.size() < 12 || bytes.substr(4, 4) != "ftyp") return PictureRefusal::Unknown;
    bool isHeic = false;
    for (size_t at = 8; at + kBrandBytes <= std::min(bytes.size(), 8 + kMostBrands * kBrandBytes);
         at += kBrandBytes) {
        const std::string_view brand = bytes.substr(at, kBrandBytes);
        if (brand == "avif" || brand == "avis") return PictureRefusal::Avif;
        for (const std::string_view each : {"heic", "heix", "heim", "heis", "hevc", "mif1", "msf1"})
            isHeic = isHeic || brand == each;
    }
    return isHeic ? PictureRefusal::Heic : PictureRefusal::Unknown;
}

Result<StoredPicture> decodeStored(std::string_view bytes, Transparency transparency) {
    if (bytes.starts_with(kPng)) return decodePng(bytes, transparency);
    if (bytes.starts_with(kJpeg)) return decodeJpeg(bytes);
    if (isWebp(bytes)) return decodeWebp(bytes, transparency);
    return refuse(refusalOf(bytes));
}

}  // namespace

Result<Picture> emptyPicture(uint64_t width, uint64_t height) {
    if (width == 0 || height == 0 || width > UINT32_MAX || height > UINT32_MAX)
        return refuse(PictureRefusal::Damaged);
    if (width * height > limits::kPicturePixels) return refuse(PictureRefusal::TooManyPixels);
    return Picture{static_cast<uint32_t>(width), static_cast<uint32_t>(height),
                   std::vector<uint8_t>(3 * width * height)};
}

Result<Picture> decodePixels(std::string_view bytes, Transparency transparency) {
    INGLE_TRY_ASSIGN(StoredPicture stored, decodeStored(bytes, transparency));
    return turned(std::move(stored.picture), stored.orientation);
}

}  // namespace ingle::documents
