/// The families that cut pictures into tiles.
#include <algorithm>
#include <cmath>

#include "engine/vision/preprocess.h"

namespace ingle::vision {
namespace {

/// A picture of whole tiles, line by line; `before(line, column)` is the text before one.
template <typename Before>
void cutTiles(const Picture& picture, Size tile, const Before& before, CutPicture& cut) {
    const Size grid{picture.width / tile.width, picture.height / tile.height};
    for (uint32_t line = 0; line < grid.height; ++line)
        for (uint32_t column = 0; column < grid.width; ++column)
            cut.tiles.push_back({before(line, column),
                                 cropped(picture, column * tile.width, line * tile.height, tile), grid,
                                 column, line});
}

class InBestTiles final : public Cutter {
  public:
    InBestTiles(uint32_t side, std::vector<Size> candidates, const Resizing& resizing, Marks marks,
                Overview overview)
        : m_side(side),
          m_candidates(std::move(candidates)),
          m_resizing(resizing),
          m_marks(std::move(marks)),
          m_isFirst(overview == Overview::First) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        const Size tile{m_side, m_side};
        if (m_isFirst) INGLE_TRY(checkProportions(sizeOf(picture)));
        CutPicture cut;
        const auto addOverview = [&] { cut.tiles.push_back({{}, m_resizing.stretched(picture, tile)}); };
        if (m_isFirst) addOverview();
        if (m_isFirst || picture.width > m_side || picture.height > m_side)
            cutTiles(
                m_resizing.to(picture, best(sizeOf(picture))), tile,
                [](uint32_t, uint32_t) { return std::string(); }, cut);
        if (!m_isFirst) addOverview();
        cut.tiles[0].before = m_marks.before;
        cut.after = m_marks.after;
        return cut;
    }

  private:
    Size best(Size size) const {
        Size found = m_candidates[0];
        uint64_t most = 0;
        uint64_t leastWaste = UINT64_MAX;
        for (const Size candidate : m_candidates) {
            const float scale =
                std::min(static_cast<float>(candidate.width) / static_cast<float>(size.width),
                         static_cast<float>(candidate.height) / static_cast<float>(size.height));
            const auto scaled = [&](uint32_t length) {
                return static_cast<uint64_t>(static_cast<float>(length) * scale);
            };
            const uint64_t shown = std::min(scaled(size.width) * scaled(size.height), size.area());
            const uint64_t waste = candidate.area() - shown;
            if (shown < most || (shown == most && waste >= leastWaste)) continue;
            most = shown;
            leastWaste = waste;
            found = candidate;
        }
        return found;
    }

    uint32_t m_side;
    std::vector<Size> m_candidates;
    Resizing m_resizing;
    Marks m_marks;
    bool m_isFirst;
};

class InNearestTiles final : public Cutter {
  public:
    InNearestTiles(uint32_t side, uint32_t leastTiles, uint32_t mostTiles, const Resizing& resizing,
                   Marks marks)
        : m_side(side),
          m_least(leastTiles),
          m_most(mostTiles),
          m_resizing(resizing),
          m_marks(std::move(marks)) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        const Size tile{m_side, m_side};
        const Size grid = nearest(sizeOf(picture));
        CutPicture cut;
        cutTiles(
            m_resizing.stretched(picture, {grid.width * m_side, grid.height * m_side}), tile,
            [](uint32_t, uint32_t) { return std::string(); }, cut);
        if (grid.area() > 1) cut.tiles.push_back({{}, m_resizing.stretched(picture, tile)});
        cut.tiles[0].before = m_marks.before;
        cut.after = m_marks.after;
        return cut;
    }

  private:
    Size nearest(Size size) const {
        const double ratio = static_cast<double>(size.width) / size.height;
        Size best{1, 1};
        double least = INFINITY;
        for (uint32_t count = m_least; count <= m_most; ++count) {
            for (uint32_t columns = 1; columns <= count; ++columns) {
                if (count % columns != 0) continue;
                const Size grid{columns, count / columns};
                const double off = std::abs(ratio - static_cast<double>(grid.width) / grid.height);
                const bool isLarge = 2 * size.area() > uint64_t{m_side} * m_side * count;
                if (off > least || (off == least && !isLarge)) continue;
                least = off;
                best = grid;
            }
        }
        return best;
    }

    uint32_t m_side, m_least, m_most;
    Resizing m_resizing;
    Marks m_marks;
};

class InSlices final : public Cutter {
  public:
    InSlices(uint32_t side, uint32_t unit, SmallBy small, const Resizing& resizing, SliceMarks marks)
        : m_side(side), m_unit(unit), m_small(small), m_resizing(resizing), m_marks(marks) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        const Size size = sizeOf(picture);
        INGLE_TRY(checkProportions(size));
        CutPicture cut{{}, "</image>"};
        const bool isSmall = m_small == SmallBy::Area ? size.area() <= square()
                                                      : picture.width <= m_side && picture.height <= m_side;
        if (isSmall) {
            const Size whole = m_small == SmallBy::Area ? bestSize(size, true) : Size{m_side, m_side};
            cut.tiles.push_back({"<image>", m_resizing.stretched(picture, whole)});
            return cut;
        }
        cut.tiles.push_back({"<image>", m_resizing.stretched(picture, bestSize(size, false))});
        const Size grid = gridOf(size);
        const Size cell = bestSize(
            {whole(size.width, grid.width) / grid.width, whole(size.height, grid.height) / grid.height},
            true);
        const bool isTogether = m_marks == SliceMarks::AllTogether;
        const auto before = [&](uint32_t line, uint32_t column) {
            const std::string end = isTogether ? "</image>" : "</slice>";
            const std::string begin = isTogether ? "<image>" : "<slice>";
            if (line == 0 && column == 0) return "</image>" + (isTogether ? "<slice>" + begin : begin);
            return end + (column == 0 ? "\n" : "") + begin;
        };
        cutTiles(m_resizing.to(picture, {cell.width * grid.width, cell.height * grid.height}), cell, before,
                 cut);
        cut.after = isTogether ? "</image></slice>" : "</slice>";
        return cut;
    }

  private:
    static constexpr uint32_t kMostSlices = 9;

    uint64_t square() const { return uint64_t{m_side} * m_side; }
    /// The multiple of `unit` that is nearest, one at least.
    static uint32_t whole(uint32_t length, uint32_t unit) {
        const float units = std::round(static_cast<float>(length) / static_cast<float>(unit));
        return std::max(static_cast<uint32_t>(units) * unit, unit);
    }
    /// About side × side pixels of the same proportions, in whole units; of less where nothing is enlarged.
    Size bestSize(Size size, bool enlarges) const {
        if (size.area() > square() || enlarges) {
            const float ratio = static_cast<float>(size.width) / static_cast<float>(size.height);
            size.height = static_cast<uint32_t>(static_cast<float>(m_side) / std::sqrt(ratio));
            size.width = static_cast<uint32_t>(static_cast<float>(size.height) * ratio);
        }
        return {whole(size.width, m_unit), whole(size.height, m_unit)};
    }
    Size gridOf(Size size) const {
        const float ratio = std::log(static_cast<float>(size.width) / static_cast<float>(size.height));
        const float squares = static_cast<float>(size.area()) / static_cast<float>(square());
        const auto wanted = static_cast<uint32_t>(std::min(std::ceil(squares), float{kMostSlices}));
        Size best{1, 1};
        float least = INFINITY;
        for (uint32_t count = wanted - 1; count <= wanted + 1; ++count) {
            if (count <= 1 || count > kMostSlices) continue;
            for (uint32_t columns = 1; columns <= count; ++columns) {
                if (count % columns != 0) continue;
                const Size grid{columns, count / columns};
                const float off = std::abs(
                    ratio - std::log(static_cast<float>(grid.width) / static_cast<float>(grid.height)));
                if (off >= least) continue;
                least = off;
                best = grid;
            }
        }
        return best;
    }

    uint32_t m_side, m_unit;
    SmallBy m_small;
    Resizing m_resizing;
    SliceMarks m_marks;
};

class InIdeficsTiles final : public Cutter {
  public:
    InIdeficsTiles(uint32_t side, uint32_t longest, const Resizing& resizing)
        : m_side(side), m_longest(longest), m_resizing(resizing) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        const Size fitting = longestSide(sizeOf(picture));
        const auto tiles = [&](uint32_t length) { return (length + m_side - 1) / m_side * m_side; };
        const Picture refined = m_resizing.stretched(m_resizing.stretched(picture, fitting),
                                                     {tiles(fitting.width), tiles(fitting.height)});
        CutPicture cut;
        if (m_longest <= m_side) {
            cut.tiles.push_back({"<fake_token_around_image><global-img>", refined});
            cut.after = "<fake_token_around_image>";
            return cut;
        }
        cutTiles(
            refined, {m_side, m_side},
            [](uint32_t line, uint32_t column) {
                return fmt::format("{}<fake_token_around_image><row_{}_col_{}>",
                                   line > 0 && column == 0 ? "\n" : "", line + 1, column + 1);
            },
            cut);
        cut.tiles.push_back(
            {"\n\n<fake_token_around_image><global-img>", m_resizing.stretched(refined, {m_side, m_side})});
        cut.after = "<fake_token_around_image>";
        return cut;
    }

  private:
    Size longestSide(Size size) const {
        const double ratio = static_cast<double>(size.width) / size.height;
        const auto even = [](double length) {
            const auto whole = static_cast<uint32_t>(length);
            return std::max(whole + whole % 2, 2U);
        };
        if (size.width >= size.height) return {m_longest, even(m_longest / ratio)};
        return {even(m_longest * ratio), m_longest};
    }

    uint32_t m_side, m_longest;
    Resizing m_resizing;
};

class InLfmTiles final : public Cutter {
  public:
    InLfmTiles(const UnitSizes& sizes, const Resizing& resizing) : m_sizes(sizes), m_resizing(resizing) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        INGLE_TRY_ASSIGN(const Size size, m_sizes.of(sizeOf(picture)));
        CutPicture cut{{{"<|image_start|>", m_resizing.stretched(picture, size)}}, "<|image_end|>"};
        const uint64_t most = uint64_t{m_sizes.tokens.most} * m_sizes.unit * m_sizes.unit;
        if (m_sizes.rounded(sizeOf(picture)).area() <= kMostTimes * most) return cut;
        CutPicture::Tile whole = std::move(cut.tiles[0]);
        cut.tiles.clear();
        const Size grid = gridOf(sizeOf(picture));
        const Resizing padded{m_resizing.filter, Fit::Padded, m_resizing.padding};
        cutTiles(
            padded.to(picture, {grid.width * kSide, grid.height * kSide}), {kSide, kSide},
            [](uint32_t line, uint32_t column) {
                return fmt::format("{}<|img_row_{}_col_{}|>",
                                   line == 0 && column == 0 ? "<|image_start|>" : "", line + 1, column + 1);
            },
            cut);
        cut.tiles.push_back({"<|img_thumbnail|>", std::move(whole.picture)});
        return cut;
    }

  private:
    static constexpr uint32_t kSide = 512;
    static constexpr uint32_t kLeastTiles = 2, kMostTiles = 10;
    static constexpr uint64_t kMostTimes = 2;  ///< the pixels of a picture that is one tile

    static Size gridOf(Size size) {
        const float ratio = static_cast<float>(size.width) / static_cast<float>(size.height);
        Size best{1, 1};
        float least = INFINITY;
        for (uint32_t count = kLeastTiles; count <= kMostTiles; ++count) {
            for (uint32_t columns = 1; columns <= count; ++columns) {
                if (count % columns != 0) continue;
                const Size grid{columns, count / columns};
                const float off =
                    std::abs(ratio - static_cast<float>(grid.width) / static_cast<float>(grid.height));
                const bool isLarge = 2 * size.area() > uint64_t{kSide} * kSide * grid.area();
                if (off > least || (off == least && !isLarge)) continue;
                least = off;
                best = grid;
            }
        }
        return best;
    }

    UnitSizes m_sizes;
    Resizing m_resizing;
};

}  // namespace

std::unique_ptr<Cutter> inBestTiles(uint32_t side, std::vector<Size> candidates, const Resizing& resizing,
                                    Marks marks, Overview overview) {
    return std::make_unique<InBestTiles>(side, std::move(candidates), resizing, std::move(marks), overview);
}

std::unique_ptr<Cutter> inNearestTiles(uint32_t side, uint32_t leastTiles, uint32_t mostTiles,
                                       const Resizing& resizing, Marks marks) {
    return std::make_unique<InNearestTiles>(side, leastTiles, mostTiles, resizing, std::move(marks));
}

std::unique_ptr<Cutter> inSlices(uint32_t side, uint32_t unit, SmallBy small, const Resizing& resizing,
                                 SliceMarks marks) {
    return std::make_unique<InSlices>(side, unit, small, resizing, marks);
}

std::unique_ptr<Cutter> inIdeficsTiles(uint32_t side, uint32_t longest, const Resizing& resizing) {
    return std::make_unique<InIdeficsTiles>(side, longest, resizing);
}

std::unique_ptr<Cutter> inLfmTiles(const UnitSizes& sizes, const Resizing& resizing) {
    return std::make_unique<InLfmTiles>(sizes, resizing);
}

}  // namespace ingle::vision
