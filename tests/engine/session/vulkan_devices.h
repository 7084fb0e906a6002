/// Real devices for tests of sessions; Debian's mesa-vulkan-drivers brings one that needs no hardware.
#pragma once

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "engine/backend/vulkan/program/opened_backend.h"
#include "engine/session/devices/backends.h"
#include "tests/engine/backend_vulkan/two_heaps.h"
#include "tests/engine/session/vulkan_faults.h"

namespace ingle::test {

/// Stands for a backend that others use too. They all go on with the kernels it has: none are given up.
class SharedBackend final : public backend::Backend {
  public:
    explicit SharedBackend(backend::Backend& inner) : m_inner(inner) {}

    std::string_view name() const override { return m_inner.name(); }
    std::string deviceName() const override { return m_inner.deviceName(); }
    bool supports(backend::OpCode code) const override { return m_inner.supports(code); }
    Result<std::unique_ptr<backend::MemoryPool>> createMemory(
        const backend::MemorySpec& spec, const backend::MemoryOptions& options) override {
        return m_inner.createMemory(spec, options);
    }
    Status checkRoom(const backend::Plan& plan, const backend::MemorySpec& memory,
                     const backend::MemoryNeed& need) const override {
        return m_inner.checkRoom(plan, memory, need);
    }
    Result<std::unique_ptr<backend::Program>> compile(const backend::Plan& plan,
                                                      backend::MemoryPool& memory) override {
        return m_inner.compile(plan, memory);
    }
    bool roundsActivations() const override { return m_inner.roundsActivations(); }

  private:
    backend::Backend& m_inner;
};

/// Makes backends on the first device that can be used.
class VulkanDevices {
  public:
    /// Why there is no device; empty: there is one.
    const std::string& missing() const { return m_missing; }
    /// For LoadOptions::device.
    const std::string& name() const { return m_name; }

    VulkanDevices() {
        const auto instance = backend::vulkan::Instance::create();
        if (!instance) {
            EXPECT_EQ(instance.error().code, ErrorCode::Unsupported) << instance.error().message;
            m_missing = instance.error().message;
            return;
        }
        const auto devices = (*instance)->devices().value();
        const auto usable = std::ranges::find_if(
            devices, [](const auto& device) { return backend::vulkan::refusalOf(device).empty(); });
        if (usable == devices.end())
            m_missing = "no Vulkan device that this backend can use";
        else
            m_name = usable->name;
    }

    /// Each on a device opened anew. Refers to this, and to `faults` where there are to be any.
    session::DeviceFactory factory(VulkanFaults* faults = nullptr) {
        return [this, faults](const LoadOptions& options) -> Result<session::ChosenDevice> {
            INGLE_TRY_ASSIGN(auto opened, open(options.activations, faults));
            if (options.deviceBytes > 0) opened->device().limitMemory(options.deviceBytes);
            return session::ChosenDevice{.backend = std::move(opened)};
        };
    }

    /// All on one device, so that no kernel is compiled twice. Refers to this, and so do the backends.
    session::DeviceFactory sharedFactory() {
        return [this](const LoadOptions&) -> Result<session::ChosenDevice> {
            if (!m_shared) {
                INGLE_TRY_ASSIGN(m_shared, open(ActivationType::F32, nullptr));
            }
            return session::ChosenDevice{.backend = std::make_unique<SharedBackend>(*m_shared)};
        };
    }

    /// Devices are cards with heaps of their own from then on. Refers to `heaps`.
    void becomeCards(TwoHeaps& heaps) { m_heaps = &heaps; }
    /// Kernels are chosen by timing from then on.
    void setCacheFolder(const std::string& folder) { m_cacheFolder = folder; }

    /// The last one that was made, while it lives.
    backend::vulkan::OpenedBackend& current() { return *m_current; }
    /// To be called while it lives.
    void expectNoComplaints() { EXPECT_THAT(m_current->instance().validationMessages(), testing::IsEmpty()); }

  private:
    Result<std::unique_ptr<backend::vulkan::OpenedBackend>> open(ActivationType activations,
                                                                 VulkanFaults* faults) {
        INGLE_TRY_ASSIGN(auto instance, backend::vulkan::Instance::create());
        if (faults) faults->install(*instance);
        if (m_heaps) m_heaps->install(*instance);
        INGLE_TRY_ASSIGN(const auto devices, instance->devices());
        const auto info =
            std::ranges::find_if(devices, [&](const auto& device) { return device.name == m_name; });
        INGLE_TRY_ASSIGN(auto opened, backend::vulkan::OpenedBackend::open(
                                          std::move(instance), m_heaps ? m_heaps->described(*info) : *info,
                                          activations, m_cacheFolder));
        m_current = opened.get();
        return opened;
    }

    std::string m_missing;
    std::string m_name;
    std::string m_cacheFolder;
    TwoHeaps* m_heaps = nullptr;
    std::unique_ptr<backend::vulkan::OpenedBackend> m_shared;
    backend::vulkan::OpenedBackend* m_current = nullptr;
};

}  // namespace ingle::test
