/// Pictures in requests: each API has its own form of them, and all of them are bytes in Base64. Nothing is
/// ever fetched.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "app/serve/api/fields.h"
#include "ingle/types.h"

namespace ingle::serve::api {

// A part of kind Image whose `data` are the bytes of the file; nothing, and a complaint, where the field is
// something else.

/// `base64` is what the field `name` has.
std::optional<Part> pictureOf(Fields& fields, std::string_view name, std::string_view base64);
/// A data URL, "data:image/png;base64,…"; the field may be an object that has it as its "url" (OpenAI).
std::optional<Part> pictureOfUrl(Fields& fields, std::string_view name);
/// {"type": "base64", "media_type", "data"} (Anthropic).
std::optional<Part> pictureOfSource(Fields& fields, std::string_view name);

/// A picture's file, and the name that messages have for it.
struct SentPicture {
    std::string hash;
    std::string bytes;
};

/// Puts names in the place of bytes; returns each picture once.
std::vector<SentPicture> namePictures(std::vector<ChatMessage>& messages);

}  // namespace ingle::serve::api
