#include "engine/backend/cpu/rope_tables.h"

#include <algorithm>

#include "engine/base/check.h"
#include "engine/kernels/ref/rope.h"

namespace ingle::backend::cpu {

bool RopeTables::Table::serves(const RopeParams& params, uint32_t ofHead) const {
    const bool servesHead = positions == RopePositions::OfToken || ofHead % 2 == head;
    return servesHead && positions == params.positions && magnitude == params.magnitude &&
           frequencies == params.frequencies && axes == params.axes;
}

RopeTables::RopeTables(const Plan& plan) : m_maxTokens(plan.maxTokens) {
    for (const Op& op : plan.ops) {
        const auto* params = std::get_if<RopeParams>(&op.params);
        if (!params) continue;
        for (uint32_t head = 0; head < 2; ++head) {
            const auto serves = [&](const Table& table) { return table.serves(*params, head); };
            if (std::ranges::none_of(m_tables, serves))
                m_tables.push_back(
                    {params->frequencies, params->magnitude, params->positions, params->axes, head, {}});
        }
    }
}

uint64_t RopeTables::bytes() const {
    uint64_t bytes = 0;
    for (const Table& table : m_tables) bytes += sizeof(float) * table.rowFloats() * m_maxTokens;
    return bytes;
}

Status RopeTables::allocate() {
    for (Table& table : m_tables) {
        INGLE_TRY_ASSIGN(table.angles,
                         base::Buffer::allocate(sizeof(float) * table.rowFloats() * m_maxTokens));
    }
    return {};
}

void RopeTables::fill(std::span<const RunRows> runs, std::span<const Coordinates> coordinates,
                      base::ThreadPool& threads) {
    for (Table& table : m_tables) {
        const std::span<float> angles = table.angles.floats();
        const size_t width = table.rowFloats();
        for (const RunRows& rows : runs) {
            threads.parallelFor(rows.numRows, 1, [&](size_t begin, size_t end, uint32_t) {
                for (size_t i = begin; i < end; ++i) {
                    const uint32_t token = rows.firstPosition + static_cast<uint32_t>(i);
                    const std::span<float> row = angles.subspan((rows.firstRow + i) * width, width);
                    if (!coordinates.empty() && !table.axes.empty()) {
                        kernels::ropeAxisAnglesRef(coordinates[rows.firstRow + i], table.axes,
                                                   table.frequencies, table.magnitude, row);
                        continue;
                    }
                    kernels::ropeAnglesRef(
                        ropePosition(table.positions, table.head, token, rows.prefixTokens),
                        table.frequencies, table.magnitude, row);
                }
            });
        }
    }
}

size_t RopeTables::tableOf(const RopeParams& params, uint32_t head) const {
    const auto found =
        std::ranges::find_if(m_tables, [&](const Table& table) { return table.serves(params, head); });
    INGLE_CHECK(found != m_tables.end(), "no table of {} frequencies", params.frequencies.size());
    return static_cast<size_t>(found - m_tables.begin());
}

std::span<const float> RopeTables::angles(size_t table, size_t row) const {
    const size_t width = m_tables[table].rowFloats();
    return m_tables[table].angles.floats().subspan(row * width, width);
}

}  // namespace ingle::backend::cpu
