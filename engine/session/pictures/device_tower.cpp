#include "engine/session/pictures/device_tower.h"

#include "engine/session/devices/hang_guard.h"
#include "engine/session/pictures/tower_check.h"

namespace ingle::session {
namespace {

/// How long a device may take until the check is over. Its driver compiles shaders, once.
constexpr std::chrono::minutes kCheckLimit{3};

}  // namespace

Result<std::unique_ptr<DeviceTower>> DeviceTower::create(const vision::BoundTower& tower,
                                                         const LoadOptions& options,
                                                         const DeviceFactory& device) {
    const HangGuard guard(kCheckLimit);
    INGLE_TRY_ASSIGN(ChosenDevice chosen, device(options));
    if (!chosen.backend) return nullptr;
    std::unique_ptr<DeviceTower> placed(new DeviceTower(std::move(chosen)));
    backend::Backend& backend = *placed->m_device.backend;
    Status right = checkTower(backend, tower, options);
    const auto isWrong = [&] { return !right && right.error().code == ErrorCode::Device; };
    while (isWrong() && backend.simplify()) right = checkTower(backend, tower, options);
    INGLE_TRY(right);
    placed->m_device.use.reset();
    INGLE_TRY_ASSIGN(placed->m_encoder, vision::TowerEncoder::create(tower.spec, tower.weights, backend));
    return placed;
}

Result<std::vector<float>> DeviceTower::encode(const vision::CutPicture& cut,
                                               const vision::TowerEncoder::Watch& watch) {
    const auto& marks = m_device.marks;
    DeviceMarks::Use use = marks ? marks->begin(DeviceMarks::Phase::Work) : nullptr;
    auto rows = m_encoder->encode(cut, watch);
    use.reset();
    if (rows && marks) marks->forgive();
    return rows;
}

}  // namespace ingle::session
