/// Pictures of messages and drafts: the bytes of each file as they came, once. A part of the kind Image names
/// one by its hash (Part::data), which is SHA-256 in lowercase hexadecimal digits.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/history/store/history.h"
#include "ingle/part.h"
#include "ingle/result.h"

namespace ingle::history {

struct PictureFile {
    std::string mediaType;  ///< "image/png"
    std::string bytes;
};

/// Keeps a picture, durably before it returns, and returns its hash. What neither a message nor a draft names
/// goes again (shredSlice()): a draft that names it is stored within the same History::atOnce().
Result<std::string> storePicture(History& history, const PictureFile& picture);
/// Errors: InvalidArgument when there is none of that hash.
Result<PictureFile> picture(HistoryReader& history, std::string_view hash);
/// Those of all messages, also in the trash.
Result<std::vector<std::string>> picturesInUse(HistoryReader& history);

/// In a draft (storeDraft()), what is attached and begins so is a picture: its hash, and its description.
inline constexpr char kDraftPicture = '\x1C';
/// Hashes of the pictures that a draft names.
std::vector<std::string> picturesOfDraft(std::string_view draft);

}  // namespace ingle::history
