/// Pictures in prompts: a model's vision file ("mmproj") turns them into rows that take the place of tokens.
/// Implemented in engine/session.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "ingle/result.h"
#include "ingle/types.h"

namespace ingle {

/// Decoded pixels: rows from the top, in each red, green and blue of every pixel.
struct Picture {
    uint32_t width = 0;
    uint32_t height = 0;
    std::vector<uint8_t> rgb;  ///< [height][width][3]
};

/// A part of a picture that a model sees as a picture of its own.
struct SeenTile {
    uint32_t left = 0;  ///< in pixels of the picture, as all but the last three
    uint32_t top = 0;
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t seenWidth = 0;  ///< the pixels that it becomes
    uint32_t seenHeight = 0;
    uint32_t tokens = 0;

    bool operator==(const SeenTile&) const = default;
};

/// How a model sees a picture.
struct PictureFacts {
    std::string hash;  ///< its name: SHA-256 of its file, in 64 small hexadecimal digits
    uint32_t width = 0;
    uint32_t height = 0;
    uint32_t tokens = 0;  ///< rows that it takes in the place of tokens
    std::vector<SeenTile> tiles;

    bool operator==(const PictureFacts&) const = default;
};

/// How many rows a picture may become, where a model lets people choose.
struct PictureTokens {
    uint32_t least = 0;
    uint32_t most = 0;
};

/// A picture, or a part of one that is encoded by itself.
struct PictureTile {
    std::string before;    ///< text of the prompt in front of its rows; special tokens in it are meant
    uint32_t width = 0;    ///< in pixels, after resizing
    uint32_t height = 0;   ///< as well
    uint32_t numRows = 0;  ///< in the place of as many tokens
    uint32_t columns = 0;  ///< of the grid of its rows …
    uint32_t lines = 0;    ///< … and how many of them there are, without what may stand at their ends
    SeenTile seen;         ///< the part of the picture that it shows
};

/// How a picture stands in a prompt.
struct PictureLayout {
    uint32_t width = 0;  ///< of the picture as it came
    uint32_t height = 0;
    std::vector<PictureTile> tiles;  ///< in the order of the prompt
    std::string after;               ///< text behind the last one
    uint32_t rowWidth = 0;
    /// Rows have places on the grid of their tile, where the text model's positions have coordinates.
    bool hasGrid = false;

    uint32_t numRows() const {
        uint32_t rows = 0;
        for (const PictureTile& tile : tiles) rows += tile.numRows;
        return rows;
    }
};

/// A picture as a text model reads it.
struct EncodedPicture : PictureLayout {
    std::vector<uint8_t> pixels;  ///< of all tiles, [height][width][3] each
    std::vector<float> rows;      ///< of all tiles, [rows][rowWidth]
};

/// A loaded vision file. One thread.
class PictureEncoder {
  public:
    virtual ~PictureEncoder() = default;
    /// On the processor, unless LoadOptions::backend asks for a device. `tokens`: instead of the model's own
    /// limits. Errors: as Engine::load(); Unsupported, naming the
    /// projector type, for one that this version does not know; InvalidArgument for limits that no picture
    /// can keep.
    static Result<std::unique_ptr<PictureEncoder>> load(const std::string& path, const LoadOptions& options,
                                                        const std::optional<PictureTokens>& tokens);

    virtual const std::string& type() const = 0;  ///< of the projector: "qwen3vl_merger"
    virtual uint32_t rowWidth() const = 0;
    /// Errors: InvalidArgument for a picture that is empty or too long and narrow; OutOfMemory; Device.
    virtual Result<EncodedPicture> encode(const Picture& picture) = 0;
    /// Why it is not on the device any more that was asked for: a sentence, or empty.
    virtual const std::string& note() const = 0;
};

/// What stands for a picture in a prompt's text.
inline constexpr std::string_view kPictureMark = "<__media__>";

/// Feeds a prompt and passes the logits of each of its text tokens, [vocabSize], to `row` in order. Each
/// kPictureMark in `prompt` is the next of `pictures`. `chunkTokens`: in steps of up to so many rows, but
/// those of a picture that see each other in one. LoadOptions::visionFile names the file that encoded them.
/// Errors: as Engine::load(); InvalidArgument if the marks are not as many as the pictures.
Status logitsWithPictures(const std::string& path, const LoadOptions& options, std::string_view prompt,
                          std::span<const EncodedPicture> pictures, uint32_t chunkTokens,
                          const std::function<void(std::span<const float>)>& row);

}  // namespace ingle
