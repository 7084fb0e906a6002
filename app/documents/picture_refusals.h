/// Why a picture is not read.
#pragma once

#include <array>
#include <optional>
#include <string_view>

#include "ingle/result.h"

namespace ingle::documents {

enum class PictureRefusal {
    Damaged,
    TooManyPixels,
    TooLarge,
    Heic,
    Avif,
    Unknown,
    ReaderFailed,
};

struct PictureRefusalInfo {
    std::string_view id;  ///< Error::id; travels in the answer of `ingle-documents`
    ErrorCode code;
    std::string_view sentence;
};

/// In the order of PictureRefusal.
inline constexpr std::array kPictureRefusals{
    PictureRefusalInfo{"pictureDamaged", ErrorCode::Corrupt, "This picture is damaged and cannot be read."},
    PictureRefusalInfo{"pictureTooManyPixels", ErrorCode::Unsupported,
                       "This picture has too many pixels: 100 million can be read."},
    PictureRefusalInfo{"pictureTooLarge", ErrorCode::Unsupported,
                       "This file is too large to be read as a picture: 64 MB can be read."},
    PictureRefusalInfo{"pictureHeic", ErrorCode::Unsupported,
                       "This is a picture in the format HEIC, which cannot be read; save it as JPEG or PNG."},
    PictureRefusalInfo{"pictureAvif", ErrorCode::Unsupported,
                       "This is a picture in the format AVIF, which cannot be read; save it as JPEG or PNG."},
    PictureRefusalInfo{"pictureUnknown", ErrorCode::Unsupported,
                       "This is no picture of a kind that can be read: those are PNG, JPEG and WebP."},
    PictureRefusalInfo{"pictureReaderFailed", ErrorCode::Corrupt,
                       "Reading this picture failed: it is damaged, or larger than the memory that reading "
                       "may take."},
};

inline tl::unexpected<Error> refuse(PictureRefusal refusal) {
    const PictureRefusalInfo& info = kPictureRefusals[static_cast<size_t>(refusal)];
    return tl::unexpected<Error>(Error{info.code, std::string(info.sentence), std::string(info.id)});
}

}  // namespace ingle::documents
