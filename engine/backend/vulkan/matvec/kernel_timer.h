/// How long kernels take on a device: tried, not guessed from the device's name.
#pragma once

#include <functional>

#include "engine/backend/vulkan/substrate/recorder.h"

namespace ingle::backend::vulkan {

class KernelTimer {
  public:
    /// Adds what is timed to a recording.
    using RecordKernels = std::function<Status(Recorder&)>;

    KernelTimer(Device& device, const Pipelines& pipelines) : m_device(device), m_pipelines(pipelines) {}

    /// Of what `record` records, in the mean of several; infinite where it does not run. Errors: Device
    /// (lost).
    Result<double> seconds(const RecordKernels& record);

  private:
    /// Of so many times. Errors: as Commands::run().
    Result<double> secondsOf(const RecordKernels& record, uint32_t repeats);

    Device& m_device;
    const Pipelines& m_pipelines;
};

}  // namespace ingle::backend::vulkan
