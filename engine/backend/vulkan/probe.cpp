#include "engine/backend/vulkan/probe.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "engine/backend/vulkan/recorder.h"

namespace ingle::backend::vulkan {
namespace {

constexpr std::chrono::seconds kKernelLimit{10};

/// Adds two rows of numbers on the device, with a length that no workgroup divides.
Status tryKernel(const Instance& instance, const DeviceInfo& info) {
    constexpr uint32_t kCount = 1001;
    constexpr uint32_t kWorkgroup = 64;
    INGLE_TRY_ASSIGN(const auto device, Device::create(instance, info));
    INGLE_TRY_ASSIGN(const auto pipelines, Pipelines::create(*device, {}));
    INGLE_TRY_ASSIGN(const Pipeline* add, pipelines->compile(PipelineSpec{"add", {kWorkgroup}}));
    Allocator memory(*device, MemoryUse::HostRead);
    const std::vector<uint64_t> sizes(3, kCount * sizeof(float));
    INGLE_TRY_ASSIGN(const auto ranges, memory.allocate(sizes));
    std::array<float*, 3> rows{};
    for (size_t i = 0; i < rows.size(); ++i) rows[i] = reinterpret_cast<float*>(ranges[i].host);
    for (uint32_t i = 0; i < kCount; ++i) {
        rows[0][i] = static_cast<float>(i);
        rows[1][i] = 0.5f;
        rows[2][i] = 0;
    }
    struct Push {
        uint32_t count;
    };
    Recorder recorder(*device, *pipelines);
    INGLE_TRY(recorder.dispatch({.pipeline = add,
                                 .bindings = {reads(ranges[0]), reads(ranges[1]), writes(ranges[2])},
                                 .push = Push{kCount},
                                 .groups = {groupsFor(kCount, kWorkgroup), 1, 1}}));
    INGLE_TRY_ASSIGN(const auto commands, recorder.finish());
    INGLE_TRY(commands->run(kKernelLimit));
    for (uint32_t i = 0; i < kCount; ++i) {
        if (rows[2][i] == static_cast<float>(i) + 0.5f) continue;
        return fail(ErrorCode::Device, "{} computes wrong numbers ({} + 0.5 = {})", info.name, i, rows[2][i]);
    }
    return {};
}

ProbedDevice probeDevice(const Instance& instance, const DeviceInfo& info) {
    ProbedDevice device{.identity = driverIdentity(info),
                        .name = info.name,
                        .kind = info.kind,
                        .driver = fmt::format("{} {}", info.driverName, info.driverInfo),
                        .refusal = refusalOf(info)};
    if (const auto type = chooseMemoryType(info.memory, info.kind, UINT32_MAX, MemoryUse::Device))
        device.memoryBytes = info.memory.heaps[info.memory.types[*type].heap].bytes;
    if (!device.refusal.empty()) return device;
    if (const Status tried = tryKernel(instance, info); !tried) device.refusal = tried.error().message;
    return device;
}

std::string textOf(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

DeviceKind kindNamed(std::string_view name) {
    for (const DeviceKind kind :
         {DeviceKind::Discrete, DeviceKind::Integrated, DeviceKind::Virtual, DeviceKind::Cpu}) {
        if (kindName(kind) == name) return kind;
    }
    return DeviceKind::Other;
}

}  // namespace

const ProbedDevice* ProbeVerdict::find(const DeviceInfo& device) const {
    const auto found = std::ranges::find(devices, driverIdentity(device), &ProbedDevice::identity);
    return found == devices.end() ? nullptr : &*found;
}

ProbeVerdict probeDevices(const InstanceOptions& options) {
    ProbeVerdict verdict;
    const auto instance = Instance::create(options);
    if (!instance) {
        verdict.refusal = instance.error().message;
        return verdict;
    }
    const auto devices = (*instance)->devices();
    if (!devices) {
        verdict.refusal = devices.error().message;
        return verdict;
    }
    for (const DeviceInfo& info : *devices) verdict.devices.push_back(probeDevice(**instance, info));
    return verdict;
}

std::string encodeVerdict(const ProbeVerdict& verdict) {
    auto devices = nlohmann::json::array();
    for (const ProbedDevice& device : verdict.devices)
        devices.push_back({{"identity", device.identity},
                           {"name", device.name},
                           {"kind", kindName(device.kind)},
                           {"driver", device.driver},
                           {"memoryBytes", device.memoryBytes},
                           {"refusal", device.refusal}});
    const nlohmann::json json{
        {"devices", devices}, {"refusal", verdict.refusal}, {"crashed", verdict.crashed}};
    // Names come from drivers, who may not know of UTF-8.
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

Result<ProbeVerdict> decodeVerdict(std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("devices") || !json["devices"].is_array())
        return fail(ErrorCode::Corrupt, "not a verdict on graphics devices: {}", text.substr(0, 80));
    ProbeVerdict verdict{.refusal = textOf(json, "refusal"),
                         .crashed = json.value("crashed", nlohmann::json()) == true};
    for (const auto& entry : json["devices"]) {
        ProbedDevice device{.identity = textOf(entry, "identity"),
                            .name = textOf(entry, "name"),
                            .kind = kindNamed(textOf(entry, "kind")),
                            .driver = textOf(entry, "driver"),
                            .refusal = textOf(entry, "refusal")};
        if (device.identity.empty())
            return fail(ErrorCode::Corrupt, "a verdict on a graphics device without identity");
        if (entry.contains("memoryBytes") && entry["memoryBytes"].is_number_unsigned())
            device.memoryBytes = entry["memoryBytes"].get<uint64_t>();
        verdict.devices.push_back(std::move(device));
    }
    return verdict;
}

void runProbeChild() {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int output = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    const std::string line = encodeVerdict(probeDevices()) + "\n";
    std::string_view rest = line;
    while (!rest.empty()) {
        const ssize_t written = ::write(output, rest.data(), rest.size());
        if (written <= 0) ::_exit(1);  // nobody listens any more
        rest.remove_prefix(static_cast<size_t>(written));
    }
    // Not exit(): drivers' exit handlers have nothing to add to the verdict.
    ::_exit(0);
}

}  // namespace ingle::backend::vulkan
