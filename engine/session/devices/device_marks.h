/// Marks that a process leaves while it uses a device: files, so that they are found after a driver has ended
/// the process.
///
/// The file of a use is locked as long as the process lives: one that is not locked tells of a process that
/// died. A driver is to blame when the process crashed, which its signal handlers write into the files, or
/// whoever watched it knows (see condemn()); or after several deaths at the start of a use: people kill a
/// program while it works, but hardly ever time and again while it starts. A process that ends in order, or
/// by the signals with which people end programs, takes its marks with it. The name holds the driver's
/// identity, so that another version begins anew, and the process.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "engine/backend/vulkan/trial/probe.h"

namespace ingle::session {

class DeviceMarks {
  public:
    enum class Phase {
        Start,  ///< until the first step is done
        Work,
    };

    struct Mark;
    struct EndOfUse {
        void operator()(Mark* mark) const;
    };
    /// A use that has begun. Its mark goes with it, however it ends within the process.
    using Use = std::unique_ptr<Mark, EndOfUse>;

    /// `folder`: an existing one. `identity`: of device and driver, fit for a file name.
    DeviceMarks(std::string folder, std::string identity)
        : m_folder(std::move(folder)), m_identity(std::move(identity)) {}

    /// From the first use on, signals that end this process by default tell its marks of it. Null where the
    /// file cannot be written: the use is not remembered then.
    Use begin(Phase phase) const;
    /// Processes that died in this phase, since forgive().
    int deaths(Phase phase) const;
    /// Whether that process died in one.
    bool diedIn(uint32_t process) const;
    /// It is known that the driver ended one of them.
    bool crashed() const;
    bool blamed() const;
    /// It is known that the driver ended a process.
    void condemn() const;
    /// A use ended well: earlier deaths count no more.
    void forgive() const;

    /// From now on the device is used without a feature. `reason`: in one sentence. False: that cannot be
    /// remembered.
    bool leave(backend::vulkan::DeviceFeature feature, const std::string& reason) const;
    /// Why it is; empty: it is not.
    std::string refusalOf(backend::vulkan::DeviceFeature feature) const;
    /// A person wants it tried again: earlier deaths count no more, and no feature is left alone.
    void restore() const;

    /// The driver ends this process: condemns every device that is in use. May be called in signal handlers.
    static void condemnUses();
    /// This process ends for another reason: takes the marks of its uses away. Any thread, also while another
    /// is stuck in a driver; may be called in signal handlers.
    static void withdrawUses();

  private:
    static constexpr int kTooMany = 3;

    std::string featurePath(backend::vulkan::DeviceFeature feature) const;
    std::string prefix(Phase phase) const;
    std::string prefix(Phase phase, uint32_t process) const;
    /// Of the marks whose names begin so.
    void eachDeath(const std::string& prefix,
                   const std::function<void(const std::string& path, bool crashed)>& death) const;

    std::string m_folder;
    std::string m_identity;
};

}  // namespace ingle::session
