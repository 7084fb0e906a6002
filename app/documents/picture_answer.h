/// What `ingle-documents` writes of a picture: a line with its size or the id of an error, and behind it the
/// pixels. As of documents (answer.h), nothing in it is taken on trust.
#pragma once

#include <string>
#include <string_view>

#include "ingle/pictures.h"

namespace ingle::documents {

/// What becomes of pixels that let through what is behind them.
enum class Transparency {
    Dropped,  ///< they have the colour that is stored, as models were trained
    OnWhite,  ///< they look as they do on white paper
};

/// The line; the pixels of a picture follow it.
std::string pictureHead(const Result<Picture>& answer);

/// The picture, or the error that was answered. Errors: also pictureReaderFailed, for what no reader would
/// answer.
Result<Picture> decodePicture(std::string_view bytes);

}  // namespace ingle::documents
