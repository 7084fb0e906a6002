#include "engine/backend/vulkan/program/measured_kernels.h"

#include <algorithm>
#include <cctype>
#include <map>

#include "engine/backend/vulkan/matvec/kernel_file.h"
#include "engine/backend/vulkan/matvec/matvec.h"

namespace ingle::backend::vulkan {
namespace {

using nlohmann::json;

struct Fastest {
    uint64_t speed = 0;
    std::string text;

    void see(uint64_t other, const std::string& what) {
        if (other > speed) *this = {other, what};
    }
};
/// By rows of x.
using SpeedsOfFormat = std::map<uint32_t, Fastest>;
using Speeds = std::map<std::string, SpeedsOfFormat>;

std::string formatName(const json& row) {
    std::string name = row[0].get<std::string>();
    std::ranges::transform(name, name.begin(), [](unsigned char c) { return std::toupper(c); });
    return name;
}

/// Calls `see(speeds of the format, row)` for each row of a device's table.
template <typename See>
Speeds speedsIn(const KernelTable& table, const std::string& folder, std::string_view identity, See see) {
    Speeds speeds;
    const auto note = [&](const json& row) {
        see(speeds[formatName(row)], row);
        return true;
    };
    if (!readKernelFile(kernelFilePath(folder, table.name, identity, ActivationType::Auto), table, note))
        return {};
    return speeds;
}

void noteMatvec(SpeedsOfFormat& speeds, const json& row) {
    const auto numRows = row[2].get<uint32_t>();
    const auto bytes = row[9].get<uint64_t>();
    const bool inBytes = MatvecInput{row[3].get<uint8_t>()} == MatvecInput::Bytes;
    speeds[numRows].see(bytes, fmt::format("{} row{} {:.3g} GB/s{}", numRows, numRows == 1 ? "" : "s",
                                           static_cast<double>(bytes) / 1e9, inBytes ? " in bytes" : ""));
}

void noteMatmul(SpeedsOfFormat& speeds, const json& row) {
    const auto numRows = row[3].get<uint32_t>();
    const auto products = row[9].get<uint64_t>();
    speeds[numRows].see(products, fmt::format("{} rows {:.3g} TMAC/s in tiles of {} × {}", numRows,
                                              static_cast<double>(products) / 1e12, row[4].get<uint32_t>(),
                                              row[5].get<uint32_t>()));
}

}  // namespace

std::vector<std::string> measuredKernels(const std::string& folder, std::string_view identity) {
    Speeds speeds = speedsIn(kMatvecTable, folder, identity, noteMatvec);
    for (auto& [format, ofProducts] : speedsIn(kMatmulTable, folder, identity, noteMatmul)) {
        // The largest product stands for all.
        if (!ofProducts.empty()) speeds[format].insert(*ofProducts.rbegin());
    }
    std::vector<std::string> lines;
    for (const auto& [format, ofFormat] : speeds) {
        std::vector<std::string> texts;
        for (const auto& [numRows, fastest] : ofFormat)
            if (fastest.speed > 0) texts.push_back(fastest.text);
        lines.push_back(fmt::format("{}: {}", format, fmt::join(texts, ", ")));
    }
    return lines;
}

}  // namespace ingle::backend::vulkan
