#include "engine/vision/patch_grid.h"

#include <algorithm>
#include <cmath>

namespace ingle::vision {
namespace {

/// A row of a table, in parts of others: rows `index` with `weight` each.
struct Blend {
    std::vector<std::pair<uint32_t, double>> parts;
};

/// One dimension of a table of `from` rows that is stretched to `to`.
std::vector<Blend> stretched(uint32_t from, uint32_t to, Positions how) {
    std::vector<Blend> blends(to);
    const double scale = static_cast<double>(from) / to;
    for (uint32_t i = 0; i < to; ++i) {
        const auto add = [&](double index, double weight) {
            const double nearest = std::clamp(index, 0.0, from - 1.0);
            blends[i].parts.push_back({static_cast<uint32_t>(nearest), weight});
        };
        if (how == Positions::Averaged) {
            const double widened = std::max(scale, 1.0);
            const double centre = (i + 0.5) * scale;
            double sum = 0;
            const auto first = static_cast<uint32_t>(std::max(centre - widened + 0.5, 0.0));
            const auto end = std::min(static_cast<uint32_t>(centre + widened + 0.5), from);
            for (uint32_t x = first; x < end; ++x) {
                const double weight = 1 - std::min(std::abs((x - centre + 0.5) / widened), 1.0);
                add(x, weight);
                sum += weight;
            }
            for (auto& [index, weight] : blends[i].parts) weight /= sum;
            continue;
        }
        const double corners = to > 1 ? i * ((from - 1.0) / (to - 1.0)) : 0;
        const double at = how == Positions::AlignedCorners ? corners : std::max((i + 0.5) * scale - 0.5, 0.0);
        const double below = std::floor(at);
        add(below, 1 - (at - below));
        add(below + 1, at - below);
    }
    return blends;
}

/// Where a table's rows lie for the places of a grid, and how much each counts.
class TableReader {
  public:
    TableReader(const tensor::Tensor& table, uint32_t dim) : m_table(table), m_row(dim) {}

    void add(uint64_t row, double weight, float* out) {
        m_table.decodeRow(row, m_row);
        for (size_t i = 0; i < m_row.size(); ++i) out[i] += static_cast<float>(weight) * m_row[i];
    }

  private:
    const tensor::Tensor& m_table;
    std::vector<float> m_row;
};

tl::unexpected<Error> unfit(const tensor::Tensor& table) {
    return fail(ErrorCode::Corrupt, "the tensor {} has shape {}, which fits no grid of patches", table.name,
                table.shape.text());
}

}  // namespace

PatchGrid gridOf(Size size, uint32_t side) {
    PatchGrid grid{size, {}, {}};
    const uint32_t across = side > 0 ? side : size.width;
    const uint32_t down = side > 0 ? side : size.height;
    grid.order.reserve(grid.numPatches());
    for (uint32_t top = 0; top < size.height; top += down) {
        for (uint32_t left = 0; left < size.width; left += across) {
            const Size window{std::min(across, size.width - left), std::min(down, size.height - top)};
            for (uint32_t line = top; line < top + window.height; ++line)
                for (uint32_t column = left; column < left + window.width; ++column)
                    grid.order.push_back(line * size.width + column);
            grid.runs.push_back(static_cast<uint32_t>(window.area()));
        }
    }
    return grid;
}

std::vector<float> patchRows(const TowerSpec& spec, const Picture& picture, const PatchGrid& grid) {
    constexpr size_t kChannels = 3;
    std::array<std::array<float, 256>, kChannels> values{};
    for (size_t channel = 0; channel < kChannels; ++channel) {
        for (size_t byte = 0; byte < values[channel].size(); ++byte) {
            const float share = static_cast<float>(byte) / 255.0F;
            const float centred = share - spec.mean[channel];
            const float normal = centred / spec.deviation[channel];
            values[channel][byte] = normal * spec.pixelScale + spec.pixelOffset;
        }
    }
    std::vector<float> rows(size_t{grid.numPatches()} * spec.patchPixels());
    float* out = rows.data();
    for (const uint32_t patch : grid.order) {
        const size_t left = size_t{grid.columnOf(patch)} * spec.patch;
        const size_t top = size_t{grid.lineOf(patch)} * spec.patch;
        for (size_t channel = 0; channel < kChannels; ++channel) {
            for (size_t y = top; y < top + spec.patch; ++y) {
                const uint8_t* pixel = picture.rgb.data() + (y * picture.width + left) * kChannels + channel;
                for (uint32_t x = 0; x < spec.patch; ++x, pixel += kChannels)
                    *out++ = values[channel][*pixel];
            }
        }
    }
    return rows;
}

Result<std::vector<float>> positionRows(const TowerSpec& spec, const tensor::Tensor& table, Size grid) {
    const uint64_t numRows = table.shape.dims[1];
    const uint64_t first = spec.classToken == ClassToken::First ? 1 : 0;
    const bool hasClass = spec.classToken != ClassToken::None;
    const auto side = static_cast<uint32_t>(std::lround(std::sqrt(static_cast<double>(numRows))));
    std::vector<float> rows(grid.area() * spec.dim);
    TableReader reader(table, spec.dim);
    const auto forEach = [&](const auto& place) {
        float* out = rows.data();
        for (uint32_t line = 0; line < grid.height; ++line)
            for (uint32_t column = 0; column < grid.width; ++column, out += spec.dim)
                place(line, column, out);
    };
    switch (spec.positions) {
        case Positions::None:
            return std::vector<float>();
        case Positions::OfPatch:
            if (numRows != grid.area() + (hasClass ? 1 : 0))
                return fail(ErrorCode::Corrupt, "the tensor {} has {} positions for {} × {} patches",
                            table.name, numRows, grid.width, grid.height);
            forEach([&](uint32_t line, uint32_t column, float* out) {
                reader.add(first + uint64_t{line} * grid.width + column, 1, out);
            });
            return rows;
        case Positions::ByAxis:
            if (table.shape.dims[2] != 2) return unfit(table);
            if (grid.width > numRows || grid.height > numRows)
                return fail(ErrorCode::InvalidArgument,
                            "a picture of {} × {} patches, where {} fit in a line or a column", grid.width,
                            grid.height, numRows);
            forEach([&](uint32_t line, uint32_t column, float* out) {
                reader.add(column, 1, out);
                reader.add(numRows + line, 1, out);
            });
            return rows;
        case Positions::Buckets:
            if (uint64_t{side} * side != numRows) return unfit(table);
            forEach([&](uint32_t line, uint32_t column, float* out) {
                const uint64_t bucket = uint64_t{side} * (uint64_t{side} * line / grid.height);
                reader.add(bucket + uint64_t{side} * column / grid.width, 1, out);
            });
            return rows;
        case Positions::AlignedCorners:
        case Positions::HalfPixels:
        case Positions::Averaged:
            break;
    }
    if (uint64_t{side} * side != numRows) return unfit(table);
    const std::vector<Blend> lines = stretched(side, grid.height, spec.positions);
    const std::vector<Blend> columns = stretched(side, grid.width, spec.positions);
    forEach([&](uint32_t line, uint32_t column, float* out) {
        for (const auto& [y, lineWeight] : lines[line].parts)
            for (const auto& [x, columnWeight] : columns[column].parts)
                if (lineWeight * columnWeight != 0)
                    reader.add(uint64_t{y} * side + x, lineWeight * columnWeight, out);
    });
    return rows;
}

std::vector<backend::Coordinates> coordinatesOf(const TowerSpec& spec, const PatchGrid& grid) {
    std::vector<backend::Coordinates> coordinates;
    const uint32_t first = spec.rope ? spec.rope->first : 0;
    if (spec.classToken == ClassToken::First) coordinates.push_back({});
    for (const uint32_t patch : grid.order)
        coordinates.push_back({0, grid.lineOf(patch) + first, grid.columnOf(patch) + first, 0});
    if (spec.classToken == ClassToken::Last) coordinates.push_back({});
    return coordinates;
}

std::vector<float> joinedRows(const TowerSpec& spec, std::span<const float> rows, uint32_t width,
                              const PatchGrid& grid) {
    const uint32_t side = spec.merge;
    const Size cells = cellsOf(grid.size, side);
    const size_t perCell = size_t{side} * side;
    const size_t joinedWidth = spec.join == Join::Mean ? width : width * perCell;
    std::vector<float> joined(cells.area() * joinedWidth);
    for (size_t row = 0; row < grid.order.size(); ++row) {
        const uint32_t line = grid.lineOf(grid.order[row]);
        const uint32_t column = grid.columnOf(grid.order[row]);
        const size_t cell = spec.areColumnsFirst ? size_t{column / side} * cells.height + line / side
                                                 : size_t{line / side} * cells.width + column / side;
        const size_t inCell = size_t{line % side} * side + column % side;
        float* out = joined.data() + cell * joinedWidth;
        const float* x = rows.data() + row * width;
        for (size_t i = 0; i < width; ++i) {
            if (spec.join == Join::PatchByPatch) out[inCell * width + i] = x[i];
            if (spec.join == Join::ChannelByChannel) out[i * perCell + inCell] = x[i];
            if (spec.join == Join::Mean) out[i] += x[i] / static_cast<float>(perCell);
        }
    }
    return joined;
}

std::vector<float> sineRows(const PatchGrid& grid, uint32_t width) {
    const size_t quarter = width / 4;
    std::vector<float> rows(size_t{grid.numPatches()} * width);
    float* out = rows.data();
    for (const uint32_t patch : grid.order) {
        for (const uint32_t place : {grid.columnOf(patch), grid.lineOf(patch)}) {
            for (size_t i = 0; i < quarter; ++i, ++out) {
                const double angle =
                    place * std::pow(10000.0, -static_cast<double>(i) / static_cast<double>(quarter));
                out[0] = static_cast<float>(std::sin(angle));
                out[quarter] = static_cast<float>(std::cos(angle));
            }
            out += quarter;
        }
    }
    return rows;
}

}  // namespace ingle::vision
