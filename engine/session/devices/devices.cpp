/// The devices of this computer, for people.
#include "ingle/devices.h"

#include <unistd.h>

#include <algorithm>
#include <csignal>

#include "engine/backend/vulkan/program/measured_kernels.h"
#include "engine/base/cpu_features.h"
#include "engine/io/mapped_file.h"
#include "engine/session/devices/device_choice.h"
#include "engine/session/devices/feature_trial.h"

namespace ingle {
namespace {

using backend::vulkan::DeviceFeature;
using backend::vulkan::FeatureTrial;
using backend::vulkan::kDeviceFeatures;
using backend::vulkan::ProbeCache;
using backend::vulkan::ProbedDevice;
using backend::vulkan::Trial;

Result<DeviceEntry> describeProcessor() {
    INGLE_TRY_ASSIGN(const base::Isa isa, base::chooseIsa());
    const auto pages = static_cast<uint64_t>(::sysconf(_SC_PHYS_PAGES));
    return DeviceEntry{.name = base::processorName(),
                       .kind = "processor",
                       .memoryBytes = pages * static_cast<uint64_t>(::sysconf(_SC_PAGESIZE)),
                       .driver = std::string(base::isaName(isa)),
                       .use = DeviceUse::Automatic};
}

DeviceEntry describe(const ProbedDevice& device, const DriverTrials& trials) {
    DeviceEntry entry{.name = device.name,
                      .kind = std::string(kindName(device.kind)),
                      .memoryBytes = device.memoryBytes,
                      .driver = device.driver,
                      .refusal = device.refusal,
                      .kernels = backend::vulkan::measuredKernels(trials.folder, device.identity)};
    for (const DeviceFeature feature : kDeviceFeatures) {
        const FeatureTrial& tried = device.of(feature);
        if (tried.isUsed())
            entry.driver += fmt::format("; {}", tried.what);
        else if (!tried.refusal.empty())
            entry.driver += fmt::format("; without its {} ({})", featureName(feature), tried.refusal);
    }
    const bool isHopeless = device.trial == Trial::Done && !device.refusal.empty();
    if (!isHopeless) entry.use = DeviceUse::OnRequest;
    const auto marks = session::marksOf(device, trials);
    if (entry.refusal.empty() && marks && marks->blamed()) entry.refusal = session::blameFor(device);
    return entry;
}

}  // namespace

Result<DeviceList> listDevices(const DriverTrials& trials, DriverAnswers answers) {
    INGLE_TRY_ASSIGN(DeviceEntry processor, describeProcessor());
    const ProbeCache cache = answers == DriverAnswers::Remembered ? ProbeCache::Use : ProbeCache::Renew;
    INGLE_TRY_ASSIGN(auto verdict, session::askDrivers(trials, cache));
    if (answers == DriverAnswers::Forgiven) {
        for (const ProbedDevice& device : verdict.devices)
            if (const auto marks = session::marksOf(device, trials)) marks->restore();
        INGLE_TRY_ASSIGN(verdict, session::askDrivers(trials, ProbeCache::Use));
    }
    DeviceList list{.devices = {std::move(processor)}, .note = std::move(verdict.refusal)};
    std::ranges::stable_sort(verdict.devices, {}, &ProbedDevice::kind);
    const auto refusal = [&](const ProbedDevice& device) { return describe(device, trials).refusal; };
    const auto best = pickDevice(verdict.devices, "", refusal).device;
    if (best) list.devices.front().use = DeviceUse::OnRequest;
    for (const ProbedDevice& device : verdict.devices) {
        DeviceEntry entry = describe(device, trials);
        if (best && device.identity == best->identity) entry.use = DeviceUse::Automatic;
        list.devices.push_back(std::move(entry));
    }
    return list;
}

void runDeviceProbe(const std::vector<std::string>& leftOut) {
    backend::vulkan::runProbeChild(leftOut, session::tryFeature);
}

void condemnDeviceUses() {
    session::DeviceMarks::condemnUses();
}

void withdrawDeviceUses() {
    session::DeviceMarks::withdrawUses();
}

void endUnlessModelFile(const void* address) {
    if (io::MappedFile::isMapped(address)) return session::DeviceMarks::withdrawUses();
    session::DeviceMarks::condemnUses();
    ::signal(SIGBUS, SIG_DFL);
    sigset_t blocked;  // by the handler
    ::sigemptyset(&blocked);
    ::sigaddset(&blocked, SIGBUS);
    ::pthread_sigmask(SIG_UNBLOCK, &blocked, nullptr);
    ::raise(SIGBUS);
}

}  // namespace ingle
