/// Which kind of picture bytes are, told by how they begin.
#pragma once

#include <algorithm>
#include <array>
#include <optional>
#include <string_view>

namespace ingle::documents {

enum class PictureKind {
    Png,
    Jpeg,
    Webp,
    Heif,  ///< HEIC or AVIF, which is refused
};

struct PictureKindInfo {
    std::string_view mediaType;
    std::string_view ending;  ///< of a file's name, with its dot
};

/// In the order of PictureKind.
inline constexpr std::array kPictureKinds{
    PictureKindInfo{"image/png", ".png"},
    PictureKindInfo{"image/jpeg", ".jpg"},
    PictureKindInfo{"image/webp", ".webp"},
    PictureKindInfo{"image/heif", ".heic"},
};

/// So many bytes are enough to know.
inline constexpr size_t kPictureHeadBytes = 12;

/// Nothing: it is no picture that anybody would take for one of these.
inline std::optional<PictureKind> pictureKindOf(std::string_view bytes) {
    if (bytes.starts_with("\x89PNG\r\n\x1a\n")) return PictureKind::Png;
    if (bytes.starts_with("\xFF\xD8\xFF")) return PictureKind::Jpeg;
    if (bytes.size() < kPictureHeadBytes) return std::nullopt;
    if (bytes.starts_with("RIFF") && bytes.substr(8, 4) == "WEBP") return PictureKind::Webp;
    // HEIF files begin with a box that names their kind.
    constexpr std::array<std::string_view, 9> kBrands{"heic", "heix", "heim", "heis", "hevc",
                                                      "mif1", "msf1", "avif", "avis"};
    const bool isHeif =
        bytes.substr(4, 4) == "ftyp" && std::ranges::find(kBrands, bytes.substr(8, 4)) != kBrands.end();
    return isHeif ? std::optional(PictureKind::Heif) : std::nullopt;
}

inline const PictureKindInfo& infoOf(PictureKind kind) {
    return kPictureKinds[static_cast<size_t>(kind)];
}

}  // namespace ingle::documents
