#include "app/cli/picture_options.h"

#include <fmt/format.h>

#include <charconv>
#include <cstdio>

#include "app/cli/interruption.h"
#include "app/documents/read_picture.h"
#include "ingle/error_ids.h"

namespace ingle::cli {

CLI::Option* addImages(CLI::App& app, PictureOptions& options) {
    return app.add_option("--image", options.images, "a picture: PNG, JPEG or WebP (may be repeated)")
        ->allow_extra_args(false);
}

CLI::Option* addPictureOptions(CLI::App& app, PictureOptions& options) {
    CLI::Option* image = addImages(app, options);
    app.add_option("--image-tokens", options.tokens,
                   "MIN:MAX: how many tokens a picture may take, where the model leaves that open");
    return image;
}

Result<std::vector<Picture>> readPictures(const PictureOptions& options) {
    std::vector<Picture> pictures;
    if (options.images.empty()) return pictures;
    endByInterruption();
    for (const std::string& path : options.images) {
        auto picture = documents::readPicture(path, {.isCancelled = isInterrupted});
        if (!picture) return happenedTo(path, picture.error());
        pictures.push_back(*std::move(picture));
    }
    return pictures;
}

Result<std::optional<PictureTokens>> pictureTokens(const PictureOptions& options) {
    if (options.tokens.empty()) return std::optional<PictureTokens>();
    const char* const end = options.tokens.data() + options.tokens.size();
    PictureTokens tokens;
    const auto least = std::from_chars(options.tokens.data(), end, tokens.least);
    const bool hasTwo = least.ec == std::errc() && least.ptr != end && *least.ptr == ':';
    const auto most = std::from_chars(hasTwo ? least.ptr + 1 : end, end, tokens.most);
    if (hasTwo && most.ec == std::errc() && most.ptr == end) return std::optional(tokens);
    return fail(ErrorCode::InvalidArgument, "--image-tokens: \"{}\" is no MIN:MAX", options.tokens);
}

Result<std::vector<EncodedPicture>> encodePictures(const std::string& projector, const LoadOptions& load,
                                                   const PictureOptions& options,
                                                   const std::vector<Picture>& pictures) {
    INGLE_TRY_ASSIGN(const std::optional<PictureTokens> tokens, pictureTokens(options));
    INGLE_TRY_ASSIGN(const auto encoder, PictureEncoder::load(projector, load, tokens));
    std::vector<EncodedPicture> encoded;
    for (const Picture& picture : pictures) {
        INGLE_TRY_ASSIGN(EncodedPicture one, encoder->encode(picture));
        encoded.push_back(std::move(one));
    }
    if (!encoder->note().empty()) fmt::print(stderr, "{}\n", encoder->note());
    return encoded;
}

}  // namespace ingle::cli
