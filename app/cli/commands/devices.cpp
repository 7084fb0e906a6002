#include "ingle/devices.h"

#include "app/cli/command.h"
#include "app/cli/driver_trials.h"

namespace ingle::cli::devices_command {
namespace {

std::string useOf(const DeviceEntry& device, bool isProcessor) {
    if (device.use == DeviceUse::Never) return fmt::format("not used: {}", device.refusal);
    if (device.use == DeviceUse::Automatic) return "used automatically";
    if (isProcessor) return "used when a model does not fit the graphics device, or runs faster here";
    return device.refusal.empty() ? "only by name" : fmt::format("only by name: {}", device.refusal);
}

Status devices(bool retries) {
    const DriverAnswers answers = retries ? DriverAnswers::Forgiven : DriverAnswers::New;
    INGLE_TRY_ASSIGN(const DeviceList list, listDevices(driverTrials(), answers));
    constexpr double kGiB = 1 << 30;
    for (const DeviceEntry& device : list.devices) {
        fmt::print("{} · {} · {:.1f} GiB · {} · {}\n", device.name, device.kind,
                   static_cast<double>(device.memoryBytes) / kGiB, device.driver,
                   useOf(device, &device == &list.devices.front()));
        for (const std::string& kernel : device.kernels) fmt::print("    {}\n", kernel);
    }
    if (!list.note.empty()) fmt::print("No graphics device is used: {}\n", list.note);
    if (list.devices.front().use != DeviceUse::Automatic)
        fmt::print(
            "Models that do not fit its memory, or that the processor runs faster, run on the processor.\n");
    return {};
}

Action define(CLI::App& app) {
    auto retries = std::make_shared<bool>(false);
    app.add_flag("--retry", *retries, "use again what was left alone because its driver crashed");
    return [retries] { return devices(*retries); };
}

}  // namespace

extern const Command command{"devices", "list what can compute: the processor and graphics devices", define};

}  // namespace ingle::cli::devices_command
