/// A device that has room for half of a model.
#pragma once

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/session/devices/backends.h"

namespace ingle::test {

/// Stands before another backend. It has memory of its own, for three quarters of a model's ops: about half
/// of its layers, with the logits.
class HalfDevice final : public backend::Backend {
  public:
    explicit HalfDevice(std::shared_ptr<backend::Backend> inner) : m_inner(std::move(inner)) {}

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
        m_whole = std::max(m_whole, plan.ops.size());  // it is asked about the whole model first
        if (4 * plan.ops.size() <= 3 * m_whole) return {};
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
    mutable size_t m_whole = 0;
};

/// Halves of what `whole` makes.
inline session::DeviceFactory halfOf(session::DeviceFactory whole) {
    return [whole = std::move(whole)](const LoadOptions& options) -> Result<session::ChosenDevice> {
        INGLE_TRY_ASSIGN(session::ChosenDevice device, whole(options));
        device.backend = std::make_shared<HalfDevice>(std::move(device.backend));
        return device;
    };
}

/// Made of the processor, so that all bits are the same.
inline session::DeviceFactory halfDevices() {
    return halfOf([](const LoadOptions& options) -> Result<session::ChosenDevice> {
        INGLE_TRY_ASSIGN(auto inner, session::createProcessor(options));
        return session::ChosenDevice{.backend = std::move(inner)};
    });
}

}  // namespace ingle::test
