#include "app/bridge/embeddings.h"

#include <bit>
#include <cmath>
#include <cstdint>

#include "app/bridge/json_text.h"

namespace ingle::bridge {
namespace {

void appendLittleEndian(std::string& bytes, float value) {
    const auto bits = std::bit_cast<uint32_t>(value);
    for (int shift = 0; shift < 32; shift += 8) bytes += static_cast<char>(bits >> shift & 0xFF);
}

}  // namespace

Result<protocol::Embedded> readEmbeddings(std::string_view body, size_t numTexts) {
    const auto strange = [] { return fail(ErrorCode::Corrupt, "not one row of numbers of each text"); };
    const auto read = readJson(body);
    if (!read) return strange();
    const nlohmann::json& data = memberAt(*read, "data");
    if (!data.is_array() || data.size() != numTexts) return strange();
    std::vector<std::vector<double>> rows(numTexts);
    for (const nlohmann::json& each : data) {
        const auto index = countAt(each, "index");
        const nlohmann::json& numbers = memberAt(each, "embedding");
        if (!index || *index >= numTexts || !numbers.is_array() || !rows[*index].empty()) return strange();
        for (const nlohmann::json& number : numbers) {
            if (!number.is_number()) return strange();
            rows[*index].push_back(number.get<double>());
        }
    }
    protocol::Embedded embedded;
    embedded.dim = numTexts == 0 ? 0 : static_cast<uint32_t>(rows.front().size());
    embedded.tokens = countAt(memberAt(*read, "usage"), "prompt_tokens").value_or(0);
    for (const std::vector<double>& row : rows) {
        double squares = 0;
        for (const double value : row) squares += value * value;
        if (row.size() != embedded.dim || !(squares > 0) || !std::isfinite(squares)) return strange();
        for (const double value : row)
            appendLittleEndian(embedded.rows, static_cast<float>(value / std::sqrt(squares)));
    }
    return embedded;
}

}  // namespace ingle::bridge
