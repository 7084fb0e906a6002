#include "engine/vision/encoder.h"

#include <algorithm>

namespace ingle::vision {
namespace {

/// Patches that a tower reads at once, more than any family has.
constexpr uint64_t kMostPatches = 1 << 16;

/// Numbers of graphs: those of layer ranges follow the patches', and then the projector's, or the two of a
/// resampler.
constexpr size_t kPatches = 0, kLayers = 1;

std::vector<float> decoded(const tensor::Tensor& tensor) {
    std::vector<float> values(tensor.shape.numElems());
    const size_t width = tensor.shape.rowElems();
    for (size_t row = 0; row < tensor.shape.numRows(); ++row)
        tensor.decodeRow(row, std::span(values).subspan(row * width, width));
    return values;
}

/// Columns [first, first + count) of rows.
std::vector<float> columnsOf(std::span<const float> rows, size_t width, size_t first, size_t count) {
    std::vector<float> columns;
    columns.reserve(rows.size() / width * count);
    for (size_t at = first; at < rows.size(); at += width)
        columns.insert(columns.end(), rows.begin() + static_cast<long>(at),
                       rows.begin() + static_cast<long>(at + count));
    return columns;
}

/// Rows of several kinds, side by side in this order.
std::vector<float> sideBySide(std::span<const std::vector<float>> kinds, size_t numRows) {
    std::vector<float> rows;
    for (size_t row = 0; row < numRows; ++row) {
        for (const std::vector<float>& kind : kinds) {
            const size_t width = kind.size() / numRows;
            rows.insert(rows.end(), kind.begin() + static_cast<long>(row * width),
                        kind.begin() + static_cast<long>((row + 1) * width));
        }
    }
    return rows;
}

}  // namespace

Result<std::unique_ptr<TowerEncoder>> TowerEncoder::create(const TowerSpec& spec,
                                                           const models::Weights& weights,
                                                           backend::Backend& backend) {
    std::unique_ptr<TowerEncoder> encoder(new TowerEncoder(spec, weights, backend));
    RowPrograms& programs = encoder->m_programs;
    const auto add = [&](Result<graph::Graph> graph) -> Status {
        if (!graph) return tl::unexpected(std::move(graph).error());
        programs.add(*std::move(graph));
        return {};
    };
    INGLE_TRY(add(patchGraph(spec, weights)));
    encoder->m_ranges = layerRanges(spec);
    for (const LayerRange& range : encoder->m_ranges) INGLE_TRY(add(layersGraph(spec, weights, range)));
    if (!spec.resampler) {
        INGLE_TRY(add(projectorGraph(spec, weights)));
    } else {
        INGLE_TRY(add(resamplerKeysGraph(spec, weights)));
        INGLE_TRY(add(resamplerGraph(spec, weights)));
    }
    return encoder;
}

EncodedPicture encodedPicture(PictureLayout layout, const CutPicture& cut, std::vector<float> rows) {
    EncodedPicture encoded{std::move(layout), {}, std::move(rows)};
    for (const CutPicture::Tile& part : cut.tiles)
        encoded.pixels.insert(encoded.pixels.end(), part.picture.rgb.begin(), part.picture.rgb.end());
    return encoded;
}

Result<CutPicture> TowerEncoder::cut(const Picture& picture) const {
    if (picture.width == 0 || picture.height == 0 ||
        picture.rgb.size() != uint64_t{3} * picture.width * picture.height)
        return fail(ErrorCode::InvalidArgument, "a picture of {} × {} pixels cannot be {} bytes",
                    picture.width, picture.height, picture.rgb.size());
    INGLE_TRY_ASSIGN(CutPicture cut, m_spec.cutter->cut(picture));
    cut.size = sizeOf(picture);
    return cut;
}

Result<PictureLayout> TowerEncoder::layoutOf(const CutPicture& cut) const {
    PictureLayout layout{.width = cut.size.width,
                         .height = cut.size.height,
                         .tiles = {},
                         .after = cut.after,
                         .rowWidth = m_spec.outDim,
                         .hasGrid = m_spec.hasGrid};
    for (const CutPicture::Tile& part : cut.tiles) {
        const Size size = sizeOf(part.picture);
        INGLE_TRY_ASSIGN(const PatchGrid patches, patchesOf(size));
        const Size cells = cellsOfTile(patches);
        const uint32_t lineEnds = m_spec.lineEnd.empty() || m_spec.packsTiles ? 0 : cells.height - 1;
        const auto numRows = static_cast<uint32_t>(cells.area()) + lineEnds;
        const Size shown{cut.size.width / part.grid.width, cut.size.height / part.grid.height};
        layout.tiles.push_back({.before = part.before,
                                .width = size.width,
                                .height = size.height,
                                .numRows = numRows,
                                .columns = cells.width,
                                .lines = cells.height,
                                .seen = {.left = shown.width * part.column,
                                         .top = shown.height * part.line,
                                         .width = shown.width,
                                         .height = shown.height,
                                         .seenWidth = size.width,
                                         .seenHeight = size.height,
                                         .tokens = numRows}});
    }
    if (!m_spec.packsTiles) return layout;
    // All tiles but the first are one.
    INGLE_TRY_ASSIGN(const PackedTiles packed, packingOf(cut));
    PictureTile& lines = layout.tiles[1];
    layout.tiles.resize(2);
    lines.width *= packed.tiles.width;
    lines.height *= packed.tiles.height;
    lines.numRows = packed.numRows();
    lines.columns = packed.shown.width + 1;
    lines.lines = packed.shown.height;
    lines.seen = {.left = 0,
                  .top = 0,
                  .width = cut.size.width,
                  .height = cut.size.height,
                  .seenWidth = lines.width,
                  .seenHeight = lines.height,
                  .tokens = lines.numRows};
    return layout;
}

Result<PackedTiles> TowerEncoder::packingOf(const CutPicture& cut) const {
    if (cut.tiles.size() < 2) return fail(ErrorCode::InvalidArgument, "a picture of one tile");
    const CutPicture::Tile& second = cut.tiles[1];
    INGLE_TRY_ASSIGN(const PatchGrid patches, patchesOf(sizeOf(second.picture)));
    return packedTiles(cut.size, second.grid, cellsOfTile(patches));
}

Result<std::vector<float>> TowerEncoder::encode(const CutPicture& cut, const Watch& watch) {
    const size_t all = std::max<size_t>(m_programs.numOps() * cut.tiles.size(), 1);
    size_t done = 0;
    m_programs.watch([&] {
        ++done;
        return watch && watch(std::min(static_cast<double>(done) / static_cast<double>(all), 1.0));
    });
    const auto encodeAll = [&]() -> Result<std::vector<float>> {
        std::vector<float> rows;
        size_t ofFirst = 0;
        for (const CutPicture::Tile& part : cut.tiles) {
            INGLE_TRY_ASSIGN(const std::vector<float> made, encodeTile(part.picture));
            if (rows.empty()) ofFirst = made.size();
            rows.insert(rows.end(), made.begin(), made.end());
        }
        if (!m_spec.packsTiles) return rows;
        INGLE_TRY_ASSIGN(const PackedTiles packed, packingOf(cut));
        const std::vector<float> lines =
            packedRows(std::span(rows).subspan(ofFirst), packed, decoded(*m_weights[m_spec.lineEnd]));
        rows.resize(ofFirst);
        rows.insert(rows.end(), lines.begin(), lines.end());
        return rows;
    };
    auto rows = encodeAll();
    m_programs.watch(nullptr);
    return rows;
}

Result<EncodedPicture> TowerEncoder::encode(const Picture& picture) {
    INGLE_TRY_ASSIGN(const CutPicture cut, this->cut(picture));
    INGLE_TRY_ASSIGN(PictureLayout layout, layoutOf(cut));
    INGLE_TRY_ASSIGN(std::vector<float> rows, encode(cut, nullptr));
    return encodedPicture(std::move(layout), cut, std::move(rows));
}

Result<std::vector<float>> TowerEncoder::placed(std::vector<float> rows, const PatchGrid& grid) const {
    const size_t dim = m_spec.dim;
    const tensor::Tensor* table = m_weights["v.position_embd.weight"];
    if (table) {
        INGLE_TRY_ASSIGN(const std::vector<float> positions, positionRows(m_spec, *table, grid.size));
        for (size_t row = 0; row < grid.order.size(); ++row)
            for (size_t i = 0; i < dim; ++i) rows[row * dim + i] += positions[grid.order[row] * dim + i];
    }
    if (m_spec.classToken == ClassToken::None) return rows;
    std::vector<float> token = decoded(*m_weights["v.class_embd"]);
    const bool isFirst = m_spec.classToken == ClassToken::First;
    std::vector<float> position(dim);
    table->decodeRow(isFirst ? 0 : grid.numPatches(), position);
    for (size_t i = 0; i < dim; ++i) token[i] += position[i];
    rows.insert(isFirst ? rows.begin() : rows.end(), token.begin(), token.end());
    return rows;
}

Result<std::vector<float>> TowerEncoder::towerRows(const Picture& picture, PatchGrid& grid) {
    INGLE_TRY_ASSIGN(std::vector<float> rows,
                     m_programs.run(kPatches, {patchRows(m_spec, picture, grid), grid.numPatches()}));
    INGLE_TRY_ASSIGN(rows, placed(std::move(rows), grid));
    const std::vector<backend::Coordinates> coordinates = coordinatesOf(m_spec, grid);
    const size_t dim = m_spec.dim;
    auto numRows = static_cast<uint32_t>(rows.size() / dim);
    std::vector<std::vector<float>> features(m_spec.features.size());
    for (size_t i = 0; i < m_ranges.size(); ++i) {
        const LayerRange& range = m_ranges[i];
        if (m_spec.earlyMerge && range.first == m_spec.earlyMerge->layer + 1) {
            // The rows of a square lie one behind the other.
            grid = gridOf(cellsOf(grid.size, 2), 0);
            numRows /= 4;
        }
        RowStep step{.rows = rows, .numRows = numRows};
        if (m_spec.rope) step.coordinates = coordinates;
        if (range.isWindowed) step.runs = grid.runs;
        INGLE_TRY_ASSIGN(rows, m_programs.run(kLayers + i, step));
        const std::vector<uint32_t> made = featuresOf(m_spec, range);
        if (made.empty()) continue;
        const size_t width = rows.size() / numRows;
        for (size_t j = 0; j < made.size(); ++j) features[made[j]] = columnsOf(rows, width, j * dim, dim);
        rows = columnsOf(rows, width, made.size() * dim, width - made.size() * dim);
    }
    if (!features.empty()) {
        if (m_spec.readsLastLayer) features.insert(features.begin(), std::move(rows));
        rows = sideBySide(features, numRows);
    }
    const auto width = static_cast<long>(rows.size() / numRows);
    if (m_spec.classToken == ClassToken::First) rows.erase(rows.begin(), rows.begin() + width);
    if (m_spec.classToken == ClassToken::Last) rows.erase(rows.end() - width, rows.end());
    return rows;
}

Result<PatchGrid> TowerEncoder::patchesOf(Size tile) const {
    const Size patches{tile.width / m_spec.patch, tile.height / m_spec.patch};
    if (patches.area() == 0 || patches.area() > kMostPatches)
        return fail(ErrorCode::InvalidArgument,
                    "a picture of {} × {} pixels, of which at most {} patches fit", tile.width, tile.height,
                    kMostPatches);
    const uint32_t side = m_spec.earlyMerge ? 2 : m_spec.windows ? m_spec.windows->side : 0;
    return gridOf(patches, side);
}

Size TowerEncoder::cellsOfTile(const PatchGrid& patches) const {
    if (m_spec.resampler) return {m_spec.resampler->numQueries, 1};
    return cellsOf(m_spec.earlyMerge ? cellsOf(patches.size, 2) : patches.size, m_spec.merge);
}

Result<std::vector<float>> TowerEncoder::encodeTile(const Picture& picture) {
    INGLE_TRY_ASSIGN(PatchGrid grid, patchesOf(sizeOf(picture)));
    const Size cells = cellsOfTile(grid);
    INGLE_TRY_ASSIGN(const std::vector<float> rows, towerRows(picture, grid));
    if (m_spec.resampler) return resampled(rows, grid);
    const std::vector<float> joined = joinedRows(m_spec, rows, m_spec.rowWidth(), grid);
    INGLE_TRY_ASSIGN(std::vector<float> made,
                     m_programs.run(projector(), {joined, static_cast<uint32_t>(cells.area())}));
    return withLineEnds(std::move(made), cells);
}

Result<std::vector<float>> TowerEncoder::resampled(std::span<const float> rows, const PatchGrid& grid) {
    const std::vector<float> kinds[] = {{rows.begin(), rows.end()}, sineRows(grid, m_spec.outDim)};
    const std::vector<float> keys = sideBySide(kinds, grid.numPatches());
    const std::vector<float> queries = decoded(*m_weights["resampler.query"]);
    return m_programs.runBehind(projector(), {keys, grid.numPatches()}, projector() + 1,
                                {queries, m_spec.resampler->numQueries});
}

std::vector<float> TowerEncoder::withLineEnds(std::vector<float> rows, Size cells) const {
    if (m_spec.lineEnd.empty() || m_spec.packsTiles) return rows;
    const std::vector<float> end = decoded(*m_weights[m_spec.lineEnd]);
    const size_t line = size_t{cells.width} * m_spec.outDim;
    std::vector<float> all;
    for (size_t at = 0; at < rows.size(); at += line) {
        if (at > 0) all.insert(all.end(), end.begin(), end.end());
        all.insert(all.end(), rows.begin() + static_cast<long>(at),
                   rows.begin() + static_cast<long>(at + line));
    }
    return all;
}

}  // namespace ingle::vision
