/// The backends a model may compute on; nothing else in this layer knows them by name.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "engine/backend/backend.h"
#include "engine/session/devices/device_marks.h"
#include "ingle/types.h"

namespace ingle::session {

struct ChosenDevice {
    std::shared_ptr<backend::Backend> backend;  ///< null: the processor
    std::optional<DeviceMarks> marks;           ///< for uses of it, where they are remembered
    DeviceMarks::Use use;                       ///< the start of one; ends with the first step
    bool mustBeFaster = false;                  ///< than the processor: nobody asked for this device
    std::string note;                           ///< why it is not the best one: a sentence, or empty
};

/// Makes the device that `options` ask for, or the best one; null when that is the processor. An error is a
/// reason that people will want to know. Errors: Unsupported, Device, OutOfMemory, Io.
using DeviceFactory = std::function<Result<ChosenDevice>(const LoadOptions& options)>;

/// The devices of this computer.
Result<ChosenDevice> createDevice(const LoadOptions& options);

/// What a program of this plan takes of memory on the processor, beside the weights.
uint64_t processorProgramBytes(const backend::Plan& plan, const LoadOptions& options);

/// The processor, which is there in any case. Errors: Unsupported (INGLE_ISA).
Result<std::unique_ptr<backend::Backend>> createProcessor(const LoadOptions& options);

}  // namespace ingle::session
