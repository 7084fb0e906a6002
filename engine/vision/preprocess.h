/// Which sizes a picture is brought to before a vision tower reads it: as it is or in tiles, as each family
/// was trained.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/vision/resize.h"

namespace ingle::vision {

/// Pictures that a tower reads one by one, and the text of the prompt around their rows.
struct CutPicture {
    struct Tile {
        std::string before;
        Picture picture;
        Size grid{1, 1};  ///< tiles of the picture, of which it shows the one at (column, line)
        uint32_t column = 0;
        uint32_t line = 0;
    };
    std::vector<Tile> tiles;
    std::string after;
    Size size{};  ///< of the picture before it was cut
};

enum class Fit : uint8_t {
    Padded,     ///< fitted(): proportions stay
    Stretched,  ///< resized()
};

/// How pictures are brought to a size.
struct Resizing {
    Filter filter = Filter::Bicubic;
    Fit fit = Fit::Padded;
    Colour padding{0, 0, 0};

    Picture to(const Picture& picture, Size size) const;
    /// The same with other proportions.
    Picture stretched(const Picture& picture, Size size) const { return resized(picture, size, filter); }
};

/// What stands in a prompt before and behind a picture.
struct Marks {
    std::string before, after;
};

/// How a family cuts pictures. Immutable: any thread.
class Cutter {
  public:
    virtual ~Cutter() = default;
    /// `picture` is not empty. Errors: InvalidArgument for one that is too long and narrow.
    virtual Result<CutPicture> cut(const Picture& picture) const = 0;
};

/// Halves of a unit.
enum class Rounding : uint8_t { AwayFromZero, ToEven };

/// Errors: InvalidArgument for a picture one of whose sides is too many times the other.
Status checkProportions(Size size);

/// Which size a picture is brought to, in whole units.
enum class SizeRule : uint8_t {
    Nearest,   ///< its own, unless that has too few or too many of them
    ByPixels,  ///< the same, but its limits are pixels, and all is computed as transformers does it
    Filled,    ///< the largest that has no more than the most; transformers' image_processing_gemma4.py
    Covered,   ///< its own with both sides rounded up, once its longer side is no longer than `longest`;
               ///< transformers' image_processing_pixtral.py
};

/// Of a picture; need not be whole units.
struct PixelLimits {
    uint64_t least = 0;
    uint64_t most = 0;
};

/// Sizes in whole units, of as many pixels as some range of tokens takes, one for each unit. Proportions stay
/// nearly. Source: Qwen team, transformers' image_processing_qwen2_vl.py (smart_resize).
struct UnitSizes {
    uint32_t unit = 0;  ///< pixels of a token on each side
    PictureTokens tokens;
    Rounding rounding = Rounding::AwayFromZero;
    SizeRule rule = SizeRule::Nearest;
    uint32_t longest = 0;  ///< pixels, of Covered
    PixelLimits limits{};  ///< of ByPixels, in place of tokens

    /// Errors: InvalidArgument for a picture that is too long and narrow.
    Result<Size> of(Size size) const;
    /// The nearest whole units, as many as it takes.
    Size rounded(Size size) const;

  private:
    Size byPixels(Size size) const;
    Size filled(Size size) const;
    Size covered(Size size) const;
};

/// One picture of such a size.
std::unique_ptr<Cutter> inUnits(const UnitSizes& sizes, const Resizing& resizing, Marks marks);

/// One picture of a fixed size.
std::unique_ptr<Cutter> inSquare(uint32_t side, const Resizing& resizing, Marks marks);

/// Where all of a picture stands that is cut into tiles.
enum class Overview : uint8_t {
    Last,   ///< a picture that is no larger than a tile is shown by it alone
    First,  ///< before the tiles, of small pictures, too
};
/// Square tiles of the candidate that shows most of the picture, line by line, and all of it in one such
/// square. Source: Liu et al., "LLaVA-NeXT" (2024); transformers' select_best_resolution.
std::unique_ptr<Cutter> inBestTiles(uint32_t side, std::vector<Size> candidates, const Resizing& resizing,
                                    Marks marks, Overview overview = Overview::Last);

/// The picture stretched to so many square tiles that its proportions change least, and all of it behind
/// them; or a single tile. Source: transformers' image_processing_got_ocr2.py, which InternVL has.
std::unique_ptr<Cutter> inNearestTiles(uint32_t side, uint32_t leastTiles, uint32_t mostTiles,
                                       const Resizing& resizing, Marks marks);

/// The middle of a picture, whose shorter side becomes `shortest` pixels: side × side of it. Source:
/// transformers' image_processing_clip.py.
std::unique_ptr<Cutter> inMiddle(uint32_t side, uint32_t shortest, const Resizing& resizing, Marks marks);

/// How MiniCPM-V writes slices of a picture into a prompt.
enum class SliceMarks : uint8_t {
    EachSlice,   ///< each slice stands between marks of its own
    AllTogether  ///< all are images between marks of slices
};
/// All of the picture, and behind it up to nine slices, whose lines `marks` separates by newlines. Sizes are
/// whole units. A picture of at most side × side pixels, by its sides or by its area, is not sliced. Source:
/// Yao et al., "MiniCPM-V" (2024), section 3.1, and OpenBMB's code.
enum class SmallBy : uint8_t { Sides, Area };
std::unique_ptr<Cutter> inSlices(uint32_t side, uint32_t unit, SmallBy small, const Resizing& resizing,
                                 SliceMarks marks);

/// Tiles of a picture whose longer side is `longest`, and all of it behind them. Source: transformers'
/// image_processing_idefics3.py.
std::unique_ptr<Cutter> inIdeficsTiles(uint32_t side, uint32_t longest, const Resizing& resizing);

/// One picture of whole units, or where it has far more pixels than `sizes` allow, tiles of 512 × 512 and the
/// picture itself behind them. Source: Liquid AI, transformers' image_processing_lfm2_vl_fast.py.
std::unique_ptr<Cutter> inLfmTiles(const UnitSizes& sizes, const Resizing& resizing);

/// One picture of the whole units whose proportions are nearest to its own.
std::unique_ptr<Cutter> inNearestGrid(uint32_t unit, uint32_t mostTokens, const Resizing& resizing,
                                      Marks marks);

}  // namespace ingle::vision
