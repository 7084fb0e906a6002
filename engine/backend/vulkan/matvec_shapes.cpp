#include "engine/backend/vulkan/matvec_shapes.h"

#include <algorithm>
#include <bit>
#include <chrono>
#include <nlohmann/json.hpp>

#include "engine/backend/vulkan/recorder.h"
#include "engine/backend/vulkan/shaders.h"
#include "engine/io/atomic_file.h"
#include "engine/io/mapped_file.h"

namespace ingle::backend::vulkan {
namespace {

/// Of a workgroup. Even, since gates and values come in pairs; a value of x serves them all.
constexpr uint32_t kOutputs = 4;
constexpr uint32_t kMaxGroupsX = 32768;
constexpr uint32_t kMaxInvocations = 256;  // matvec.comp has room for the sums of so many
constexpr std::chrono::seconds kRunLimit{20};
constexpr double kMeasuredSeconds = 2e-3;  // a run of this length is longer than what surrounds it
constexpr uint32_t kMaxRepeats = 64;
constexpr int kRuns = 3;

/// Which version of the kernels the file is about: a change of matvec.comp that moves the balance counts it
/// up.
constexpr int kVersion = 1;

std::string shaderOf(MatvecInput input, const WeightFormat& format) {
    return fmt::format("{}_{}", input == MatvecInput::Bytes ? "matvec_int" : "matvec", format.name);
}

/// Seconds of the fastest of a few runs.
Result<double> secondsOf(Commands& commands) {
    double best = INFINITY;
    for (int run = 0; run < kRuns; ++run) {
        const auto begin = std::chrono::steady_clock::now();
        INGLE_TRY(commands.run(kRunLimit));
        const std::chrono::duration<double> elapsed = std::chrono::steady_clock::now() - begin;
        best = std::min(best, elapsed.count());
    }
    return best;
}

}  // namespace

LinearPush linearPush(const DeviceMatrix& matrix, const MatrixShard& shard, uint32_t numTokens) {
    return {.rowVectors = matrix.row.rowBytes / kVectorBytes,
            .plane1 = matrix.row.offsets[1] / kVectorBytes,
            .plane2 = matrix.row.offsets[2] / kVectorBytes,
            .plane3 = matrix.row.offsets[3] / kVectorBytes,
            .k = matrix.k,
            .numRows = shard.numRows,
            .firstRow = shard.firstRow,
            .numOut = matrix.numRows,
            .split1 = matrix.numRows,
            .split2 = matrix.numRows,
            .numTokens = numTokens};
}

PipelineSpec matvecKernel(const MatvecShape& shape, const WeightFormat& format, uint32_t numRows,
                          std::span<const uint32_t> epilogue) {
    PipelineSpec spec{shaderOf(shape.input, format), {shape.invocations, numRows, kOutputs}, 0};
    spec.constants.insert(spec.constants.end(), epilogue.begin(), epilogue.end());
    return spec;
}

std::array<uint32_t, 3> matvecGroups(uint32_t numOutputs) {
    const uint32_t groups = groupsFor(numOutputs, kOutputs);
    const uint32_t groupsX = std::min(groups, kMaxGroupsX);
    return {groupsX, groupsFor(groups, groupsX), 1};
}

std::vector<MatvecShape> matvecCandidates(const DeviceInfo& device, const WeightFormat& format,
                                          ActivationType activations) {
    const uint32_t most = std::min(kMaxInvocations, device.limits.maxWorkgroupSize);
    const bool bytes = activations == ActivationType::Auto && device.features.integerDot &&
                       findShader(shaderOf(MatvecInput::Bytes, format)) != nullptr;
    std::vector<MatvecShape> candidates;
    const auto add = [&](const MatvecShape& shape) {
        if (std::ranges::find(candidates, shape) == candidates.end()) candidates.push_back(shape);
    };
    for (const uint32_t subgroups : {1U, 2U, 4U}) {
        const uint32_t invocations = std::min(subgroups * device.limits.subgroupSize, most);
        add({invocations, MatvecInput::Floats});
        if (bytes) add({invocations, MatvecInput::Bytes});
    }
    return candidates;
}

MatvecShapes::MatvecShapes(Device& device, Pipelines& pipelines, ActivationType activations,
                           const std::string& cacheFolder)
    : m_device(device), m_pipelines(pipelines), m_activations(activations) {
    if (cacheFolder.empty()) return;
    const std::string_view exact = activations == ActivationType::F32 ? "-f32" : "";
    m_path = fmt::format("{}/matvec{}-{}.json", cacheFolder, exact, driverIdentity(device.info()));
    read();
}

MatvecShapes::Kind MatvecShapes::kindOf(const WeightFormat& format, uint32_t k) {
    return {std::string(format.name), std::bit_ceil(k)};
}

MatvecShape MatvecShapes::find(const WeightFormat& format, uint32_t k) const {
    const auto found = m_shapes.find(kindOf(format, k));
    if (found != m_shapes.end()) return found->second;
    return {std::min(m_device.info().limits.subgroupSize, kMaxInvocations), MatvecInput::Floats};
}

Status MatvecShapes::measure(std::span<const DeviceMatrix* const> matrices) {
    if (m_path.empty()) return {};
    bool isNew = false;
    for (const DeviceMatrix* matrix : matrices) {
        const Kind kind = kindOf(*matrix->format, matrix->k);
        if (m_shapes.contains(kind)) continue;
        INGLE_TRY_ASSIGN(const auto shape, fastest(*matrix));
        if (!shape) continue;
        m_shapes[kind] = *shape;
        isNew = true;
    }
    // What cannot be written is measured again next time.
    if (isNew) (void)write();
    return {};
}

bool MatvecShapes::haveBytes() const {
    return std::ranges::any_of(m_shapes,
                               [](const auto& known) { return known.second.input == MatvecInput::Bytes; });
}

bool MatvecShapes::dropBytes() {
    m_activations = ActivationType::F32;
    const size_t dropped =
        std::erase_if(m_shapes, [](const auto& known) { return known.second.input == MatvecInput::Bytes; });
    // What cannot be written fails the check again next time.
    if (dropped > 0) (void)write();
    return dropped > 0;
}

Result<std::optional<MatvecShape>> MatvecShapes::fastest(const DeviceMatrix& matrix) {
    const MatrixShard& shard = matrix.shards.front();
    const uint64_t rowBytes = (matrix.k + 3) / 4 * 4 * sizeof(float);
    const uint64_t outputBytes = (matrix.numRows + 3) / 4 * 4 * sizeof(float);
    Allocator memory(m_device, MemoryUse::Device);
    const uint64_t sizes[] = {rowBytes, outputBytes, kRangeAlignment};
    INGLE_TRY_ASSIGN(const auto ranges, memory.allocate(sizes));
    const BufferRange &x = ranges[0], &y = ranges[1], &unused = ranges[2];

    std::optional<MatvecShape> best;
    double least = INFINITY;
    for (const MatvecShape& shape : matvecCandidates(m_device.info(), *matrix.format, m_activations)) {
        const auto timed = [&](uint32_t repeats) -> Result<double> {
            INGLE_TRY_ASSIGN(const Pipeline* pipeline,
                             m_pipelines.compile(matvecKernel(shape, *matrix.format, 1, {})));
            Recorder recorder(m_device, m_pipelines);
            INGLE_TRY(recorder.fill(x, 0));
            for (uint32_t i = 0; i < repeats; ++i) {
                INGLE_TRY(recorder.dispatch({pipeline,
                                             {reads(shard.range), reads(x), reads(unused), reads(unused),
                                              writes(y), writes(y), writes(y)},
                                             linearPush(matrix, shard, 1),
                                             matvecGroups(shard.numRows)}));
            }
            INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
            return secondsOf(*commands);
        };
        Result<double> seconds = timed(1);
        uint32_t repeats = 1;
        if (seconds) {
            const double wanted = kMeasuredSeconds / std::max(*seconds, 1e-9);
            repeats = static_cast<uint32_t>(std::clamp(wanted, 1.0, double{kMaxRepeats}));
            seconds = timed(repeats);
        }
        if (!seconds) {
            if (m_device.lost()) return tl::unexpected(seconds.error());
            continue;
        }
        if (*seconds / repeats >= least) continue;
        least = *seconds / repeats;
        best = shape;
    }
    return best;
}

/// A file that is missing, damaged or of other kernels is as good as none.
void MatvecShapes::read() {
    const auto file = io::MappedFile::open(m_path);
    if (!file) return;
    const auto* text = reinterpret_cast<const char*>((*file)->bytes().data());
    const auto json = nlohmann::json::parse(text, text + (*file)->bytes().size(), nullptr, false);
    if (!json.is_object() || !json.contains("shapes") || !json["shapes"].is_array()) return;
    if (!json.contains("version") || json["version"] != kVersion) return;
    for (const auto& row : json["shapes"]) {
        if (!row.is_array() || row.size() != 4 || !row[0].is_string()) return;
        for (size_t i = 1; i < row.size(); ++i)
            if (!row[i].is_number_unsigned()) return;
        const auto name = row[0].get<std::string>();
        const auto format = std::ranges::find(allWeightFormats(), name, &WeightFormat::name);
        if (format == allWeightFormats().end()) return;
        const MatvecShape shape{row[2].get<uint32_t>(), MatvecInput{row[3].get<uint8_t>()}};
        const auto candidates = matvecCandidates(m_device.info(), **format, m_activations);
        if (std::ranges::find(candidates, shape) == candidates.end()) return;
        m_shapes[{name, row[1].get<uint32_t>()}] = shape;
    }
}

Status MatvecShapes::write() const {
    nlohmann::json rows = nlohmann::json::array();
    for (const auto& [kind, shape] : m_shapes)
        rows.push_back({kind.first, kind.second, shape.invocations, static_cast<uint32_t>(shape.input)});
    const std::string text = nlohmann::json{{"version", kVersion}, {"shapes", rows}}.dump();
    INGLE_TRY_ASSIGN(const auto file, io::AtomicFile::create(m_path));
    INGLE_TRY(file->write(std::as_bytes(std::span(text))));
    return file->commit(io::Durability::Unflushed);
}

}  // namespace ingle::backend::vulkan
