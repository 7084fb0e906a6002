/// A vision tower on a graphics device.
#pragma once

#include <memory>
#include <string>

#include "engine/session/devices/backends.h"
#include "engine/vision/encoder.h"
#include "engine/vision/family.h"

namespace ingle::session {

/// The device is opened anew, beside the one of the text model, so that pictures can be encoded while that
/// answers others. One thread.
class DeviceTower {
  public:
    /// On the device that `device` makes of `options`, if it computes the tower as the processor does
    /// (checkTower()); null where that is none. `tower` outlives it. A driver that hangs ends the process.
    /// Errors: as DeviceFactory and checkTower().
    static Result<std::unique_ptr<DeviceTower>> create(const vision::BoundTower& tower,
                                                       const LoadOptions& options,
                                                       const DeviceFactory& device);

    std::string deviceName() const { return m_device.backend->deviceName(); }
    /// Errors: as TowerEncoder::encode(); OutOfMemory, with the numbers.
    Result<std::vector<float>> encode(const vision::CutPicture& cut,
                                      const vision::TowerEncoder::Watch& watch);

  private:
    explicit DeviceTower(ChosenDevice device) : m_device(std::move(device)) {}

    // The order matters: the encoder uses the device.
    ChosenDevice m_device;
    std::unique_ptr<vision::TowerEncoder> m_encoder;
};

}  // namespace ingle::session
