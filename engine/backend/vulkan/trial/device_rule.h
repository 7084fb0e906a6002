/// The rule that picks the device to compute on, for devices as drivers describe them and as trials do.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/backend/vulkan/substrate/device_info.h"
#include "ingle/result.h"

namespace ingle::backend::vulkan {

template <typename Device>
struct PickedDevice {
    std::optional<Device> device;
    std::string refusal;  ///< why the best device was passed over, in one sentence; empty: it was not
};

/// The first of the best kind whose name contains `name`; without a name any but software. `Device` has a
/// `name` and a `kind`. `refusalOf(device)` is a sentence, or empty; it is asked of wanted devices only, the
/// best first, until one is not refused.
template <typename Device, typename RefusalOf>
PickedDevice<Device> pickDevice(const std::vector<Device>& devices, std::string_view name,
                                RefusalOf refusalOf) {
    std::vector<const Device*> wanted;
    for (const Device& device : devices) {
        const bool isWanted =
            name.empty() ? device.kind != DeviceKind::Cpu : device.name.find(name) != std::string::npos;
        if (isWanted) wanted.push_back(&device);
    }
    std::ranges::stable_sort(wanted, {}, [](const Device* device) { return device->kind; });
    PickedDevice<Device> picked;
    for (const Device* device : wanted) {
        std::string refusal = refusalOf(*device);
        if (refusal.empty()) {
            picked.device = *device;
            break;
        }
        if (picked.refusal.empty()) picked.refusal = std::move(refusal);
    }
    return picked;
}

/// The error where none was picked: Unsupported, with the refusal or that there is no such device.
template <typename Device>
tl::unexpected<Error> nonePicked(const PickedDevice<Device>& picked, std::string_view name) {
    if (!picked.refusal.empty()) return fail(ErrorCode::Unsupported, "{}", picked.refusal);
    if (!name.empty()) return fail(ErrorCode::Unsupported, "no Vulkan device is called \"{}\"", name);
    return fail(ErrorCode::Unsupported, "this computer has no graphics processor for Vulkan");
}

}  // namespace ingle::backend::vulkan
