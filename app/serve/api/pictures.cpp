#include "app/serve/api/pictures.h"

#include <fmt/format.h>

#include <algorithm>

#include "ingle/base64.h"
#include "ingle/sha256.h"

namespace ingle::serve::api {
namespace {

std::optional<Part> fromUrl(Fields& fields, std::string_view name, std::string_view url) {
    constexpr std::string_view kScheme = "data:", kCoding = ";base64,";
    const size_t coding = url.find(kCoding);
    // Schemes may be written in capitals (RFC 3986, 3.1).
    const bool isData = std::ranges::equal(url.substr(0, kScheme.size()), kScheme, {}, [](char c) {
        return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (isData && coding != url.npos) return pictureOf(fields, name, url.substr(coding + kCoding.size()));
    fields.complain({.message = fmt::format("'{}' must be a data URL in Base64: this server fetches nothing.",
                                            fields.placeOf(name)),
                     .param = fields.placeOf(name),
                     .code = "unsupported_field"});
    return std::nullopt;
}

}  // namespace

std::optional<Part> pictureOf(Fields& fields, std::string_view name, std::string_view base64) {
    auto bytes = fromBase64(base64);
    if (bytes && !bytes->empty()) return Part{PartKind::Image, {}, *std::move(bytes)};
    fields.complain(fmt::format("'{}' must be a picture in Base64.", fields.placeOf(name)), name);
    return std::nullopt;
}

std::optional<Part> pictureOfUrl(Fields& fields, std::string_view name) {
    const nlohmann::ordered_json* given = fields.any(name);
    if (given == nullptr || !given->is_object()) {
        const std::string url = given && given->is_string() ? given->get<std::string>() : std::string();
        return fromUrl(fields, name, url);
    }
    Fields inner(*given, fields.placeOf(name));
    inner.ignore("detail");
    auto picture = fromUrl(inner, "url", inner.requiredText("url"));
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
    return picture;
}

std::optional<Part> pictureOfSource(Fields& fields, std::string_view name) {
    fields.require(name);
    const nlohmann::ordered_json* given = fields.object(name);
    if (given == nullptr) return std::nullopt;
    Fields inner(*given, fields.placeOf(name));
    inner.ignore("media_type");
    const std::string type = inner.requiredText("type");
    std::optional<Part> picture;
    if (type == "base64")
        picture = pictureOf(inner, "data", inner.requiredText("data"));
    else
        inner.complain({.message = fmt::format("'{}' must be base64: this server fetches nothing.",
                                               inner.placeOf("type")),
                        .param = inner.placeOf("type"),
                        .code = "unsupported_field"});
    if (auto whole = inner.finish(); !whole) fields.complain(whole.error());
    return picture;
}

std::vector<SentPicture> namePictures(std::vector<ChatMessage>& messages) {
    std::vector<SentPicture> pictures;
    for (ChatMessage& message : messages) {
        for (Part& part : message.parts) {
            if (part.kind != PartKind::Image) continue;
            std::string hash = sha256Hex(part.data);
            if (std::ranges::find(pictures, hash, &SentPicture::hash) == pictures.end())
                pictures.push_back({hash, std::move(part.data)});
            part.data = std::move(hash);
        }
    }
    return pictures;
}

}  // namespace ingle::serve::api
