#include "engine/vision/preprocess.h"

#include <algorithm>
#include <cmath>

#include "ingle/error_ids.h"

namespace ingle::vision {
namespace {

/// Of its sides. Families are trained with less; what is more would be enlarged beyond all limits.
constexpr uint32_t kMostRatio = 200;

class InUnits final : public Cutter {
  public:
    InUnits(const UnitSizes& sizes, const Resizing& resizing, Marks marks)
        : m_sizes(sizes), m_resizing(resizing), m_marks(std::move(marks)) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        INGLE_TRY_ASSIGN(const Size size, m_sizes.of(sizeOf(picture)));
        return CutPicture{{{m_marks.before, m_resizing.to(picture, size)}}, m_marks.after};
    }

  private:
    UnitSizes m_sizes;
    Resizing m_resizing;
    Marks m_marks;
};

class InSquare final : public Cutter {
  public:
    InSquare(uint32_t side, const Resizing& resizing, Marks marks)
        : m_side(side), m_resizing(resizing), m_marks(std::move(marks)) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        return CutPicture{{{m_marks.before, m_resizing.to(picture, {m_side, m_side})}}, m_marks.after};
    }

  private:
    uint32_t m_side;
    Resizing m_resizing;
    Marks m_marks;
};

class InMiddle final : public Cutter {
  public:
    InMiddle(uint32_t side, uint32_t shortest, const Resizing& resizing, Marks marks)
        : m_side(side), m_shortest(shortest), m_resizing(resizing), m_marks(std::move(marks)) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        INGLE_TRY(checkProportions(sizeOf(picture)));
        const uint32_t shorter = std::min(picture.width, picture.height);
        const auto length = [&](uint32_t side) {
            return static_cast<uint32_t>(uint64_t{side} * m_shortest / shorter);
        };
        const Picture whole = m_resizing.stretched(picture, {length(picture.width), length(picture.height)});
        return CutPicture{{{m_marks.before, cropped(whole, (whole.width - m_side) / 2,
                                                    (whole.height - m_side) / 2, {m_side, m_side})}},
                          m_marks.after};
    }

  private:
    uint32_t m_side, m_shortest;
    Resizing m_resizing;
    Marks m_marks;
};

class InNearestGrid final : public Cutter {
  public:
    InNearestGrid(uint32_t unit, uint32_t mostTokens, const Resizing& resizing, Marks marks)
        : m_unit(unit), m_most(mostTokens), m_resizing(resizing), m_marks(std::move(marks)) {}

    Result<CutPicture> cut(const Picture& picture) const override {
        const Size grid = gridOf(sizeOf(picture));
        return CutPicture{
            {{m_marks.before, m_resizing.to(picture, {grid.width * m_unit, grid.height * m_unit})}},
            m_marks.after};
    }

  private:
    Size gridOf(Size size) const {
        double width = static_cast<double>(size.width) / m_unit;
        double height = static_cast<double>(size.height) / m_unit;
        if (width * height > m_most) {
            const double shrink = std::sqrt(m_most / (width * height));
            width *= shrink;
            height *= shrink;
        }
        const double ratio = static_cast<double>(size.height) / size.width;
        Size best{1, 1};
        double least = INFINITY;
        for (const double across : {std::floor(width), std::ceil(width)}) {
            for (const double down : {std::floor(height), std::ceil(height)}) {
                const Size grid{wholeOf(across), wholeOf(down)};
                if (grid.area() > m_most) continue;
                const double off = std::abs(static_cast<double>(grid.height) / grid.width - ratio);
                if (off > least || (off == least && grid.area() <= best.area())) continue;
                least = off;
                best = grid;
            }
        }
        return best;
    }
    uint32_t wholeOf(double units) const {
        return static_cast<uint32_t>(std::clamp(units, 1.0, static_cast<double>(m_most)));
    }

    uint32_t m_unit, m_most;
    Resizing m_resizing;
    Marks m_marks;
};

}  // namespace

Picture Resizing::to(const Picture& picture, Size size) const {
    return fit == Fit::Padded ? fitted(picture, size, filter, padding) : resized(picture, size, filter);
}

Status checkProportions(Size size) {
    const uint64_t longer = std::max(size.width, size.height);
    if (longer <= uint64_t{kMostRatio} * std::min(size.width, size.height)) return {};
    return withId<ErrorId::PictureTooNarrow>(
        fail(ErrorCode::InvalidArgument,
             "a picture of {} × {} pixels is too narrow: one side may be {} times the other at most",
             size.width, size.height, kMostRatio));
}

Size UnitSizes::rounded(Size size) const {
    const auto units = [&](uint32_t length) {
        const float count = static_cast<float>(length) / static_cast<float>(unit);
        const float whole = rounding == Rounding::ToEven ? std::nearbyint(count) : std::round(count);
        return std::max(static_cast<uint32_t>(whole), 1U) * unit;
    };
    return {units(size.width), units(size.height)};
}

Result<Size> UnitSizes::of(Size size) const {
    INGLE_TRY(checkProportions(size));
    if (rule == SizeRule::ByPixels) return byPixels(size);
    if (rule == SizeRule::Filled) return filled(size);
    if (rule == SizeRule::Covered) {
        const Size whole = covered(size);
        if (whole.area() <= uint64_t{tokens.most} * unit * unit) return whole;
    }
    const float perToken = static_cast<float>(unit) * static_cast<float>(unit);
    const float most = static_cast<float>(tokens.most) * perToken;
    const float least = static_cast<float>(tokens.least) * perToken;
    const Size whole = rounded(size);
    const auto area = static_cast<float>(whole.area());
    const auto pixels = static_cast<float>(size.area());
    const auto side = static_cast<float>(unit);
    if (area > most) {
        const float shrink = std::sqrt(pixels / most);
        const auto down = [&](uint32_t length) {
            const float units = std::floor(static_cast<float>(length) / shrink / side);
            return std::max(static_cast<uint32_t>(units), 1U) * unit;
        };
        return Size{down(size.width), down(size.height)};
    }
    if (area < least) {
        const float grow = std::sqrt(least / pixels);
        const auto up = [&](uint32_t length) {
            return static_cast<uint32_t>(std::ceil(static_cast<float>(length) * grow / side)) * unit;
        };
        return Size{up(size.width), up(size.height)};
    }
    return whole;
}

Size UnitSizes::byPixels(Size size) const {
    const double side = unit, width = size.width, height = size.height;
    const auto made = [&](double across, double down) {
        return Size{static_cast<uint32_t>(across) * unit, static_cast<uint32_t>(down) * unit};
    };
    // Halves to even. Less than half a unit is none, which is always too little.
    const Size whole = made(std::nearbyint(width / side), std::nearbyint(height / side));
    const auto area = static_cast<double>(size.area());
    if (whole.area() > limits.most) {
        const double shrink = std::sqrt(area / static_cast<double>(limits.most));
        const auto down = [&](double length) { return std::max(std::floor(length / shrink / side), 1.0); };
        return made(down(width), down(height));
    }
    if (whole.area() < std::max(limits.least, uint64_t{1})) {
        const double grow = std::sqrt(static_cast<double>(limits.least) / area);
        const auto up = [&](double length) { return std::max(std::ceil(length * grow / side), 1.0); };
        return made(up(width), up(height));
    }
    return whole;
}

Size UnitSizes::filled(Size size) const {
    const double target = static_cast<double>(tokens.most) * unit * unit;
    const double factor = std::sqrt(target / static_cast<double>(size.area()));
    const auto units = [&](uint32_t length) { return static_cast<uint32_t>(factor * length / unit); };
    Size whole{units(size.width), units(size.height)};
    // One side of a long and narrow picture is a unit, and the other what fits.
    const auto across = [&](uint32_t longer, uint32_t shorter) {
        return std::min(longer / shorter, tokens.most);
    };
    if (whole.height == 0) whole = {std::max(across(size.width, size.height), 1U), 1};
    if (whole.width == 0) whole = {1, std::max(across(size.height, size.width), 1U)};
    return {whole.width * unit, whole.height * unit};
}

Size UnitSizes::covered(Size size) const {
    const double ratio = static_cast<double>(std::max(size.width, size.height)) / longest;
    const auto units = [&](uint32_t length) {
        const uint32_t fitting = ratio > 1 ? static_cast<uint32_t>(length / ratio) : length;
        return std::max((fitting + unit - 1) / unit, 1U) * unit;
    };
    return {units(size.width), units(size.height)};
}

std::unique_ptr<Cutter> inUnits(const UnitSizes& sizes, const Resizing& resizing, Marks marks) {
    return std::make_unique<InUnits>(sizes, resizing, std::move(marks));
}

std::unique_ptr<Cutter> inSquare(uint32_t side, const Resizing& resizing, Marks marks) {
    return std::make_unique<InSquare>(side, resizing, std::move(marks));
}

std::unique_ptr<Cutter> inMiddle(uint32_t side, uint32_t shortest, const Resizing& resizing, Marks marks) {
    return std::make_unique<InMiddle>(side, shortest, resizing, std::move(marks));
}

std::unique_ptr<Cutter> inNearestGrid(uint32_t unit, uint32_t mostTokens, const Resizing& resizing,
                                      Marks marks) {
    return std::make_unique<InNearestGrid>(unit, mostTokens, resizing, std::move(marks));
}

}  // namespace ingle::vision
