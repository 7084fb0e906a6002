// Source: CIPA DC-008, "Exchangeable image file format for digital still cameras" (Exif 2.3), section 4.6.4,
// tag Orientation.
#include "app/documents/readers/pictures/pixels.h"

namespace ingle::documents {
namespace {

/// Numbers of a TIFF file, which says itself in which order their bytes are.
class TiffBytes {
  public:
    TiffBytes(std::string_view bytes, bool isBigEndian) : m_bytes(bytes), m_isBigEndian(isBigEndian) {}

    /// 0 behind the end.
    uint32_t number(uint64_t at, uint32_t count) const {
        if (at + count > m_bytes.size()) return 0;
        uint32_t value = 0;
        for (uint32_t i = 0; i < count; ++i) {
            const uint64_t from = at + (m_isBigEndian ? i : count - 1 - i);
            value = value << 8 | static_cast<uint8_t>(m_bytes[from]);
        }
        return value;
    }

  private:
    std::string_view m_bytes;
    bool m_isBigEndian;
};

}  // namespace

uint32_t orientationOf(std::string_view exif) {
    constexpr uint32_t kOrientation = 0x0112, kShort = 3, kMost = 8;
    constexpr uint64_t kEntryBytes = 12;
    if (!exif.starts_with("II*") && !exif.starts_with(std::string_view("MM\0*", 4))) return kUpright;
    const TiffBytes tiff(exif, exif[0] == 'M');
    const uint64_t directory = tiff.number(4, 4);
    const uint32_t numEntries = tiff.number(directory, 2);
    for (uint64_t i = 0; i < numEntries; ++i) {
        const uint64_t entry = directory + 2 + i * kEntryBytes;
        if (entry + kEntryBytes > exif.size()) break;
        if (tiff.number(entry, 2) != kOrientation || tiff.number(entry + 2, 2) != kShort) continue;
        const uint32_t value = tiff.number(entry + 8, 2);
        return value >= kUpright && value <= kMost ? value : kUpright;
    }
    return kUpright;
}

Picture turned(Picture picture, uint32_t orientation) {
    if (orientation == kUpright) return picture;
    // 1 to 4: turned by half or mirrored; 5 to 8: also with columns for lines.
    const bool swaps = orientation >= 5;
    const bool mirrorsX = orientation == 2 || orientation == 3 || orientation == 7 || orientation == 8;
    const bool mirrorsY = orientation == 3 || orientation == 4 || orientation == 6 || orientation == 7;
    const size_t width = picture.width, height = picture.height;
    Picture made{static_cast<uint32_t>(swaps ? height : width), static_cast<uint32_t>(swaps ? width : height),
                 std::vector<uint8_t>(picture.rgb.size())};
    uint8_t* out = made.rgb.data();
    for (size_t y = 0; y < made.height; ++y) {
        for (size_t x = 0; x < made.width; ++x, out += 3) {
            size_t column = swaps ? y : x;
            size_t line = swaps ? x : y;
            if (mirrorsX) column = width - 1 - column;
            if (mirrorsY) line = height - 1 - line;
            const uint8_t* pixel = picture.rgb.data() + (line * width + column) * 3;
            for (size_t i = 0; i < 3; ++i) out[i] = pixel[i];
        }
    }
    return made;
}

}  // namespace ingle::documents
