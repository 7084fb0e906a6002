/// A device that has room for some of a model.
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <utility>

#include "engine/session/devices/backends.h"

namespace ingle::test {

/// Whether there is room for a plan; it is asked about the whole model first.
using RoomRule = std::function<bool(const backend::Plan& plan)>;

/// Three quarters of a model's ops: about half of its layers, with the logits.
inline RoomRule roomForHalf() {
    return [whole = size_t{0}](const backend::Plan& plan) mutable {
        whole = std::max(whole, plan.ops.size());
        return 4 * plan.ops.size() <= 3 * whole;
    };
}
/// Everything but experts, and so many products of those.
inline RoomRule roomForProductsOfExperts(long most) {
    return [most](const backend::Plan& plan) {
        return std::ranges::count(plan.ops, backend::OpCode::ExpertLinear, &backend::Op::code) <= most;
    };
}

/// Stands before another backend. It has memory of its own.
class HalfDevice final : public backend::Backend {
  public:
    HalfDevice(std::shared_ptr<backend::Backend> inner, RoomRule hasRoom)
        : m_inner(std::move(inner)), m_hasRoom(std::move(hasRoom)) {}

    std::string_view name() const override { return m_inner->name(); }
    std::string deviceName() const override { return "Half a GPU"; }
    backend::BackendFacts facts() const override {
        backend::BackendFacts facts = m_inner->facts();
        facts.onProcessor = false;
        facts.hasOwnMemory = true;
        return facts;
    }
    bool supports(backend::OpCode code) const override { return m_inner->supports(code); }
    bool roundsActivations() const override { return m_inner->roundsActivations(); }
    uint32_t promptRows() const override { return m_inner->promptRows(); }
    Status checkRoom(const backend::Plan& plan, const backend::MemorySpec&,
                     const backend::MemoryNeed&) const override {
        if (m_hasRoom(plan)) return {};
        return fail(ErrorCode::OutOfMemory, "half a GPU is full");
    }
    Result<std::unique_ptr<backend::MemoryPool>> createMemory(
        const backend::MemorySpec& spec, const backend::MemoryOptions& options) override {
        return m_inner->createMemory(spec, options);
    }
    Result<std::unique_ptr<backend::Program>> compile(const backend::Plan& plan,
                                                      backend::MemoryPool& memory) override {
        return m_inner->compile(plan, memory);
    }

  private:
    std::shared_ptr<backend::Backend> m_inner;
    RoomRule m_hasRoom;
};

/// Halves of what `whole` makes.
inline session::DeviceFactory halfOf(session::DeviceFactory whole, RoomRule hasRoom = roomForHalf()) {
    return [whole = std::move(whole),
            hasRoom = std::move(hasRoom)](const LoadOptions& options) -> Result<session::ChosenDevice> {
        INGLE_TRY_ASSIGN(session::ChosenDevice device, whole(options));
        device.backend = std::make_shared<HalfDevice>(std::move(device.backend), hasRoom);
        return device;
    };
}

/// Made of the processor, so that all bits are the same.
inline session::DeviceFactory halfDevices(RoomRule hasRoom = roomForHalf()) {
    return halfOf(
        [](const LoadOptions& options) -> Result<session::ChosenDevice> {
            INGLE_TRY_ASSIGN(auto inner, session::createProcessor(options));
            return session::ChosenDevice{.backend = std::move(inner)};
        },
        std::move(hasRoom));
}

}  // namespace ingle::test
