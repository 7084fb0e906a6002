#include "engine/backend/vulkan/trial/probe.h"

#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <nlohmann/json.hpp>

#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {

// The words of the protocol; people read those of kindName().
NLOHMANN_JSON_SERIALIZE_ENUM(DeviceKind, {{DeviceKind::Other, "other"},
                                          {DeviceKind::Discrete, "discrete"},
                                          {DeviceKind::Integrated, "integrated"},
                                          {DeviceKind::Virtual, "virtual"},
                                          {DeviceKind::Cpu, "software"}})
NLOHMANN_JSON_SERIALIZE_ENUM(Trial, {{Trial::Untried, "untried"},
                                     {Trial::Done, "done"},
                                     {Trial::Crashed, "crashed"},
                                     {Trial::TimedOut, "timedOut"}})

namespace {

/// Longer than anybody waits for this process, who tells a time-out from what is wrong for good.
constexpr std::chrono::minutes kKernelLimit{10};

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

ProbedDevice describe(const DeviceInfo& info, bool triesFeatures) {
    ProbedDevice device{.identity = driverIdentity(info),
                        .name = info.name,
                        .kind = info.kind,
                        .driver = fmt::format("{} {}", info.driverName, info.driverInfo),
                        .refusal = refusalOf(info)};
    if (const auto type = chooseMemoryType(info.memory, info.kind, UINT32_MAX, MemoryUse::Device))
        device.memoryBytes = info.memory.heaps[info.memory.types[*type].heap].bytes;
    if (!device.refusal.empty()) {
        device.trial = Trial::Done;
        return device;
    }
    const MatrixUnits& units = info.matrixUnits;
    if (info.features.cooperativeMatrices)
        device.of(DeviceFeature::Units).what =
            fmt::format("units for matrices of {} x {} x {}", units.m, units.n, units.k);
    if (info.features.integerDot) device.of(DeviceFeature::Bytes).what = "products of bytes";
    // Software is used by name only, and would take long to compile all that.
    if (!triesFeatures || info.kind == DeviceKind::Cpu) return device;
    for (FeatureTrial& feature : device.features)
        if (!feature.what.empty()) feature.trial = Trial::Untried;
    return device;
}

constexpr const char* kFeatureKeys[] = {"units", "bytes"};

nlohmann::json toJson(const ProbedDevice& device) {
    nlohmann::json features;
    for (const DeviceFeature feature : kDeviceFeatures) {
        const FeatureTrial& tried = device.of(feature);
        features[kFeatureKeys[static_cast<size_t>(feature)]] = {
            {"what", tried.what}, {"trial", tried.trial}, {"refusal", tried.refusal}};
    }
    return {{"identity", device.identity}, {"name", device.name},   {"kind", device.kind},
            {"driver", device.driver},     {"trial", device.trial}, {"memoryBytes", device.memoryBytes},
            {"refusal", device.refusal},   {"features", features}};
}

/// One line. Names come from drivers, who may not know of UTF-8.
std::string dump(const nlohmann::json& json) {
    return json.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string textOf(const nlohmann::json& object, const char* key) {
    const auto found = object.find(key);
    return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

Result<ProbedDevice> deviceOf(const nlohmann::json& json) {
    ProbedDevice device{.identity = textOf(json, "identity"),
                        .name = textOf(json, "name"),
                        .driver = textOf(json, "driver"),
                        .refusal = textOf(json, "refusal")};
    if (device.identity.empty())
        return fail(ErrorCode::Corrupt, "a verdict on a graphics device without identity");
    device.kind = json.value("kind", DeviceKind::Other);
    device.trial = json.value("trial", Trial::Untried);
    const nlohmann::json features = json.value("features", nlohmann::json::object());
    for (const DeviceFeature feature : kDeviceFeatures) {
        const auto found = features.find(kFeatureKeys[static_cast<size_t>(feature)]);
        if (found == features.end() || !found->is_object()) continue;
        device.of(feature) = {textOf(*found, "what"), found->value("trial", Trial::Done),
                              textOf(*found, "refusal")};
    }
    if (json.contains("memoryBytes") && json["memoryBytes"].is_number_unsigned())
        device.memoryBytes = json["memoryBytes"].get<uint64_t>();
    return device;
}

}  // namespace

std::string_view featureName(DeviceFeature feature) {
    return feature == DeviceFeature::Units ? "units for matrices" : "products of bytes";
}

std::optional<DeviceFeature> missingTrial(const ProbedDevice& device) {
    if (device.trial != Trial::Done || !device.refusal.empty()) return std::nullopt;
    const auto untried = std::ranges::find(kDeviceFeatures, Trial::Untried,
                                           [&](DeviceFeature feature) { return device.of(feature).trial; });
    return untried == kDeviceFeatures.end() ? std::nullopt : std::optional(*untried);
}

std::string leftOutName(const ProbedDevice& device) {
    return device.identity;
}

std::string leftOutName(const ProbedDevice& device, DeviceFeature feature) {
    return fmt::format("{}/{}", device.identity, kFeatureKeys[static_cast<size_t>(feature)]);
}

const ProbedDevice* ProbeVerdict::find(const DeviceInfo& device) const {
    const auto found = std::ranges::find(devices, driverIdentity(device), &ProbedDevice::identity);
    return found == devices.end() ? nullptr : &*found;
}

void probeDevices(const std::vector<std::string>& leftOut,
                  const std::function<void(const std::string& line)>& tell, const TryFeature& tryFeature,
                  const InstanceOptions& options) {
    ProbeVerdict verdict;
    const auto instance = Instance::create(options);
    if (!instance) {
        verdict.refusal = instance.error().message;
        return tell(encodeVerdict(verdict));
    }
    const auto infos = (*instance)->devices();
    if (!infos) {
        verdict.refusal = infos.error().message;
        return tell(encodeVerdict(verdict));
    }
    for (const DeviceInfo& info : *infos) verdict.devices.push_back(describe(info, tryFeature != nullptr));
    tell(encodeVerdict(verdict));
    const auto isLeftOut = [&](const std::string& name) { return std::ranges::count(leftOut, name) > 0; };
    for (size_t i = 0; i < infos->size(); ++i) {
        ProbedDevice& device = verdict.devices[i];
        if (device.trial != Trial::Untried || isLeftOut(leftOutName(device))) continue;
        if (const Status tried = tryKernel(**instance, (*infos)[i]); !tried)
            device.refusal = tried.error().message;
        device.trial = Trial::Done;
        tell(encodeDevice(device));
    }
    for (ProbedDevice& device : verdict.devices) {
        if (!device.refusal.empty() || isLeftOut(leftOutName(device))) continue;
        for (const DeviceFeature feature : kDeviceFeatures) {
            FeatureTrial& trial = device.of(feature);
            if (trial.trial != Trial::Untried || isLeftOut(leftOutName(device, feature))) continue;
            const auto goesOn = [&] { tell(encodeDevice(device)); };
            if (const Status tried = tryFeature(device.identity, feature, goesOn); !tried)
                trial.refusal = tried.error().message;
            trial.trial = Trial::Done;
            tell(encodeDevice(device));
        }
    }
}

std::string encodeVerdict(const ProbeVerdict& verdict) {
    auto devices = nlohmann::json::array();
    for (const ProbedDevice& device : verdict.devices) devices.push_back(toJson(device));
    return dump({{"devices", devices}, {"refusal", verdict.refusal}, {"listing", verdict.listing}});
}

std::string encodeDevice(const ProbedDevice& device) {
    return dump(toJson(device));
}

Result<ProbeVerdict> decodeVerdict(std::string_view text) {
    const auto json = nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false);
    if (!json.is_object() || !json.contains("devices") || !json["devices"].is_array())
        return fail(ErrorCode::Corrupt, "not a verdict on graphics devices: {}", text.substr(0, 80));
    ProbeVerdict verdict{.refusal = textOf(json, "refusal"), .listing = json.value("listing", Trial::Done)};
    for (const auto& entry : json["devices"]) {
        INGLE_TRY_ASSIGN(ProbedDevice device, deviceOf(entry));
        verdict.devices.push_back(std::move(device));
    }
    return verdict;
}

Result<ProbedDevice> decodeDevice(std::string_view text) {
    return deviceOf(nlohmann::json::parse(text, nullptr, /*allow_exceptions=*/false));
}

void runProbeChild(const std::vector<std::string>& leftOut, const TryFeature& tryFeature) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    const int output = ::dup(STDOUT_FILENO);
    ::dup2(STDERR_FILENO, STDOUT_FILENO);
    const auto tell = [output](const std::string& text) {
        const std::string line = text + "\n";
        std::string_view rest = line;
        while (!rest.empty()) {
            const ssize_t written = ::write(output, rest.data(), rest.size());
            if (written <= 0) ::_exit(1);  // nobody listens any more
            rest.remove_prefix(static_cast<size_t>(written));
        }
    };
    probeDevices(leftOut, tell, tryFeature);
    // Not exit(): drivers' exit handlers have nothing to add to the verdict.
    ::_exit(0);
}

}  // namespace ingle::backend::vulkan
