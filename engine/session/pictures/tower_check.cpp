#include "engine/session/pictures/tower_check.h"

#include <algorithm>
#include <random>

#include "engine/session/devices/backends.h"
#include "engine/session/devices/check_run.h"
#include "engine/vision/row_programs.h"

namespace ingle::session {
namespace {

/// In a step: more than a page and than a tile of any kernel, and few.
constexpr uint32_t kRowCounts[] = {70, 9};

uint32_t inputWidthOf(const graph::Graph& graph) {
    for (const graph::Node& node : graph.nodes)
        if (const auto* input = std::get_if<backend::InputRowsParams>(&node.params)) return input->width;
    return 0;
}

/// The same graphs on both backends.
class TowerCheck {
  public:
    TowerCheck(backend::Backend& device, backend::Backend& processor)
        : m_device(device), m_tried(device), m_right(processor) {}

    Status compare(graph::Graph graph, bool isWindowed) {
        const Entry entry = add(std::move(graph));
        for (const uint32_t numRows : kRowCounts) {
            const Rows rows(numRows, entry.width, isWindowed);
            INGLE_TRY_ASSIGN(const auto expected, m_right.run(entry.number, rows.step()));
            INGLE_TRY_ASSIGN(const auto made, m_tried.run(entry.number, rows.step()));
            INGLE_TRY(compare(made, expected));
        }
        return {};
    }
    /// Queries read rows that the first graph keeps.
    Status compareBehind(graph::Graph before, graph::Graph graph, uint32_t numQueries) {
        const Entry kept = add(std::move(before)), entry = add(std::move(graph));
        const Rows rows(kRowCounts[0], kept.width, false), queries(numQueries, entry.width, false);
        const auto runOn = [&](vision::RowPrograms& programs) {
            return programs.runBehind(kept.number, rows.step(), entry.number, queries.step());
        };
        INGLE_TRY_ASSIGN(const auto expected, runOn(m_right));
        INGLE_TRY_ASSIGN(const auto made, runOn(m_tried));
        return compare(made, expected);
    }

  private:
    struct Entry {
        size_t number;
        uint32_t width;
    };
    struct Rows {
        Rows(uint32_t count, uint32_t width, bool isWindowed) : values(size_t{count} * width) {
            std::mt19937 random(count);
            std::normal_distribution<float> number;
            for (float& value : values) value = number(random);
            constexpr uint32_t kColumns = 8;
            for (uint32_t i = 0; i < count; ++i)
                coordinates.push_back({0, i / kColumns + 1, i % kColumns + 1, 0});
            runs = {count};
            if (isWindowed) runs = {count / 2, count - count / 2};
        }
        vision::RowStep step() const {
            return {.rows = values,
                    .numRows = static_cast<uint32_t>(coordinates.size()),
                    .runs = runs,
                    .coordinates = coordinates};
        }
        std::vector<float> values;
        std::vector<backend::Coordinates> coordinates;
        std::vector<uint32_t> runs;
    };

    Entry add(graph::Graph graph) {
        const uint32_t width = inputWidthOf(graph);
        m_tried.add(graph);
        return {m_right.add(std::move(graph)), width};
    }
    Status compare(std::span<const float> made, std::span<const float> expected) const {
        const double error = errorOf(made, expected);
        if (error <= maxErrorOf(m_device)) return {};
        return fail(ErrorCode::Device, "{} computes wrong rows of pictures (relative error {:.1e})",
                    m_device.deviceName(), error);
    }

    backend::Backend& m_device;
    vision::RowPrograms m_tried, m_right;
};

}  // namespace

Status checkTower(backend::Backend& device, const vision::BoundTower& tower, const LoadOptions& options) {
    LoadOptions exact = options;
    exact.activations = ActivationType::F32;
    INGLE_TRY_ASSIGN(const auto processor, createProcessor(exact));
    TowerCheck check(device, *processor);
    const vision::TowerSpec& spec = tower.spec;
    const models::Weights& weights = tower.weights;
    INGLE_TRY_ASSIGN(graph::Graph patches, patchGraph(spec, weights));
    INGLE_TRY(check.compare(std::move(patches), false));
    for (vision::LayerRange range : layerRanges(spec)) {
        range.end = std::min(range.end, range.first + 1);
        INGLE_TRY_ASSIGN(graph::Graph layers, layersGraph(spec, weights, range));
        INGLE_TRY(check.compare(std::move(layers), range.isWindowed));
    }
    if (!spec.resampler) {
        INGLE_TRY_ASSIGN(graph::Graph projector, projectorGraph(spec, weights));
        return check.compare(std::move(projector), false);
    }
    INGLE_TRY_ASSIGN(graph::Graph keys, resamplerKeysGraph(spec, weights));
    INGLE_TRY_ASSIGN(graph::Graph queries, resamplerGraph(spec, weights));
    return check.compareBehind(std::move(keys), std::move(queries), spec.resampler->numQueries);
}

}  // namespace ingle::session
