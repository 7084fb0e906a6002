/// Options of commands that show pictures to a vision file.
#pragma once

#include <CLI/CLI.hpp>
#include <optional>
#include <string>
#include <vector>

#include "ingle/pictures.h"

namespace ingle::cli {

struct PictureOptions {
    std::vector<std::string> images;
    std::string tokens;  ///< "MIN:MAX"; empty: as the model has it
};

/// Declares --image, which is returned. `options` must live as long as the parsed application.
CLI::Option* addImages(CLI::App& app, PictureOptions& options);
/// Declares --image, which is returned, and --image-tokens.
CLI::Option* addPictureOptions(CLI::App& app, PictureOptions& options);

/// Decodes the pictures, each in a process of its own that can open nothing: to be called before the command
/// is confined. Errors: as documents::readPicture(), with the file's path.
Result<std::vector<Picture>> readPictures(const PictureOptions& options);

/// Errors: InvalidArgument for a text that is no MIN:MAX.
Result<std::optional<PictureTokens>> pictureTokens(const PictureOptions& options);

/// Loads the vision file and encodes the pictures in their order.
Result<std::vector<EncodedPicture>> encodePictures(const std::string& projector, const LoadOptions& load,
                                                   const PictureOptions& options,
                                                   const std::vector<Picture>& pictures);

}  // namespace ingle::cli
